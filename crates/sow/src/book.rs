//! `sow book`: what was proven once, kept in files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_jobs::{known_book, open_tables};
use sowing_lab::OpeningBook;
use sowing_rules::{Bounds, Game, Position};
use sowing_solver::{Book, BookFile, Solver, SolverOptions, sample_passes};

use crate::args::PositionArgs;
use crate::failure::{Failure, note};
use crate::{input, sanitize, units};

/// Keep proven values in books: build, look up, merge, check
///
/// A book holds proven bounds of positions of one family of games, with the
/// work that each took. Some openings are built into the program, and sow
/// solve, play, review and serve use them by themselves.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow book info
  sow book probe \"kalah(6,4)\"
  sow book build \"kalah(5,4)\" --out five.book --time 5m
  sow solve \"kalah(6,6)\" --value --book six.book --time 2h
  sow book merge both.book one.book two.book
  sow book verify five.book --sample 100
  sow book export five.book --csv > five.csv")]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    what: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    Build(BuildArgs),
    Info(InfoArgs),
    Probe(ProbeArgs),
    Merge(MergeArgs),
    Verify(VerifyArgs),
    Export(ExportArgs),
}

/// Solve the positions of the first turns, then those of nearly perfect play
///
/// Each position that is opened is in the book with all its moves, so that
/// whoever looks at it needs no search. A book that is there already is grown.
/// It is written every half minute, and when the time is up.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow book build \"kalah(6,3)\" --out openings.book --time 10m --most 20000")]
struct BuildArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The file to write, or to go on with
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How long to work, as in 10m or 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = units::time)]
    time: Duration,
    /// Stop when the book has so many positions
    #[arg(long, value_name = "N", default_value = "100000")]
    #[arg(value_parser = units::whole::<usize>(1..=1_000_000_000))]
    most: usize,
    /// Open no position with so many seeds in houses or fewer: these are solved
    /// in moments
    #[arg(long, value_name = "N", default_value = "20", value_parser = units::whole::<u64>(0..=255))]
    quick: u64,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for everything that the search holds, as in 512M or 16G; half of
    /// what is free if it is left out
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

/// Say what a book holds; without a file, the books that are built in
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow book info
  sow book info openings.book --json")]
struct InfoArgs {
    /// The book
    file: Option<PathBuf>,
    /// Print one JSON object a book
    #[arg(long)]
    json: bool,
}

/// Look up a position, or with - in its place one a line, each answered by one
/// JSON object
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow book probe \"kalah(6,4)\"
  sow book probe \"kalah(6,4)\" - --book mine.book < positions.txt")]
struct ProbeArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Look in this book, not in those that are built in
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Put books of one family together
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow book merge both.book one.book two.book
  sow book merge start.book six.book --opening \"kalah(6,6)\" --turns 2")]
struct MergeArgs {
    /// The file to write; one that is there is taken in
    out: PathBuf,
    /// The books to put into it
    #[arg(required = true)]
    books: Vec<PathBuf>,
    /// Leave out what took fewer nodes than this
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::whole::<u64>(1..=u64::MAX))]
    work: u64,
    /// Of the books that are put in, take only positions of this game with few
    /// whole turns behind them
    #[arg(long, value_name = "GAME")]
    opening: Option<Game>,
    /// How many turns at most
    #[arg(long, value_name = "N", default_value = "2", requires = "opening")]
    #[arg(value_parser = units::whole::<u32>(0..=100))]
    turns: u32,
}

/// Check a book: every entry against the others and the rules, and some by
/// solving them again
///
/// The sample is random, so that a book with few false entries can pass it. How
/// likely that is for a book with one false entry in a hundred is said: of 300
/// positions that are solved again, one is false in 19 of 20 such books. Positions
/// that are not solved in the time count as not looked at; as they are the hard
/// ones, the figure is then too favourable.
///
/// Exit code 1 if something is wrong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow book verify openings.book
  sow book verify openings.book --sample 2000 --seed 7")]
struct VerifyArgs {
    /// The book; without, those that are built in
    file: Option<PathBuf>,
    /// How many positions to solve again, without the book
    #[arg(long, value_name = "N", default_value = "300", value_parser = units::whole::<usize>(0..=1_000_000_000))]
    sample: usize,
    /// The seed of the random choice
    #[arg(long, value_name = "S", default_value = "1", value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// How long that may take, as in 30s or 1h: what is not solved by then is
    /// counted
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = units::time)]
    time: Duration,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for everything that the search holds, as in 512M or 16G; half of
    /// what is free if it is left out
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR", requires = "file")]
    tables: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Print a book's positions with their bounds
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow book export openings.book --csv > openings.csv")]
struct ExportArgs {
    /// The book
    file: PathBuf,
    /// Print lines with commas: position, low, high, work
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object a position
    #[arg(long)]
    json: bool,
}

/// How often a book that grows is written.
const EVERY: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &BookArgs, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.what {
        Task::Build(args) => build(args, out),
        Task::Info(args) => info(args, out),
        Task::Probe(args) => probe(args, out),
        Task::Merge(args) => merge(args, out),
        Task::Verify(args) => verify(args, out),
        Task::Export(args) => export(args, out),
    }
}

fn build(args: &BuildArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let (held, book) = BookFile::for_game(&args.out, &args.game)?;
    // A book knows nothing of swaps: what follows the pie is a game without one.
    let game = args.game.without_pie();
    book.require_room(&Position::start(game))?;
    let options = SolverOptions {
        threads: args.threads.unwrap_or(SolverOptions::default().threads),
        memory: args.memory.unwrap_or_else(units::half_of_free),
        time: Some(args.time),
        tables: open_tables(args.tables.as_deref(), &game)?,
        book: known_book(&game, Some(&book))?,
        ..SolverOptions::default()
    };
    let mut solver = Solver::with_options(game, options)?;
    let stop = solver.stop_switch();
    // In vain only where another handler stands: then the signal ends the process, and what was
    // written is there.
    let switch = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || switch.store(true, Ordering::Relaxed));
    let style =
        ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a fixed template");
    let bar = ProgressBar::new_spinner().with_style(style);
    let mut grown = OpeningBook::new(book, Position::start(game), args.quick);
    let mut written = Instant::now();
    while grown.book().len() < args.most && grown.open_next(&mut solver)? {
        if written.elapsed() >= EVERY {
            held.write(grown.book())?;
            written = Instant::now();
        }
        let distance = grown.distance().unwrap_or_default();
        let (positions, opened) = (grown.book().len(), grown.opened());
        bar.set_message(format!(
            "{positions} positions, {opened} opened, {distance:.1} turns away"
        ));
        bar.tick();
    }
    bar.finish_and_clear();
    held.write(grown.book())?;
    let (file, family) = (sanitize::path(&args.out), grown.book().family());
    let (positions, opened) =
        (units::grouped(grown.book().len() as u64), units::grouped(grown.opened()));
    let nodes = units::grouped(solver.nodes());
    writeln!(out, "{file}: {family}, {positions} positions, {opened} opened, {nodes} nodes")?;
    Ok(())
}

#[derive(Serialize)]
struct Listed {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    family: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    positions: usize,
    exact: usize,
    bytes: u64,
    work: u64,
}

fn info(args: &InfoArgs, out: &mut dyn Write) -> Result<(), Failure> {
    for (file, book) in books(args.file.as_deref())? {
        let slug = book.family().slug();
        let built_in = sowing_books::files().find(|(name, _)| *name == slug);
        let built_in = built_in.map_or(0, |(_, bytes)| bytes.len() as u64);
        let listed = Listed {
            file,
            family: book.family().to_string(),
            program: book.program().map(str::to_string),
            positions: book.len(),
            exact: book.exact(),
            bytes: match &args.file {
                Some(path) => path.metadata()?.len(),
                None => built_in,
            },
            work: book.lines().fold(0, |all, line| line.work.saturating_add(all)),
        };
        if args.json {
            serde_json::to_writer(&mut *out, &listed)?;
            writeln!(out)?;
            continue;
        }
        let Listed { file, family, positions, exact, bytes, work, .. } = listed;
        let file = file.map_or("built in".to_string(), |file| file);
        let [positions, exact, bytes, work] =
            [positions as u64, exact as u64, bytes, work].map(units::grouped);
        writeln!(
            out,
            "{file}: {family}, {positions} positions, {exact} of them exact, {bytes} bytes; about \
             {work} nodes of work"
        )?;
    }
    Ok(())
}

/// A book, and its file if it is not built in.
type Shelved = (Option<String>, Arc<Book>);

/// The book of a file, or those that are built in.
fn books(file: Option<&Path>) -> Result<Vec<Shelved>, Failure> {
    match file {
        Some(path) => Ok(vec![(Some(sanitize::path(path)), Arc::new(Book::open(path)?))]),
        None => Ok(sowing_books::families()
            .filter_map(|family| sowing_books::book_for(&family.game()))
            .map(|book| (None, book))
            .collect()),
    }
}

#[derive(Serialize)]
struct Probed {
    game: String,
    position: String,
    #[serde(flatten)]
    known: Option<Bounds>,
}

fn probe(args: &ProbeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let game = args.position.game;
    let book = match &args.book {
        Some(path) => Some(Arc::new(Book::open(path)?)),
        None => sowing_books::book_for(&game),
    };
    let Some(book) = book else {
        return Err(Failure::Input(format!(
            "no book of {game} is built in: name one, as in --book mine.book"
        )));
    };
    book.require(&game)?;
    let look_up = |position: Position| match book.probe(&position) {
        Some(bounds) => Ok(Probed {
            game: game.to_string(),
            position: position.to_string(),
            known: Some(bounds),
        }),
        None => Err(Failure::Negative(format!("{position} is not in the book"))),
    };
    if args.position.is_stdin() {
        let lines = &mut io::stdin().lock();
        return input::answer_lines(lines, out, |text| look_up(args.position.read(text)?));
    }
    let probed = look_up(args.position.position()?)?;
    if args.json {
        serde_json::to_writer(&mut *out, &probed)?;
        return Ok(writeln!(out)?);
    }
    let known = probed.known.expect("it is there");
    Ok(writeln!(out, "{game}  {}  {known}", probed.position)?)
}

fn merge(args: &MergeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let (held, there) = BookFile::take(&args.out)?;
    let mut merged = there;
    for path in &args.books {
        let mut book = Book::open(path)?;
        if let Some(game) = args.opening {
            book.keep_opening(&Position::start(game.without_pie()), args.turns)?;
        }
        match &mut merged {
            Some(merged) => merged
                .merge(&book)
                .map_err(|error| Failure::Input(format!("{}: {error}", sanitize::path(path))))?,
            None => merged = Some(book),
        }
    }
    let mut merged = merged.expect("at least one is named");
    merged.keep_work(args.work);
    held.write(&merged)?;
    let (file, positions) = (sanitize::path(&args.out), units::grouped(merged.len() as u64));
    Ok(writeln!(out, "{file}: {}, {positions} positions", merged.family())?)
}

#[derive(Default, Serialize)]
struct Verified {
    positions: usize,
    follow: usize,
    partly: usize,
    alone: usize,
    solved: usize,
    unfinished: usize,
    /// The probability that a book of this size with one false entry in a hundred passes.
    one_percent_false_passes: f64,
    wrong: Vec<String>,
}

fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let mut all_sound = true;
    let started = Instant::now();
    for (file, book) in books(args.file.as_deref())? {
        let check = book.check();
        let mut verified = Verified {
            positions: book.len(),
            follow: check.follow,
            partly: check.partly,
            alone: check.alone,
            wrong: check.wrong,
            ..Verified::default()
        };
        solve_again(args, &book, started, &mut verified)?;
        let one_percent = book.len().div_ceil(100);
        verified.one_percent_false_passes = sample_passes(book.len(), one_percent, verified.solved);
        all_sound &= verified.wrong.is_empty();
        if args.json {
            serde_json::to_writer(&mut *out, &verified)?;
            writeln!(out)?;
            continue;
        }
        let file = file.unwrap_or_else(|| "built in".to_string());
        let chance = 100.0 * verified.one_percent_false_passes;
        let Verified { follow, partly, alone, solved, unfinished, wrong, .. } = verified;
        writeln!(
            out,
            "{file}: {}, {follow} positions follow from their moves, {partly} in part, {alone} \
             have no move in the book; {solved} were solved again{}: with one entry in a hundred \
             false it would pass with a probability of {chance:.1} %",
            book.family(),
            if unfinished > 0 { format!(", {unfinished} not in the time") } else { String::new() },
        )?;
        for line in wrong {
            writeln!(out, "wrong: {line}")?;
        }
    }
    out.flush()?;
    if all_sound {
        Ok(())
    } else {
        Err(Failure::Negative("a book is wrong: see above".to_string()))
    }
}

/// Solves some positions without the book.
fn solve_again(
    args: &VerifyArgs,
    book: &Book,
    started: Instant,
    verified: &mut Verified,
) -> Result<(), Failure> {
    if book.is_empty() || args.sample == 0 {
        return Ok(());
    }
    let game = book.family().game();
    let options = SolverOptions {
        threads: args.threads.unwrap_or(SolverOptions::default().threads),
        memory: args.memory.unwrap_or_else(units::half_of_free),
        time: Some(args.time.saturating_sub(started.elapsed())),
        tables: open_tables(args.tables.as_deref(), &game)?,
        ..SolverOptions::default()
    };
    let mut solver = Solver::with_options(game, options)?;
    let bar = ProgressBar::new(args.sample.min(book.len()) as u64);
    let recheck = book.recheck(&mut solver, args.sample, args.seed, || bar.inc(1))?;
    bar.finish_and_clear();
    (verified.solved, verified.unfinished) = (recheck.solved, recheck.unfinished);
    verified.wrong.extend(recheck.wrong);
    Ok(())
}

#[derive(Serialize)]
struct ExportedLine {
    position: String,
    low: i64,
    high: i64,
    work: u64,
}

fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let book = Book::open(&args.file)?;
    if args.csv {
        writeln!(out, "position,low,high,work")?;
    }
    for line in book.lines() {
        let (position, low, high, work) =
            (line.position.to_string(), line.bounds.low, line.bounds.high, line.work);
        if args.json {
            serde_json::to_writer(&mut *out, &ExportedLine { position, low, high, work })?;
            writeln!(out)?;
        } else if args.csv {
            writeln!(out, "\"{position}\",{low},{high},{work}")?;
        } else {
            writeln!(out, "{position}  {}", line.bounds)?;
        }
    }
    if !args.csv && !args.json {
        out.flush()?;
        note(&format!("{}: {} positions", book.family(), units::grouped(book.len() as u64)));
    }
    Ok(())
}
