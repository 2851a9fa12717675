//! Fair starts, data sets, puzzles and grades, as files and on the command line.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn sow(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(args)
        .env("SOURCE_DATE_EPOCH", "1714564800")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What was said on the one line of a command that failed.
fn refused(args: &[&str], code: i32) -> String {
    let output = sow(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("sow: ") && said.lines().count() == 1, "{args:?}: {said}");
    said
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn fair_starts_of_a_small_game() {
    let csv = text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--csv"]));
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "position,moved,value,outcome");
    assert_eq!(rows.len(), 1 + 1 + 6 * 5);
    let fair: Vec<&str> = rows.iter().filter(|row| row.ends_with(",0,draw")).copied().collect();
    let drawn = text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--drawn"]));
    let drawn: Vec<String> = drawn.lines().map(|position| format!("\"{position}\",")).collect();
    assert_eq!(drawn.len(), fair.len());
    assert!(fair.iter().zip(&drawn).all(|(row, position)| row.starts_with(position)));
    let wdl = text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--csv", "--wdl"]));
    let outcome = |row: &str| row.rsplit(',').next().unwrap().to_string();
    let outcomes = |csv: &str| csv.lines().map(outcome).collect::<Vec<_>>();
    assert_eq!(outcomes(&wdl), outcomes(&csv));
    let json: serde_json::Value =
        serde_json::from_str(&text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--json"])))
            .unwrap();
    assert_eq!(json["fair"], fair.len());
    assert_eq!(json["rows"].as_array().unwrap().len(), 31);
    let one = text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--random", "--seed", "4"]));
    assert!(drawn.contains(&format!("\"{}\",", one.trim_end())), "{one}");
    let svg = text(&sow(&["fair", "kalah(3,2)", "--moved", "1", "--svg", "-"]));
    assert!(svg.starts_with("<svg ") && svg.contains("31 starts: "), "{svg}");
}

#[test]
fn a_list_of_starts_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (whole, broken) = (path("whole.csv"), path("broken.csv"));
    assert!(sow(&["fair", "kalah(3,2)", "--out", &whole]).status.success());
    let said = refused(&["fair", "kalah(3,2)", "--out", &whole], 2);
    assert!(said.contains("it holds rows of a list of starts"), "{said}");
    // No time at all: a beginning, and exit code 1.
    let said = refused(&["fair", "kalah(4,4)", "--out", &broken, "--time", "0"], 1);
    assert!(said.contains("starts before its end"), "{said}");
    assert!(Path::new(&format!("{broken}.progress")).exists());
    let said = refused(&["fair", "kalah(3,2)", "--out", &broken], 2);
    assert!(said.contains("belongs to another list of starts"), "{said}");
    fs::remove_file(&broken).unwrap();
    fs::remove_file(format!("{broken}.progress")).unwrap();
    // As it stands when it was killed after the first stretch, in the middle of a row.
    let text = fs::read_to_string(&whole).unwrap();
    let kept: String = text.split_inclusive('\n').take(17).collect();
    let note = format!(
        "sow fair 2\nkalah(3,2) moved 2 values\nrows {} {:08x}\ndone 16 0\n",
        kept.len(),
        crc32fast::hash(kept.as_bytes())
    );
    fs::write(&broken, format!("{kept}\"1,2")).unwrap();
    fs::write(
        format!("{broken}.progress"),
        format!("{note}sum {:08x}\n", crc32fast::hash(note.as_bytes())),
    )
    .unwrap();
    assert!(sow(&["fair", "kalah(3,2)", "--out", &broken]).status.success());
    assert_eq!(fs::read_to_string(&broken).unwrap(), text);
    assert!(!Path::new(&format!("{broken}.progress")).exists());
}

/// Files of every form: the same bytes whatever the threads, and no trace of a data set that failed.
#[test]
fn data_sets_are_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    for ending in ["csv", "jsonl", "parquet"] {
        let bytes = ["1", "2"].map(|threads| {
            let out = dir.path().join(format!("{threads}.{ending}"));
            let out = out.to_str().unwrap();
            let args = ["--positions", "70000", "--seeds", "2..10", "--threads", threads];
            let done = sow(&[&["dataset", "kalah(4,3)", "--out", out], &args[..]].concat());
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            let meta = fs::read(format!("{out}.meta.json")).unwrap_or_default();
            (fs::read(out).unwrap(), meta)
        });
        assert!(bytes[0] == bytes[1], "{ending}");
        let [(data, meta), _] = &bytes;
        assert_eq!(meta.is_empty(), ending == "parquet");
        let told = if meta.is_empty() { data } else { meta };
        let told = String::from_utf8_lossy(told);
        for word in [
            concat!("sow ", env!("CARGO_PKG_VERSION")),
            "2024-05-01T12:00:00Z",
            "dataset",
            "--seeds 2..10",
        ] {
            assert!(told.contains(word), "{ending}: {word}");
        }
    }
    let csv = fs::read_to_string(dir.path().join("1.csv")).unwrap();
    assert!(csv.starts_with(
        "own1,own2,own3,own4,store,other1,other2,other3,other4,other_store,seeds,played,value,move1,\
         move2,move3,move4,phase\n"
    ));
    assert_eq!(csv.lines().count(), 70_001);
    let printed = text(&sow(&["dataset", "kalah(4,3)", "--positions", "5", "--seeds", "2..10"]));
    assert!(csv.starts_with(&printed));
    let json = fs::read_to_string(dir.path().join("1.jsonl")).unwrap();
    for (line, row) in json.lines().zip(csv.lines().skip(1)).take(1000) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let row: Vec<&str> = row.split(',').collect();
        assert_eq!(line["value"].to_string(), row[12]);
        assert_eq!(line["phase"], row[17]);
    }
    assert_eq!(json.lines().count(), 70_000);
    assert_eq!(&fs::read(dir.path().join("1.parquet")).unwrap()[..4], b"PAR1");
    // Taken up again after a first stretch, and by a command that was killed before its first note.
    for (ending, header) in [("csv", csv.find('\n').unwrap() + 1), ("jsonl", 0)] {
        let whole = fs::read_to_string(dir.path().join(format!("1.{ending}"))).unwrap();
        let lines = usize::from(header > 0) + (1 << 16);
        let stretch: usize = whole.split_inclusive('\n').take(lines).map(str::len).sum();
        for (kept, done) in [(stretch, 1 << 16), (0, 0)] {
            let part = &whole[..kept];
            let out = dir.path().join(format!("part.{ending}"));
            let out = out.to_str().unwrap();
            let note = format!(
                "sow dataset 2\nkalah(4,3) positions 70000 source random seeds 2..10 seed 1\nrows \
                 {kept} {:08x}\ndone {done} 0\n",
                crc32fast::hash(part.as_bytes())
            );
            fs::write(out, &whole[..kept + header + (if header == 0 { 40 } else { 0 })]).unwrap();
            let sum = crc32fast::hash(note.as_bytes());
            fs::write(format!("{out}.progress"), format!("{note}sum {sum:08x}\n")).unwrap();
            let args = ["--positions", "70000", "--seeds", "2..10", "--out", out];
            let done = sow(&[&["dataset", "kalah(4,3)"], &args[..]].concat());
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            assert!(fs::read_to_string(out).unwrap() == whole, "{ending}");
            fs::remove_file(out).unwrap();
        }
    }
}

#[test]
fn bad_data_sets_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (csv, parquet) = (out("a.csv"), out("a.parquet"));
    for (args, said) in [
        (&["dataset", "kalah(6,4)", "--out", "a.txt"][..], ".csv, .jsonl or .parquet"),
        (&["dataset", "kalah(6,4,pie)", "--out", &csv], "without pie"),
        (&["dataset", "kalah(6,4,clockwise)", "--out", &csv], "clockwise"),
        (&["dataset", "kalah(9,4)", "--out", &parquet], "8 houses"),
        (&["dataset", "kalah(6,4)", "--seeds", "2..60", "--out", &csv], "within 2..48"),
        (&["dataset", "kalah(6,4)", "--seeds", "2..40", "--out", &csv], "of memory"),
        (&["dataset", "kalah(6,4)", "--phase", "opening", "--out", &parquet], "of memory"),
        (&["dataset", "kalah(6,4)", "--phase", "late"], "opening, middle and end"),
        (&["dataset", "kalah(6,4)", "--source", "level:12"], "level"),
        (&["dataset", "kalah(6,4)", "--tables", "nowhere"], "nowhere"),
        (&["puzzles", "kalah(3,3)", "--built-in", "--seed", "2"], "--built-in"),
        (&["puzzles", "kalah(6,4)", "--grade", "1..3"], "2..8"),
        (&["grade", "kalah(6,4)"], "--player"),
        (&["grade", "kalah(6,4)", "--player", "random", "--engine", "x"], "--engine"),
        (&["grade", "kalah(4,3)", "--record", "9"], "9"),
        (&["grade", "kalah(3,2)", "--engine", "while read x; do echo 9; done"], "cannot be played"),
        (&["grade", "kalah(3,2)", "--engine", "while read x; do echo hello; done"], "a move is"),
        (&["grade", "kalah(3,2)", "--engine", "true"], "ended"),
        (&["grade", "kalah(3,2)", "--engine", "no-such-program-here"], "ended"),
        (&["grade", "kalah(3,2)", "--engine", "sleep 60", "--move-time", "200ms"], "within 200ms"),
        (&["fair", "kalah(6,4,pie)"], "pie"),
        (&["fair", "kalah(16,9)", "--moved", "16"], "move fewer"),
    ] {
        let line = refused(args, 2);
        assert!(line.contains(said), "{args:?}: {line}");
    }
    assert_eq!(names(dir.path()), [""; 0]);
    // A limit ends the work: exit code 1.
    let args = ["puzzles", "kalah(2,2)", "--limit", "50"];
    assert!(refused(&args, 1).contains("of grade 2"));
}

/// A program that answers with the first house that holds seeds is graded, and loses what it loses.
#[cfg(unix)]
#[test]
fn a_program_is_graded() {
    let bot = "while IFS=',|' read -r a b rest; do [ $a != 0 ] && echo 1 || { [ $b != 0 ] && echo 2 || echo 3; }; done";
    let args = ["grade", "kalah(3,3)", "--seeds", "2..12", "--positions", "300", "--json"];
    let graded: serde_json::Value =
        serde_json::from_str(&text(&sow(&[&args[..], &["--engine", bot]].concat()))).unwrap();
    assert_eq!(graded["positions"], 300);
    // The same by hand, from the same positions.
    let lines = text(&sow(&["dataset", "kalah(3,3)", "--seeds", "2..12", "--json"]));
    let (mut count, mut best, mut lost) = (0, 0, 0);
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let moves = line["moves"].as_array().unwrap();
        if moves.len() > 1 && count < 300 {
            let loss = line["value"].as_i64().unwrap() - moves[0][1].as_i64().unwrap();
            count += 1;
            best += i64::from(loss == 0);
            lost += loss;
        }
    }
    assert_eq!(
        (count, graded["best"].as_i64(), graded["lost"].as_i64()),
        (300, Some(best), Some(lost))
    );
    // One that is wrong now and then, or late, is graded all the same.
    let slow = "n=0; while IFS=',|' read -r a b c rest; do n=$((n+1)); [ $n = 2 ] && echo 9 && continue; \
                [ $n = 4 ] && sleep 9; \
                [ $a != 0 ] && echo 1 || { [ $b != 0 ] && echo 2 || echo 3; }; done";
    let short = ["grade", "kalah(3,3)", "--seeds", "2..12", "--positions", "12", "--json"];
    let late = [&short[..], &["--engine", slow, "--move-time", "1s"]].concat();
    let faulty: serde_json::Value = serde_json::from_str(&text(&sow(&late))).unwrap();
    let (made, faults) =
        (faulty["positions"].as_u64().unwrap(), faulty["faults"].as_u64().unwrap());
    assert!(made + faults == 12 && faults >= 6 && made >= 3, "{faulty}");
    let perfect = [&args[..], &["--player", "perfect"]].concat();
    let graded: serde_json::Value = serde_json::from_str(&text(&sow(&perfect))).unwrap();
    assert_eq!(
        (graded["lost"].as_i64(), graded["best_share"]["mean"].as_f64()),
        (Some(0), Some(1.0))
    );
}

#[test]
fn an_engine_is_graded() {
    let args = ["grade", "kalah(3,3)", "--seeds", "2..12", "--positions", "100", "--json"];
    let engine = format!("engine:'{}' engine --threads 1", env!("CARGO_BIN_EXE_sow"));
    let graded = text(&sow(&[&args[..], &["--player", &engine]].concat()));
    let graded: serde_json::Value = serde_json::from_str(&graded).unwrap();
    assert_eq!((&graded["positions"], &graded["lost"]), (&100.into(), &0.into()));
    // It says what it is, and then always the same.
    let stubborn = "engine:sh -c 'while read -r a b; do [ \"$a\" = sow ] && echo sowok; [ \"$a\" = go ] && echo bestmove 9; done'";
    let refused = sow(&[&args[..], &["--player", stubborn]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.lines().count() == 1 && said.contains("which is not legal"), "{said}");
}

#[test]
fn a_record_is_graded() {
    let graded = text(&sow(&["grade", "kalah(4,3)", "--record", "3,1", "--json"]));
    let graded: Vec<serde_json::Value> =
        graded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&graded[0]["who"], &graded[0]["lost"]), (&"South".into(), &4.into()));
    assert_eq!((&graded[1]["who"], &graded[1]["positions"]), (&"North".into(), &1.into()));
}

#[test]
fn puzzles_as_text_json_and_records() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("puzzles");
    let folder = folder.to_str().unwrap();
    let args = ["puzzles", "kalah(4,3)", "--seeds", "5..12", "--grade", "2..3", "--count", "2"];
    let lines = text(&sow(&[&args[..], &["--json", "--threads", "1"]].concat()));
    assert_eq!(lines, text(&sow(&[&args[..], &["--json", "--records", folder]].concat())));
    assert_eq!(lines.lines().count(), 4);
    assert_eq!(names(Path::new(folder)), ["1.txt", "2.txt", "3.txt", "4.txt"]);
    for (line, name) in lines.lines().zip(names(Path::new(folder))) {
        let puzzle: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = puzzle["position"].as_str().unwrap();
        let record = fs::read_to_string(Path::new(folder).join(name)).unwrap();
        assert!(record.contains(&format!("# start: {position}\n")), "{record}");
        // The turn is what the solver calls the best, and worth what it says.
        let solved = text(&sow(&["solve", "kalah(4,3)", position, "--turns", "--json"]));
        let solved: serde_json::Value = serde_json::from_str(&solved).unwrap();
        assert_eq!((&solved["value"], &solved["best"]), (&puzzle["value"], &puzzle["turn"]));
        assert_eq!(solved["turns"][1]["value"], puzzle["next_best"]);
    }
    let known =
        text(&sow(&["puzzles", "kalah(6,4)", "--built-in", "--count", "40", "--grade", "2..6"]));
    assert_eq!(known.lines().count(), 400);
}

/// What goes into a file says where it is from, in the place that its form has for it; and the file
/// is what standard output would have been.
#[test]
fn files_say_where_they_are_from() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (csv, latex) = (path("study.csv"), path("study.tex"));
    let study = ["study", "thesis-2", "--csv"];
    let printed = text(&sow(&study));
    assert_eq!(text(&sow(&[&study[..], &["--out", &csv]].concat())), "");
    assert_eq!(std::fs::read_to_string(&csv).unwrap(), printed);
    let meta = std::fs::read_to_string(path("study.csv.meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["made"]["command"], "sow study thesis-2 --csv");
    assert!(meta["made"]["program"].as_str().unwrap().starts_with("sow "));
    assert!(meta["made"]["date"].as_str().unwrap().ends_with('Z'));

    let study = ["study", "thesis-2", "--latex"];
    let printed = text(&sow(&study));
    assert_eq!(text(&sow(&[&study[..], &["--out", &latex]].concat())), "");
    let written = std::fs::read_to_string(&latex).unwrap();
    let (comments, rest): (Vec<&str>, Vec<&str>) =
        written.lines().partition(|line| line.starts_with("% "));
    assert!(comments.contains(&"% command: sow study thesis-2 --latex"), "{comments:?}");
    assert_eq!(rest, printed.lines().filter(|line| !line.starts_with("% ")).collect::<Vec<_>>());
    assert!(!std::path::Path::new(&path("study.tex.meta.json")).exists());

    // A seed is said too.
    let games = path("games.json");
    let playouts = ["playouts", "kalah(3,2)", "--games", "10", "--seed", "7", "--json"];
    text(&sow(&[&playouts[..], &["--out", &games]].concat()));
    let meta = std::fs::read_to_string(path("games.json.meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["made"]["seed"], 7);

    // What cannot be done leaves no file, what a limit ended does.
    let none = path("none.json");
    assert_eq!(sow(&["count", "kalah(99,1)", "--json", "--out", &none]).status.code(), Some(2));
    assert_eq!(
        sow(&["solve", "kalah(2,2)", "9|9", "--json", "--out", &none]).status.code(),
        Some(2)
    );
    assert!(!std::path::Path::new(&none).exists());
    let short = ["solve", "kalah(6,6)", "--json", "--no-book", "--time", "50ms", "--out", &none];
    assert_eq!(sow(&short).status.code(), Some(1));
    assert!(std::fs::read_to_string(&none).unwrap().contains("\"complete\":false"));
    let nowhere = path("no-such-folder/x.json");
    let refused = sow(&["count", "kalah(2,2)", "--json", "--out", &nowhere]);
    assert_eq!(refused.status.code(), Some(2));
}

/// What a list of starts proved goes into a book, and games start from its fair ones.
#[test]
fn a_list_of_starts_is_of_use() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (list, book) = (path("starts.csv"), path("starts.book"));
    text(&sow(&["fair", "kalah(4,3)", "--moved", "1", "--out", &list, "--book", &book]));
    let info = text(&sow(&["book", "info", &book, "--json"]));
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert!(info["positions"].as_u64().unwrap() > 50, "{info}");
    assert!(sow(&["book", "verify", &book, "--sample", "20"]).status.success());
    let drawn = std::fs::read_to_string(&list).unwrap().matches(",draw").count();
    let args = ["match", "kalah(4,3)", "level:1", "random", "--games", "2", "--openings", &list];
    let said = text(&sow(&args));
    assert!(drawn > 0 && said.contains(&format!("from {drawn} positions of")), "{said}");
    // A book of another game is refused before any work.
    let other = sow(&["fair", "kalah(3,3)", "--moved", "1", "--book", &book]);
    assert_eq!(other.status.code(), Some(2));
}
