//! `sow solve`: the exact worth of a position.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing::{Game, Move, Position, Side};
use sowing_solver::{
    Bounds, Certificate, Claim, Options, Outcome, Progress, Score, SolveError, Solver, Turn,
    Verdict,
};
use sowing_tables::Tables;

use crate::args::{house_number, read_position};
use crate::failure::{Failure, note};
use crate::worth::{MoveWorth, Worth, sentence};
use crate::{input, said, tables, units};

/// Solve a position: its value and that of every move, best first
///
/// The value is the mover's final seeds minus the opponent's with perfect play
/// by both, stores included.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow solve \"kalah(5,4)\"
  sow solve \"s-kalaha(6,3)\" --wdl
  sow solve \"kalah(6,3)\" \"0,1,0,2,0,1,16|2,0,0,0,1,0,13\" --line --turns
  sow solve \"s-kalaha(5,3)\" --certificate win.txt && sow verify win.txt
  sow solve \"kalah(6,3)\" - < positions.txt")]
pub(crate) struct SolveArgs {
    /// The game, as in "kalah(6,4)" or "s-kalaha(6,3)"
    game: Game,
    /// The position, as in "0,0,2,1|1,1,1,0"; the start if it is left out; -
    /// reads one a line and answers one JSON object a line
    position: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "position")]
    free: bool,
    /// Stop at win, draw or loss
    #[arg(long)]
    wdl: bool,
    /// Only the position's own value, not that of every move
    #[arg(long)]
    value: bool,
    /// The value of every whole turn too
    #[arg(long, conflicts_with_all = ["wdl", "value"])]
    turns: bool,
    /// One perfect continuation too
    #[arg(long, conflicts_with = "wdl")]
    line: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a strategy that proves the value, for sow verify
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Let the certificate prove that the value is not higher, not that it is
    /// not lower
    #[arg(long, requires = "certificate", conflicts_with = "wdl")]
    upper: bool,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for what the search remembers, as in 512M or 16G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = units::bytes)]
    memory: u64,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR", conflicts_with = "no_tables")]
    tables: Option<PathBuf>,
    /// Use no endgame tables, and build none
    #[arg(long)]
    no_tables: bool,
    /// Say what the search cost, also where standard error is not a terminal
    #[arg(long, short)]
    verbose: bool,
    /// Give up after this long, as in 30s or 5m, and print the proven bounds
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    time: Option<Duration>,
}

#[derive(Serialize)]
struct Solved {
    game: String,
    position: String,
    #[serde(flatten)]
    worth: Worth,
    moves: Vec<MoveWorth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<SolvedTurn>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<Vec<Option<u8>>>>,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct SolvedTurn {
    houses: Vec<Option<u8>>,
    #[serde(flatten)]
    worth: Worth,
}

/// All that was asked for of one position.
struct Answer {
    position: Position,
    verdict: Verdict,
    scores: Vec<Score>,
    turns: Option<Vec<Turn>>,
    line: Option<Vec<Vec<Move>>>,
    /// For the position itself, and with its moves and whatever else was asked for.
    root: Work,
    all: Work,
    /// The seeds that tables reached to in the end.
    tables: u32,
    complete: bool,
}

impl Answer {
    /// Says on standard error what it cost.
    fn say_cost(&self) {
        let (root, all) = (self.root.text(), self.all.text());
        let tables = self.tables;
        note(&format!("position: {root}; with its moves: {all}; tables to {tables} seeds"));
    }
}

/// What an answer cost.
struct Work {
    nodes: u64,
    moves: u64,
    seconds: f64,
}

impl Work {
    /// What a solver has done since it had these counts, and since this time.
    fn since(solver: &Solver, (nodes, moves): (u64, u64), start: Instant) -> Work {
        Work {
            nodes: solver.nodes() - nodes,
            moves: solver.moves() - moves,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn text(&self) -> String {
        let (nodes, moves) = (units::grouped(self.nodes), units::grouped(self.moves));
        format!("{nodes} nodes, {moves} moves generated, {:.2} s", self.seconds)
    }
}

pub(crate) fn run(args: &SolveArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.certificate.is_some() && (args.game.rules().repeats() || args.game.rules().pie) {
        return Err(Failure::Input(
            "certificates are for games without clockwise and pie, as in kalah(6,3)".to_string(),
        ));
    }
    let many = args.position.as_deref() == Some("-");
    if many && args.certificate.is_some() {
        return Err(Failure::Input(
            "--certificate is for one position, - for many: name the position instead of -"
                .to_string(),
        ));
    }
    if let Some(file) = &args.certificate {
        // Before any work starts.
        sowing_files::check(file).map_err(|error| cannot_write(file, &error))?;
    }
    let mut solver = solver(args)?;
    if many {
        return each_line(args, &mut solver, &mut std::io::stdin().lock(), out);
    }
    let position = match &args.position {
        Some(text) => read_position(args.game, text, args.free)?,
        None => Position::start(args.game),
    };
    let bar = watch(&mut solver);
    let answer = answer(args, &mut solver, position);
    bar.finish_and_clear();
    let answer = answer?;
    if args.json {
        serde_json::to_writer(&mut *out, &solved(&answer))?;
        writeln!(out)?;
    } else {
        print(args, &answer, out)?;
    }
    if args.verbose || std::io::stderr().is_terminal() && !args.json {
        out.flush()?;
        answer.say_cost();
    }
    if !answer.complete {
        out.flush()?;
        return Err(Failure::Negative(
            "the search was stopped by its limits: the bounds above are proven".to_string(),
        ));
    }
    match &args.certificate {
        Some(file) => certify(args, &mut solver, &answer, file, out),
        None => Ok(()),
    }
}

pub(crate) fn solver(args: &SolveArgs) -> Result<Solver, Failure> {
    if args.threads == Some(0) {
        return Err(Failure::Input("--threads must be at least 1, as in --threads 2".to_string()));
    }
    let defaults = Options::default();
    let tables = match (args.no_tables, &args.tables) {
        (true, _) => None,
        (false, Some(dir)) => Some(Arc::new(Tables::open(dir, &args.game)?)),
        (false, None) => tables::of_data_directory(&args.game)?,
    };
    let options = Options {
        threads: args.threads.unwrap_or(defaults.threads),
        memory: args.memory,
        time: args.time,
        tables,
        build_tables: !args.no_tables,
    };
    Ok(Solver::with_options(args.game, options)?)
}

/// Shows on a terminal how the search goes.
fn watch(solver: &mut Solver) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("a fixed template");
    let bar = ProgressBar::new_spinner().with_style(style);
    let shown = bar.clone();
    solver.on_progress(move |Progress { bounds, target, nodes, elapsed }| {
        let rate = nodes as f64 / elapsed.as_secs_f64().max(1e-3) / 1e6;
        shown.set_message(format!(
            "value in {:+} to {:+}, at least {target:+}? {} nodes, {rate:.1} million a second, {:.0} s",
            bounds.low,
            bounds.high,
            units::grouped(nodes),
            elapsed.as_secs_f64(),
        ));
        shown.tick();
    });
    bar
}

fn answer(args: &SolveArgs, solver: &mut Solver, position: Position) -> Result<Answer, Failure> {
    let start = Instant::now();
    let before = (solver.nodes(), solver.moves());
    solver.restart_clock();
    let verdict = if args.wdl { solver.outcome(&position) } else { solver.value(&position) }?;
    let root = Work::since(solver, before, start);
    let scores = match (args.value, args.wdl) {
        (true, _) => Vec::new(),
        (false, true) => solver.analyze_outcomes(&position)?,
        (false, false) => solver.analyze(&position)?,
    };
    let known = |verdict: &Verdict| {
        if args.wdl { verdict.outcome().is_some() } else { verdict.value().is_some() }
    };
    let mut complete = known(&verdict) && scores.iter().all(|score| known(&score.verdict));
    let turns = match args.turns.then(|| solver.turns(&position)) {
        // What is known of the position and its moves is an answer, if not all of it.
        Some(Err(SolveError::Stopped | SolveError::TooManyTurns { .. })) => {
            complete = false;
            None
        }
        turns => turns.transpose()?,
    };
    complete &= turns.iter().flatten().all(|turn| known(&turn.verdict));
    let line = if args.line && complete { Some(solver.line(&position)?) } else { None };
    Ok(Answer {
        position,
        verdict,
        scores,
        turns,
        line,
        root,
        all: Work::since(solver, before, start),
        tables: solver.table_level(),
        complete,
    })
}

pub(crate) fn each_line(
    args: &SolveArgs,
    solver: &mut Solver,
    lines: &mut impl BufRead,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut complete = true;
    let cannot = |error| Failure::Input(format!("cannot read standard input: {error}"));
    while let Some(line) = input::next_line(lines).map_err(cannot)? {
        if line.as_ref().is_ok_and(|text| text.trim().is_empty()) {
            continue;
        }
        let answered = line
            .map_err(Failure::Input)
            .and_then(|text| read_position(args.game, &text, args.free))
            .and_then(|position| answer(args, solver, position));
        if let (Ok(answer), true) = (&answered, args.verbose) {
            answer.say_cost();
        }
        match answered {
            Ok(answer) => {
                complete &= answer.complete;
                serde_json::to_writer(&mut *out, &solved(&answer))?;
            }
            Err(Failure::Input(error) | Failure::Negative(error)) => {
                let error = serde_json::json!({ "error": said::one_line(&error) });
                serde_json::to_writer(&mut *out, &error)?;
            }
            Err(failure) => return Err(failure),
        }
        writeln!(out)?;
        out.flush()?;
    }
    if complete {
        return Ok(());
    }
    Err(Failure::Negative("some searches were stopped by their limits".to_string()))
}

fn solved(answer: &Answer) -> Solved {
    let numbers = |moves: &[Move]| moves.iter().map(|action| house_number(*action)).collect();
    Solved {
        game: answer.position.game().to_string(),
        position: answer.position.to_string(),
        worth: answer.verdict.into(),
        moves: answer.scores.iter().map(MoveWorth::from).collect(),
        turns: answer.turns.as_ref().map(|turns| {
            let turn = |turn: &Turn| SolvedTurn {
                houses: numbers(&turn.moves),
                worth: turn.verdict.into(),
            };
            turns.iter().map(turn).collect()
        }),
        line: answer.line.as_ref().map(|line| line.iter().map(|turn| numbers(turn)).collect()),
        nodes: answer.all.nodes,
        seconds: answer.all.seconds,
    }
}

fn print(args: &SolveArgs, answer: &Answer, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}  {}", args.game, answer.position)?;
    writeln!(out, "{}", sentence(&answer.position, answer.verdict, Side::South))?;
    if !answer.scores.is_empty() {
        writeln!(out, "\nhouse  value")?;
    }
    for score in &answer.scores {
        let again = if score.again { "  again" } else { "" };
        let text = verdict_text(score.verdict, args.wdl);
        writeln!(out, "{:>5}  {text:>5}{again}", score.action.to_string())?;
    }
    if let Some(turns) = &answer.turns {
        writeln!(out, "\nvalue  turn")?;
        for turn in turns {
            let text = verdict_text(turn.verdict, args.wdl);
            writeln!(out, "{text:>5}  {}", turn_text(&turn.moves))?;
        }
    }
    if let Some(line) = &answer.line {
        writeln!(out, "\nA perfect line, turn by turn:")?;
        let mut side = Side::South;
        for turn in line {
            writeln!(out, "{:>5}  {}", side.to_string(), turn_text(turn))?;
            side = !side;
        }
    }
    Ok(())
}

fn verdict_text(verdict: Verdict, wdl: bool) -> String {
    match (verdict, verdict.outcome()) {
        (_, Some(outcome)) if wdl => outcome.to_string(),
        (Verdict::Exact(value), _) => format!("{value:+}").replace("+0", "0"),
        (Verdict::Within(Bounds { low, high }), _) => format!("{low:+} to {high:+}"),
    }
}

fn turn_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join("-")
}

fn certify(
    args: &SolveArgs,
    solver: &mut Solver,
    answer: &Answer,
    file: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let claim = match (answer.verdict.bounds(), args.upper) {
        _ if args.wdl && answer.verdict.outcome() == Some(Outcome::Win) => Claim::AtLeast(1),
        _ if args.wdl && answer.verdict.outcome() == Some(Outcome::Loss) => Claim::AtMost(-1),
        (Bounds { high, .. }, true) => Claim::AtMost(high),
        (Bounds { low, .. }, false) => Claim::AtLeast(low),
    };
    let certificate = Certificate::prove(solver, &answer.position, claim)?;
    sowing_files::write(file, certificate.to_string().as_bytes())
        .map_err(|error| cannot_write(file, &error))?;
    let lemmas = units::grouped(certificate.lemmas() as u64);
    let written = format!("{}: {claim}, {lemmas} positions.", said::path(file));
    if args.json {
        // The object is all that standard output has.
        out.flush()?;
        note(&written);
        return Ok(());
    }
    Ok(writeln!(out, "\n{written}")?)
}

fn cannot_write(file: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", said::path(file)))
}
