//! The commands as a user types them: every ```console block of the documents and of `cmd/`.

#[test]
fn documents_and_commands() {
    let data = tempfile::tempdir().unwrap();
    trycmd::TestCases::new()
        .env("LANG", "C.UTF-8")
        .env("SOW_DATA", data.path().to_str().unwrap())
        .case("tests/cmd/*.md")
        .case("../../README.md")
        .case("../../GUIDE.md");
}

/// A reader that goes away, as in `sow ... | head -1`, is no failure.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["completions", "zsh"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_record_on_standard_input() {
    use std::io::Write;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["replay", "kalah(1,3)", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"# result: South wins by 6\n1,\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("South wins by 6, 6 to 0.\n"));
}

#[test]
fn manual_pages_for_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["man", "--dir"])
        .arg(dir.path())
        .status()
        .unwrap();
    assert!(status.success());
    for page in ["sow.1", "sow-show.1", "sow-perft.1", "sow-replay.1"] {
        let text = std::fs::read_to_string(dir.path().join(page)).unwrap();
        assert!(text.contains("kalah(6,4)"), "{page}");
    }
}
