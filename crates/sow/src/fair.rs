//! `sow fair`: starts beside the usual one, and which of them are fair.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_lab::{NearStarts, SHIPPED_MOVED, ValuedStart, random_fair_start, seeds_moved};
use sowing_rules::Game;
use sowing_solver::{BookFile, Goal, SolveError, Solver};

use crate::batch::Batch;
use crate::failure::{Failure, note};
use crate::made::{self, Made};
use crate::resumable::{Kind, Resumable};
use crate::units::{self, grouped, signed};
use crate::work::WorkArgs;
use crate::{said, svg};

/// Find fair starts: those that are a draw with perfect play
///
/// Looks at every start that differs from the usual one by moving up to N seeds
/// from their houses into others, on either side, and says what each is worth to
/// the player who begins. Into a file, the work can be interrupted: it goes on
/// where it stopped if the same command is given again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow fair \"kalah(4,3)\" --moved 1
  sow fair \"kalah(6,4)\" --random
  sow fair \"kalah(6,4)\" --out starts.csv --svg starts.svg
  sow fair \"kalah(4,2)\" --moved 2 --drawn --csv")]
pub struct FairArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The most seeds that are moved
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::whole::<u32>(0..=16))]
    moved: u32,
    /// Move seeds into the stores too, as a lead for one of the players
    #[arg(long)]
    stores: bool,
    /// Print one fair start and nothing else
    #[arg(long, conflicts_with_all = ["wdl", "drawn", "json", "csv", "svg", "out", "book"])]
    random: bool,
    /// The seed of the random numbers; another each time if it is left out
    #[arg(long, value_name = "S", requires = "random", value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// Stop at win, draw or loss; quicker
    #[arg(long)]
    wdl: bool,
    /// Print the fair starts alone
    #[arg(long, conflicts_with = "out")]
    drawn: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a line a start, with commas
    #[arg(long)]
    csv: bool,
    /// Draw how the values are spread into an SVG file; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "wdl")]
    svg: Option<PathBuf>,
    /// Add what was proven on the way to a book, which is made if need be
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Write the lines to a file, so that the work can be resumed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

const HEADER: &str = "position,moved,value,outcome\n";

/// Starts solved together, after which their lines are written out.
const STRETCH: usize = 16;

/// A start, as it is written down.
#[derive(Clone, Debug, Serialize)]
struct Row {
    position: String,
    moved: u64,
    /// `null` where only the outcome was asked for.
    value: Option<i64>,
    outcome: String,
}

#[derive(Serialize)]
struct Found<'a> {
    game: String,
    moved: u32,
    starts: usize,
    fair: usize,
    /// How many starts have each value.
    values: Vec<(i64, u64)>,
    rows: &'a [Row],
}

impl Row {
    fn of(valued: &ValuedStart, until: Goal) -> Row {
        let outcome = valued.bounds.outcome().map(|outcome| outcome.to_string());
        Row {
            position: valued.start.to_string(),
            moved: seeds_moved(&valued.start),
            value: valued.bounds.value().filter(|_| until == Goal::Value),
            outcome: outcome.expect("a start that was solved"),
        }
    }

    fn text(&self) -> String {
        let value = self.value.map(|value| value.to_string()).unwrap_or_default();
        format!("\"{}\",{},{value},{}\n", self.position, self.moved, self.outcome)
    }

    /// Reads a line that was written here.
    fn read(line: &str) -> Option<Row> {
        let (position, rest) = line.strip_prefix('"')?.split_once("\",")?;
        let [moved, value, outcome] = rest.split(',').collect::<Vec<_>>().try_into().ok()?;
        Some(Row {
            position: position.to_string(),
            moved: moved.parse().ok()?,
            value: if value.is_empty() { None } else { Some(value.parse().ok()?) },
            outcome: outcome.to_string(),
        })
    }

    fn is_fair(&self) -> bool {
        self.outcome == "draw"
    }
}

/// The fair starts of a list that was written here; `None` if it is no such list.
pub(crate) fn drawn(text: &str) -> Option<Vec<String>> {
    let rows: Option<Vec<Row>> = text.strip_prefix(HEADER)?.lines().map(Row::read).collect();
    Some(rows?.into_iter().filter(Row::is_fair).map(|row| row.position).collect())
}

pub(crate) fn run(args: &FairArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let near = near(args)?;
    if let Some(path) = &args.svg {
        if svg::is_stdout(path) && (args.json || args.csv || args.drawn) {
            return Err(Failure::Input(
                "standard output takes the picture or the starts: name a file, as in --svg starts.svg"
                    .to_string(),
            ));
        }
        svg::check(path)?;
    }
    if let Some(path) = &args.book {
        // What cannot be written is found out before any work.
        BookFile::for_game(path, &args.game)?;
    }
    if args.random {
        return random(args, &near, out);
    }
    let mut rows = match &args.out {
        None => Vec::new(),
        Some(path) => return to_file(args, &near, path.clone(), out),
    };
    let all = solve(args, &near, 0, &mut |stretch| {
        rows.extend_from_slice(stretch);
        Ok(())
    })?;
    show(args, &rows, if all { 0 } else { near.positions().len() - rows.len() }, out)
}

/// Solves the starts from one on, and hands them out a few at a time. Whether all are done.
fn solve(
    args: &FairArgs,
    near: &NearStarts,
    from: usize,
    take: &mut dyn FnMut(&[Row]) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut solver = args.work.solver(args.game)?;
    let bar = ProgressBar::new(near.positions().len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} starts {elapsed}, {eta} to go")
            .expect("a fixed template"),
    );
    bar.set_position(from as u64);
    bar.reset_eta();
    let until = if args.wdl { Goal::Outcome } else { Goal::Value };
    let (mut stretch, mut failed) = (Vec::new(), None);
    let all = near.solve(&mut solver, until, from, &mut |valued| {
        stretch.push(Row::of(&valued, until));
        bar.inc(1);
        if stretch.len() == STRETCH {
            failed = take(&stretch).err();
            stretch.clear();
        }
        failed.is_none()
    });
    bar.finish_and_clear();
    if let Some(failure) = failed {
        return Err(failure);
    }
    let all = all?;
    if let Some(path) = &args.book {
        add_to_book(path, &solver)?;
    }
    take(&stretch)?;
    Ok(all)
}

/// The most positions that a list of starts adds to a book: those that took most work.
const KEPT: usize = 1 << 20;

fn add_to_book(path: &std::path::Path, solver: &Solver) -> Result<(), Failure> {
    let (file, mut book) = BookFile::for_game(path, solver.game())?;
    book.merge(&solver.export_book(KEPT)?)?;
    Ok(file.write(&book)?)
}

/// What a file of rows belongs to.
fn work(args: &FairArgs) -> String {
    let wdl = if args.wdl { " outcomes" } else { " values" };
    let stores = if args.stores { " stores" } else { "" };
    format!("{} moved {}{stores}{wdl}", args.game, args.moved)
}

/// The starts beside the usual one, to be solved into a file.
#[derive(Debug)]
pub struct Starts<'a> {
    args: &'a FairArgs,
    path: &'a Path,
    near: NearStarts,
}

impl FairArgs {
    /// What it may use.
    pub fn work(&mut self) -> &mut WorkArgs {
        &mut self.work
    }

    /// The starts, if they go to a file and nothing else is asked for.
    pub fn batch(&self) -> Result<Starts<'_>, Failure> {
        let more = self.svg.is_some() || self.book.is_some();
        let Some(path) = self.out.as_deref().filter(|_| !more) else {
            return Err(Failure::Input(
                "the starts go to a file, without a picture or a book: name it, as in --out starts.csv"
                    .to_string(),
            ));
        };
        Ok(Starts { args: self, path, near: near(self)? })
    }
}

impl Batch for Starts<'_> {
    type Worker = Solver;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Starts
    }

    fn work(&self) -> String {
        work(self.args)
    }

    fn header(&self) -> String {
        HEADER.to_string()
    }

    fn many(&self) -> u64 {
        self.near.positions().len() as u64
    }

    fn most(&self) -> u64 {
        STRETCH as u64
    }

    fn done(&self, file: &Resumable) -> u64 {
        file.rows()
    }

    fn mark(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<Solver, Failure> {
        self.args.work.solver(self.args.game)
    }

    fn rows(&self, solver: &mut Solver, pieces: Range<u64>) -> Result<Vec<String>, Failure> {
        let until = if self.args.wdl { Goal::Outcome } else { Goal::Value };
        let (mut rows, many) = (Vec::new(), (pieces.end - pieces.start) as usize);
        self.near.solve(solver, until, pieces.start as usize, &mut |valued| {
            rows.push(Row::of(&valued, until).text());
            rows.len() < many
        })?;
        stopped(many - rows.len())?;
        Ok(rows)
    }

    fn time(&self) -> Option<Duration> {
        self.args.work.time
    }
}

fn near(args: &FairArgs) -> Result<NearStarts, Failure> {
    Ok(match args.stores {
        true => NearStarts::with_stores(args.game, args.moved)?,
        false => NearStarts::of(args.game, args.moved)?,
    })
}

fn to_file(
    args: &FairArgs,
    near: &NearStarts,
    path: PathBuf,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let work = work(args);
    made::check_beside(&path)?;
    let mut file = Resumable::open(&path, Kind::Starts, &work, HEADER)?;
    let from = usize::try_from(file.rows()).expect("as many as there are starts");
    let all = solve(args, near, from, &mut |rows| {
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        let done = file.rows() + rows.len() as u64;
        file.add(&text, (done, 0))
    })?;
    let damaged = || Failure::Input(format!("{} has foreign lines", said::path(&path)));
    let rows: Option<Vec<Row>> = file.read()?.lines().map(Row::read).collect();
    let rows = rows.ok_or_else(damaged)?;
    if all {
        Made::now(None).beside(&path, serde_json::json!({ "what": work }))?;
        file.finish()?;
    }
    if let Some(svg) = args.svg.as_ref().filter(|_| all) {
        picture(args, &rows, svg, out)?;
    }
    stopped(near.positions().len() - rows.len())?;
    let fair = rows.iter().filter(|row| row.is_fair()).count() as u64;
    let (starts, fair) = (grouped(rows.len() as u64), grouped(fair));
    note(&format!("{}: {starts} starts, {fair} of them fair", args.game));
    Ok(())
}

/// Fails if starts are left.
fn stopped(left: usize) -> Result<(), Failure> {
    match left {
        0 => Ok(()),
        left => Err(Failure::Negative(format!(
            "the work was stopped by its limits, {left} starts before its end: allow it more time or \
             memory"
        ))),
    }
}

fn random(args: &FairArgs, near: &NearStarts, out: &mut dyn Write) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(units::any_seed);
    let is_known = args.moved == SHIPPED_MOVED && !args.stores;
    let known = if is_known { random_fair_start(&args.game, seed) } else { None };
    let found = match known {
        Some(start) => Some(start),
        None => {
            let found = near.random_fair(&mut args.work.solver(args.game)?, seed);
            found.map_err(|error| match error {
                SolveError::Stopped(_) => Failure::Negative(
                    "the work was stopped by its limits: allow it more time or memory".to_string(),
                ),
                error => error.into(),
            })?
        }
    };
    match found {
        Some(start) => Ok(writeln!(out, "{start}")?),
        None => Err(Failure::Negative(format!(
            "no start of {} is fair that moves up to {}: move more, as in --moved {}",
            args.game,
            seeds(args.moved),
            args.moved + 1
        ))),
    }
}

fn seeds(count: u32) -> String {
    if count == 1 { "1 seed".to_string() } else { format!("{count} seeds") }
}

/// How many starts have each value.
fn spread(rows: &[Row]) -> BTreeMap<i64, u64> {
    let mut spread = BTreeMap::new();
    for value in rows.iter().filter_map(|row| row.value) {
        *spread.entry(value).or_default() += 1;
    }
    spread
}

fn picture(
    args: &FairArgs,
    rows: &[Row],
    path: &std::path::Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let title = format!("{}: starts that move up to {}", args.game, seeds(args.moved));
    let by = concat!("sow ", env!("CARGO_PKG_VERSION"));
    svg::write(path, &sowing_draw::spread(&title, &spread(rows), by), out)
}

fn show(args: &FairArgs, rows: &[Row], left: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let fair = rows.iter().filter(|row| row.is_fair()).count();
    let kept: Vec<Row> = rows.iter().filter(|row| !args.drawn || row.is_fair()).cloned().collect();
    let drawn_on_stdout = args.svg.as_deref().is_some_and(svg::is_stdout);
    if args.json {
        let values = spread(rows).into_iter().collect();
        let (game, moved, starts) = (args.game.to_string(), args.moved, rows.len());
        let found = Found { game, moved, starts, fair, values, rows: &kept };
        serde_json::to_writer(&mut *out, &found)?;
        writeln!(out)?;
    } else if args.csv {
        out.write_all(HEADER.as_bytes())?;
        kept.iter().try_for_each(|row| out.write_all(row.text().as_bytes()))?;
    } else if !drawn_on_stdout {
        text(args, rows, fair, out)?;
    }
    if let Some(path) = &args.svg {
        picture(args, rows, path, out)?;
    }
    out.flush()?;
    stopped(left)
}

fn text(args: &FairArgs, rows: &[Row], fair: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let starts = grouped(rows.len() as u64);
    let seeds = seeds(args.moved);
    if !args.drawn {
        writeln!(
            out,
            "{}: {starts} starts that move up to {seeds}, {} of them fair",
            args.game,
            grouped(fair as u64)
        )?;
        let count = |outcome: &str| rows.iter().filter(|row| row.outcome == outcome).count();
        let (wins, losses) = (count("win"), count("loss"));
        writeln!(out, "the first player wins {wins}, draws {fair} and loses {losses}\n")?;
        let spread = spread(rows);
        if !spread.is_empty() {
            writeln!(out, "value  starts")?;
            for (value, starts) in &spread {
                writeln!(out, "{:>5}  {:>6}", signed(*value), grouped(*starts))?;
            }
            writeln!(out)?;
        }
        if fair > 0 {
            writeln!(out, "fair starts")?;
        }
    }
    for row in rows.iter().filter(|row| row.is_fair()) {
        writeln!(out, "{}", row.position)?;
    }
    Ok(())
}

/// A fair start of a game to be played: one that is built in, or one that a solver finds.
#[cfg(feature = "play")]
pub(crate) fn start(
    game: Game,
    seed: u64,
    options: sowing_solver::SolverOptions,
) -> Result<sowing_rules::Position, Failure> {
    if let Some(start) = random_fair_start(&game, seed) {
        return Ok(start);
    }
    let near = NearStarts::of(game, SHIPPED_MOVED)?;
    let mut solver = sowing_solver::Solver::with_options(game, options)?;
    let found = near.random_fair(&mut solver, seed).map_err(|error| match error {
        SolveError::Stopped(_) => Failure::Negative(format!(
            "no fair start of {game} was found in a minute: look for one with sow fair --random"
        )),
        error => error.into(),
    })?;
    found.ok_or_else(|| {
        Failure::Negative(format!(
            "no start of {game} is fair that moves up to {SHIPPED_MOVED} seeds"
        ))
    })
}
