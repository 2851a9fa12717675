//! The solitaires as a user types them, where a page of commands cannot say it: files, standard
//! input, closed pipes, and the figures kept in `results/`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn sow(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sow")).args(args).output().unwrap()
}

fn with_input(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn error(output: &Output) -> &str {
    let error = std::str::from_utf8(&output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.starts_with("sow: "), "{error}");
    error
}

#[test]
fn latex() {
    let output = sow(&["tchoukaillon", "matrix", "3", "--inverse", "--latex"]);
    let rows = [
        r"\left[\begin{array}{*{3}{r}}",
        r"1 & \frac{1}{2} & \frac{1}{2} \\[3pt]",
        r"0 & \frac{1}{2} & \frac{1}{6} \\[3pt]",
        r"0 & 0 & \frac{1}{3} \\[3pt]",
        r"\end{array}\right]",
    ];
    assert!(text(&output).lines().eq(rows));
}

#[test]
fn boards_and_vectors_on_standard_input() {
    let output = with_input(&["tchoukaillon", "play", "-", "--bins"], "0,2,2,4\n");
    assert_eq!(text(&output), "2,1,4,1,3,1,2,1\n");
    let output = with_input(&["tchoukaillon", "apply", "-"], "4 2 1 1\n");
    assert_eq!(text(&output), "0,2,2,4\n");
    let output = with_input(&["tchuka-ruma", "board", "-"], "1\n");
    assert!(text(&output).contains("won in 1 move"));
    let output = with_input(&["tchoukaillon", "check", "-"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains("the board is empty"));
}

/// 10^18 stones have 1.77 billion bins: they are streamed, and a reader may leave.
#[test]
fn an_endless_board_and_a_reader_that_leaves() {
    for args in [
        ["tchoukaillon", "board", "10^18", "--csv"],
        ["tchoukaillon", "moves", "10^18", "--json"],
        ["tchoukaillon", "sequence", "A028933", "--terms=1000000000"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sow"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 4096];
        child.stdout.as_mut().unwrap().read_exact(&mut start).unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn pictures_are_written_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("picture.svg");
    let name = path.to_str().unwrap();
    for (args, circles) in [
        (vec!["tchoukaillon", "board", "17", "--svg", name], 18 * 6),
        (vec!["tchoukaillon", "play", "0,2,2,4", "--svg", name], 9 * 4),
        (vec!["tchoukaillon", "wrap", "4,7,0,2", "--svg", name], 12 * 4),
        (vec!["tchoukaillon", "chain", "0,1,1,3,5", "--svg", name], 11 * 5),
        (vec!["tchuka-ruma", "4", "2", "--svg", name], 7 * 4),
        (vec!["tchoukaillon", "pi", "--terms", "50", "--svg", name], 50),
    ] {
        let output = sow(&args);
        assert!(output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let svg = std::fs::read_to_string(&path).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{args:?}");
        assert_eq!(svg.matches("<circle ").count(), circles, "{args:?}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count(), "{args:?}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no part is left");
    let output = sow(&["tchoukaillon", "board", "17", "--svg", "-"]);
    assert!(text(&output).starts_with("<svg "));
    let output = sow(&["tchoukaillon", "board", "17", "--svg", "/no/such/place.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains("/no/such/place.svg"));
}

#[test]
fn b_files_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("b.txt");
    let name = path.to_str().unwrap();
    for sequence in ["A002491", "A007952", "A028920", "A028931", "A028932", "A082447", "A130747"] {
        let listed = sow(&["tchoukaillon", "sequence", sequence, "--terms", "300"]);
        std::fs::write(&path, &listed.stdout).unwrap();
        let output = sow(&["tchoukaillon", "sequence", sequence, "--check", name]);
        assert!(output.status.success());
        assert!(text(&output).starts_with(&format!("{sequence}: 300 terms agree")));
    }
    std::fs::write(&path, "1 1\n2 2\n3 5\n").unwrap();
    let output = sow(&["tchoukaillon", "sequence", "A002491", "--check", name]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output), "A002491(3) is 4, the file has 5\n");
    let output = with_input(&["tchoukaillon", "sequence", "a002491", "--check", "-"], "10 34\n");
    assert_eq!(text(&output), "A002491: 1 term agrees, 10 to 10\n");
    for (content, says) in [
        ("", "has no terms"),
        ("1 1\nnonsense\n", "line 2 of the b-file"),
        ("2 2\n1 1\n", "out of order"),
        ("0 1\n", "starts from 1"),
    ] {
        std::fs::write(&path, content).unwrap();
        let output = sow(&["tchoukaillon", "sequence", "A002491", "--check", name]);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(error(&output).contains(says), "{content}: {}", error(&output));
    }
    let output = sow(&["tchoukaillon", "sequence", "A002491", "--check", "/no/such/file"]);
    assert!(error(&output).contains("/no/such/file"));

    let args = ["tchuka-ruma", "losses", "--bins", "2", "--upto", "60", "--check", "-"];
    let known = "1 1\n2 2\n3 3\n4 6\n5 9\n6 11\n7 18\n8 20\n9 27\n10 30\n11 54\n12 81\n";
    let output = with_input(&args, known);
    assert!(output.status.success());
    assert_eq!(text(&output), "11 losses agree, up to 60 seeds\n");
    for (wrong, says) in [("1 1\n2 3\n", "loss 2 is 2, the file has 3"), ("1 1\n", "has 1 loss")] {
        let output = with_input(&args, wrong);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains(says), "{}", text(&output));
    }
}

/// Every b-file in `results/` names the command that makes it, and that command makes it.
#[test]
fn results_are_made_again() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let mut files = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("b-") {
            continue;
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        let command = kept.lines().find_map(|line| line.strip_prefix("# sow ")).unwrap();
        let output = sow(&command.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{name}");
        assert!(text(&output) == kept, "{name} is not what sow {command} prints");
        files += 1;
    }
    assert!(files >= 30, "{files} files");
}
