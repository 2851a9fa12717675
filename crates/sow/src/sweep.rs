//! `sow sweep`: the outcome of every start of a family.

use std::cmp::Ordering;
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_lab::{Start, non_wins};
use sowing_rules::{Game, MAX_HOUSES, MAX_SEEDS, Rules};

use crate::args::pool;
use crate::batch::Batch;
use crate::failure::{Failure, note};
use crate::made::{self, Made};
use crate::resumable::{Kind, Resumable};
use crate::units::{self, grouped, threads};

/// Find the starts of a family that the first player does not win
///
/// One row a start: houses, seeds, draw or loss with perfect play, and the
/// moves of the first turn that there are to try (empty where the rules are not
/// S-Kalaha's). A sweep into a file that was interrupted goes on where it
/// stopped if the same command is given again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow sweep s-kalaha --houses 2..6 --seeds 4..1000
  sow sweep s-kalaha --houses 2..6 --seeds 4..10^6 --out losses.csv
  sow sweep \"kalah(empty-capture)\" --houses 1..3 --seeds 1..4 --json")]
pub struct SweepArgs {
    /// The family: a game's name without its size, as in s-kalaha or
    /// "kalah(empty-capture)"
    #[arg(value_parser = family)]
    family: Family,
    /// Houses a row, as in 2..6
    #[arg(long, value_name = "A..B", value_parser = units::range_within(1..=MAX_HOUSES.into()))]
    houses: RangeInclusive<u64>,
    /// Seeds a house, as in 4..1000
    #[arg(long, value_name = "A..B", value_parser = units::range_within(1..=MAX_SEEDS))]
    seeds: RangeInclusive<u64>,
    /// Write the rows to a file instead, so that the sweep can be resumed
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Print one JSON object a row
    #[arg(long)]
    json: bool,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
}

/// A game's name without its size.
#[derive(Clone, Debug)]
struct Family {
    name: String,
    rules: Rules,
}

fn family(text: &str) -> Result<Family, String> {
    let (name, options) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, options)) => (name, format!(",{options}")),
        None => (text, String::new()),
    };
    let game: Result<Game, _> = format!("{name}(1,1{options})").parse();
    let rules = game.map_err(|error| error.to_string())?.rules();
    Ok(Family { name: text.to_string(), rules })
}

#[derive(Serialize)]
struct Row {
    game: String,
    h: u8,
    s: u64,
    outcome: String,
    moves: Option<u64>,
}

const HEADER: &str = "h,s,outcome,moves\n";

/// Starts done together, after which the rows found are written out.
const STRETCH: u64 = 1 << 19;

pub(crate) fn run(args: &SweepArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let pool = pool(args.threads)?;
    let mut file = match &args.out {
        Some(path) => {
            made::check_beside(path)?;
            Some(Resumable::open(path, Kind::Sweep, &work(args), HEADER)?)
        }
        None => None,
    };
    if args.out.is_none() && !args.json {
        out.write_all(HEADER.as_bytes())?;
    }
    let total = args.many();
    let bar = ProgressBar::new(total).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} starts {elapsed}")
            .expect("a fixed template"),
    );
    let done = file.as_ref().map_or((0, 0), Resumable::done);
    for houses in args.houses.clone() {
        let (first, end) = (*args.seeds.start(), *args.seeds.end());
        let mut next = match houses.cmp(&done.0) {
            Ordering::Less => end + 1,
            Ordering::Equal => done.1 + 1,
            Ordering::Greater => first,
        };
        bar.inc(next - first);
        while next <= end {
            let last = end.min(next + STRETCH - 1);
            let starts = pool.install(|| non_wins(args.family.rules, houses as u8, next..=last))?;
            match &mut file {
                Some(file) => {
                    let rows: Vec<String> = starts.iter().map(row).collect();
                    file.add(&rows, (houses, last))?;
                }
                None => print(&starts, args.json, out)?,
            }
            bar.inc(last - next + 1);
            next = last + 1;
        }
    }
    bar.finish_and_clear();
    if let Some(file) = file {
        let (starts, rows) = (grouped(total), grouped(file.rows()));
        let path = args.out.as_ref().expect("there is a file");
        Made::now(None).beside(path, serde_json::json!({ "what": work(args) }))?;
        file.finish()?;
        note(&format!("{}: {starts} starts, {rows} non-wins found", args.family.name));
    }
    Ok(())
}

/// Starts that go to a process at once.
const PIECE: u64 = 1 << 16;

/// A sweep into a file, in pieces of one start.
impl Batch for SweepArgs {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(""))
    }

    fn kind(&self) -> Kind {
        Kind::Sweep
    }

    fn work(&self) -> String {
        work(self)
    }

    fn header(&self) -> String {
        HEADER.to_string()
    }

    fn many(&self) -> u64 {
        many(&self.houses).saturating_mul(many(&self.seeds))
    }

    fn most(&self) -> u64 {
        PIECE
    }

    fn done(&self, file: &Resumable) -> u64 {
        let (houses, seeds) = file.done();
        match houses {
            0 => 0,
            _ => {
                (houses - self.houses.start()) * many(&self.seeds) + seeds + 1 - self.seeds.start()
            }
        }
    }

    fn mark(&self, done: u64) -> (u64, u64) {
        match done.checked_sub(1) {
            Some(last) => self.start(last),
            None => (0, 0),
        }
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.threads)
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        pieces: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        let (mut rows, mut next) = (Vec::new(), pieces.start);
        while next < pieces.end {
            let (houses, first) = self.start(next);
            let last = (first + (pieces.end - next) - 1).min(*self.seeds.end());
            let starts =
                pool.install(|| non_wins(self.family.rules, houses as u8, first..=last))?;
            rows.extend(starts.iter().map(row));
            next += last - first + 1;
        }
        Ok(rows)
    }
}

impl SweepArgs {
    /// Houses and seeds of the start with a number.
    fn start(&self, number: u64) -> (u64, u64) {
        let seeds = many(&self.seeds);
        (self.houses.start() + number / seeds, self.seeds.start() + number % seeds)
    }

    /// One thread unless more were asked for, for one of many processes.
    pub fn one_thread(&mut self) {
        self.threads.get_or_insert(1);
    }

    /// Whether the rows go to a file.
    pub fn has_file(&self) -> bool {
        self.out.is_some()
    }
}

fn many(range: &RangeInclusive<u64>) -> u64 {
    range.end() - range.start() + 1
}

/// What a file of rows belongs to.
fn work(args: &SweepArgs) -> String {
    let range = |range: &RangeInclusive<u64>| format!("{}..{}", range.start(), range.end());
    let (houses, seeds) = (range(&args.houses), range(&args.seeds));
    format!("{} houses {houses} seeds {seeds}", args.family.name)
}

fn print(starts: &[Start], json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    for start in starts {
        if json {
            let row = Row {
                game: start.game.to_string(),
                h: start.game.houses(),
                s: start.game.seeds(),
                outcome: start.outcome.to_string(),
                moves: start.moves,
            };
            serde_json::to_writer(&mut *out, &row)?;
            writeln!(out)?;
        } else {
            out.write_all(row(start).as_bytes())?;
        }
    }
    Ok(out.flush()?)
}

fn row(start: &Start) -> String {
    let moves = start.moves.map(|moves| moves.to_string()).unwrap_or_default();
    format!("{},{},{},{moves}\n", start.game.houses(), start.game.seeds(), start.outcome)
}
