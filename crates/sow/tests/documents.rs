//! The documents hang together: links lead somewhere, and the files that are named are there.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The documents, with their text outside of blocks of code.
fn documents() -> Vec<(PathBuf, String)> {
    let folders = ["", "docs", "results", "crates/lab/published"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let prose = |text: String| {
        text.split("```").step_by(2).map(str::to_string).collect::<Vec<_>>().concat()
    };
    pages.map(|path| (path.clone(), prose(fs::read_to_string(path).unwrap()))).collect()
}

/// The anchors of a page, as its headings give them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let kept = |letter: &char| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter);
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title.chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let documents = documents();
    let mut links = 0;
    for (path, text) in &documents {
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let there = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            assert!(there.exists(), "{}: {link}", path.display());
            if !anchor.is_empty() {
                let page = fs::read_to_string(&there).unwrap();
                let known = anchors(&page);
                assert!(known.iter().any(|known| known == anchor), "{}: {link}", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 30, "{links} links");
}

/// Files of sources that are named in a document, from the root or from `crates/`.
#[test]
fn named_sources_are_there() {
    let mut named = 0;
    for (path, text) in documents() {
        for name in text.split('`').skip(1).step_by(2) {
            let is_source = [".rs", ".js"].iter().any(|ending| name.ends_with(ending));
            if is_source && name.contains('/') && !name.contains([' ', '*']) {
                let places = ["", "crates", "crates/serve", "crates/tables/src"];
                let found = places.iter().any(|place| root().join(place).join(name).exists());
                assert!(found, "{}: {name}", path.display());
                named += 1;
            }
        }
    }
    assert!(named > 15, "{named} names");
}

/// The map of the rooms has all of them.
#[test]
fn the_map_has_every_crate() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let map = map.split("```").nth(1).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(map.contains(&format!("\n  {name}/ ")), "{name}");
    }
}
