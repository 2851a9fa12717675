//! `sowing-glue`: what it refuses, and that nothing is written then.

use std::fs;
use std::process::Command;

/// Too few paths, a module that is not there, and one that is none.
#[test]
fn what_is_no_module_is_refused() {
    let folder = std::env::temp_dir().join(format!("sowing-glue-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let text = folder.join("text.wasm");
    fs::write(&text, "no module").unwrap();
    let out = folder.join("out");
    for args in [vec![], vec![folder.join("nowhere.wasm"), out.clone()], vec![text, out.clone()]] {
        let done = Command::new(env!("CARGO_BIN_EXE_sowing-glue")).args(&args).output().unwrap();
        assert!(!done.status.success() && !done.stderr.is_empty(), "{args:?}: {done:?}");
        assert!(!out.join("sowing.js").exists(), "{args:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
