//! Tables through the command: interrupted builds, damaged files, exit codes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn sow(args: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
    command.arg("tables").args(args).arg("--dir").arg(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], dir: &Path) -> Output {
    sow(args, dir).output().unwrap()
}

/// Killed in the middle of a layer and resumed, a build gives the files of one that was not.
#[test]
fn a_killed_build_resumes_to_the_same_files() {
    let (killed, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let args = ["build", "kalah(6,4)", "--seeds", "17", "--threads", "2"];
    let mut child = sow(&args, killed.path()).spawn().unwrap();
    let start = Instant::now();
    let folder = killed.path().join("kalah-6");
    while !folder.join("level-16.partial").exists() {
        assert!(start.elapsed() < Duration::from_secs(300), "the build does not get anywhere");
        assert!(child.try_wait().unwrap().is_none(), "the build was over before it was killed");
        std::thread::sleep(Duration::from_micros(200));
    }
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.join("level-17.table").exists(), "nothing was interrupted");
    assert!(folder.join("level-14.table").exists());

    assert!(run(&args, killed.path()).status.success());
    assert!(run(&args, whole.path()).status.success());
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 16, "layers 2 to 17, and no lock: {names:?}");
    for name in names {
        let same = fs::read(folder.join(&name)).unwrap()
            == fs::read(whole.path().join("kalah-6").join(&name)).unwrap();
        assert!(same, "{name:?}");
    }
}

#[test]
fn damage_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let build = ["build", "kalah(3,2)", "--seeds", "8"];
    assert!(run(&build, dir.path()).status.success());
    let position = "1,0,2,3|0,2,0,4";
    let probe = ["probe", "kalah(3,2)", position];
    let good = run(&probe, dir.path());
    assert!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));

    let path = dir.path().join("kalah-3/level-05.table");
    let bytes = fs::read(&path).unwrap();
    for at in [0, 10, 13, 28, 70, 200, 4000] {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        fs::write(&path, &changed).unwrap();
        let refused = run(&probe, dir.path());
        assert_eq!(refused.status.code(), Some(2), "byte {at} of the head");
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.starts_with("sow: ") && message.contains("level-05.table"), "{message}");
        assert!(refused.stdout.is_empty());
        assert_eq!(run(&["verify", "kalah(3,2)"], dir.path()).status.code(), Some(1));
    }
    for at in [4096, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        let verified = run(&["verify", "kalah(3,2)"], dir.path());
        assert_eq!(verified.status.code(), Some(1));
        assert!(String::from_utf8(verified.stderr).unwrap().contains("checksum"));
        // The chunk that the position lies in may be another one.
        let probed = run(&probe, dir.path());
        assert!(probed.stdout == good.stdout || probed.status.code() == Some(2));
    }
    fs::write(&path, &bytes).unwrap();
    assert!(run(&["verify", "kalah(3,2)", "--all"], dir.path()).status.success());
}

/// A line for each line, right or wrong.
#[test]
fn many_positions_are_looked_up() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(&["build", "kalah(3,1)", "--seeds", "5"], dir.path()).status.success());
    let mut command = sow(&["probe", "kalah(3,1)", "-"], dir.path());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let lines = "0,1,1,0|1,2,0,1\n\nhello\n0,0,1,2|0,1,0,2\n1,1,1,0|1,1,1,0\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let values: Vec<Option<i64>> = answers.iter().map(|answer| answer["value"].as_i64()).collect();
    assert_eq!(values, [Some(0), None, None, Some(0), None], "{said}");
    assert!([1, 2, 4].iter().all(|bad| answers[*bad]["error"].is_string()), "{said}");
}

/// Whole layers go to a file that says where it is from, or none.
#[test]
fn layers_are_exported() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(&["build", "kalah(3,1)", "--seeds", "6"], dir.path()).status.success());
    let path = dir.path().join("layers.csv");
    let file = path.to_str().unwrap();
    let done = run(&["export", "kalah(3,1)", "--seeds", "2..6", "--out", file], dir.path());
    assert!(done.status.success() && done.stdout.is_empty(), "{done:?}");
    let rows = fs::read_to_string(&path).unwrap();
    assert!(rows.starts_with("index,seeds,own1,own2,own3,other1,other2,other3,value\n"), "{rows}");
    assert_eq!(rows.lines().count(), 1 + 757);
    let meta = fs::read_to_string(dir.path().join("layers.csv.meta.json")).unwrap();
    assert!(meta.contains("sow tables export 'kalah(3,1)' --seeds 2..6\""), "{meta}");
    let zeros = run(&["query", "kalah(3,1)", "--seeds", "5", "--value", "0", "--csv"], dir.path());
    // Five seeds cannot be shared out evenly.
    assert_eq!(String::from_utf8(zeros.stdout).unwrap(), "index,position,value\n");
    let none = dir.path().join("none.csv");
    let none = none.to_str().unwrap();
    let refused = run(&["export", "kalah(3,1)", "--seeds", "2..9", "--out", none], dir.path());
    assert_eq!(refused.status.code(), Some(2));
    assert!(!Path::new(none).exists() && !Path::new(&format!("{none}.meta.json")).exists());
}
