//! Studies that go through files.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Kills a command as soon as something holds of its files. On Unix this is SIGKILL.
fn kill_when(mut child: Child, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(300), "the command does not get anywhere");
        assert!(child.try_wait().unwrap().is_none(), "the command was over before it was killed");
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn sweep(file: &Path, seeds: &str) -> Output {
    let args = ["sweep", "s-kalaha", "--houses", "2..3", "--per-house", seeds, "--out"];
    Command::new(env!("CARGO_BIN_EXE_sow")).args(args).arg(file).output().unwrap()
}

/// A sweep that stopped between two notes of its progress comes to the same file, byte for byte.
#[test]
fn a_sweep_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole.csv", "broken.csv"].map(|name| dir.path().join(name));
    let note = dir.path().join("broken.csv.progress");
    let done = sweep(&whole, "4..140000");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let expected = std::fs::read_to_string(&whole).unwrap();
    assert!(expected.starts_with("h,s,outcome,moves\n2,4,loss,2\n2,5,loss,2\n"));
    assert!(!dir.path().join("whole.csv.progress").exists());

    // As it stands after the first stretch, with half a row more.
    let kept = expected.find("3,6,").unwrap();
    std::fs::write(&broken, format!("{}3,6,lo", &expected[..kept])).unwrap();
    let rows = crc32fast::hash(&expected.as_bytes()[..kept]);
    let progress = format!(
        "sow sweep 2\ns-kalaha houses 2..3 seeds 4..140000\nrows {kept} {rows:08x}\ndone 2 140000\n"
    );
    let sum = crc32fast::hash(progress.as_bytes());
    std::fs::write(&note, format!("{progress}sum {sum:08x}\n")).unwrap();
    let other = sweep(&broken, "4..150000");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("belongs to another sweep"));
    assert!(sweep(&broken, "4..140000").status.success());
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), expected);
    assert!(!note.exists());

    // A file that is done is not written over.
    let again = sweep(&whole, "4..140000");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).starts_with("sow: cannot write "));
}

/// Killed twice and resumed, a sweep writes the file of one that was not.
#[test]
fn a_killed_sweep_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole.csv", "killed.csv"].map(|name| dir.path().join(name));
    let note = dir.path().join("killed.csv.progress");
    let args = ["sweep", "s-kalaha", "--houses", "2..3", "--per-house", "4..2000000", "--out"];
    let sow = |file: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(args).arg(file).stderr(Stdio::null());
        command
    };
    let noted = || std::fs::read_to_string(&note).unwrap_or_default();
    kill_when(sow(&killed).spawn().unwrap(), || noted().contains("\ndone 2 "));
    let first = noted();
    kill_when(sow(&killed).spawn().unwrap(), || noted().contains("\ndone 3 "));
    assert_ne!(noted(), first);
    assert!(sow(&killed).status().unwrap().success());
    assert!(sow(&whole).status().unwrap().success());
    assert!(!note.exists());
    assert_eq!(std::fs::read(&killed).unwrap(), std::fs::read(&whole).unwrap());
}

/// Killed and resumed, with other threads and memory too, a count prints what one does that was
/// not, and leaves its folder empty.
#[test]
fn a_killed_count_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let note = dir.path().join("note");
    let sow = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(["count", "s-kalaha(4,4)", "--json"]).args(more);
        command.stdout(Stdio::piped());
        command
    };
    let folder = ["--dir", dir.path().to_str().unwrap()];
    let noted = || std::fs::read_to_string(&note).unwrap_or_default();
    let little = [&folder[..], &["--memory", "3M"]].concat();
    kill_when(sow(&little).spawn().unwrap(), || noted().contains("\nlayer 20 "));
    assert!(!noted().contains("\nlayer 1 "));
    let other = [&folder[..], &["--memory", "100M", "--threads", "1"]].concat();
    let resumed = sow(&other).output().unwrap();
    assert!(resumed.status.success());
    let whole = sow(&[]).output().unwrap();
    assert!(String::from_utf8_lossy(&whole.stdout).contains("\"positions\":10240113,"));
    assert_eq!(resumed.stdout, whole.stdout);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Two million games, and the moves that they take.
#[test]
fn bench_playouts_holds_its_checksum() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_sow")).args(["bench", "playouts"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn sow(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sow")).args(args).output().unwrap()
}

/// Transcripts turn backslashes round, so that this is not one.
#[test]
fn a_study_in_latex() {
    let done = sow(&["study", "thesis-9", "--latex"]);
    assert!(done.status.success());
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(text.starts_with("\\begin{table}\n\\centering\n\\begin{tabular}{l|rrrrr}\nh & 2 & 3"));
    assert!(text.contains("\n & \\textbf{62,500} & 12,605 &  &  &  \\\\\n"), "{text}");
    let bounds = String::from_utf8(sow(&["study", "thesis-2", "--latex"]).stdout).unwrap();
    // Too wide with both in a line: what was printed stands below.
    let cells = |line: &str| line.split(" & ").map(str::to_string).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = bounds.lines().map(cells).collect();
    let odd = |line: &Vec<String>| line.iter().position(|c| c.contains("{7,124,934,600}"));
    let (row, column) =
        lines.iter().enumerate().find_map(|(row, line)| Some((row, odd(line)?))).unwrap();
    assert!(lines[row + 1][column].contains("($7.13 \\cdot 10^{9}$)"), "{bounds}");
    let polynomials = String::from_utf8(sow(&["study", "thesis-8", "--latex"]).stdout).unwrap();
    assert!(polynomials.contains("\n$l^{5}-l^{4}+l^{2}-l$ & 2,520 & 14,448"), "{polynomials}");
    let open = sow(&["study", "article-6-open", "--time", "0", "--latex"]);
    let open = String::from_utf8(open.stdout).unwrap();
    assert!(open.contains("\n1-6 & $-2$$^{*}$ ($\\le -2$) \\\\\n"), "{open}");
}

/// Who computes, as pictures and tables say.
const BY: &str = concat!("sow ", env!("CARGO_PKG_VERSION"));

/// Every form tells what was kept from what was computed, and what was only printed.
#[test]
fn every_form_says_where_a_figure_is_from() {
    let form = |name: &str, time: &str, form: &[&str]| {
        let done = sow(&[&["study", name, "--time", time][..], form].concat());
        String::from_utf8(done.stdout).unwrap()
    };
    let kept = "results/kalah_first_turns.csv";
    for name in ["article-4", "article-5"] {
        let csv = form(name, "0", &["--csv"]);
        assert!(csv.starts_with("row,column,printed,computed,source,file,verdict,note\n"), "{csv}");
        assert_eq!(
            csv.lines().skip(1).filter(|line| line.contains(&format!(",kept,{kept},"))).count(),
            20
        );
        let json: serde_json::Value = serde_json::from_str(&form(name, "0", &["--json"])).unwrap();
        let cells = json["cells"].as_array().unwrap();
        assert!(
            cells.iter().all(|cell| cell["source"] == "kept" && cell["computed"]["file"] == kept)
        );
        let text = form(name, "0", &[]);
        assert_eq!(text.matches('*').count(), 21, "{text}");
        assert!(text.contains(&format!("20 not computed now but kept in {kept} (*)")), "{text}");
        let latex = form(name, "0", &["--latex"]);
        assert_eq!(latex.matches("$^{*}$").count(), 21, "{latex}");
        assert!(
            latex.contains("$^{*}$: not computed now but kept in results/\\allowbreak{}kalah"),
            "{latex}"
        );
        let svg = form(name, "0", &["--svg", "-"]);
        assert_eq!(svg.matches("*</text>").count(), 21, "{svg}");
        assert!(
            svg.contains("not computed now but kept in results/")
                && !svg.contains("mark: computed")
        );
    }
    // Nothing is computed: every cell is the print, and says so.
    for name in ["thesis-5", "thesis-7", "irving-9"] {
        let csv = form(name, "0", &["--csv"]);
        assert!(csv.lines().skip(1).all(|line| line.contains(",printed,,")), "{csv}");
        assert!(form(name, "0", &[]).contains(" printed only."));
        let latex = form(name, "0", &["--latex"]);
        assert!(
            latex.contains("\\textit{Italics}: printed only.") && !latex.contains("computed now")
        );
        assert!(latex.contains(&format!("(nothing computed; set by {BY})")), "{latex}");
        let svg = form(name, "0", &["--svg", "-"]);
        assert!(svg.contains(">printed only: ") && !svg.contains("no mark"), "{svg}");
        let patterned = svg.matches("fill=\"url(#printed)\"").count();
        let cells = csv.lines().count() - 1;
        assert!(name == "thesis-7" && svg.contains("curve printed") || patterned > cells, "{name}");
    }
    // All is computed.
    let csv = form("thesis-4", "1m", &["--csv"]);
    assert!(csv.lines().skip(1).all(|line| line.contains(",computed,,")), "{csv}");
    assert!(form("thesis-4", "1m", &["--svg", "-"]).contains("no mark: computed now: 36<"));
    assert!(form("thesis-4", "1m", &["--latex"]).contains(&format!("(computed by {BY})")));
    assert!(form("thesis-4", "1m", &["--svg", "-"]).contains(&format!(">computed by {BY}<")));
    assert!(form("thesis-3", "1m", &["--games", "2000", "--csv"]).contains(",estimated,,"));
}

/// A colour means one thing in a picture: no grey, and a draw is not what was not computed.
#[test]
fn colours_mean_one_thing() {
    for (name, time) in
        [("thesis-5", "1m"), ("thesis-5", "0"), ("irving-9", "2s"), ("article-6", "0")]
    {
        let svg =
            String::from_utf8(sow(&["study", name, "--time", time, "--svg", "-"]).stdout).unwrap();
        for grey in ["#777", "#e4e4e4", "#666", "#999"] {
            assert!(!svg.contains(grey), "{name}: {grey}");
        }
    }
    let svg = String::from_utf8(sow(&["study", "thesis-5", "--svg", "-"]).stdout).unwrap();
    assert!(svg.contains("D: 3 of 36"), "{svg}");
}

/// Every kind of picture is whole, and goes to a file or to standard output.
#[test]
fn studies_as_pictures() {
    let dir = tempfile::tempdir().unwrap();
    for (name, has) in [
        ("thesis-2", "class=\"cell odd\""),
        ("thesis-5", "W: 29 of 36"),
        ("thesis-7", "h = 6"),
        ("article-4", ">-14*<"),
    ] {
        let file = dir.path().join(name);
        let path = file.to_str().unwrap();
        let time = if name == "article-4" { "0" } else { "1m" };
        let done = sow(&["study", name, "--time", time, "--svg", path]);
        assert!(done.status.success());
        assert!(String::from_utf8(done.stdout).unwrap().contains("cells:"));
        let drawn = std::fs::read_to_string(&file).unwrap();
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"), "{name}");
        assert!(drawn.contains(has), "{name}: {drawn}");
        // A file says where it is from; what goes to standard output is the rest of it.
        let (before, rest) = drawn.split_once("<metadata>").unwrap();
        let (made, after) = rest.split_once("</metadata>\n").unwrap();
        assert!(
            made.starts_with(&format!("program: {BY}\n")) && made.contains("\ndate: "),
            "{made}"
        );
        let shown = sow(&["study", name, "--time", time, "--svg", "-"]);
        assert_eq!(String::from_utf8(shown.stdout).unwrap(), format!("{before}{after}"));
    }
}

#[test]
fn a_tree_as_a_picture() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tree.svg");
    let path = file.to_str().unwrap();
    assert!(sow(&["tree", "s-kalaha(2,1)", "--values", "--svg", path]).status.success());
    let drawn = std::fs::read_to_string(&file).unwrap();
    assert_eq!(drawn.matches("class=\"node\"").count(), 7);
    assert_eq!(drawn.matches("class=\"over\"").count(), 3);
    assert_eq!(drawn.matches("class=\"way").count(), 9);
    // One of North's moves gives the draw away.
    assert_eq!(drawn.matches("class=\"way best\"").count(), 8);
}

/// One game a cell has no spread, so that nothing is near the print: a difference is exit code 1.
#[test]
fn a_difference_is_an_error() {
    let done = sow(&["study", "thesis-3", "--games", "1"]);
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8(done.stdout).unwrap().contains("different (≠)"));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.starts_with("sow: thesis-3: not as printed: 2/1, "), "{said}");
}
