//! `docs/PROMISES.md` names only tests that there are.

use std::path::Path;

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/PROMISES.md")).unwrap();
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let (promise, held) = row.trim_matches('|').rsplit_once('|').expect("two cells");
        let mut file = None;
        // What stands between backquotes: a file, then the names of its tests.
        for word in held.split('`').skip(1).step_by(2) {
            let path = root.join(word);
            if path.is_file() {
                file = Some((word, std::fs::read_to_string(path).unwrap()));
                continue;
            }
            let (path, source) = file.as_ref().unwrap_or_else(|| panic!("there is no {word}"));
            // `#[test]` and `#[tokio::test]`.
            let test = source.split("test]").skip(1).any(|test| {
                let function = test.lines().find_map(|line| {
                    line.trim_start().trim_start_matches("async ").strip_prefix("fn ")
                });
                function.is_some_and(|name| name.starts_with(&format!("{word}(")))
            });
            let of_python = path.ends_with(".py") && source.contains(&format!("\ndef {word}("));
            // Tests of the page have sentences for names.
            let titled = path.ends_with(".js") && source.contains(&format!("test(\"{word}\""));
            assert!(test || of_python || titled, "{path} has no test {word}");
            named += 1;
        }
        let heading = promise.trim() == "promise" || promise.contains("---");
        assert!(heading || file.is_some(), "nothing holds: {promise}");
    }
    assert!(named > 60, "only {named} tests are named");
}

/// Every file of tests is part of its crate's one program of tests, or it would never be run.
#[test]
fn every_file_of_tests_is_run() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = 0;
    for folder in std::fs::read_dir(crates).unwrap() {
        let folder = folder.unwrap().path().join("tests");
        let Ok(all) = std::fs::read_to_string(folder.join("all.rs")) else { continue };
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let (Some(name), Some("rs")) = (
                file.file_stem().and_then(|name| name.to_str()),
                file.extension().and_then(|it| it.to_str()),
            ) else {
                continue;
            };
            let is_run = name == "all" || all.lines().any(|line| line == format!("mod {name};"));
            assert!(is_run, "{} is not in all.rs", file.display());
            files += 1;
        }
    }
    assert!(files > 60, "only {files} files of tests were found");
}
