//! The commands as a user types them: every ```console block of the documents and of `cmd/`.

#[test]
fn documents_and_commands() {
    let data = tempfile::tempdir().unwrap();
    trycmd::TestCases::new()
        .env("LANG", "C.UTF-8")
        .env("SOW_DATA", data.path().to_str().unwrap())
        .case("tests/cmd/*.md")
        .case("../../README.md")
        .case("../../docs/*.md")
        // It writes files, and has a test of its own.
        .skip("../../docs/tutorial.md");
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
        assert!(text.contains("kalah(6,4") && text.contains("EXIT STATUS"), "{page}");
    }
}

/// A certificate goes through a file; one altered reply is refused, naming the position.
#[test]
fn a_certificate_is_written_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("win.txt");
    let sow = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(args).arg(&file).output().unwrap()
    };
    let solved = sow(&["solve", "s-kalaha(5,3)", "--value", "--threads", "1", "--certificate"]);
    assert!(solved.status.success());
    let verified = sow(&["verify"]);
    assert!(verified.status.success());
    let said = String::from_utf8(verified.stdout).unwrap();
    assert!(said.contains("value >= 8: proven, 2,575 positions checked."), "{said}");
    let text = std::fs::read_to_string(&file).unwrap();
    let first = "3,3,3,3,3|3,3,3,3,3 >= 8: 1";
    assert!(text.contains(first));
    std::fs::write(&file, text.replace(first, "3,3,3,3,3|3,3,3,3,3 >= 8: 5")).unwrap();
    let refused = sow(&["verify"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    let lemma =
        "proves nothing: line 6: the lemma 3,3,3,3,3|3,3,3,3,3 >= 8: 5 does not hold: no lemma";
    assert!(said.contains(lemma), "{said}");
    std::fs::write(&file, "nonsense").unwrap();
    assert_eq!(sow(&["verify"]).status.code(), Some(2));
}

/// A limit that ends the work gives exit code 1, also where it ends the proof of a value that is known.
#[test]
fn a_proof_that_runs_out_of_time_is_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["solve", "kalah(6,4)", "--value", "--time", "200ms", "--certificate", "win.txt"])
        .current_dir(dir.path())
        .env("SOW_DATA", dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("the search was stopped before it knew"), "{said}");
}

/// Old spellings of flags work, and a line names the new one.
#[test]
fn old_spellings_work_with_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let sow = |line: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
            .args(line.split(' '))
            .current_dir(dir.path())
            .env("SOW_DATA", dir.path())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    };
    let old_and_new = [
        ("match kalah(2,1) random random --games 2 --time 1s", "--time", "--move-time"),
        ("match kalah(2,1) random random --games 2 --out=a.csv", "--out", "--results"),
        ("review kalah(2,1) 1 --time 1s", "--time", "--move-time"),
        ("sweep s-kalaha --houses 2 --seeds 4..9", "--seeds", "--per-house"),
        ("polynomials --explain --seeds 42 --houses 4", "--seeds", "--per-house"),
        ("tchoukaillon curiosity --seeds 2", "--seeds", "--per-house"),
        ("tchuka-ruma table --bins 2 --seeds 2", "--seeds", "--per-bin"),
        ("solve kalah(2,1) - --time 1s", "--time", "--time-each"),
    ];
    for (line, old, new) in old_and_new {
        let before = sow(line);
        let said = String::from_utf8(before.stderr).unwrap();
        assert!(said.starts_with("sow: ") && said.contains(old) && said.contains(new), "{said}");
        assert!(
            said.lines().next().unwrap().ends_with(&format!(" is now {new}")),
            "{line}: {said}"
        );
        let after = sow(&line.replace(old, new).replace("a.csv", "b.csv"));
        let said = String::from_utf8(after.stderr).unwrap();
        assert!(!said.contains(" is now "), "{line}: {said}");
        assert_eq!((before.status.code(), before.stdout), (after.status.code(), after.stdout));
    }
    assert!(dir.path().join("a.csv").exists() && dir.path().join("b.csv").exists());
}

/// Positions on standard input are answered one line each, in order, bad ones by an error.
#[test]
fn many_positions_on_standard_input() {
    use std::io::Write;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["solve", "kalah(2,1)", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = b"1,1,0|1,1,0\n1,1|1,1\n0,0,2|1,1,0\n\n9,9,9|0,0,0\n".to_vec();
    // No text, and no end of it; what comes after is answered all the same.
    lines.extend(b"1,1,0|\xff\xfe\n");
    lines.extend([b'\x1b'; 200_000]);
    lines.extend(b"\n1,1,\x1b[2J0|1,1,0\n1,1,0|1,1,0");
    child.stdin.take().unwrap().write_all(&lines).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "some lines were bad");
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 9);
    assert_eq!(answers[0]["position"], "1,1,0|1,1,0");
    assert!(answers[0]["value"].is_i64() && answers[0]["moves"].is_array());
    assert!(answers[1]["error"].as_str().unwrap().contains("houses per row"));
    assert_eq!(answers[2]["value"], 0);
    assert!(answers[3]["error"].is_string(), "a blank line has its answer too");
    assert!(answers[4]["error"].as_str().unwrap().contains("seeds in all"));
    for (answer, why) in answers[5..8].iter().zip(["UTF-8", "longer than", "not a number of seeds"])
    {
        let said = answer["error"].as_str().unwrap();
        assert!(said.contains(why) && said.len() < 310, "{said}");
        assert!(!said.contains(char::is_control), "{said}");
    }
    assert_eq!(answers[8]["value"], answers[0]["value"]);
}

fn sow(args: &[&str]) -> std::process::Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_sow")).args(args).output().unwrap()
}

/// What cannot be written is said before hours of work, and flags are not dropped.
#[test]
fn a_certificate_that_cannot_be_written_is_not_solved_for() {
    // Kalah(7,7) would take far longer than a test may.
    for (args, why) in [
        (
            &["solve", "kalah(7,7)", "--certificate", "/dev/null/no"][..],
            "cannot write /dev/null/no",
        ),
        (&["solve", "kalah(7,7)", "-", "--certificate", "win.txt"], "--certificate is for one"),
        (&["solve", "kalah(7,7)", "--certificate", "a", "--upper", "--wdl"], "cannot be used with"),
        (&["solve", "kalah(7,7)", "--value", "--turns"], "cannot be used with"),
        (&["solve", "kalah(7,7)", "--turn"], "unknown flag --turn: did you mean --turns?"),
        (&["solve", "kalah(7,7)", "--time", "5000000000000000h"], "at most 10000h"),
    ] {
        let done = sow(args);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(why) && said.lines().count() == 1, "{args:?}: {said}");
    }
}

/// With --json the certificate is written too, and the object stays alone.
#[test]
fn a_certificate_beside_json() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("win.txt");
    let done = sow(&["solve", "kalah(3,2)", "--json", "--certificate", file.to_str().unwrap()]);
    assert!(done.status.success());
    assert!(serde_json::from_slice::<serde_json::Value>(&done.stdout).unwrap()["value"].is_i64());
    assert!(String::from_utf8(done.stderr).unwrap().contains("positions."));
    assert!(sow(&["verify", file.to_str().unwrap()]).status.success());
}

/// Records of one match are not lost to the next.
#[test]
fn records_are_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("games");
    let play = |seed: &str| {
        let args = ["match", "kalah(3,2)", "random", "level:1", "--games", "12", "--seed", seed];
        sow(&[&args[..], &["--records", folder.to_str().unwrap()]].concat())
    };
    assert!(play("1").status.success());
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 12);
    let first = read("01.txt");
    assert!(first.starts_with("# game: kalah(3,2)\n"), "{first}");
    let again = play("2");
    assert_eq!(again.status.code(), Some(2));
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("has the records of another match") && again.stdout.is_empty(), "{said}");
    assert_eq!(read("01.txt"), first);
    // A folder that cannot be is noticed before a game is played.
    let done = sow(&["match", "kalah(6,4)", "random", "random", "--records", "/dev/null/x"]);
    assert_eq!((done.status.code(), done.stdout.is_empty()), (Some(2), true));
}

/// The search's signature: a change that alters the search shows here.
#[test]
fn bench_solve_holds_its_signature() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["bench", "solve"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
