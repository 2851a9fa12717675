//! Positions with the exact value of every move: `sow dataset`.

use std::io::BufRead;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use sowing_analysis::MAX_LOOK_AHEAD_BYTES;
use sowing_command::failure::{Failure, note};
use sowing_command::{pool, units};
use sowing_lab::{Dataset, DatasetFormat, DatasetSpec, Phase, SampleSource, dataset_columns};
use sowing_players::Opponent;
use sowing_rules::Game;
use sowing_tables::Tables;

use crate::job::{Job, Summary};
use crate::resumable_file::{Kind, ResumableFile};
use crate::solver_args::SolverArgs;

/// More positions than a file of them is of use for.
const MAX_POSITIONS: u64 = 1_000_000_000;

/// The most seeds in houses of a data set for which none are given.
pub const DATASET_SEEDS: u32 = 20;

/// Bytes of the process without tables and look-ahead: the program, positions and lines that are not written yet.
const PROCESS_OVERHEAD: u64 = 40 << 20;

/// Positions that are written together.
pub const DATASET_CHUNK: u64 = 1 << 16;

/// Positions that are sampled together: a position takes far more memory than its line.
pub const DATASET_BLOCK: u64 = 1 << 12;

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
    pub game: Game,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = units::whole::<u64>(1..=MAX_POSITIONS))]
    pub positions: u64,
    /// Which positions.
    #[command(flatten)]
    pub sample: SampleArgs,
    /// Print one JSON object a position
    #[arg(long, conflicts_with = "out")]
    pub json: bool,
    /// Write to a file, by its ending: .csv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The limits, and the tables.
    #[command(flatten)]
    pub limits: SolverArgs,
}

/// Which positions.
#[derive(Args, Debug)]
pub struct SampleArgs {
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
    pub seed: u64,
}

impl SampleArgs {
    /// The data set, with tables that hold its values.
    pub fn dataset(&self, game: Game, limits: &SolverArgs) -> Result<Dataset, Failure> {
        let total = game.total();
        let asked = match (&self.seeds, self.phase) {
            (Some(seeds), _) => seeds.clone(),
            (None, Some(phase)) => {
                let layers = phase.layers(&game);
                (*layers.start()).max(2)..=*layers.end()
            }
            (None, None) => 2..=total.min(DATASET_SEEDS.into()),
        };
        // What no table has is refused below, in words.
        let layer = |seeds: &u64| u32::try_from(*seeds).unwrap_or(u32::MAX);
        let layers = layer(asked.start())..=layer(asked.end());
        let spec =
            DatasetSpec { game, source: self.source, layers, even: self.even, seed: self.seed };
        spec.check()?;
        let tables = limits.tables_to(&game, *spec.layers.end(), self.beside())?;
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

    /// A pool with as many threads as the memory allows.
    pub fn pool(&self, limits: &SolverArgs, tables: &Tables) -> Result<rayon::ThreadPool, Failure> {
        let asked = pool(limits.threads)?;
        let look_ahead = self.look_ahead();
        if look_ahead == 0 {
            return Ok(asked);
        }
        let left = limits.memory.saturating_sub(PROCESS_OVERHEAD + tables.memory());
        let carried = usize::try_from(left / look_ahead).unwrap_or(usize::MAX).max(1);
        if carried >= asked.current_num_threads() {
            return Ok(asked);
        }
        note(&format!(
            "{} of memory carry {carried} of {} threads with {}",
            sowing_tables::format_bytes(limits.memory),
            asked.current_num_threads(),
            self.source
        ));
        pool(Some(carried))
    }
}

impl DatasetArgs {
    /// Everything that the rows depend on.
    pub fn description(&self, dataset: &Dataset) -> String {
        let spec = dataset.spec();
        let (first, last) = (spec.layers.start(), spec.layers.end());
        let even = if spec.even { " even" } else { "" };
        format!(
            "{} positions {} source {} seeds {first}..{last}{even} seed {}",
            spec.game, self.positions, spec.source, spec.seed
        )
    }

    /// The metadata of the finished file.
    pub fn metadata(&self, description: &str) -> serde_json::Value {
        serde_json::json!({
            "game": self.game.to_string(),
            "positions": self.positions,
            "what": description,
            "columns": dataset_columns(&self.game),
        })
    }

    /// The job. Fails unless the positions go to a file.
    pub fn job(&self) -> Result<DatasetJob<'_>, Failure> {
        let Some(path) = self.out.as_deref() else {
            return Err(Failure::Input(
                "the positions go to a file: name it, as in --out positions.csv".to_string(),
            ));
        };
        let format = dataset_format(path)?;
        let dataset = self.sample.dataset(self.game, &self.limits)?;
        Ok(DatasetJob { args: self, path, format, dataset })
    }
}

/// The format of a file, by its extension. Fails for a format that this build does not write.
pub fn dataset_format(path: &Path) -> Result<DatasetFormat, Failure> {
    let format = DatasetFormat::from_path(path).ok_or_else(|| {
        Failure::Input(
            "the file's ending says its form: .csv, .jsonl or .parquet, as in positions.csv"
                .to_string(),
        )
    })?;
    if format == DatasetFormat::Parquet && !cfg!(feature = "parquet") {
        return Err(Failure::Input(
            "this program was built without Parquet: write .csv or .jsonl, as in positions.csv"
                .to_string(),
        ));
    }
    Ok(format)
}

/// The positions of a data set, to be written into a file: lines, of which a Parquet file is made in the end.
#[derive(Debug)]
pub struct DatasetJob<'a> {
    args: &'a DatasetArgs,
    path: &'a Path,
    format: DatasetFormat,
    dataset: Dataset,
}

impl Job for DatasetJob<'_> {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Dataset
    }

    fn description(&self) -> String {
        self.args.description(&self.dataset)
    }

    fn header(&self) -> String {
        self.format.header(&self.args.game)
    }

    fn tasks(&self) -> u64 {
        self.args.positions
    }

    fn max_chunk(&self) -> u64 {
        DATASET_CHUNK
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        file.checkpoint().0
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        self.args.sample.pool(&self.args.limits, self.dataset.tables())
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        tasks: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        pool.install(|| {
            let mut lines = Vec::new();
            for from in tasks.clone().step_by(DATASET_BLOCK as usize) {
                let samples = self.dataset.samples(from..tasks.end.min(from + DATASET_BLOCK))?;
                lines.append(&mut self.format.lines(&samples));
            }
            Ok(lines)
        })
    }

    fn metadata(&self) -> serde_json::Value {
        self.args.metadata(&self.description())
    }

    fn seed(&self) -> Option<u64> {
        Some(self.args.sample.seed)
    }

    fn time(&self) -> Option<Duration> {
        self.args.limits.time
    }

    fn summary(&self) -> Option<&dyn Summary> {
        if self.format == DatasetFormat::Parquet { Some(self) } else { None }
    }
}

impl Summary for DatasetJob<'_> {
    #[cfg(feature = "parquet")]
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure> {
        let write = |rows: &mut dyn BufRead| {
            // The same provenance as that of one machine, since it is the same file.
            let provenance = crate::Provenance::now(Some(self.args.sample.seed));
            let game = &self.args.game;
            let mut file = sowing_lab::ParquetFile::begin(self.path, game, provenance.pairs())?;
            for line in rows.lines() {
                file.add_line(&line?)?;
            }
            file.finish()
        };
        write(rows).map_err(|error| cannot_write(self.path, &error))?;
        Ok(true)
    }

    #[cfg(not(feature = "parquet"))]
    fn write(&self, _rows: &mut dyn BufRead) -> Result<bool, Failure> {
        dataset_format(self.path).map(|_| true)
    }
}

/// The failure for a file that cannot be written.
#[cfg(feature = "parquet")]
fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", sowing_rules::sanitize::path(path)))
}
