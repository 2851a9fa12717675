//! `sow site`: what it writes, what it refuses, and how.
#![cfg(feature = "serve")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn sow(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sow")).args(args).env_remove("SOW_DATA").output().unwrap()
}

/// A module: its head, a section of three bytes, and one of two with its length in two bytes.
const MODULE: &[u8] = b"\0asm\x01\0\0\0\x00\x03abc\x00\x82\x00de";

/// A folder that looks like what `bindings/wasm/build` writes.
fn engine(dir: &Path, version: &str) -> String {
    let folder = dir.join(format!("engine-{version}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("version.txt"), format!("{version}\n")).unwrap();
    fs::write(folder.join("sowing_bg.wasm"), MODULE).unwrap();
    fs::write(folder.join("sowing.js"), b"export {};").unwrap();
    folder.to_str().unwrap().to_string()
}

fn one_line(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("sow: "), "{said}");
    said
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            let inside = files(&path).into_iter();
            found.extend(inside.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// Written again, ended half-way or not, it comes to a whole site; that of the version before stays,
/// and what is older goes.
#[test]
fn written_again_it_is_the_same() {
    let temporary = tempfile::tempdir().unwrap();
    let (dir, engine) = (temporary.path().join("site"), engine(temporary.path(), VERSION));
    let args = ["site", dir.to_str().unwrap(), "--wasm", &engine, "--time-each", "1ms"];
    let output = sow(&args);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(VERSION) && said.lines().count() == 1, "{said}");
    let whole = files(&dir);
    assert!(whole.contains_key("index.html") && whole.contains_key("sw.js"));
    assert!(whole.keys().any(|name| name.ends_with("/books/kalah-6.book")));

    // As if it had been ended before the pages were written.
    for name in ["index.html", "sw.js"] {
        fs::remove_file(dir.join(name)).unwrap();
    }
    assert!(sow(&args).status.success());
    assert!(dir.join("index.html").exists() && dir.join("sw.js").exists());

    for text in ["export { };", "export {  };"] {
        fs::write(Path::new(&engine).join("sowing.js"), text).unwrap();
        assert!(sow(&args).status.success());
    }
    let folders =
        fs::read_dir(&dir).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), 2, "this version and the one before");
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A folder with something else in it is left alone.
#[test]
fn only_its_own_folders() {
    let temporary = tempfile::tempdir().unwrap();
    let engine = engine(temporary.path(), VERSION);
    let dir = temporary.path().join("home");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("letter.txt"), b"dear").unwrap();
    let said = one_line(&sow(&["site", dir.to_str().unwrap(), "--wasm", &engine]), 2);
    assert!(said.contains("new or empty"), "{said}");
    assert_eq!(files(&dir).len(), 1);
}

/// Without an engine, or with one of another version, it is said what to run, and nothing is written.
#[test]
fn a_wrong_engine_is_one_line() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("site");
    let dir_text = dir.to_str().unwrap();
    let other = engine(temporary.path(), "9.9.9");
    let nowhere = temporary.path().join("nowhere").to_str().unwrap().to_string();
    for (wasm, wanted) in [(other, "version"), (nowhere, "has no version.txt")] {
        let said = one_line(&sow(&["site", dir_text, "--wasm", &wasm]), 2);
        assert!(said.contains("bindings/wasm/build") && said.contains(wanted), "{said}");
    }
    // A copy that broke off, wherever but between two sections.
    let broken = engine(temporary.path(), VERSION);
    for length in (0..MODULE.len()).filter(|length| ![8, 13].contains(length)) {
        fs::write(Path::new(&broken).join("sowing_bg.wasm"), &MODULE[..length]).unwrap();
        let said = one_line(&sow(&["site", dir_text, "--wasm", &broken]), 2);
        assert!(said.contains("sowing_bg.wasm is no whole module"), "{length}: {said}");
    }
    if option_env!("SOW_WASM").is_none() {
        let said = one_line(&sow(&["site", dir_text]), 2);
        assert!(said.contains("bindings/wasm/build"), "{said}");
    }
    assert!(!dir.exists());
}
