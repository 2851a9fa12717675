//! Studies that go through files.

use std::path::Path;
use std::process::{Command, Output};

fn sweep(file: &Path, seeds: &str) -> Output {
    let args = ["sweep", "s-kalaha", "--houses", "2..3", "--seeds", seeds, "--csv"];
    Command::new(env!("CARGO_BIN_EXE_sow")).args(args).arg(file).output().unwrap()
}

/// A sweep that stopped between two notes of its progress comes to the same file, byte for byte.
#[test]
fn a_sweep_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole.csv", "broken.csv"].map(|name| dir.path().join(name));
    let note = dir.path().join("broken.csv.progress");
    let done = sweep(&whole, "4..140000");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let expected = std::fs::read_to_string(&whole).unwrap();
    assert!(expected.starts_with("h,s,outcome,moves\n2,4,loss,2\n2,5,loss,2\n"));
    assert!(!dir.path().join("whole.csv.progress").exists());

    // As it stands after the first stretch, with half a row more.
    let kept = expected.find("3,6,").unwrap();
    std::fs::write(&broken, format!("{}3,6,lo", &expected[..kept])).unwrap();
    let progress = format!("s-kalaha houses 2..3 seeds 4..140000\n{kept}\n2\n140000\n");
    std::fs::write(&note, &progress).unwrap();
    let other = sweep(&broken, "4..150000");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("belongs to another sweep"));
    assert!(sweep(&broken, "4..140000").status.success());
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), expected);
    assert!(!note.exists());

    // A file that is done is not written over.
    let again = sweep(&whole, "4..140000");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).starts_with("sow: cannot write "));
}

/// Two million games, and the moves that they take.
#[test]
fn bench_playouts_holds_its_checksum() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_sow")).args(["bench", "playouts"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
