//! `sow engine`, other programs as players, and tournaments, as somebody at a shell meets them.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const SOW: &str = env!("CARGO_BIN_EXE_sow");

fn sow(args: &[&str], dir: &Path) -> Output {
    Command::new(SOW).args(args).current_dir(dir).env("SOW_DATA", dir).output().unwrap()
}

fn text(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {err}", output.status);
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_engine_answers_on_a_pipe() {
    let mut engine = Command::new(SOW)
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let session = b"sow\ngame kalah(4,3)\nposition start moves 2\ngo exact\n";
    engine.stdin.take().unwrap().write_all(session).unwrap();
    let output = engine.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("\nsowok\n"), "{said}");
    assert!(said.contains("info value 6 turn 4 nodes "), "{said}");
    assert!(said.ends_with("\nbestmove 4\n"), "{said}");
}

/// A script that says who it is, and does this when it is told to go.
fn script(dir: &Path, name: &str, on_go: &str) -> String {
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in sow) echo sowok;; go*) {on_go};; quit) exit;; esac; done\n"
    );
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("engine:{}", path.display())
}

/// Whatever engines do, the match goes on to its end, and says what they did.
#[test]
fn bad_engines_are_judged_and_the_match_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let good = format!("engine:'{SOW}' engine --player level:3");
    let bad = [
        script(dir.path(), "hangs", "sleep 1000"),
        script(dir.path(), "crashes", "exit 1"),
        script(dir.path(), "floods", "yes info nodes 1"),
        script(dir.path(), "cheats", "echo bestmove 77"),
    ];
    let mut args = vec!["match", "kalah(4,3)", &good];
    args.extend(bad.iter().map(String::as_str));
    args.extend([
        "--gauntlet",
        "--games",
        "2",
        "--move-time",
        "200ms",
        "--json",
        "--records",
        "games",
    ]);
    let start = Instant::now();
    let said = text(&sow(&args, dir.path()));
    assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
    let rows: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4 + 5, "{said}");
    for row in &rows[..4] {
        assert_eq!((&row["wins"], &row["losses"]), (&2.into(), &0.into()), "{said}");
        assert_eq!(row["forfeits"], serde_json::json!([0, 2]), "{said}");
    }
    assert_eq!((&rows[4]["rank"], rows[4]["player"].as_str().unwrap()), (&1.into(), &*good));
    for (number, right) in [(1, "no move after"), (3, "ended"), (5, "no move after"), (7, "\"77\"")]
    {
        let record = fs::read_to_string(dir.path().join(format!("games/{number}.txt"))).unwrap();
        let header = record.lines().find(|line| line.starts_with("# forfeit: ")).unwrap();
        assert!(header.contains(right) && header.contains("North"), "{header}");
        assert!(record.contains("\n# program: sowing "), "{record}");
        assert!(record.contains("# result: unfinished"), "{record}");
        text(&sow(&["replay", &format!("games/{number}.txt")], dir.path()));
    }
}

/// `--move-time` is for every player. Without a clock one move of this takes many seconds.
#[test]
fn a_match_keeps_its_time() {
    let dir = tempfile::tempdir().unwrap();
    let start = std::time::Instant::now();
    let players = ["s-kalaha(6,5)", "pdp:8", "level:9"];
    let limits = ["--games", "2", "--move-time", "10ms", "--threads", "1"];
    text(&sow(&[&["match"], &players[..], &limits[..]].concat(), dir.path()));
    assert!(start.elapsed() < std::time::Duration::from_secs(200), "{:?}", start.elapsed());
}

/// Our engine plays a whole match against our own players without a fault, and as they do.
#[test]
fn engines_play_whole_matches() {
    let dir = tempfile::tempdir().unwrap();
    let engine = format!("engine:{SOW} engine");
    let args =
        ["match", "kalah(4,3)", &engine, "level:2", "--games", "10", "--move-time", "2s", "--json"];
    let said = text(&sow(&args, dir.path()));
    let row: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!(row["forfeits"], serde_json::json!([0, 0]), "{said}");
    assert!(row["score"].as_f64().unwrap() > 0.6, "{said}");
}

#[test]
fn an_engine_that_is_none_is_found_out_at_once() {
    let dir = tempfile::tempdir().unwrap();
    for (engine, right) in
        [("engine:/no/such/bot", "cannot start"), ("engine:true", "did not answer sow")]
    {
        for args in [
            &["match", "kalah(4,3)", engine, "random"][..],
            &["kgp", "serve", "--against", engine, "--port", "0", "--web-port", "0"],
            &["kgp", "connect", "127.0.0.1:1", "--player", engine],
        ] {
            let output = sow(args, dir.path());
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            assert!(
                err.starts_with("sow: ") && err.contains(right) && err.lines().count() == 1,
                "{err}"
            );
        }
    }
}

/// Stopped at any time, a match comes to what it would have come to.
#[test]
fn a_match_is_taken_up_again() {
    let dir = tempfile::tempdir().unwrap();
    let args = |out: &'static str, records: &'static str| {
        let match_ = [
            "match",
            "kalah(6,4)",
            "level:6",
            "level:4",
            "level:2",
            "--games",
            "120",
            "--threads",
            "2",
        ];
        [&match_[..], &["--results", out, "--records", records]].concat()
    };
    let whole = text(&sow(&args("whole.csv", "whole"), dir.path()));
    let mut kills = 0;
    let said = loop {
        let mut child = Command::new(SOW)
            .args(args("parts.csv", "parts"))
            .current_dir(dir.path())
            .env("SOW_DATA", dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // It is killed when there is more to go on from than before.
        let length = || fs::metadata(dir.path().join("parts.csv")).map_or(0, |data| data.len());
        let (before, start) = (length(), Instant::now());
        while length() <= before && child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(2));
        }
        if kills == 5 || child.try_wait().unwrap().is_some() {
            break text(&child.wait_with_output().unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    };
    assert!(kills >= 3, "{kills}");
    assert_eq!(said, whole);
    let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
    assert!(read("parts.csv") == read("whole.csv"));
    for number in 1..=360 {
        let name = format!("{number:03}.txt");
        assert!(read(&format!("parts/{name}")) == read(&format!("whole/{name}")), "{name}");
    }
    // What a kill leaves of a record that was being written has another name.
    let names = fs::read_dir(dir.path().join("parts")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(names.filter(|name| name.extension().is_some_and(|end| end == "txt")).count(), 360);
    // Finished, it is shown again, and says where it is from; another match is refused.
    let again = sow(&args("parts.csv", "parts"), dir.path());
    assert_eq!(text(&again), whole);
    let meta = fs::read_to_string(dir.path().join("parts.csv.meta.json")).unwrap();
    assert!(meta.contains("\"command\": \"sow match "), "{meta}");
    let mut other = args("parts.csv", "parts");
    other[2] = "random";
    let other = sow(&other, dir.path());
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8(other.stderr).unwrap().contains("finished"));
}

#[test]
fn a_test_stops_a_match() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["match", "kalah(4,3)", "level:5", "level:1", "--games", "10000", "--sprt", "0,50"];
    let said = text(&sow(&args, dir.path()));
    assert!(said.contains("test of 0,50: stronger; level:5 against level:1, "), "{said}");
    // The same games, however many are played at once.
    let alone = text(&sow(&[&args[..], &["--threads", "1"]].concat(), dir.path()));
    assert_eq!(alone, said);
    let swapped =
        ["match", "kalah(4,3)", "level:1", "level:5", "--games", "10000", "--sprt", "0,50"];
    assert!(text(&sow(&swapped, dir.path())).contains("not stronger"));
    let three = ["match", "kalah(4,3)", "level:1", "level:5", "random", "--sprt", "0,50"];
    assert_eq!(sow(&three, dir.path()).status.code(), Some(2));
}

#[test]
fn openings_of_a_file_and_of_a_book() {
    let dir = tempfile::tempdir().unwrap();
    let positions = "# fair, they say\n3,3,3,3,0|3,3,3,3,0\n\n1,1,1,1,0|1,1,1,1,0 # small\n";
    fs::write(dir.path().join("starts.txt"), positions).unwrap();
    let args = |file: &'static str, records: &'static str| {
        [
            "match",
            "kalah(4,3)",
            "level:3",
            "level:2",
            "--games",
            "4",
            "--openings",
            file,
            "--records",
            records,
        ]
    };
    let said = text(&sow(&args("starts.txt", "a"), dir.path()));
    assert!(said.contains("from 2 positions of starts.txt"), "{said}");
    for (number, start) in
        [(1, None), (2, None), (3, Some("1,1,1,1,0|1,1,1,1,0")), (4, Some("1,1,1,1,0|1,1,1,1,0"))]
    {
        let record = fs::read_to_string(dir.path().join(format!("a/{number}.txt"))).unwrap();
        let line = record.lines().find_map(|line| line.strip_prefix("# start: "));
        assert_eq!(line, start, "{record}");
    }
    // A book: from what it proves to be even.
    text(&sow(&["book", "build", "kalah(4,3)", "--out", "b.book", "--time", "2s"], dir.path()));
    let said = text(&sow(&args("b.book", "b"), dir.path()));
    assert!(said.contains(" positions of b.book"), "{said}");
    let record = fs::read_to_string(dir.path().join("b/1.txt")).unwrap();
    let start = record.lines().find_map(|line| line.strip_prefix("# start: ")).unwrap();
    let value =
        text(&sow(&["solve", "kalah(4,3)", start, "--free", "--value", "--json"], dir.path()));
    assert!(value.contains("\"value\":0"), "{start} {value}");
    for (bad, right) in
        [("1,2|3,4\n", "line 1"), ("0,0,0,0,0|1,1,1,1,0\n", "over"), ("# nothing\n", "no position")]
    {
        fs::write(dir.path().join("bad.txt"), bad).unwrap();
        let output = sow(&args("bad.txt", "c"), dir.path());
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(right), "{err}");
    }
}

/// The command serves and connects; what it prints is what came of it.
#[test]
fn serve_and_connect() {
    use std::io::{BufRead, BufReader, Read};
    let dir = tempfile::tempdir().unwrap();
    let mut server = Command::new(SOW)
        .args([
            "kgp",
            "serve",
            "kalah(4,3)",
            "kalah(3,2)",
            "--port",
            "0",
            "--web-port",
            "0",
            "--wait",
            "0s",
        ])
        .args(["--against", "level:1", "--games", "4", "--records", "games", "--log"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(server.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let &["listening", "on", tcp, "and", web] = words.as_slice() else { panic!("{line}") };
    let verify =
        text(&sow(&["kgp", "connect", web, "--mode", "verify", "--games", "20"], dir.path()));
    assert!(verify.starts_with("20 problems; ") && verify.contains("errors: 0"), "{verify}");
    let args = ["kgp", "connect", tcp, "--name", "Ada", "--retries", "0", "--records", "own"];
    let said = text(&sow(&args, dir.path()));
    assert!(said.starts_with("4 games, ") && said.contains("without a move in time: 0"), "{said}");
    let mut results = String::new();
    out.read_to_string(&mut results).unwrap();
    assert!(server.wait().unwrap().success());
    assert!(results.contains("Ada ") && results.contains("problems solved: "), "{results}");
    assert_eq!(fs::read_dir(dir.path().join("games")).unwrap().count(), 4);
    assert_eq!(fs::read_dir(dir.path().join("own")).unwrap().count(), 4);
}
