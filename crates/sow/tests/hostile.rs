//! Hostile command lines, made from the command's own definition: every command, every flag.
//!
//! Whatever is typed, a command ends by itself, soon, in little memory, and what it says is one
//! line that a terminal cannot be made to obey.
#![cfg(unix)]

use crate::measured;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use clap::{Arg, ArgAction, ValueHint};

const PATIENCE: Duration = Duration::from_secs(300);
const MEMORY: u64 = 1 << 30;

/// A line to be typed.
#[derive(Debug)]
struct Line {
    args: Vec<OsString>,
    must: Must,
}

/// What a line must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Must {
    /// Any end that is in order: the value may be fine for all we know.
    End,
    /// Exit code 2.
    Fail,
    /// Exit code 2, called a flag.
    BeFlag,
}

/// Something right for an argument that must be given. A new one belongs here.
fn sample(path: &[&str], arg: &Arg) -> Vec<&'static str> {
    match (path, arg.get_id().as_str()) {
        (["sweep"], "family") => vec!["s-kalaha"],
        (["sweep"], "seeds") => vec!["4..9"],
        (["tables", "build"], "seeds") => vec!["4"],
        (["tables", _], "seeds") => vec!["2..4"],
        (["tables", "export"], "out") => vec!["layers.csv"],
        (["tables", "rank"], "position") => vec!["1,0,0|0,1,0"],
        (["tables", "unrank"], "indices") => vec!["7"],
        (["tchoukaillon", "count"], "game") => vec!["chaining"],
        (["tchoukaillon", "board" | "moves"], "stones") => vec!["8"],
        (["tchoukaillon", "count"], "stones") => vec!["5"],
        (["tchoukaillon", _] | ["tchuka-ruma", _], "seeds") => vec!["1..2"],
        (["tchoukaillon", "matrix" | "chains"], "length") => vec!["3"],
        (["tchuka-ruma", "table"], "bins") => vec!["2..3"],
        (["perft"], "depth") => vec!["2"],
        // Nobody listens there.
        (["kgp", "connect"], "address") => vec!["127.0.0.1:1"],
        (_, "game") => vec!["kalah(2,1)"],
        (_, "players") => vec!["random", "level:1"],
        (_, "houses") => vec!["2"],
        (_, "bins") => vec!["2"],
        (_, "board") => vec!["0,2,2,4"],
        (_, "vector") => vec!["4,2,1,1"],
        (_, "shell") => vec!["bash"],
        (["book", _], "out") => vec!["new.book"],
        (["book", "merge"], "books") => vec!["no-such-book"],
        (["site"], "dir") => vec!["new-site"],
        (_, "file") => vec!["no-such-file"],
        _ => panic!("{path:?} needs {:?}: give a sample of it", arg.get_id()),
    }
}

/// What makes the rest of a command do its work, quickly, and go on for no longer than that.
fn besides(path: &[&str]) -> &'static [&'static str] {
    match path {
        ["study"] => &["thesis-2"],
        ["tchoukaillon", "sequence"] => &["A002491"],
        ["tchuka-ruma"] => &["3", "2"],
        ["match"] => &["--games", "2"],
        ["playouts"] => &["--games", "10"],
        ["dataset"] => &["--positions", "10"],
        ["puzzles"] => &["--limit", "100"],
        ["grade"] => &["--player", "random", "--positions", "10"],
        // Those that are built in have positions that take their time.
        ["book", "verify"] => &["--sample", "1", "--time", "1s"],
        // An address that is nobody's: a server that could be started would not end.
        ["serve"] | ["kgp", "serve"] => &["--bind", "203.0.113.7"],
        ["tables", "rank" | "unrank"] => &[],
        ["tables", _] => &["--dir", "tables"],
        // Fixed work that takes its time: no line may come to it.
        ["bench", _] => &["--no-such-flag"],
        _ => &[],
    }
}

/// Values that nothing is called, and that nothing may be called back as they stand.
fn nonsense() -> Vec<OsString> {
    let mut values: Vec<OsString> = [
        "\x1b[31m\x1b]0;title\x07".to_string(),
        "one\ntwo\r\n\nthree".to_string(),
        "\u{202e}abc\u{2028}\u{9b}2J".to_string(),
        "x".repeat(10_000),
        "\x1b".repeat(10_000),
        "nan".to_string(),
        "1e400".to_string(),
        "%s%n".to_string(),
        "5000000000000000h".to_string(),
        "9999999T".to_string(),
        "99999999999999999999999999999".to_string(),
        "kalah(17,1)".to_string(),
        "kalah(6,10000000000000001)".to_string(),
        "level:10".to_string(),
    ]
    .map(OsString::from)
    .into();
    values.push(OsString::from_vec(b"\xff\xfe\x1b[2J".to_vec()));
    values
}

/// Values that may be right for somebody.
const STRANGE: [&str; 12] = [
    "",
    " ",
    "-",
    "0",
    "1",
    "18446744073709551615",
    "18446744073709551616",
    "1..18446744073709551615",
    "/dev/full",
    "/dev/zero",
    "/dev/null/x",
    "..",
];

fn lines() -> Vec<Line> {
    let mut definition = sowing_cli::definition();
    definition.build();
    let mut lines = Vec::new();
    for words in [&[""][..], &["--"], &["-"], &["\x1b[2J"], &["--versio"]] {
        lines.push(Line { args: words.iter().map(OsString::from).collect(), must: Must::Fail });
    }
    walk(&definition, &mut Vec::new(), &mut lines);
    lines
}

fn walk<'a>(command: &'a clap::Command, path: &mut Vec<&'a str>, lines: &mut Vec<Line>) {
    for below in command.get_subcommands() {
        path.push(below.get_name());
        walk(below, path, lines);
        path.pop();
    }
    if path.is_empty() || command.is_subcommand_required_set() {
        return;
    }
    let hidden = ["help", "version"];
    let known = |arg: &&Arg| !hidden.contains(&arg.get_id().as_str());
    let args: Vec<&Arg> = command.get_arguments().filter(known).collect();
    // The line without one argument, which stands again where it stood.
    let line = |instead: &Arg, words: &[OsString], must| {
        let mut line: Vec<OsString> = path.iter().map(OsString::from).collect();
        let flag = |arg: &Arg| arg.get_long().map(|long| format!("--{long}"));
        let besides = besides(path);
        let replaced = |word: &&str| flag(instead).as_deref() == Some(*word);
        let positional =
            instead.is_positional() && besides.first().is_some_and(|b| !b.starts_with('-'));
        // First, so that no flag without its value takes one of these for it.
        if !besides.iter().any(replaced) && !positional {
            line.extend(besides.iter().map(OsString::from));
        }
        for arg in &args {
            if arg.get_id() == instead.get_id() {
                line.extend(words.iter().cloned());
            } else if arg.is_required_set() {
                line.extend(flag(arg).map(OsString::from));
                line.extend(sample(path, arg).into_iter().map(OsString::from));
            }
        }
        Line { args: line, must }
    };
    for arg in &args {
        let name = arg.get_long().map(|long| OsString::from(format!("--{long}")));
        if !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
            let name = name.expect("a switch has a name");
            let mut with_value = name.clone();
            with_value.push("=x");
            let mut short = name.clone().into_string().unwrap();
            short.pop();
            lines.push(line(arg, &[name.clone(), name.clone()], Must::Fail));
            lines.push(line(arg, &[with_value], Must::Fail));
            // --j for --json: nothing is guessed.
            lines.push(line(arg, &[short.into()], Must::BeFlag));
            // Together with every other switch, and with what makes a file of the form.
            for other in args.iter().filter(|other| other.get_id() > arg.get_id()) {
                if let (Some(long), ArgAction::SetTrue) = (other.get_long(), other.get_action()) {
                    let other = OsString::from(format!("--{long}"));
                    lines.push(line(arg, &[name.clone(), other], Must::End));
                }
            }
            continue;
        }
        let is_path = arg.get_value_hint() == ValueHint::AnyPath;
        let words = |value: OsString| name.clone().into_iter().chain([value]).collect::<Vec<_>>();
        // Half of them each, in turn: every one is tried in many places.
        for value in nonsense().into_iter().skip(lines.len() % 2).step_by(2) {
            let must = if is_path { Must::End } else { Must::Fail };
            lines.push(line(arg, &words(value), must));
        }
        for value in STRANGE {
            lines.push(line(arg, &words(value.into()), Must::End));
        }
        if ["threads", "slots", "connections", "port"].contains(&arg.get_id().as_str()) {
            for value in ["4294967296", "65536000", "0x10", "-1"] {
                lines.push(line(arg, &words(value.into()), Must::Fail));
            }
        }
        lines.push(line(arg, &words("--no-such-flag".into()), Must::Fail));
        if let Some(name) = &name {
            // No value at all, and two of them.
            lines.push(line(arg, std::slice::from_ref(name), Must::Fail));
        } else {
            lines.push(line(arg, &["--no-such-flag".into()], Must::BeFlag));
            lines.push(line(arg, &["-3,1|2".into()], Must::Fail));
        }
    }
}

#[test]
#[ignore = "a minute"]
fn every_line_ends_in_order() {
    end_in_order(1);
}

/// One line in eight, from every command.
#[test]
fn an_eighth_of_the_lines_end_in_order() {
    end_in_order(8);
}

fn end_in_order(one_in: usize) {
    let lines = lines();
    let commands: BTreeSet<String> =
        lines.iter().map(|line| line.args[0].to_string_lossy().into_owned()).collect();
    let all = sowing_cli::definition();
    for command in all.get_subcommands() {
        assert!(commands.contains(command.get_name()), "{} is not tried", command.get_name());
    }
    assert!(lines.len() > 1000, "only {} lines", lines.len());
    let lines: Vec<Line> = lines.into_iter().step_by(one_in).collect();
    let dir = tempfile::tempdir().unwrap();
    let faults = Mutex::new(Vec::new());
    measured::each(&lines, |line| {
        if let Some(fault) = fault(line, dir.path()) {
            let words: Vec<String> = line.args.iter().map(|arg| shown(arg)).collect();
            faults.lock().unwrap().push(format!("sow {}: {fault}", words.join(" ")));
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {} lines:\n{}", faults.len(), lines.len(), faults.join("\n"));
}

/// What is wrong with how a line ends.
fn fault(line: &Line, dir: &Path) -> Option<String> {
    let own = tempfile::tempdir_in(dir).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
    command.args(&line.args).current_dir(own.path()).env("SOW_DATA", own.path());
    let ended = measured::run(command.stdin(Stdio::null()), PATIENCE);
    let Some(code) = ended.status.code() else {
        return Some(format!("{} after {:?}, {} bytes", ended.status, ended.time, ended.peak));
    };
    let said: Vec<&str> = ended.err.split_terminator('\n').collect();
    let is = |holds: bool, what: &str| (!holds).then(|| format!("{what}: {code} {:?}", ended.err));
    // What a command is about to do may be said before; what is wrong is one line, and the last.
    let named = said.iter().filter(|said| said.starts_with("sow: ")).count();
    let one_line = named == 1 && said[said.len() - 1].starts_with("sow: ");
    let obeyed = |c: char| c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c);
    is((0..=2).contains(&code), "strange exit code")
        .or_else(|| is(code == 0 || one_line && ended.err.ends_with('\n'), "not one line"))
        .or_else(|| is(said.len() <= 1 || path_is_talkative(line), "more than one line"))
        .or_else(|| is(!said.iter().any(|said| said.contains(obeyed)), "control characters"))
        .or_else(|| is(said.iter().all(|said| said.chars().count() <= 300), "too long"))
        .or_else(|| is(line.must == Must::End || code == 2, "should be refused"))
        .or_else(|| is(line.must != Must::BeFlag || ended.err.contains("flag"), "is a flag"))
        .or_else(|| is(ended.time < PATIENCE, "too slow"))
        .or_else(|| is(ended.peak < MEMORY, "takes too much memory"))
}

/// Whether a command says what it is about to do before it does it.
fn path_is_talkative(line: &Line) -> bool {
    line.args.starts_with(&["tables".into(), "build".into()])
}

/// An argument, for people.
fn shown(arg: &std::ffi::OsStr) -> String {
    let text = format!("{arg:?}");
    if text.len() > 60 { format!("{}...", &text[..50]) } else { text }
}
