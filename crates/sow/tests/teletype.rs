//! The PDP-1's typewriter, on a pipe and on a real pseudo-terminal.

use std::io::Write;
use std::process::{Command, Stdio};

/// What is typed when these keys come through a pipe.
fn typed(args: &[&str], keys: &str) -> String {
    let mut child = sow(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn sow(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
    command.arg("teletype").args(args).env("TERM", "xterm");
    command
}

/// Every record of a transcript is one that `sow replay` accepts; what it says of the last.
fn replayed(game: &str, transcript: &str) -> String {
    let mut said = String::new();
    for record in transcript.split("\n\n") {
        let output = Command::new(env!("CARGO_BIN_EXE_sow"))
            .args(["replay", game, record])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{record}: {error}");
        said = String::from_utf8(output.stdout).unwrap();
    }
    said
}

/// Games: arguments, the game, keys, what is typed, and what a replay ends with.
const GAMES: [(&[&str], &str, &str, &str, &str); 7] = [
    // Rule b: the third pit from the store lands in it, and the same player moves again. Rule d:
    // a comma after the lower player's turn, a new line after the upper player's.
    (
        &[],
        "kalah(6,3)",
        "31", /* South */
        "# game: kalah(6,3)\n# numbering: pdp\n3.1,\n# result: unfinished\n",
        "Unfinished, 2 to 0 in the stores, North to move.",
    ),
    (
        &[],
        "kalah(6,3)",
        "315",
        "# game: kalah(6,3)\n# numbering: pdp\n3.1,5\n# result: unfinished\n",
        "Unfinished, 2 to 0 in the stores, South to move.",
    ),
    // Rule c: South's sixth pit lands in the third, which is empty, opposite North's.
    (
        &[],
        "kalah(6,3)",
        "3166",
        "# game: kalah(6,3)\n# numbering: pdp\n3.1,6\n6,\n# result: unfinished\n",
        "Unfinished,",
    ),
    // An empty pit, a zero, a seven and letters are ignored; at a space the machine moves.
    (
        &[],
        "kalah(6,3)",
        "33 0 7 z 1",
        "# game: kalah(6,3)\n# numbering: pdp\n3.2,3.2\n6,1\n# result: unfinished\n",
        "Unfinished,",
    ),
    // Rule a: the game is over, and only a return is heard.
    (
        &["kalah(1,3)"],
        "kalah(1,3)",
        "1 1 1",
        "# game: kalah(1,3)\n# numbering: pdp\n1,\n# result: South wins by 6\n# score: 6 to 0\n",
        "South wins by 6, 6 to 0.",
    ),
    // The restart, before the end and after it.
    (
        &["kalah(1,3)"],
        "kalah(1,3)",
        "\r1\r1\n",
        "# game: kalah(1,3)\n# numbering: pdp\n# result: unfinished\n\n# game: kalah(1,3)\n# numbering: pdp\n1,\n# result: South wins by 6\n# score: 6 to 0\n\n# game: kalah(1,3)\n# numbering: pdp\n1,\n# result: South wins by 6\n# score: 6 to 0\n",
        "South wins by 6, 6 to 0.",
    ),
    // The machine against itself.
    (
        &["--depth", "6"],
        "kalah(6,3)",
        "                                        ",
        "# game: kalah(6,3)\n# numbering: pdp\n1,1\n3.1.6,3.1.2\n4.1.5,1.6\n1.2,2.1.6\n1.3.1.4,3\n2,1.2\n1.\n# result: draw\n# score: 18 to 18\n",
        "Draw, 18 to 18.",
    ),
];

#[test]
fn games_on_a_pipe() {
    for (args, game, keys, transcript, end) in GAMES {
        let found = typed(args, keys);
        assert_eq!(found, transcript, "{keys:?}");
        let said = replayed(game, found.trim_end());
        assert!(said.lines().last().unwrap().starts_with(end), "{keys:?}: {said}");
    }
}

/// A capture is what the note's rule says: the stone and those opposite are in the store.
#[test]
fn a_capture_on_a_pipe() {
    let said = replayed("kalah(6,3)", typed(&[], "3166").trim_end());
    assert!(said.contains("captures"), "{said}");
}

#[test]
fn ignored_keys_leave_no_trace() {
    assert_eq!(typed(&[], "33z07\t1"), typed(&[], "31"));
}

#[test]
fn boards_on_standard_error() {
    let mut child = sow(&["--boards"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1").unwrap();
    let output = child.wait_with_output().unwrap();
    let boards = String::from_utf8(output.stderr).unwrap();
    let start = "          3   3   3   3   3   3\n    0                               0\n    +\n          3   3   3   3   3   3\n";
    assert!(boards.contains(start), "{boards}");
    let after = "          3   3   3   3   4   4\n    +\n    0                               1\n          3   3   3   3   3   0\n";
    assert!(boards.contains(after), "{boards}");
}

/// Twelve turns ahead takes seconds.
#[test]
fn depth_twelve_answers() {
    let start = std::time::Instant::now();
    typed(&["--depth", "12"], " ");
    typed(&["kalah(6,4)", "--depth", "12"], " ");
    assert!(start.elapsed().as_secs() < 300, "{:?}", start.elapsed());
}

/// The same games key by key: the board is shown, and the paper is left when the operator leaves.
#[cfg(unix)]
#[test]
fn games_on_a_terminal() {
    for (args, _, keys, _, _) in GAMES {
        let mut session = rexpect::session::spawn_command(sow(args), Some(60_000)).unwrap();
        // Keys are heard once the board is there.
        session.exp_string("+").unwrap();
        session.send(keys).unwrap();
        session.flush().unwrap();
        session.send_control('d').unwrap();
        let shown = session.exp_eof().unwrap().replace("\r\n", "\n");
        let (_, left) = shown.rsplit_once("\u{1b}[?1049l").expect("the screen was left");
        let found = left.replace('\r', "");
        assert!(found.ends_with(&typed(args, keys)), "{keys:?}: {found:?}");
    }
}

#[test]
fn bad_arguments() {
    for (args, says) in [
        (&["--depth", "0"][..], "a whole number from 1 to 99"),
        (&["kalah(6)"][..], "lacks its houses and seeds"),
    ] {
        let output = sow(args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with("sow: ") && said.contains(says) && said.lines().count() == 1,
            "{said}"
        );
    }
}
