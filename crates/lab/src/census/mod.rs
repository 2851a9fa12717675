//! How many positions of a game can be reached.
//!
//! Nothing in the rules depends on what lies in the stores, so a board is played from once, for
//! all its positions together: a move shifts the set of splits by what it gains.

mod folder;
mod order;
mod pending;
mod splits;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sowing_rules::{CompactBoard, CompiledRules, Game, Position};

use folder::{Folder, Note};
use order::Order;
use pending::{Pending, Record};
use splits::Splits;

/// The number of positions that play from the start can reach.
///
/// A live position is a board with its stores and the player to move; a finished board counts
/// once, whoever would be to move, with the seeds left where they lie.
///
/// ```
/// use sowing_lab::Census;
///
/// let census = Census::of(&"s-kalaha(3,1)".parse()?, 1 << 24)?;
/// assert_eq!(census.total(), 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    /// One layer for every number of seeds in houses that occurs, the most first.
    pub layers: Vec<Layer>,
}

/// The positions with so many seeds in houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The seeds in houses, both rows together.
    pub seeds: u32,
    /// Live positions.
    pub live: u64,
    /// Finished boards.
    pub finished: u64,
}

/// How to count.
#[derive(Clone, Copy)]
pub struct CensusOptions<'a> {
    /// The bytes of memory to use at most.
    pub memory: u64,
    /// Where to keep boards that are still to be played from, instead of in memory. A count that
    /// was interrupted is resumed from there; what is there goes when it is done.
    pub folder: Option<&'a Path>,
    /// The time for the count, if it is limited. A count in a folder can be resumed.
    pub time: Option<Duration>,
    /// Shown how far the count has come, from time to time.
    pub progress: &'a (dyn Fn(CensusProgress) + Sync),
}

impl Default for CensusOptions<'_> {
    /// One gibibyte, no folder, no time limit.
    fn default() -> Self {
        CensusOptions { memory: 1 << 30, folder: None, time: None, progress: &|_| {} }
    }
}

/// How far a count has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CensusProgress {
    /// The seeds in houses of the layer that is being counted.
    pub layer: u32,
    /// The positions counted.
    pub positions: u64,
}

/// Why the positions of a game are not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CensusError {
    /// The board is too large to be numbered.
    #[error("{0} is too large to count: at most 8 houses and 255 seeds, as in s-kalaha(6,3)")]
    TooLarge(Game),
    /// The swap of the pie rule is not a position.
    #[error("{0} has the pie rule, which changes who sits where but no board: count it without")]
    Pie(Game),
    /// Even the start takes more.
    #[error("{given} bytes of memory are too few to count in: at least {least} are needed")]
    TooLittleMemory {
        /// The bytes allowed.
        given: u64,
        /// The least that would do.
        least: u64,
    },
    /// The positions do not fit the memory that was allowed.
    #[error(
        "memory is full at {layer} seeds in houses, with {counted} positions counted before, and {limit} bytes are allowed"
    )]
    MemoryFull {
        /// The layer that was being counted.
        layer: u32,
        /// Positions counted before.
        counted: u64,
        /// The bytes allowed.
        limit: u64,
    },
    /// The time was too short.
    #[error("the time is up at {layer} seeds in houses, with {counted} positions counted")]
    TimeUp {
        /// The layer that was being counted.
        layer: u32,
        /// Positions counted so far.
        counted: u64,
    },
    /// The folder does not do.
    #[error("cannot count in {}: {}", .0.display(), .1)]
    Folder(PathBuf, String),
}

/// Positions of some boards.
#[derive(Clone, Copy, Debug, Default)]
struct LiveAndFinished {
    live: u64,
    finished: u64,
}

impl std::ops::Add for LiveAndFinished {
    type Output = LiveAndFinished;

    fn add(self, other: LiveAndFinished) -> LiveAndFinished {
        LiveAndFinished { live: self.live + other.live, finished: self.finished + other.finished }
    }
}

/// A count in a folder notes how far it has come when its memory is full, and this often.
const BETWEEN_NOTES: Duration = Duration::from_secs(20);

/// The most boards that are played from between two looks at the clock.
const SLICE: usize = 1 << 18;

/// What a process and its threads take before anything is counted.
const PROCESS_OVERHEAD: u64 = 16 << 20;

impl Census {
    /// Counts the positions of a game in so many bytes of memory, on the threads of the current
    /// pool.
    pub fn of(game: &Game, memory: u64) -> Result<Census, CensusError> {
        Census::with_options(game, &CensusOptions { memory, ..CensusOptions::default() })
    }

    /// Counts the positions of a game, on the threads of the current pool.
    pub fn with_options(game: &Game, options: &CensusOptions) -> Result<Census, CensusError> {
        if game.rules().pie {
            return Err(CensusError::Pie(*game));
        }
        let start = CompactBoard::new(Position::start(*game).board()).ok();
        let (Some(start), Some(order)) = (start, Order::new(game)) else {
            return Err(CensusError::TooLarge(*game));
        };
        match game.total() {
            ..64 => Counter::<1>::count(game, start, &order, options),
            64..128 => Counter::<2>::count(game, start, &order, options),
            _ => Counter::<4>::count(game, start, &order, options),
        }
    }

    /// Live positions.
    pub fn live(&self) -> u64 {
        self.layers.iter().map(|layer| layer.live).sum()
    }

    /// Finished boards.
    pub fn finished(&self) -> u64 {
        self.layers.iter().map(|layer| layer.finished).sum()
    }

    /// All positions.
    pub fn total(&self) -> u64 {
        self.live() + self.finished()
    }
}

/// A count at work.
struct Counter<'a, const W: usize> {
    rules: CompiledRules<CompactBoard>,
    order: &'a Order,
    options: &'a CensusOptions<'a>,
    /// The bytes that are left when the program itself has its own.
    memory: u64,
    folder: Option<Folder>,
    pending: Pending<'a, W>,
    note: Note,
    /// Whether something was packed since the last note.
    packed: bool,
    positions: u64,
    /// When the time is up.
    end: Option<Instant>,
}

impl<'a, const W: usize> Counter<'a, W> {
    fn count(
        game: &Game,
        start: CompactBoard,
        order: &'a Order,
        options: &'a CensusOptions<'a>,
    ) -> Result<Census, CensusError> {
        let least = Pending::<W>::least_bytes(order) + (1 << 20);
        let memory = options.memory - PROCESS_OVERHEAD.min(options.memory / 4);
        if memory < least {
            let least = least + least / 3;
            return Err(CensusError::TooLittleMemory { given: options.memory, least });
        }
        let mut pending = Pending::<W>::new(order);
        let (mut folder, mut note) = (None, Note::default());
        if let Some(dir) = options.folder {
            let (opened, noted) = Folder::open(dir, &game.to_string(), order.stages())?;
            for (stage, segment) in opened.pending(noted.stage)? {
                pending.add_segment(stage, segment);
            }
            (folder, note) = (Some(opened), noted);
        }
        if note.stage == 0 {
            pending.add(start, [Splits::START, Splits::NONE]);
        }
        let positions = note.layers.iter().map(|layer| layer.live + layer.finished).sum();
        let rules = CompiledRules::new(game);
        let packed = false;
        let end = options.time.and_then(|time| Instant::now().checked_add(time));
        let mut counter = Counter::<W> {
            rules,
            order,
            options,
            memory,
            folder,
            pending,
            note,
            packed,
            positions,
            end,
        };
        counter.run(game.rules().repeats())?;
        if let Some(folder) = counter.folder {
            folder.remove();
        }
        Ok(Census { layers: counter.note.layers })
    }

    /// Goes through the stages: once one is played from, nothing leads back to it, unless
    /// positions repeat. Then it is played from until nothing new turns up.
    fn run(&mut self, repeats: bool) -> Result<(), CensusError> {
        let mut noted = Instant::now();
        while self.note.stage < self.order.stages() {
            let mut seen = Vec::new();
            loop {
                let stage = self.note.stage;
                let most = self.room(&seen) as usize / size_of::<Record<W>>();
                let records = self.pending.take(stage, most, self.folder.as_ref())?;
                let mut records = records.ok_or_else(|| self.full())?;
                if repeats {
                    keep_unseen(&mut seen, &mut records);
                }
                if records.is_empty() {
                    break;
                }
                self.play(&records, &seen)?;
            }
            self.note.stage += 1;
            let time_is_up = self.check_time();
            let due = self.packed || noted.elapsed() > BETWEEN_NOTES || time_is_up.is_err();
            if let Some(folder) = self.folder.as_mut().filter(|_| due) {
                self.pending.pack(Some(folder))?;
                folder.note(&self.note)?;
                (self.packed, noted) = (false, Instant::now());
            }
            time_is_up?;
        }
        Ok(())
    }

    /// The bytes that are left for boards besides those packed and seen. Half of the memory is for
    /// all of them, a fifth for fresh ones; the rest is needed while these are sorted and packed.
    fn room(&self, seen: &[Record<W>]) -> u64 {
        let held = self.pending.packed_bytes() + size_of_val(seen) as u64;
        (self.memory / 2).saturating_sub(held)
    }

    /// Fails if the time is up and there is more to count.
    fn check_time(&self) -> Result<(), CensusError> {
        let is_done = self.note.stage >= self.order.stages();
        if is_done || self.end.is_none_or(|end| Instant::now() < end) {
            return Ok(());
        }
        let layer = self.order.layer(self.note.stage) as u32;
        Err(CensusError::TimeUp { layer, counted: self.positions })
    }

    fn full(&self) -> CensusError {
        let layer = self.order.layer(self.note.stage) as u32;
        CensusError::MemoryFull { layer, counted: self.positions, limit: self.options.memory }
    }

    /// Counts the boards of a stage and plays from them.
    fn play(&mut self, records: &[Record<W>], seen: &[Record<W>]) -> Result<(), CensusError> {
        let layer = self.order.layer(self.note.stage);
        // What a slice leads to stays within a small part of the memory.
        let each = 2 * self.rules.houses() * size_of::<Record<W>>();
        for slice in records.chunks((self.memory as usize / 16 / each).clamp(1, SLICE)) {
            self.check_time()?;
            let tally = self.pending.play(&self.rules, layer, slice);
            self.tally(layer as u32, tally);
            if self.pending.fresh_bytes() > self.memory / 5 {
                self.pending.pack(self.folder.as_mut())?;
                self.packed = true;
            }
            if self.room(seen) < size_of_val(records) as u64 {
                return Err(self.full());
            }
        }
        (self.options.progress)(CensusProgress { layer: layer as u32, positions: self.positions });
        Ok(())
    }

    fn tally(&mut self, layer: u32, LiveAndFinished { live, finished }: LiveAndFinished) {
        self.positions += live + finished;
        match self.note.layers.last_mut().filter(|last| last.seeds == layer) {
            Some(layer) => {
                layer.live += live;
                layer.finished += finished;
            }
            None => self.note.layers.push(Layer { seeds: layer, live, finished }),
        }
    }
}

/// Keeps what of these records was not seen before, boards and splits; now it is. All are in order.
fn keep_unseen<const W: usize>(seen: &mut Vec<Record<W>>, records: &mut Vec<Record<W>>) {
    let (mut at, before) = (0, seen.len());
    records.retain_mut(|record| {
        at += seen[at..before].partition_point(|known| known.rank < record.rank);
        let Some(known) = seen[..before].get_mut(at).filter(|known| known.rank == record.rank)
        else {
            seen.push(*record);
            return true;
        };
        record.splits = [0, 1].map(|i| record.splits[i].without(&known.splits[i]));
        known.splits = [0, 1].map(|i| known.splits[i] | record.splits[i]);
        record.splits.iter().any(|splits| !splits.is_none())
    });
    seen.sort_unstable_by_key(|record| record.rank);
}
