//! What the program says of itself needs no `mpirun`. What it does is tried by the script `test`.

use std::process::Command;

fn said(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sow-cluster")).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn version_and_help() {
    assert!(said(&["--version"]).starts_with("sow-cluster 0."));
    let help = said(&["--help"]);
    for command in ["tables", "batch", "solve", "plan"] {
        assert!(help.contains(command), "{help}");
        let help = said(&[command, "--help"]);
        assert!(help.contains("Usage: ") && help.contains(command), "{help}");
    }
}
