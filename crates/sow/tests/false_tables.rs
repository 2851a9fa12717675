//! Tables that change while they are in use, and tables that a forger gave right checksums: no
//! command takes a value from them into a book, and each ends in one line.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::server::{Server, read};
use sowing_rules::Game;
use sowing_solver::{Book, Solver, SolverOptions};
use sowing_tables::{BuildOptions, build_in_memory, compress_directory};

/// A game whose search, within [`MEMORY`], takes minutes: the change always comes before its end.
const GAME: &str = "kalah(4,12)";
const FOLDER: &str = "kalah-4";
const MEMORY: &str = "24M";
const LAYER: u32 = 14;

fn sow(args: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
    command.args(args).current_dir(dir).env("SOW_DATA", dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn build_tables(dir: &Path) {
    let seeds = LAYER.to_string();
    let built = sow(&["tables", "build", GAME, "--seeds", &seeds], dir).output().unwrap();
    assert!(built.status.success(), "{built:?}");
}

fn layers(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join("tables").join(FOLDER)).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Negates every value of every layer in place: each is one that its layer can have.
fn negate(dir: &Path) {
    for path in layers(dir) {
        let bytes = fs::read(&path).unwrap();
        let head = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
        let values: Vec<u8> = bytes[head as usize..].iter().map(|v| v.wrapping_neg()).collect();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&values, head).unwrap();
    }
}

/// Waits until a process has mapped the highest layer and searched for a while.
fn wait_for_use(child: u32) {
    let name = format!("level-{LAYER}.table");
    let is_mapped = || {
        let maps = fs::read_to_string(format!("/proc/{child}/maps")).unwrap_or_default();
        maps.contains(&name)
    };
    let start = Instant::now();
    while !is_mapped() {
        assert!(start.elapsed() < Duration::from_secs(300), "the tables are not opened");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(300));
}

/// Changes the tables under a command once it is ready; it then ends in one line that names a table.
fn change_under(mut child: Child, dir: &Path, is_ready: &dyn Fn() -> bool) -> Output {
    wait_for_use(child.id());
    while !is_ready() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was ready");
        std::thread::sleep(Duration::from_millis(2));
    }
    negate(dir);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.contains(".table: modified while in use"), "{said}");
    output
}

/// Every entry of a book holds: those within reach of tables by these, some others by a search.
fn assert_true(book: &Path) {
    if !book.exists() {
        return;
    }
    let book = Book::open(book).unwrap();
    let game: Game = GAME.parse().unwrap();
    let tables = build_in_memory(&game, 26, &BuildOptions::default()).unwrap();
    let is_true = |line: &sowing_solver::BookLine, value: i64| {
        assert!(line.bounds.low <= value && value <= line.bounds.high, "{line:?} is {value}");
    };
    let mut higher = Vec::new();
    for line in book.lines() {
        match tables.value(&line.position).unwrap() {
            Some(value) => is_true(&line, value),
            None => higher.push(line),
        }
    }
    let options = SolverOptions {
        tables: Some(std::sync::Arc::new(tables)),
        build_tables: false,
        ..SolverOptions::default()
    };
    let mut solver = Solver::with_options(book.family().game(), options).unwrap();
    for line in higher.iter().filter(|line| line.position.layer() < 40).step_by(97).take(500) {
        is_true(line, solver.value(&line.position).unwrap().value().unwrap());
    }
}

#[test]
fn solve_keeps_nothing_of_a_change() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path());
    let book = dir.path().join("a.book");
    for threads in ["1", "2"] {
        let args =
            ["solve", GAME, "--no-book", "--value", "--memory", MEMORY, "--threads", threads];
        let book_args = ["--book", "a.book", "--every", "20ms"];
        change_under(
            sow(&[&args[..], &book_args].concat(), dir.path()).spawn().unwrap(),
            dir.path(),
            // Bounds proven before the change are kept.
            &|| book.exists(),
        );
        assert_true(&book);
        // Back again, so that the next search begins with sound tables.
        negate(dir.path());
    }
    // The book that was written is good enough to go on with.
    let game: Game = GAME.parse().unwrap();
    assert!(Book::open(&book).unwrap().require(&game).is_ok());
}

#[test]
fn fair_and_book_build_keep_nothing_of_a_change() {
    for command in [
        ["fair", GAME, "--moved", "1", "--book", "a.book", "--memory", MEMORY],
        ["book", "build", GAME, "--out", "a.book", "--most", "500", "--memory"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        build_tables(dir.path());
        let mut args = command.to_vec();
        if command[0] == "book" {
            args.push(MEMORY);
        }
        change_under(sow(&args, dir.path()).spawn().unwrap(), dir.path(), &|| true);
        assert_true(&dir.path().join("a.book"));
    }
}

#[test]
fn the_server_keeps_nothing_of_a_change() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path());
    let folder = dir.path().join("books");
    let args =
        ["--books", folder.to_str().unwrap(), "--memory", MEMORY, "--time", "60s", "--no-book"];
    let server = Server::start_with(&args, &[("SOW_DATA", dir.path().to_str().unwrap())]);
    let stream = server.ask(&format!("/api/v1/analysis?game={GAME}"));
    wait_for_use(server.child.id());
    negate(dir.path());
    let said = read(stream).body;
    assert!(said.contains(".table: modified while in use"), "{said}");
    // A job that is done leaves its book behind; this one is done when its worker is gone.
    let start = Instant::now();
    while server.workers() > 0 {
        assert!(start.elapsed() < Duration::from_secs(300), "the job does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_true(&folder.join("kalah-4.book"));
}

/// Gives every chunk of a layer and its head the checksum of what they hold.
fn seal(bytes: &mut [u8]) {
    let head = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let layer = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    let ranks = sowing_tables::RowIndex::new(bytes[28]);
    let (mut at, mut entry) = (head, 192);
    for q in 1..=layer / 2 {
        let p = layer - q;
        for _ in 0..if p == q { 1 } else { 2 } {
            let mut left = ranks.count(p) * ranks.count(q);
            while left > 0 {
                let len = left.min(1 << 16);
                let crc = crc32fast::hash(&bytes[at..at + len]);
                bytes[entry..entry + 4].copy_from_slice(&crc.to_le_bytes());
                (at, entry, left) = (at + len, entry + 4, left - len);
            }
        }
    }
    assert_eq!(at, bytes.len());
    seal_head(bytes);
}

fn seal_head(bytes: &mut [u8]) {
    let head = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    bytes[8..12].fill(0);
    let crc = crc32fast::hash(&bytes[..head.min(bytes.len())]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
}

/// Values beyond the seeds of their layer, of the wrong parity, and steps that no form has, all
/// under right checksums: one line and exit code 2 from every command that reads tables.
#[test]
fn forged_tables_are_refused_by_every_command() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path());
    let path = dir.path().join("tables").join(FOLDER).join("level-10.table");
    let good = fs::read(&path).unwrap();
    let game: Game = GAME.parse().unwrap();
    compress_directory(&dir.path().join("tables"), &game, &BuildOptions::default()).unwrap();
    let packed = fs::read(&path).unwrap();
    let mut forged: Vec<(String, Vec<u8>)> = [127_i8, -128, 11, 12, -12]
        .map(|value| {
            let mut bytes = good.clone();
            let head = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
            bytes[head..].fill(value as u8);
            seal(&mut bytes);
            (format!("values of {value}"), bytes)
        })
        .into();
    for step in [1, 3, 255] {
        let mut bytes = packed.clone();
        bytes[29] = step;
        seal_head(&mut bytes);
        forged.push((format!("steps of {step}"), bytes));
    }
    for length in [u64::MAX, u64::MAX - 4095, 1 << 63] {
        let mut bytes = good.clone();
        bytes[40..48].copy_from_slice(&length.to_le_bytes());
        seal_head(&mut bytes);
        forged.push((format!("{length} bytes of values"), bytes));
    }
    let small = "2,1,1,1,38|1,2,1,1,48";
    let commands: &[&[&str]] = &[
        &["solve", GAME, small],
        &["solve", "kalah(4,3)", "--no-book"],
        &["tables", "probe", GAME, small],
        &["tables", "build", GAME, "--seeds", "15"],
        &["tables", "verify", GAME],
        &["tables", "build", GAME, "--seeds", "14", "--compress"],
        &["dataset", GAME, "--seeds", "10..10", "--positions", "5"],
        &["fair", "kalah(4,3)", "--moved", "1"],
        &["book", "build", "kalah(4,3)", "--out", "b.book"],
        &["puzzles", GAME, "--seeds", "10..11", "--limit", "2000"],
        &["grade", GAME, "--player", "random", "--seeds", "10..11", "--positions", "50"],
    ];
    for (name, bytes) in &forged {
        fs::write(&path, bytes).unwrap();
        for args in commands {
            let output = sow(args, dir.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let code = if args[..2] == ["tables", "verify"] { 1 } else { 2 };
            assert_eq!(output.status.code(), Some(code), "{name}, {args:?}: {said}");
            let last = said.lines().last().unwrap();
            assert!(
                last.starts_with("sow: ") && last.contains("level-10.table: "),
                "{name}: {said}"
            );
            let lines = String::from_utf8_lossy(&output.stdout).lines().count();
            assert!(lines <= 1, "{name}, {args:?}: more than a header: {output:?}");
        }
    }
}
