//! Starts beside the usual one, with their values: `sow fair`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use sowing_command::failure::Failure;
use sowing_command::units;
use sowing_lab::{NearStarts, ValuedStart, seeds_moved};
use sowing_rules::Game;
use sowing_solver::{Goal, Solver};

use crate::job::Job;
use crate::resumable_file::{Kind, ResumableFile};
use crate::solver_args::SolverArgs;

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
    pub game: Game,
    /// The most seeds that are moved
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::whole::<u32>(0..=16))]
    pub moved: u32,
    /// Move seeds into the stores too, as a lead for one of the players
    #[arg(long)]
    pub stores: bool,
    /// Print one fair start and nothing else
    #[arg(long, conflicts_with_all = ["wdl", "drawn", "json", "csv", "svg", "out", "book"])]
    pub random: bool,
    /// The seed of the random numbers; another each time if it is left out
    #[arg(long, value_name = "S", requires = "random", value_parser = units::whole::<u64>(0..=u64::MAX))]
    pub seed: Option<u64>,
    /// Stop at win, draw or loss; quicker
    #[arg(long)]
    pub wdl: bool,
    /// Print the fair starts alone
    #[arg(long, conflicts_with = "out")]
    pub drawn: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print a line a start, with commas
    #[arg(long)]
    pub csv: bool,
    /// Draw how the values are spread into an SVG file; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "wdl")]
    pub svg: Option<PathBuf>,
    /// Add what was proven on the way to a book, which is made if need be
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Write the lines to a file, so that the work can be resumed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    pub out: Option<PathBuf>,
    /// The limits of the solver.
    #[command(flatten)]
    pub limits: SolverArgs,
}

/// The line above the rows.
pub const STARTS_HEADER: &str = "position,moved,value,outcome\n";

/// Starts that are solved together, after which their rows are written.
pub const STARTS_CHUNK: usize = 16;

/// A start with its value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartRow {
    /// The start.
    pub position: String,
    /// The number of seeds moved.
    pub moved: u64,
    /// `null` where only the outcome was asked for.
    pub value: Option<i64>,
    /// The outcome for the player who begins.
    pub outcome: String,
}

impl StartRow {
    /// The row of a start that was solved to a goal.
    pub fn new(valued: &ValuedStart, goal: Goal) -> StartRow {
        let outcome = valued.bounds.outcome().map(|outcome| outcome.to_string());
        StartRow {
            position: valued.start.to_string(),
            moved: seeds_moved(&valued.start),
            value: valued.bounds.value().filter(|_| goal == Goal::Value),
            outcome: outcome.expect("a start that was solved"),
        }
    }

    /// The row as a line of CSV.
    pub fn text(&self) -> String {
        let mut row = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        row.serialize(self).expect("in memory");
        String::from_utf8(row.into_inner().expect("in memory")).expect("texts")
    }

    /// Reads a line that [`text`](StartRow::text) wrote.
    pub fn read(line: &str) -> Option<StartRow> {
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        rows.deserialize().next()?.ok()
    }

    /// Whether the start is a draw with perfect play.
    pub fn is_fair(&self) -> bool {
        self.outcome == "draw"
    }
}

/// The fair starts of a finished file; `None` if it is no file of starts.
pub fn fair_starts_in(text: &str) -> Option<Vec<String>> {
    let rows = text.strip_prefix(STARTS_HEADER)?.lines().map(StartRow::read);
    let rows: Option<Vec<StartRow>> = rows.collect();
    Some(rows?.into_iter().filter(StartRow::is_fair).map(|row| row.position).collect())
}

/// The starts beside the usual one, to be solved into a file.
#[derive(Debug)]
pub struct StartsJob<'a> {
    args: &'a FairArgs,
    path: &'a Path,
    near: NearStarts,
}

impl FairArgs {
    /// Everything that the rows depend on.
    pub fn description(&self) -> String {
        let wdl = if self.wdl { " outcomes" } else { " values" };
        let stores = if self.stores { " stores" } else { "" };
        format!("{} moved {}{stores}{wdl}", self.game, self.moved)
    }

    /// The goal of each search.
    pub fn goal(&self) -> Goal {
        if self.wdl { Goal::Outcome } else { Goal::Value }
    }

    /// The starts.
    pub fn starts(&self) -> Result<NearStarts, Failure> {
        Ok(match self.stores {
            true => NearStarts::with_stores(self.game, self.moved)?,
            false => NearStarts::of(self.game, self.moved)?,
        })
    }

    /// The job. Fails unless the starts go to a file and nothing else is asked for.
    pub fn job(&self) -> Result<StartsJob<'_>, Failure> {
        let more = self.svg.is_some() || self.book.is_some();
        let Some(path) = self.out.as_deref().filter(|_| !more) else {
            return Err(Failure::Input(
                "the starts go to a file, without a picture or a book: name it, as in --out starts.csv"
                    .to_string(),
            ));
        };
        Ok(StartsJob { args: self, path, near: self.starts()? })
    }
}

impl Job for StartsJob<'_> {
    type Worker = Solver;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Starts
    }

    fn description(&self) -> String {
        self.args.description()
    }

    fn header(&self) -> String {
        STARTS_HEADER.to_string()
    }

    fn tasks(&self) -> u64 {
        self.near.positions().len() as u64
    }

    fn max_chunk(&self) -> u64 {
        STARTS_CHUNK as u64
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        file.rows()
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<Solver, Failure> {
        self.args.limits.solver(self.args.game)
    }

    fn rows(&self, solver: &mut Solver, tasks: Range<u64>) -> Result<Vec<String>, Failure> {
        let goal = self.args.goal();
        let (mut rows, count) = (Vec::new(), (tasks.end - tasks.start) as usize);
        self.near.solve(solver, goal, tasks.start as usize, &mut |valued| {
            rows.push(StartRow::new(&valued, goal).text());
            rows.len() < count
        })?;
        check_complete(count - rows.len())?;
        Ok(rows)
    }

    fn time(&self) -> Option<Duration> {
        self.args.limits.time
    }
}

/// Fails if `left` starts are not solved.
pub fn check_complete(left: usize) -> Result<(), Failure> {
    match left {
        0 => Ok(()),
        left => Err(Failure::Negative(format!(
            "the work was stopped by its limits, {left} starts before its end: allow it more time or \
             memory"
        ))),
    }
}
