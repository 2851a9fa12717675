//! Files that the command writes: full disks, modes, two at once, tables that are cut.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SOW: &str = env!("CARGO_BIN_EXE_sow");

/// Runs the command from a shell that does something first.
fn after(first: &str, args: &[&str], dir: &Path) -> Output {
    let script = format!("{first}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, SOW]).args(args).current_dir(dir).env("SOW_DATA", dir);
    command.output().unwrap()
}

fn sow(args: &[&str], dir: &Path) -> Output {
    after(":", args, dir)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All names in a folder and those in it.
fn names(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()) {
        let path = entry.path();
        if path.is_dir() {
            names.extend(self::names(&path));
        } else {
            names.push(entry.file_name().into_string().unwrap());
        }
    }
    names.sort();
    names
}

/// Files can grow to so many blocks and no more, which is an error, not a signal.
fn full(blocks: u32) -> String {
    format!("trap '' XFSZ; ulimit -f {blocks}")
}

#[test]
fn what_does_not_fit_the_disk_leaves_nothing() {
    for args in [
        &["sweep", "s-kalaha", "--houses", "2..3", "--per-house", "4..100", "--out", "rows.csv"][..],
        &["fair", "kalah(2,2)", "--out", "starts.csv"],
        &["dataset", "kalah(2,2)", "--out", "positions.csv"],
        &["dataset", "kalah(2,2)", "--out", "positions.jsonl"],
        &["dataset", "kalah(2,2)", "--out", "positions.parquet"],
        &["count", "s-kalaha(3,2)", "--dir", "boards"],
        &["solve", "kalah(3,2)", "--certificate", "proof.txt"],
        &["tables", "build", "kalah(3,2)", "--seeds", "6"],
        &["match", "kalah(3,2)", "random", "random", "--games", "2", "--records", "games"],
        &["man", "--dir", "pages"],
        &["tree", "s-kalaha(2,1)", "--svg", "tree.svg"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let refused = after(&full(0), args, dir.path());
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {}", said(&refused));
        assert_eq!(said(&refused).matches("sow: ").count(), 1, "{args:?}: {}", said(&refused));
        assert!(names(dir.path()).is_empty(), "{args:?} leaves {:?}", names(dir.path()));
        // And nothing is in the way of another try.
        let done = sow(args, dir.path());
        assert!(done.status.success(), "{args:?}: {}", said(&done));
    }
}

/// A disk that fills up in the middle leaves what was whole, and the work goes on from there.
#[test]
fn what_fits_the_disk_is_kept() {
    let (dir, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let args =
        ["sweep", "s-kalaha", "--houses", "2..6", "--per-house", "4..3000", "--out", "rows.csv"];
    let stopped = after(&full(1), &args, dir.path());
    assert_eq!(stopped.status.code(), Some(2), "{}", said(&stopped));
    assert_eq!(names(dir.path()), ["rows.csv", "rows.csv.progress"]);
    for dir in [&dir, &whole] {
        assert!(sow(&args, dir.path()).status.success());
        assert_eq!(names(dir.path()), ["rows.csv", "rows.csv.meta.json"]);
    }
    let [resumed, whole] = [&dir, &whole].map(|dir| fs::read(dir.path().join("rows.csv")).unwrap());
    assert!(resumed == whole);

    let dir = tempfile::tempdir().unwrap();
    let args = ["tables", "build", "kalah(6,4)", "--seeds", "10"];
    let stopped = after(&full(60), &args, dir.path());
    assert_eq!(stopped.status.code(), Some(2), "{}", said(&stopped));
    let left = names(dir.path());
    assert!(left.len() > 2 && left.iter().all(|name| name.ends_with(".table")), "{left:?}");
    assert!(sow(&args, dir.path()).status.success());
    assert!(sow(&["tables", "verify", "kalah(6,4)", "--all"], dir.path()).status.success());

    let dir = tempfile::tempdir().unwrap();
    let args = ["count", "s-kalaha(4,3)", "--dir", "boards", "--memory", "2M", "--threads", "1"];
    let stopped = after(&full(30), &args, dir.path());
    assert_eq!(stopped.status.code(), Some(2), "{}", said(&stopped));
    let left = names(dir.path());
    assert!(left.iter().all(|name| name == "note" || name.starts_with("boards-")), "{left:?}");
    let (resumed, whole) = (sow(&args, dir.path()), sow(&["count", "s-kalaha(4,3)"], dir.path()));
    assert!(resumed.status.success() && resumed.stdout == whole.stdout, "{}", said(&resumed));
}

/// A file has the mode that the umask leaves, and keeps it when it is replaced.
#[test]
fn modes_are_as_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proof.txt");
    let args = ["solve", "kalah(3,2)", "--certificate", "proof.txt"];
    let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
    for (umask, expected) in [("umask 022", 0o644), ("umask 002", 0o664), ("umask 077", 0o600)] {
        assert!(after(umask, &args, dir.path()).status.success());
        assert_eq!(mode(), expected, "{umask}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(after(umask, &args, dir.path()).status.success());
        assert_eq!(mode(), 0o640, "{umask}, replaced");
        fs::remove_file(&file).unwrap();
    }
}

/// Every name in a folder and those in it, and what it stands for.
fn listing(dir: &Path) -> Vec<(PathBuf, Option<PathBuf>, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(listing(&path));
        }
        let (link, bytes) = (fs::read_link(&path).ok(), fs::read(&path).ok());
        found.push((path, link, bytes));
    }
    found.sort();
    found
}

/// What the user has under a name that a command writes beside its target, the command leaves as it
/// is: it does without the name, or says in one line what is in the way, and changes nothing.
#[test]
fn what_has_the_name_of_a_helper_file_stays() {
    const ROWS: [&str; 4] = [".lock", ".progress", ".progress.new", ".meta.json"];
    const COUNT: [&str; 3] = ["lock", "note", "note.new"];
    let all: [(&[&str], &str, &[&str], bool); 12] = [
        (
            &["sweep", "s-kalaha", "--houses", "2..2", "--per-house", "4..9", "--out", "d.csv"],
            "d.csv",
            &ROWS,
            true,
        ),
        (&["fair", "kalah(2,2)", "--out", "d.csv"], "d.csv", &ROWS, true),
        (&["dataset", "kalah(2,2)", "--out", "d.csv"], "d.csv", &ROWS, true),
        (&["dataset", "kalah(2,2)", "--out", "d.jsonl"], "d.jsonl", &ROWS, true),
        (&["dataset", "kalah(2,2)", "--out", "d.parquet"], "d.parquet", &ROWS, false),
        (
            &["match", "kalah(2,2)", "random", "random", "--games", "2", "--results", "d.csv"],
            "d.csv",
            &ROWS,
            true,
        ),
        (&["show", "kalah(2,2)", "--json", "--out", "d.json"], "d.json", &[".meta.json"], true),
        (&["solve", "kalah(2,2)", "--book", "d.book"], "d.book", &[".lock", ".new"], true),
        (&["count", "s-kalaha(3,3)", "--dir", "d", "--memory", "2M"], "d/", &COUNT, true),
        (
            &["count", "s-kalaha(4,3)", "--dir", "d", "--memory", "2M", "--threads", "1"],
            "d/",
            &["boards-00001", "boards-00001.new", "boards-99999", "boards-of-mine"],
            false,
        ),
        (
            &["tables", "build", "kalah(4,3)", "--seeds", "7"],
            "tables/kalah-4/",
            &["lock", "level-05.partial", "level-05.table"],
            true,
        ),
        (
            &["tables", "build", "kalah(4,3)", "--seeds", "7"],
            "tables/kalah-4/",
            &["level-09.partial", "level-05.pair-01", "mine.partial"],
            false,
        ),
    ];
    for (args, target, names, needed) in all {
        let cases = names.iter().flat_map(|name| {
            ["a file", "a link", "a link to nowhere", "a folder"].map(|kind| (*name, kind))
        });
        for (name, kind) in cases {
            let dir = tempfile::tempdir().unwrap();
            let precious = dir.path().join("precious");
            let name = dir.path().join(format!("{target}{name}"));
            fs::create_dir_all(name.parent().unwrap()).unwrap();
            match kind {
                "a file" => fs::write(&name, "mine\n").unwrap(),
                "a link" => {
                    fs::write(&precious, "mine\n").unwrap();
                    symlink(&precious, &name).unwrap();
                }
                "a link to nowhere" => symlink(&precious, &name).unwrap(),
                _ => fs::create_dir(&name).unwrap(),
            }
            let before = listing(dir.path());
            let done = sow(args, dir.path());
            let (after, said) = (listing(dir.path()), said(&done));
            let what = format!("{args:?}, {} is {kind}: {said}", name.display());
            let kept = before.iter().all(|one| after.contains(one));
            assert!(kept && precious.exists() == (kind == "a link"), "{what}: {after:?}");
            if !needed {
                assert!(done.status.success(), "{what}");
                continue;
            }
            assert_eq!(done.status.code(), Some(2), "{what}");
            let file = name.file_name().unwrap().to_str().unwrap();
            let told: Vec<&str> = said.lines().filter(|line| line.starts_with("sow: ")).collect();
            assert!(matches!(told[..], [one] if one.contains(file)), "{what}");
            assert_eq!(before, after, "{what}");
        }
    }
}

/// A target that is a link stays one, and what it leads to is replaced.
#[test]
fn a_target_that_is_a_link_stays_one() {
    for ending in ["parquet", "json"] {
        let dir = tempfile::tempdir().unwrap();
        let [name, file] = ["link", "file"].map(|name| format!("{name}.{ending}"));
        fs::write(dir.path().join(&file), "old").unwrap();
        symlink(&file, dir.path().join(&name)).unwrap();
        let args: &[&str] = match ending {
            "json" => &["show", "kalah(2,2)", "--json", "--out", &name],
            _ => &["dataset", "kalah(2,2)", "--out", &name],
        };
        let done = sow(args, dir.path());
        assert!(done.status.success(), "{}", said(&done));
        assert!(dir.path().join(&name).is_symlink(), "{ending}");
        assert_ne!(fs::read(dir.path().join(&file)).unwrap(), b"old", "{ending}");
    }
}

/// What a killed command of ours left under such a name is taken over.
#[test]
fn what_was_left_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let leave = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    leave("d.csv.lock", "process 1 on earth");
    leave("d.csv.progress.new", "sow dataset 2\nkalah");
    leave("d.csv.meta.json", "{ \"made\": { \"program\": \"sow 0.0.1\" } }");
    leave("d.book.lock", "");
    leave("d.book.new", "SOWBOOK1 and half of it");
    let done = sow(&["dataset", "kalah(2,2)", "--out", "d.csv"], dir.path());
    assert!(done.status.success(), "{}", said(&done));
    let done = sow(&["solve", "kalah(3,3)", "--book", "d.book"], dir.path());
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(names(dir.path()), ["d.book", "d.csv", "d.csv.meta.json"]);
}

fn start(args: &[&str], dir: &Path) -> Child {
    let mut command = Command::new(SOW);
    command.args(args).current_dir(dir).env("SOW_DATA", dir);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Of two at once in one place one works, and the other says who does.
#[test]
fn two_of_everything_at_once() {
    for (args, lock) in [
        (
            &["sweep", "s-kalaha", "--houses", "2..3", "--per-house", "4..2000000", "--out", "r"][..],
            "r.lock",
        ),
        (&["count", "s-kalaha(4,4)", "--dir", "boards", "--memory", "3M"], "boards/lock"),
        (&["tables", "build", "kalah(6,4)", "--seeds", "16"], "tables/kalah-6/lock"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join(lock);
        let mut first = start(args, dir.path());
        let holder = format!("process {} on ", first.id());
        let begun = Instant::now();
        while !fs::read_to_string(&lock).is_ok_and(|text| text.starts_with(&holder)) {
            assert!(begun.elapsed() < Duration::from_secs(300), "{args:?} does not get anywhere");
            assert!(first.try_wait().unwrap().is_none(), "{args:?} was over at once");
            std::thread::sleep(Duration::from_micros(200));
        }
        let second = sow(args, dir.path());
        assert_eq!(second.status.code(), Some(2), "{args:?}: {}", said(&second));
        let last = said(&second).lines().last().unwrap_or_default().to_string();
        assert!(last.contains(&holder) && last.contains(" there: wait"), "{last}");
        assert!(second.stdout.is_empty());
        assert!(first.wait().unwrap().success(), "{args:?}: the first was disturbed");
        assert!(!lock.exists());
    }
}

/// A table that is cut while the search reads it is an error with its name, not a signal.
#[test]
fn a_table_that_is_cut_ends_the_search_in_words() {
    let dir = tempfile::tempdir().unwrap();
    assert!(sow(&["tables", "build", "kalah(6,4)", "--seeds", "14"], dir.path()).status.success());
    let mut command = Command::new(SOW);
    command
        .args(["solve", "kalah(6,4)", "--memory", "32M", "--no-book"])
        .env("SOW_DATA", dir.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    for layer in 8..=14 {
        let path = dir.path().join(format!("tables/kalah-6/level-{layer:02}.table"));
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(4096).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{:?}: {}", output.status, said(&output));
    assert!(said(&output).ends_with(".table: truncated while in use\n"), "{}", said(&output));
    assert!(output.stdout.is_empty());
}
