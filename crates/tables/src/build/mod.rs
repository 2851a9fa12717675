//! Building, bottom-up and layer by layer; the pairs of a layer are independent and run in parallel.

mod kernels;
mod move_by_move;
mod row_maps;
mod sow_effect;
mod stream;
mod transposed;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing_platform::{Zeroed, available_memory};
use sowing_rules::Game;

use crate::layer::{Layout, memory, signed_mut};
use crate::layers::{Data, Layers};
use crate::{Error, MAX_LAYER, RowIndex, Tables, live_positions};
use sowing_rules::Family;

use kernels::Kernels;
pub(crate) use move_by_move::MoveByMove;
use stream::StreamingPass;

/// Options of a build.
#[derive(Clone, Copy)]
pub struct BuildOptions<'a> {
    /// The number of threads, at least 1.
    pub threads: usize,
    /// The memory budget in bytes. Finished layers count if they stay in memory.
    pub memory: u64,
    /// Whether AVX2 may be used. The values are the same.
    pub vectors: bool,
    /// The algorithm. The values are the same.
    pub method: Method,
    /// Called after each piece of work, from any thread.
    pub progress: &'a (dyn Fn(BuildProgress) + Sync),
    /// Called before each pair, from any thread: `true` ends the build with [`Error::Stopped`]. Finished
    /// layers stay.
    pub should_stop: &'a (dyn Fn() -> bool + Sync),
}

/// The algorithm of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The streaming pass; for rules with relay, move by move.
    Fastest,
    /// Every move of every position is played.
    MoveByMove,
}

/// The progress of a build.
#[derive(Clone, Copy, Debug)]
pub struct BuildProgress {
    /// The layer being built.
    pub layer: u32,
    /// Positions done; a build in memory counts the layers that exist, a build in files does not.
    pub done: u64,
    /// Positions in total, counted alike.
    pub total: u64,
}

impl Default for BuildOptions<'_> {
    fn default() -> Self {
        let threads = sowing_platform::cores();
        BuildOptions {
            threads,
            memory: u64::MAX,
            vectors: true,
            method: Method::Fastest,
            progress: &|_| {},
            should_stop: &|| false,
        }
    }
}

impl std::fmt::Debug for BuildOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BuildOptions { threads, memory, vectors, method, .. } = self;
        write!(f, "Options {{ {threads} threads, {memory} bytes, {vectors}, {method:?} }}")
    }
}

/// A pair of blocks being computed: rows of p seeds against rows of q seeds, p >= q.
///
/// The lines of both blocks are the rows of p seeds.
pub(crate) struct Pair<'a> {
    pub(crate) p: usize,
    pub(crate) q: usize,
    /// The mover has p seeds.
    pub(crate) longer: &'a mut [i8],
    /// The mover has q seeds.
    pub(crate) shorter: &'a mut [i8],
}

/// Row maps and transposed blocks of a build in memory, reused by the next
/// [extension](Tables::extend_with) of tables of the same family. Beside the row maps, a few mebibytes, it holds no
/// more memory than the working memory of the last extension.
#[derive(Debug, Default)]
pub struct BuildCache(Option<PairBuilder>);

/// The algorithm that computes pairs, with its caches.
#[derive(Debug)]
pub(crate) enum PairBuilder {
    Streaming(Box<StreamingPass>),
    MoveByMove(MoveByMove),
}

impl PairBuilder {
    pub(crate) fn new(
        family: &Family,
        layer: u32,
        options: &BuildOptions,
        budget: u64,
    ) -> PairBuilder {
        if family.rules().relay || options.method == Method::MoveByMove {
            return PairBuilder::MoveByMove(MoveByMove::new(family));
        }
        let kernels = if options.vectors { Kernels::detect() } else { Kernels::PORTABLE };
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        let pass = StreamingPass::new(family, layer as usize, budget, kernels);
        PairBuilder::Streaming(Box::new(pass))
    }

    /// `fresh` for higher layers of the same tables, with the caches of `self`.
    fn reuse(self, fresh: PairBuilder) -> PairBuilder {
        match (self, fresh) {
            (PairBuilder::Streaming(known), PairBuilder::Streaming(fresh)) => {
                PairBuilder::Streaming(Box::new(known.reuse(*fresh)))
            }
            (_, fresh) => fresh,
        }
    }

    /// Computes the values of a pair, one block after the other.
    pub(crate) fn fill(
        &self,
        layers: &Layers,
        layer: usize,
        q: usize,
        values: &mut [i8],
    ) -> Result<(), Error> {
        let p = layer - q;
        let size = layers.row_index.count(p) * layers.row_index.count(q);
        let (longer, shorter) = values.split_at_mut(size);
        // With p = q the second block is the transpose of the first. It is not stored, but the steps
        // read it.
        let mut second = memory(if p == q { size } else { 0 })?;
        let shorter = if p == q { signed_mut(&mut second) } else { shorter };
        let mut pair = Pair { p, q, longer, shorter };
        match self {
            PairBuilder::Streaming(pass) => pass.fill(layers, &mut pair),
            PairBuilder::MoveByMove(pass) => {
                pass.fill(layers, &mut pair);
                Ok(())
            }
        }
    }
}

/// The highest layer that tables of a family can have: row indices fit 24 bits, values fit a byte.
pub(crate) fn max_layer(family: &Family) -> u32 {
    let row_index = RowIndex::new(family.houses());
    (2..=MAX_LAYER.min(row_index.max_seeds()))
        .take_while(|layer| row_index.count(*layer as usize) < 1 << 24)
        .last()
        .unwrap_or(2)
}

pub(crate) fn check_layer(family: &Family, layer: u32) -> Result<(), Error> {
    let max = max_layer(family);
    if (2..=max).contains(&layer) {
        return Ok(());
    }
    Err(Error::Layer { family: *family, layer, max })
}

/// The number of live positions of layers 2 to `layer`.
pub fn live_positions_to(houses: u8, layer: u32) -> u128 {
    (2..=layer).map(|layer| live_positions(houses, layer)).sum()
}

/// The least memory in bytes to build a layer, finished layers aside: the transposed blocks that the
/// largest `threads` pairs read, and their second blocks.
pub(crate) fn working_memory(
    family: &Family,
    row_index: &RowIndex,
    layer: u32,
    threads: usize,
) -> u64 {
    let layer = layer as usize;
    let size = |x: usize, y: usize| row_index.count(x) as u64 * row_index.count(y) as u64;
    let pair = |q: usize| {
        let p = layer - q;
        if family.rules().relay {
            return size(p, q) * u64::from(p == q);
        }
        let crossings = (1..p).map(|left| (left, layer - 1 - left));
        let crossings = crossings.filter(|(x, y)| x <= y && *y >= q).map(|(x, y)| size(x, y));
        let captures = (1..q).map(|x| size(x, q - 1));
        crossings.sum::<u64>() + captures.sum::<u64>() + size(p, q) * u64::from(p == q)
    };
    let mut pairs: Vec<u64> = (1..=layer / 2).map(pair).collect();
    pairs.sort_unstable_by(|a, b| b.cmp(a));
    pairs.iter().take(threads).sum()
}

/// The least memory in bytes for [`build_in_memory`]. One byte per position stays in use, the rest is freed.
pub fn memory_to_build(game: &Game, layer: u32, threads: usize) -> Result<u64, Error> {
    let family = Family::for_game(game)?;
    check_layer(&family, layer)?;
    let total = live_positions_to(family.houses(), layer);
    let work = working_memory(&family, &RowIndex::new(family.houses()), layer, threads);
    Ok(u64::try_from(total).unwrap_or(u64::MAX).saturating_add(work))
}

/// Builds layers 2 to `layer` of a game's tables in memory.
///
/// ```
/// use sowing_rules::{Position, CompactBoard};
/// use sowing_tables::{BuildOptions, build_in_memory};
///
/// let game = "kalah(6,4)".parse()?;
/// let tables = build_in_memory(&game, 8, &BuildOptions::default())?;
/// // The only move takes the seed and ends the game; the opponent keeps two.
/// let position = Position::free(game, &"0,0,0,0,0,1,0|2,0,0,0,0,0,0".parse()?)?;
/// assert_eq!(tables.probe(CompactBoard::new(position.board())?), Some(1 - 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_in_memory(game: &Game, layer: u32, options: &BuildOptions) -> Result<Tables, Error> {
    let mut tables = Tables::empty(game)?;
    tables.extend(layer, options)?;
    Ok(tables)
}

impl Tables {
    /// Tables of a game without any layer, to be [extended](Tables::extend).
    pub fn empty(game: &Game) -> Result<Tables, Error> {
        let family = Family::for_game(game)?;
        Ok(Tables::new(family, Layers::new(family.houses())))
    }

    /// Builds the missing layers up to `layer` in memory. If that fails, the finished layers stay.
    ///
    /// ```
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let mut tables = build_in_memory(&game, 6, &BuildOptions::default())?;
    /// tables.extend(9, &BuildOptions::default())?;
    /// let at_once = build_in_memory(&game, 9, &BuildOptions::default())?;
    /// assert_eq!(tables.checksum(), at_once.checksum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If layers lie in files.
    pub fn extend(&mut self, layer: u32, options: &BuildOptions) -> Result<(), Error> {
        self.extend_with(layer, options, &mut BuildCache::default())
    }

    /// Like [`extend`](Tables::extend), with a cache that speeds up the next extension. A cache belongs to one
    /// `Tables` value and must not be used with another.
    ///
    /// # Panics
    /// If layers lie in files.
    pub fn extend_with(
        &mut self,
        layer: u32,
        options: &BuildOptions,
        cache: &mut BuildCache,
    ) -> Result<(), Error> {
        let family = self.family;
        check_layer(&family, layer)?;
        let total = live_positions_to(family.houses(), layer) as u64;
        let present = live_positions_to(family.houses(), self.max_layer()) as u64;
        let need = memory_to_build(&family.game(), layer, options.threads)?;
        let what = || format!("building {family} to {layer} seeds in memory");
        if need > options.memory {
            let (have, why) = (options.memory, "are allowed");
            return Err(Error::Memory { what: what(), need, have, why });
        }
        if let Some(have) = available_memory().filter(|have| need - present.min(need) > *have) {
            return Err(Error::Memory { what: what(), need, have, why: "are available" });
        }
        let work = working_memory(&family, &self.layers.row_index, layer, options.threads);
        // A larger cache would hit more often, but clearing fresh memory costs more than transposing.
        let budget = (options.memory - total).min(work);
        let builder = PairBuilder::new(&family, layer, options, budget);
        let builder = match cache.0.take() {
            Some(known) => known.reuse(builder),
            None => builder,
        };
        let mut layers = std::mem::replace(&mut self.layers, Layers::new(family.houses()));
        let done = AtomicU64::new(present);
        let upwards = layers.max_layer() + 1..=layer as usize;
        let built = upwards.into_iter().try_for_each(|layer| {
            let map = build_layer(&layers, layer, &builder, options, &done, total)?;
            layers.push(Data::Memory(map));
            Ok(())
        });
        *self = Tables::new(family, layers);
        cache.0 = Some(builder);
        built
    }
}

/// Builds the layer above the finished ones.
fn build_layer(
    layers: &Layers,
    layer: usize,
    builder: &PairBuilder,
    options: &BuildOptions,
    done: &AtomicU64,
    total: u64,
) -> Result<Zeroed, Error> {
    let layout = Layout::new(&layers.row_index, layer);
    let mut map = memory(layout.len())?;
    let mut rest = signed_mut(&mut map);
    let mut pairs = Vec::new();
    for q in 1..=layer / 2 {
        let (values, after) = rest.split_at_mut(layout.pair(q).len());
        rest = after;
        pairs.push((q, values));
    }
    run_parallel(options.threads, pairs, |(q, values)| {
        if (options.should_stop)() {
            return Err(Error::Stopped);
        }
        builder.fill(layers, layer, q, values)?;
        let done = done.fetch_add(values.len() as u64, Ordering::Relaxed) + values.len() as u64;
        (options.progress)(BuildProgress { layer: layer as u32, done, total });
        Ok(())
    })?;
    Ok(map)
}

/// Runs `job` for each item on `threads` threads, from the last item to the first: the last pairs are the
/// largest. The first error is returned; jobs that have not started are dropped.
pub(crate) fn run_parallel<T: Send>(
    threads: usize,
    items: Vec<T>,
    job: impl Fn(T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let queue = Mutex::new(items);
    let next = || queue.lock().expect("nothing panics with the queue").pop();
    let run = || -> Result<(), Error> {
        while let Some(item) = next() {
            job(item).inspect_err(|_| {
                queue.lock().expect("nothing panics with the queue").clear();
            })?;
        }
        Ok(())
    };
    if threads <= 1 {
        return run();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        workers.into_iter().fold(run(), |result, worker| {
            result.and(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    })
}
