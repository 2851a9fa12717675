//! The outcomes of all starts of a family: `sow sweep`.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use clap::Args;
use sowing_command::failure::Failure;
use sowing_command::{pool, units};
use sowing_lab::{Start, non_wins};
use sowing_rules::{Game, MAX_HOUSES, MAX_SEEDS, Rules};

use crate::job::Job;
use crate::resumable_file::{Kind, ResumableFile};

/// Find the starts of a family that the first player does not win
///
/// One row a start: houses, seeds, draw or loss with perfect play, and the
/// moves of the first turn that there are to try (empty where the rules are not
/// S-Kalaha's). A sweep into a file that was interrupted goes on where it
/// stopped if the same command is given again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow sweep s-kalaha --houses 2..6 --per-house 4..1000
  sow sweep s-kalaha --houses 2..6 --per-house 4..10^6 --out losses.csv
  sow sweep \"kalah(empty-capture)\" --houses 1..3 --per-house 1..4 --json")]
pub struct SweepArgs {
    /// The family: a game's name without its size, as in s-kalaha or
    /// "kalah(empty-capture)"
    #[arg(value_parser = family)]
    pub family: FamilyName,
    /// Houses a row, as in 2..6
    #[arg(long, value_name = "A..B", value_parser = units::range_within(1..=MAX_HOUSES.into()))]
    pub houses: RangeInclusive<u64>,
    /// Seeds a house, as in 4..1000
    #[arg(long = "per-house", alias = "seeds", value_name = "A..B", value_parser = units::range_within(1..=MAX_SEEDS))]
    pub seeds: RangeInclusive<u64>,
    /// Write the rows to a file instead, so that the sweep can be resumed
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Print one JSON object a row
    #[arg(long)]
    pub json: bool,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub threads: Option<usize>,
}

/// A game's name without its size.
#[derive(Clone, Debug)]
pub struct FamilyName {
    /// The name, as in `kalah(empty-capture)`.
    pub name: String,
    /// Its rules.
    pub rules: Rules,
}

fn family(text: &str) -> Result<FamilyName, String> {
    let (name, options) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, options)) => (name, format!(",{options}")),
        None => (text, String::new()),
    };
    let game: Result<Game, _> = format!("{name}(1,1{options})").parse();
    let rules = game.map_err(|error| error.to_string())?.rules();
    Ok(FamilyName { name: text.to_string(), rules })
}

/// The line above the rows.
pub const SWEEP_HEADER: &str = "h,s,outcome,moves\n";

/// Starts that go to a process at once.
const MAX_CHUNK: u64 = 1 << 16;

/// A sweep into a file, one task per start.
impl Job for SweepArgs {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(""))
    }

    fn kind(&self) -> Kind {
        Kind::Sweep
    }

    fn description(&self) -> String {
        let range = |range: &RangeInclusive<u64>| format!("{}..{}", range.start(), range.end());
        let (houses, seeds) = (range(&self.houses), range(&self.seeds));
        format!("{} houses {houses} seeds {seeds}", self.family.name)
    }

    fn header(&self) -> String {
        SWEEP_HEADER.to_string()
    }

    fn tasks(&self) -> u64 {
        count(&self.houses).saturating_mul(count(&self.seeds))
    }

    fn max_chunk(&self) -> u64 {
        MAX_CHUNK
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        let (houses, seeds) = file.checkpoint();
        match houses {
            0 => 0,
            _ => {
                (houses - self.houses.start()) * count(&self.seeds) + seeds + 1 - self.seeds.start()
            }
        }
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
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
        tasks: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        let (mut rows, mut next) = (Vec::new(), tasks.start);
        while next < tasks.end {
            let (houses, first) = self.start(next);
            let last = (first + (tasks.end - next) - 1).min(*self.seeds.end());
            let starts =
                pool.install(|| non_wins(self.family.rules, houses as u8, first..=last))?;
            rows.extend(starts.iter().map(sweep_row));
            next += last - first + 1;
        }
        Ok(rows)
    }
}

impl SweepArgs {
    /// Houses and seeds of the start with a number.
    fn start(&self, number: u64) -> (u64, u64) {
        let seeds = count(&self.seeds);
        (self.houses.start() + number / seeds, self.seeds.start() + number % seeds)
    }

    /// Sets one thread unless a number was given, for one of many processes.
    pub fn one_thread(&mut self) {
        self.threads.get_or_insert(1);
    }

    /// Whether the rows go to a file.
    pub fn has_file(&self) -> bool {
        self.out.is_some()
    }
}

fn count(range: &RangeInclusive<u64>) -> u64 {
    range.end() - range.start() + 1
}

/// A start as a row.
pub fn sweep_row(start: &Start) -> String {
    let moves = start.moves.map(|moves| moves.to_string()).unwrap_or_default();
    format!("{},{},{},{moves}\n", start.game.houses(), start.game.seeds(), start.outcome)
}
