//! Books through the command: known openings, searches that are put down and taken up, damage.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

#[cfg(unix)]
use crate::measured;

fn sow(args: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
    command.args(args).current_dir(dir).env("SOW_DATA", "/nonexistent");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], dir: &Path) -> Output {
    sow(args, dir).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The first turns of the games that have a book need no search, and it is said where they are from.
#[test]
fn openings_are_known() {
    let here = Path::new(".");
    for (game, value) in [
        ("kalah(6,3)", 2),
        ("kalah(6,4)", 8),
        ("kalah(6,3,empty-capture)", 2),
        ("kalah(6,4,empty-capture)", 10),
        ("s-kalaha(6,3)", 14),
        ("s-kalaha(6,4)", 42),
    ] {
        let found = json(&run(&["solve", game, "--json", "--threads", "1"], here));
        assert_eq!(found["value"], value, "{game}");
        assert_eq!((&found["nodes"], &found["source"]), (&0.into(), &"book".into()), "{game}");
        let moves = found["moves"].as_array().unwrap();
        assert!(moves.len() == 6 && moves.iter().all(|one| one["value"].is_i64()), "{game}");
        assert!(!found["best"].as_array().unwrap().is_empty(), "{game}");
    }
    // The same without.
    let with = json(&run(&["solve", "kalah(6,3)", "--json"], here));
    let without = json(&run(&["solve", "kalah(6,3)", "--json", "--no-book"], here));
    assert_eq!(with["moves"], without["moves"]);
    assert_eq!((&with["value"], &without["source"]), (&without["value"], &"search".into()));
    assert!(without["nodes"].as_u64() > Some(0));
}

/// Killed and taken up again, a search comes to the same value, and does not begin anew.
#[cfg(unix)]
#[test]
fn a_killed_search_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let solve = ["solve", "kalah(4,7)", "--value", "--threads", "1", "--no-tables", "-v", "--json"];
    let whole = run(&solve, dir.path());
    let value = json(&whole);
    let mut with_book = solve.to_vec();
    with_book.extend(["--book", "five.book", "--every", "100ms"]);
    let book = dir.path().join("five.book");
    let written = || book.metadata().and_then(|found| found.modified()).ok();
    let nodes = |found: &Value| found["nodes"].as_u64().unwrap();
    // The work behind the bounds that are saved.
    let saved = || match book.exists() {
        true => json(&run(&["book", "info", "five.book", "--json"], dir.path()))["work"]
            .as_u64()
            .unwrap(),
        false => 0,
    };
    let mut kills = 0;
    let last = loop {
        let before = written();
        let mut child = sow(&with_book, dir.path()).spawn().unwrap();
        // Until there is something new, and enough, to go on from.
        let early = || written() == before || saved() < nodes(&value) / 2;
        while kills < 3 && early() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        if kills == 3 || child.try_wait().unwrap().is_some() {
            break child.wait_with_output().unwrap();
        }
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let verify = ["book", "verify", "five.book", "--sample", "0"];
        assert!(run(&verify, dir.path()).status.success());
    };
    assert!(kills > 0, "it was over before it could be killed");
    let resumed = json(&last);
    assert_eq!(resumed["value"], value["value"]);
    let [whole, last] = [&value, &resumed].map(nodes);
    assert!(last < whole, "{last} nodes in the last part, {whole} in one go");
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["five.book"], "nothing else is left");
    // Now it is known.
    let known = json(&run(&with_book, dir.path()));
    assert_eq!((&known["value"], &known["nodes"]), (&value["value"], &0.into()));
}

#[test]
fn damage_and_other_games_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let build =
        ["book", "build", "kalah(4,3)", "--out", "four.book", "--most", "50", "--quick", "9"];
    assert!(run(&build, dir.path()).status.success());
    let path = dir.path().join("four.book");
    let bytes = fs::read(&path).unwrap();
    for (game, code) in
        [("kalah(4,3)", 0), ("kalah(4,5)", 1), ("kalah(5,3)", 2), ("s-kalaha(4,3)", 2)]
    {
        let output = run(&["book", "probe", game, "--book", "four.book"], dir.path());
        assert_eq!(output.status.code(), Some(code), "{game}: {}", said(&output));
    }
    let refused = run(&["solve", "kalah(4,3,empty-capture)", "--book", "four.book"], dir.path());
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(said(&refused).lines().count(), 1);
    for at in [0, 9, 15, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        fs::write(&path, &flipped).unwrap();
        for args in [
            &["book", "info", "four.book"][..],
            &["book", "verify", "four.book"],
            &["book", "export", "four.book"],
            &["book", "merge", "other.book", "four.book"],
            &["solve", "kalah(4,3)", "--book", "four.book"],
        ] {
            let output = run(args, dir.path());
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            assert!(said(&output).contains("four.book"), "{}", said(&output));
        }
        assert_eq!(fs::read(&path).unwrap(), flipped, "a damaged book is not written over");
    }
    assert!(!dir.path().join("other.book").exists());
}

/// Two at work in one book: one works, one says who is at work.
#[test]
fn two_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let solve =
        ["solve", "kalah(6,6)", "--value", "--time", "1h", "--book", "six.book", "--no-book"];
    let mut first = sow(&solve, dir.path()).spawn().unwrap();
    let start = Instant::now();
    // The lock is held once the file names its holder.
    let lock = dir.path().join("six.book.lock");
    while std::fs::metadata(&lock).map_or(0, |file| file.len()) == 0 {
        assert!(start.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = run(&solve, dir.path());
    assert_eq!(second.status.code(), Some(2));
    assert!(said(&second).contains("six.book"), "{}", said(&second));
    first.kill().unwrap();
    first.wait().unwrap();
}

/// What two found apart is one book, and a sample of it is solved again.
#[test]
fn books_are_merged_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    for (game, file) in [("kalah(4,3)", "three.book"), ("kalah(4,2)", "two.book")] {
        let args = ["book", "build", game, "--out", file, "--most", "100", "--quick", "9"];
        assert!(run(&args, dir.path()).status.success());
    }
    assert!(
        run(&["book", "merge", "both.book", "three.book", "two.book"], dir.path()).status.success()
    );
    let positions = |file| {
        json(&run(&["book", "info", file, "--json"], dir.path()))["positions"].as_u64().unwrap()
    };
    let (both, most) = (positions("both.book"), positions("three.book") + positions("two.book"));
    assert!(both <= most && both > most / 2);
    let verify = ["book", "verify", "both.book", "--sample", "1000", "--json", "--threads", "1"];
    let verified = json(&run(&verify, dir.path()));
    assert_eq!(verified["solved"].as_u64(), Some(both));
    let exported = run(&["book", "export", "both.book", "--csv"], dir.path());
    assert_eq!(exported.stdout.iter().filter(|byte| **byte == b'\n').count() as u64, both + 1);

    // The part of it that one game comes through first: start, and the boards of its first turn.
    let opening = ["book", "merge", "start.book", "both.book", "--opening", "kalah(4,2)"];
    assert!(run(&[&opening[..], &["--turns", "0"]].concat(), dir.path()).status.success());
    let start = run(&["book", "export", "start.book"], dir.path());
    let lines: Vec<_> = start.stdout.split(|byte| *byte == b'\n').collect();
    assert!(lines.iter().any(|line| line.starts_with(b"2,2,2,2,0|2,2,2,2,0  ")), "{lines:?}");
    let later = |line: &&&[u8]| !line.is_empty() && !line.starts_with(b"2,2,0,3,0|2,2,2,2,0");
    assert_eq!(lines.iter().filter(later).count(), 1, "{lines:?}");
    let refused = run(&["book", "merge", "x.book", "both.book", "--turns", "3"], dir.path());
    assert_eq!(refused.status.code(), Some(2));
    for game in ["kalah(3,2)", "kalah(4,100000)"] {
        let other = ["book", "merge", "x.book", "both.book", "--opening", game];
        assert_eq!(run(&other, dir.path()).status.code(), Some(2), "{game}");
    }
    assert!(!dir.path().join("x.book").exists());
    let large = ["book", "build", "kalah(4,100000)", "--out", "x.book", "--time", "1s"];
    assert_eq!(run(&large, dir.path()).status.code(), Some(2));
}

/// What follows a pie is a game without one, and goes into the book of such games.
#[test]
fn games_with_a_pie_have_the_books_of_those_without() {
    let dir = tempfile::tempdir().unwrap();
    let build =
        ["book", "build", "kalah(3,3,pie)", "--out", "p.book", "--time", "3s", "--quick", "0"];
    let built = run(&build, dir.path());
    assert!(built.status.success(), "{}", said(&built));
    let probed =
        json(&run(&["book", "probe", "kalah(3,3)", "--book", "p.book", "--json"], dir.path()));
    let solved = json(&run(&["solve", "kalah(3,3)", "--json", "--no-book"], dir.path()));
    assert_eq!(probed["value"], solved["value"]);
}

/// One file is not two things, a file that is no book is not read to its end, and work without end
/// is added up all the same.
#[cfg(unix)]
#[test]
fn files_that_are_no_books() {
    let dir = tempfile::tempdir().unwrap();
    let both = ["solve", "kalah(3,3)", "--book", "x", "--certificate", "x"];
    let refused = run(&both, dir.path());
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("the same file"), "{}", said(&refused));
    assert!(!dir.path().join("x").exists());
    let large = fs::File::create(dir.path().join("large")).unwrap();
    large.set_len(8 << 30).unwrap();
    let mut info = sow(&["book", "info", "large"], dir.path());
    let refused = measured::run(&mut info, Duration::from_secs(60));
    assert_eq!(refused.status.code(), Some(2), "{}", refused.err);
    assert!(refused.processor < Duration::from_secs(1), "{:?}", refused.processor);
}
