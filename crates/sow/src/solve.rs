//! `sow solve`: the exact worth of a position.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use sowing_analysis::{Analysis, AnalysisOptions, Source, analyze};
use sowing_certificate::Claim;
use sowing_command::read_position;
use sowing_jobs::{known_book, open_tables};
use sowing_rules::{Bounds, Game, Outcome, Playthrough, Position, Side, turn_text};
use sowing_solver::{BookFile, Checkpointer, Goal, GrowingBook, Solver, SolverOptions, StopReason};

use crate::failure::{Failure, note, say};
use crate::{input, sanitize, units};

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
  sow solve \"kalah(6,3)\" - --time-each 10s < positions.txt
  sow solve \"kalah(6,6)\" --value --book six.book --time 2h")]
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
    /// Memory for everything that the search holds, as in 512M or 16G; half of
    /// what is free if it is left out
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR", conflicts_with = "no_tables")]
    tables: Option<PathBuf>,
    /// Use no endgame tables, and build none
    #[arg(long)]
    no_tables: bool,
    /// Know what this book says from the start, and write into it what took long
    /// to find, again and again and in the end: the search can be put down and
    /// taken up
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// How often the book is written
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::time)]
    #[arg(requires = "book")]
    every: Duration,
    /// Leave the books out that are built in
    #[arg(long)]
    no_book: bool,
    /// Say what the search cost, also where standard error is not a terminal
    #[arg(long, short)]
    verbose: bool,
    /// Give up after this long, as in 30s or 5m, and print the proven bounds
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    time: Option<Duration>,
    /// With -, give up on a position after this long
    #[arg(long, value_name = "TIME", value_parser = units::time, conflicts_with = "time")]
    time_each: Option<Duration>,
}

/// What was found of one position, and what it took.
struct Answer {
    found: Analysis,
    /// Nodes and seconds when the position's own value was known.
    root: Option<(u64, f64)>,
    /// Moves played in the search.
    moves: u64,
    /// The seeds that tables reached to in the end.
    tables: u32,
}

impl Answer {
    /// Says on standard error what it cost.
    fn say_cost(&self) {
        let work = |nodes, seconds| format!("{} nodes, {seconds:.2} s", units::grouped(nodes));
        let root = self.root.map_or(String::new(), |(nodes, seconds)| {
            format!("position: {}; ", work(nodes, seconds))
        });
        let all = work(self.found.nodes, self.found.seconds);
        let (moves, tables) = (units::grouped(self.moves), self.tables);
        note(&format!("{root}all: {all}, {moves} moves generated; tables to {tables} seeds"));
    }
}

pub(crate) fn run(args: &SolveArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.certificate.is_some() && (args.game.rules().repeats() || args.game.rules().pie) {
        return Err(Failure::Input(
            "certificates are for games without clockwise and pie, as in kalah(6,3)".to_string(),
        ));
    }
    let many = args.position.as_deref() == Some("-");
    if args.time_each.is_some() && !many {
        return Err(Failure::Input(
            "--time-each is for many positions, as in sow solve GAME -: write --time".to_string(),
        ));
    }
    if many && args.time.is_some() {
        say("with -, --time is now --time-each");
    }
    if many && args.certificate.is_some() {
        return Err(Failure::Input(
            "--certificate is for one position, - for many: name the position instead of -"
                .to_string(),
        ));
    }
    if args.certificate.as_deref() == Some(Path::new("-")) {
        return Err(Failure::Input(
            "a certificate needs a file of its own, as in --certificate win.txt".to_string(),
        ));
    }
    if let Some(file) = &args.certificate {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if args.book.as_deref().map(real) == Some(real(file)) {
            return Err(Failure::Input(
                "--book and --certificate name the same file: give each its own".to_string(),
            ));
        }
        // Before any work starts.
        sowing_files::check_writable(file).map_err(|error| cannot_write(file, &error))?;
    }
    let (mut solver, book) = solver(args)?;
    if many {
        let answered = each_line(args, &mut solver, &mut std::io::stdin().lock(), out);
        return answered.and(save(book, &solver));
    }
    let position = match &args.position {
        Some(text) => read_position(args.game, text, args.free)?,
        None => Position::start(args.game),
    };
    let bar = Bar::new();
    let answer = answer(args, &mut solver, position, &mut |found| bar.show(found));
    bar.0.finish_and_clear();
    // An answer is not lost because a book cannot be written.
    let saved = save(book, &solver);
    let answer = answer?;
    if args.json {
        serde_json::to_writer(&mut *out, &answer.found)?;
        writeln!(out)?;
    } else {
        print(args, &answer.found, out)?;
    }
    if args.verbose || std::io::stderr().is_terminal() && !args.json {
        out.flush()?;
        answer.say_cost();
    }
    out.flush()?;
    saved?;
    if !answer.found.complete {
        let why = why_stopped(&answer.found);
        return Err(Failure::Negative(format!(
            "the search was stopped, {why}: the bounds above are proven"
        )));
    }
    match &args.certificate {
        Some(file) => certify(args, &mut solver, &answer.found, file, out),
        None => Ok(()),
    }
}

/// What ended a search before it was done.
fn why_stopped(found: &Analysis) -> &'static str {
    match found.stopped {
        Some(StopReason::Cancelled) => "as it was told to",
        Some(StopReason::Memory) => "it needs more memory than it may use",
        _ => "its time is up",
    }
}

/// A book that is written while a search goes on.
type SharedBook = Arc<Mutex<GrowingBook>>;

/// The positions of a book that is written while a search goes on: those that took most work. A
/// search that is taken up finds the others again, and with fewer would find more.
const MAX_BOOK_ENTRIES: usize = 1 << 21;

/// Writes what a search found in the end.
fn save(book: Option<SharedBook>, solver: &Solver) -> Result<(), Failure> {
    let Some(book) = book else { return Ok(()) };
    let mut book = book.lock().expect("no panic while it is held");
    book.save(&solver.export_book(MAX_BOOK_ENTRIES)?)?;
    Ok(())
}

fn solver(args: &SolveArgs) -> Result<(Solver, Option<SharedBook>), Failure> {
    let defaults = SolverOptions::default();
    let own = match &args.book {
        Some(path) => Some(BookFile::for_game(path, &args.game)?),
        None => None,
    };
    let own_book = own.as_ref().map(|(_, book)| book);
    let book = match args.no_book {
        true => own_book.map(|book| Arc::new(book.clone())),
        false => known_book(&args.game, own_book)?,
    };
    let tables = match args.no_tables {
        true => None,
        false => open_tables(args.tables.as_deref(), &args.game)?,
    };
    let mut options = SolverOptions {
        threads: args.threads.unwrap_or(defaults.threads),
        memory: args.memory.unwrap_or_else(units::half_of_free),
        time: args.time.or(args.time_each),
        tables,
        build_tables: !args.no_tables,
        book,
        ..defaults
    };
    let Some((file, before)) = own else {
        return Ok((Solver::with_options(args.game, options)?, None));
    };
    let growing = GrowingBook::new(file, before, MAX_BOOK_ENTRIES)?;
    let family = growing.family();
    let shared = Arc::new(Mutex::new(growing));
    let book = Arc::clone(&shared);
    let verbose = args.verbose;
    options.checkpointer =
        Some(Checkpointer::new(family, args.every, MAX_BOOK_ENTRIES, move |found, nodes| {
            let mut book = book.lock().expect("no panic while it is held");
            match book.save(&found) {
                Ok(positions) if verbose => {
                    let [positions, nodes] = [positions as u64, nodes].map(units::grouped);
                    note(&format!("the book has {positions} positions after {nodes} nodes"));
                }
                Ok(_) => {}
                // A disk that is full now may have room later; in the end it is an error.
                Err(error) => note(&format!("the book was not written: {error}")),
            }
        }));
    let solver = Solver::with_options(args.game, options)?;
    // The book is written when the user ends the search.
    let switch = solver.stop_switch();
    let _ = ctrlc::set_handler(move || switch.store(true, Ordering::Relaxed));
    Ok((solver, Some(shared)))
}

/// Shows on a terminal how the search goes.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Bar {
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("a fixed template");
        Bar(ProgressBar::new_spinner().with_style(style))
    }

    fn show(&self, found: &Analysis) {
        let rate = found.nodes as f64 / found.seconds.max(1e-3) / 1e6;
        let (nodes, seconds) = (units::grouped(found.nodes), found.seconds);
        let exact = found.moves.iter().filter(|found| found.known.value().is_some()).count();
        let moves = match found.moves.len() {
            0 => String::new(),
            all => format!(" {exact} of {all} moves are known."),
        };
        self.0.set_message(format!(
            "{}{moves} {nodes} nodes, {rate:.1} million a second, {seconds:.0} s",
            found.words
        ));
        self.0.tick();
    }
}

fn answer(
    args: &SolveArgs,
    solver: &mut Solver,
    position: Position,
    show: &mut dyn FnMut(&Analysis),
) -> Result<Answer, Failure> {
    let wants = AnalysisOptions {
        goal: if args.wdl { Goal::Outcome } else { Goal::Value },
        moves: !args.value,
        turns: args.turns,
        line: args.line,
        time: args.time.or(args.time_each),
        share: None,
    };
    let (before, mut root) = (solver.work().moves, None);
    let mut tell = |found: &Analysis| {
        if found.best.is_some() && root.is_none() {
            root = Some((found.nodes, found.seconds));
        }
        show(found);
    };
    let found = analyze(solver, &Playthrough::new(position), &wants, &mut tell)?;
    Ok(Answer { found, root, moves: solver.work().moves - before, tables: solver.table_layer() })
}

fn each_line(
    args: &SolveArgs,
    solver: &mut Solver,
    lines: &mut impl BufRead,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut complete = true;
    input::answer_lines(lines, out, |text| {
        let position = read_position(args.game, text, args.free)?;
        let answer = answer(args, solver, position, &mut |_| {})?;
        if args.verbose {
            answer.say_cost();
        }
        complete &= answer.found.complete;
        Ok(answer.found)
    })?;
    if complete {
        return Ok(());
    }
    Err(Failure::Negative("some searches were stopped by their limits".to_string()))
}

fn print(args: &SolveArgs, found: &Analysis, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}  {}", found.game, found.position)?;
    let from = if found.source == Source::Book { " Known from the book." } else { "" };
    writeln!(out, "{}{from}", found.words)?;
    if let (false, Some(estimate)) = (found.complete, found.estimate)
        && found.best.is_none()
    {
        let estimate = sowing_rules::Ending::from_margin(Side::South, estimate);
        writeln!(out, "A short look ahead, which proves nothing: {estimate}.")?;
    }
    if !found.moves.is_empty() {
        writeln!(out, "\nhouse  value")?;
    }
    for found in &found.moves {
        let again = if found.again { "  again" } else { "" };
        let text = known_text(found.known, args.wdl);
        writeln!(out, "{:>5}  {text:>5}{again}", found.action.to_string())?;
    }
    if let Some(turns) = &found.turns {
        writeln!(out, "\nvalue  turn")?;
        for turn in turns {
            let text = known_text(turn.known, args.wdl);
            writeln!(out, "{text:>5}  {}", turn_text(&turn.moves))?;
        }
    }
    if let Some(line) = &found.line {
        writeln!(out, "\nA perfect line, turn by turn:")?;
        let mut side = Side::South;
        for turn in line {
            writeln!(out, "{:>5}  {}", side.to_string(), turn_text(turn))?;
            side = !side;
        }
    }
    Ok(())
}

fn known_text(known: Bounds, wdl: bool) -> String {
    match known.outcome() {
        Some(outcome) if wdl => outcome.to_string(),
        _ => known.to_string(),
    }
}

fn certify(
    args: &SolveArgs,
    solver: &mut Solver,
    found: &Analysis,
    file: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let claim = match (found.known, args.upper) {
        _ if args.wdl && found.known.outcome() == Some(Outcome::Win) => Claim::AtLeast(1),
        _ if args.wdl && found.known.outcome() == Some(Outcome::Loss) => Claim::AtMost(-1),
        (Bounds { high, .. }, true) => Claim::AtMost(high),
        (Bounds { low, .. }, false) => Claim::AtLeast(low),
    };
    let certificate = solver.prove(&found.position, claim)?;
    sowing_files::write(file, certificate.to_string().as_bytes())
        .map_err(|error| cannot_write(file, &error))?;
    let lemmas = units::grouped(certificate.lemmas() as u64);
    let written = format!("{}: {claim}, {lemmas} positions.", sanitize::path(file));
    if args.json {
        // The object is all that standard output has.
        out.flush()?;
        note(&written);
        return Ok(());
    }
    Ok(writeln!(out, "\n{written}")?)
}

fn cannot_write(file: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", sanitize::path(file)))
}
