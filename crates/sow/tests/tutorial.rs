//! The tutorial, followed from its first command to its last in an empty folder.

use std::fs;
use std::path::Path;

use crate::tool;

/// Its bots are the `python` blocks, each saved under the name in its first line.
#[test]
fn every_step_does_what_it_says() {
    if !tool::is_there("python3", "the tutorial") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let text = fs::read_to_string(page).unwrap();
    // Commands run in the folder of that name beside the page.
    let folder = dir.path().join("tutorial.in");
    fs::create_dir(&folder).unwrap();
    let mut bots = 0;
    for block in text.split("```python\n# ").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        fs::write(folder.join(name), rest.split("```").next().unwrap()).unwrap();
        bots += 1;
    }
    assert_eq!(bots, 2);
    fs::write(dir.path().join("tutorial.md"), text).unwrap();
    trycmd::TestCases::new()
        .env("LANG", "C.UTF-8")
        .env("SOW_DATA", dir.path().join("data").to_str().unwrap())
        .case(dir.path().join("tutorial.md"));
}
