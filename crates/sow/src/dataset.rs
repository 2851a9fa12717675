//! `sow dataset`: positions with the exact value of every move.

mod columnar;
mod form;

use std::io::{BufRead, Write};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use sowing_analysis::MAX_LOOK_AHEAD_BYTES;
use sowing_lab::{Dataset, DatasetSpec, Phase, Sample, SampleSource};
use sowing_players::Opponent;
use sowing_rules::Game;
use sowing_tables::Tables;

use crate::args::pool;
use crate::batch::{Batch, Summary};
use crate::failure::{Failure, note};
use crate::made::{self, Made};
use crate::resumable::{Kind, Resumable};
use crate::said;
use crate::units::{self, grouped};
use crate::work::WorkArgs;
use columnar::Columnar;

/// More positions than a file of them is of use for.
const MOST: u64 = 1_000_000_000;

/// The seeds in houses that a data set goes up to where nothing is said.
pub(crate) const SEEDS: u32 = 20;

/// Bytes that the program takes beside tables and look-ahead: itself, positions that are being found and
/// lines that are not written yet.
const PROCESS_OVERHEAD: u64 = 40 << 20;

/// Positions written together.
const STRETCH: u64 = 1 << 16;

/// Positions found together: a position takes far more memory than its line.
const FOUND: u64 = 1 << 12;

/// Write positions with the exact value of every move to files
///
/// One line a position: the mover's houses and store, the opponent's, the seeds
/// in houses, the moves played before, the value, the value after each move,
/// and the phase. Values are looked up in endgame tables, which are built in
/// memory if there are none. The same seed gives the same lines, whatever the
/// number of threads. A CSV or JSON Lines file can be interrupted: it goes on
/// where it stopped if the same command is given again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow dataset \"kalah(6,4)\" --positions 10 --seeds 2..12
  sow dataset \"kalah(6,4)\" --positions 10^6 --seed 7 --out train.parquet
  sow dataset \"kalah(4,3)\" --positions 10^5 --source level:3 --out games.csv
  sow dataset \"kalah(6,4)\" --source uniform --even --out even.jsonl")]
pub struct DatasetArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = units::whole::<u64>(1..=MOST))]
    positions: u64,
    #[command(flatten)]
    pub(crate) sample: SampleArgs,
    /// Print one JSON object a position
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a file, by its ending: .csv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

/// Which positions.
#[derive(Args, Debug)]
pub(crate) struct SampleArgs {
    /// Where they are from: uniform, or the games of random, level:1 to
    /// level:9, pdp:DEPTH or perfect
    #[arg(long, value_name = "SOURCE", default_value = "random")]
    source: SampleSource,
    /// How many seeds lie in houses; 2..20 or what there are, if it is left out
    #[arg(long, value_name = "A..B", value_parser = units::range_within(2..=127))]
    seeds: Option<RangeInclusive<u64>>,
    /// A third of the game, instead of seeds: opening, middle or end
    #[arg(long, conflicts_with = "seeds")]
    phase: Option<Phase>,
    /// As many positions with each number of seeds in houses
    #[arg(long)]
    even: bool,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
}

impl SampleArgs {
    /// The data set, with tables that hold its values.
    pub(crate) fn dataset(&self, game: Game, work: &WorkArgs) -> Result<Dataset, Failure> {
        let total = game.total();
        let asked = match (&self.seeds, self.phase) {
            (Some(seeds), _) => seeds.clone(),
            (None, Some(phase)) => {
                let layers = phase.layers(&game);
                (*layers.start()).max(2)..=*layers.end()
            }
            (None, None) => 2..=total.min(SEEDS.into()),
        };
        // What no table has is refused below, in words.
        let layer = |seeds: &u64| u32::try_from(*seeds).unwrap_or(u32::MAX);
        let layers = layer(asked.start())..=layer(asked.end());
        let spec =
            DatasetSpec { game, source: self.source, layers, even: self.even, seed: self.seed };
        spec.check()?;
        let tables = work.tables_to(&game, *spec.layers.end(), self.beside())?;
        Ok(Dataset::new(spec, tables)?)
    }

    /// Bytes that one thread looks ahead with.
    fn look_ahead(&self) -> u64 {
        match self.source {
            SampleSource::Games(Opponent::Level(_) | Opponent::Pdp(_)) => MAX_LOOK_AHEAD_BYTES,
            SampleSource::Games(Opponent::Random | Opponent::Perfect) | SampleSource::Uniform => 0,
        }
    }

    /// Bytes that are for something else than tables, with one thread.
    fn beside(&self) -> u64 {
        PROCESS_OVERHEAD + self.look_ahead()
    }

    /// A pool with as many threads as the memory carries.
    fn pool(&self, work: &WorkArgs, tables: &Tables) -> Result<rayon::ThreadPool, Failure> {
        let asked = pool(work.threads)?;
        let look_ahead = self.look_ahead();
        if look_ahead == 0 {
            return Ok(asked);
        }
        let left = work.memory.saturating_sub(PROCESS_OVERHEAD + tables.memory());
        let carried = usize::try_from(left / look_ahead).unwrap_or(usize::MAX).max(1);
        if carried >= asked.current_num_threads() {
            return Ok(asked);
        }
        note(&format!(
            "{} of memory carry {carried} of {} threads with {}",
            sowing_tables::format_bytes(work.memory),
            asked.current_num_threads(),
            self.source
        ));
        pool(Some(carried))
    }
}

/// What a file of positions belongs to.
fn work(dataset: &Dataset, positions: u64) -> String {
    let spec = dataset.spec();
    let (first, last) = (spec.layers.start(), spec.layers.end());
    let even = if spec.even { " even" } else { "" };
    format!(
        "{} positions {positions} source {} seeds {first}..{last}{even} seed {}",
        spec.game, spec.source, spec.seed
    )
}

/// How positions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    JsonLines,
    Parquet,
}

impl Form {
    fn of(path: &Path) -> Result<Form, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Ok(Form::Csv),
            Some("jsonl") => Ok(Form::JsonLines),
            Some("parquet") => Ok(Form::Parquet),
            _ => Err(Failure::Input(
                "the file's ending says its form: .csv, .jsonl or .parquet, as in positions.csv"
                    .to_string(),
            )),
        }
    }

    fn header(self, game: &Game) -> String {
        if self == Form::Csv { form::csv_header(game) } else { String::new() }
    }

    /// Lines, made side by side.
    fn lines(self, samples: &[Sample]) -> Vec<String> {
        let lines = |samples: &[Sample]| {
            let mut text = String::new();
            for sample in samples {
                match self {
                    Form::JsonLines => form::json(sample, &mut text),
                    Form::Csv | Form::Parquet => form::csv(sample, &mut text),
                }
            }
            text
        };
        samples.par_chunks(1 << 10).map(lines).collect()
    }
}

pub(crate) fn run(args: &DatasetArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let form = match &args.out {
        Some(path) => Form::of(path)?,
        None if args.json => Form::JsonLines,
        None => Form::Csv,
    };
    if let Some(path) = args.out.as_ref().filter(|_| form == Form::Parquet) {
        sowing_files::check_writable(path).map_err(|error| {
            Failure::Input(format!("cannot write {}: {error}", said::path(path)))
        })?;
    }
    let dataset = args.sample.dataset(args.game, &args.work)?;
    let pool = args.sample.pool(&args.work, dataset.tables())?;
    let made = Made::now(Some(args.sample.seed));
    let header = form.header(&args.game);
    match &args.out {
        None => {
            out.write_all(header.as_bytes())?;
            each(args, &pool, &dataset, 0, &mut |samples, _| {
                let lines = pool.install(|| form.lines(samples));
                Ok(lines.iter().try_for_each(|text| out.write_all(text.as_bytes()))?)
            })?;
            Ok(out.flush()?)
        }
        Some(path) if form == Form::Parquet => {
            let mut file = Columnar::begin(path, &args.game, &made)?;
            each(args, &pool, &dataset, 0, &mut |samples, _| file.add(samples))?;
            file.finish()?;
            tell(args, path)
        }
        Some(path) => {
            let work = work(&dataset, args.positions);
            made::check_beside(path)?;
            let mut file = Resumable::open(path, Kind::Dataset, &work, &header)?;
            let from = file.done().0;
            let mut lines = Vec::new();
            each(args, &pool, &dataset, from, &mut |samples, done| {
                lines.append(&mut pool.install(|| form.lines(samples)));
                if is_stretch(from, done) || done == args.positions {
                    file.add(&lines, (done, 0))?;
                    lines.clear();
                }
                Ok(())
            })?;
            made.beside(path, about(args, &work))?;
            file.finish()?;
            tell(args, path)
        }
    }
}

/// What is written down about a file of positions.
fn about(args: &DatasetArgs, work: &str) -> serde_json::Value {
    let mut columns = form::columns(&args.game);
    columns.push(form::PHASE.to_string());
    serde_json::json!({
        "game": args.game.to_string(),
        "positions": args.positions,
        "what": work,
        "columns": columns,
    })
}

/// The positions of a data set, to be written into a file: lines, of which a Parquet file is made in
/// the end.
#[derive(Debug)]
pub struct Lines<'a> {
    args: &'a DatasetArgs,
    path: &'a Path,
    form: Form,
    dataset: Dataset,
}

impl DatasetArgs {
    /// What it may use.
    pub fn work(&mut self) -> &mut WorkArgs {
        &mut self.work
    }

    /// The positions, if they go to a file.
    pub fn batch(&self) -> Result<Lines<'_>, Failure> {
        let Some(path) = self.out.as_deref() else {
            return Err(Failure::Input(
                "the positions go to a file: name it, as in --out positions.csv".to_string(),
            ));
        };
        let form = Form::of(path)?;
        let dataset = self.sample.dataset(self.game, &self.work)?;
        Ok(Lines { args: self, path, form, dataset })
    }
}

impl Batch for Lines<'_> {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Dataset
    }

    fn work(&self) -> String {
        work(&self.dataset, self.args.positions)
    }

    fn header(&self) -> String {
        self.form.header(&self.args.game)
    }

    fn many(&self) -> u64 {
        self.args.positions
    }

    fn most(&self) -> u64 {
        STRETCH
    }

    fn done(&self, file: &Resumable) -> u64 {
        file.done().0
    }

    fn mark(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        self.args.sample.pool(&self.args.work, self.dataset.tables())
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        pieces: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        pool.install(|| {
            let mut lines = Vec::new();
            for from in pieces.clone().step_by(FOUND as usize) {
                let samples = self.dataset.samples(from..pieces.end.min(from + FOUND))?;
                lines.append(&mut self.form.lines(&samples));
            }
            Ok(lines)
        })
    }

    fn about(&self) -> serde_json::Value {
        about(self.args, &self.work())
    }

    fn seed(&self) -> Option<u64> {
        Some(self.args.sample.seed)
    }

    fn time(&self) -> Option<Duration> {
        self.args.work.time
    }

    fn summary(&self) -> Option<&dyn Summary> {
        if self.form == Form::Parquet { Some(self) } else { None }
    }
}

impl Summary for Lines<'_> {
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure> {
        // Said as one machine would say it, since it is the same file.
        let made = Made::now(Some(self.args.sample.seed));
        let mut file = Columnar::begin(self.path, &self.args.game, &made)?;
        for line in rows.lines() {
            file.add_line(&line?)?;
        }
        file.finish()?;
        Ok(true)
    }
}

fn tell(args: &DatasetArgs, path: &Path) -> Result<(), Failure> {
    let (positions, name) = (grouped(args.positions), said::path(path));
    note(&format!("{}: {positions} positions in {name}", args.game));
    Ok(())
}

/// What is done with a stretch of samples, and how many there are then.
type Take<'a> = dyn FnMut(&[Sample], u64) -> Result<(), Failure> + 'a;

/// Whether a whole number of stretches is done.
fn is_stretch(from: u64, done: u64) -> bool {
    (done - from).is_multiple_of(STRETCH)
}

/// Finds the positions from one on, and hands them out, with how many there are then. The time ends it
/// after a whole stretch.
fn each(
    args: &DatasetArgs,
    pool: &rayon::ThreadPool,
    dataset: &Dataset,
    from: u64,
    take: &mut Take<'_>,
) -> Result<(), Failure> {
    let bar = ProgressBar::new(args.positions).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} positions {elapsed}")
            .expect("a fixed template"),
    );
    let deadline = args.work.time.and_then(|time| Instant::now().checked_add(time));
    let mut next = from;
    while next < args.positions {
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_stretch(from, next) && is_late() {
            bar.finish_and_clear();
            return Err(Failure::Negative(format!(
                "the time was up after {} of {} positions: allow more, as in --time 1h",
                grouped(next),
                grouped(args.positions)
            )));
        }
        let end = args.positions.min(next + FOUND);
        let samples = pool.install(|| dataset.samples(next..end))?;
        take(&samples, end)?;
        next = end;
        bar.set_position(next);
    }
    bar.finish_and_clear();
    Ok(())
}
