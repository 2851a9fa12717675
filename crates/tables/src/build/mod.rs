//! Building: layer by layer, the pairs of a layer side by side.

mod each;
mod flip;
mod lay;
mod maps;
mod stream;
mod vector;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing::Game;
use sowing_platform::Zeroed;

use crate::dir::available_memory;
use crate::layer::{Data, Layout, memory, signed_mut};
use crate::{Error, Family, MAX_LAYER, RowRanks, Tables, live_positions};

pub(crate) use each::{Each, fetch};
use stream::Streams;
use vector::Kernels;

/// How to build.
#[derive(Clone, Copy)]
pub struct BuildOptions<'a> {
    /// Threads that work side by side, at least 1.
    pub threads: usize,
    /// Bytes of memory to use at most, the finished layers included where they stay in memory.
    pub memory: u64,
    /// Whether vector instructions may be used. The outcome is the same.
    pub vectors: bool,
    /// How the values are found. The outcome is the same.
    pub method: Method,
    /// Called now and then from any of the threads.
    pub progress: &'a (dyn Fn(BuildProgress) + Sync),
    /// Asked now and then whether to give up. Layers that are in files by then stay there.
    pub halted: &'a (dyn Fn() -> bool + Sync),
}

/// How values are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// As streams where the rules allow it, position by position in games with relay.
    Fastest,
    /// Position by position.
    Each,
}

/// How far a build has come.
#[derive(Clone, Copy, Debug)]
pub struct BuildProgress {
    /// The layer being built.
    pub layer: u32,
    /// Positions of all layers that are done.
    pub done: u64,
    /// Positions of all layers.
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
            halted: &|| false,
        }
    }
}

impl std::fmt::Debug for BuildOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BuildOptions { threads, memory, vectors, method, .. } = self;
        write!(f, "Options {{ {threads} threads, {memory} bytes, {vectors}, {method:?} }}")
    }
}

/// The finished layers.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) ranks: RowRanks,
    pub(crate) layouts: Vec<Layout>,
    /// From layer 2 on.
    pub(crate) data: Vec<Data>,
}

impl Layers {
    pub(crate) fn new(houses: u8) -> Layers {
        Layers { ranks: RowRanks::new(houses), layouts: Vec::new(), data: Vec::new() }
    }

    /// The highest finished layer; 1 if there is none, since nothing is live there.
    pub(crate) fn max_layer(&self) -> usize {
        self.data.len() + 1
    }

    pub(crate) fn push(&mut self, data: Data) {
        self.layouts.push(Layout::new(&self.ranks, self.max_layer() + 1));
        self.data.push(data);
    }

    /// Fails if a file is not as it was when it was opened: before what was read is used for good.
    pub(crate) fn still(&self) -> Result<(), Error> {
        self.data.iter().try_for_each(|data| match data {
            Data::File(file) => file.still(),
            Data::Memory(_) => Ok(()),
        })
    }

    /// The values of the positions whose mover has `own` seeds and whose other has `other`.
    pub(crate) fn block(&self, own: usize, other: usize) -> &[i8] {
        let layer = own + other - 2;
        &self.data[layer].values()[self.layouts[layer].block(own)]
    }
}

/// A pair being filled in: a row of p seeds against a row of q, p >= q.
///
/// In both blocks the row of p seeds is the line.
pub(crate) struct Pair<'a> {
    pub(crate) p: usize,
    pub(crate) q: usize,
    /// The mover has the row of p seeds.
    pub(crate) longer: &'a mut [i8],
    /// The mover has the row of q seeds.
    pub(crate) shorter: &'a mut [i8],
}

/// What building in memory has made for itself: maps of rows, and turned blocks of the layers below. Kept
/// from one [extension](Tables::extend_with) to the next, it need not be made again, nor memory for it be
/// cleared; it takes no more than that building took besides the layers.
#[derive(Debug, Default)]
pub struct Workshop(Option<Filler>);

/// What fills in pairs.
#[derive(Debug)]
pub(crate) enum Filler {
    Streams(Box<Streams>),
    Each(Each),
}

impl Filler {
    pub(crate) fn new(family: &Family, layer: u32, options: &BuildOptions, budget: u64) -> Filler {
        if family.rules().relay || options.method == Method::Each {
            return Filler::Each(Each::new(family));
        }
        let kernels = if options.vectors { Kernels::detect() } else { Kernels::PORTABLE };
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        Filler::Streams(Box::new(Streams::new(family, layer as usize, budget, kernels)))
    }

    /// The same for higher layers, and with another budget.
    fn again(self, family: &Family, layer: u32, options: &BuildOptions, budget: u64) -> Filler {
        let fresh = Filler::new(family, layer, options, budget);
        match (self, fresh) {
            (Filler::Streams(known), Filler::Streams(fresh)) => {
                Filler::Streams(Box::new(known.again(*fresh)))
            }
            (_, fresh) => fresh,
        }
    }

    /// Fills in the values of a pair, both blocks one after the other.
    pub(crate) fn fill(
        &self,
        layers: &Layers,
        layer: usize,
        q: usize,
        values: &mut [i8],
    ) -> Result<(), Error> {
        let p = layer - q;
        let size = layers.ranks.count(p) * layers.ranks.count(q);
        let (longer, shorter) = values.split_at_mut(size);
        // With equal seeds the second block is the first, turned; the steps still need it.
        let mut turned = memory(if p == q { size } else { 0 })?;
        let shorter = if p == q { signed_mut(&mut turned) } else { shorter };
        let mut pair = Pair { p, q, longer, shorter };
        match self {
            Filler::Streams(streams) => streams.fill(layers, &mut pair),
            Filler::Each(each) => {
                each.fill(layers, &mut pair);
                Ok(())
            }
        }
    }
}

/// The highest layer that tables of a family can have: ranks stay small, values fit a byte.
pub(crate) fn highest(family: &Family) -> u32 {
    let ranks = RowRanks::new(family.houses());
    (2..=MAX_LAYER.min(ranks.max_seeds()))
        .take_while(|layer| ranks.count(*layer as usize) < 1 << 24)
        .last()
        .unwrap_or(2)
}

pub(crate) fn check_layer(family: &Family, layer: u32) -> Result<(), Error> {
    let max = highest(family);
    if (2..=max).contains(&layer) {
        return Ok(());
    }
    Err(Error::Layer { family: *family, layer, max })
}

/// Live positions of layers 2 to this one.
pub fn live_positions_to(houses: u8, layer: u32) -> u128 {
    (2..=layer).map(|layer| live_positions(houses, layer)).sum()
}

/// Memory that building a layer takes at least besides finished layers: the blocks that the
/// largest pairs need turned, and those that they fill.
pub(crate) fn working_memory(family: &Family, ranks: &RowRanks, layer: u32, threads: usize) -> u64 {
    let layer = layer as usize;
    let size = |x: usize, y: usize| ranks.count(x) as u64 * ranks.count(y) as u64;
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

/// Bytes of memory that [`build_in_memory`] takes at least. What is built stays, one byte a
/// position; the rest is given back.
pub fn memory_to_build(game: &Game, layer: u32, threads: usize) -> Result<u64, Error> {
    let family = Family::of(game)?;
    check_layer(&family, layer)?;
    let total = live_positions_to(family.houses(), layer);
    let work = working_memory(&family, &RowRanks::new(family.houses()), layer, threads);
    Ok(u64::try_from(total).unwrap_or(u64::MAX).saturating_add(work))
}

/// Builds layers 2 to `layer` of a game's tables in memory.
///
/// ```
/// use sowing::{Position, Small};
/// use sowing_tables::{BuildOptions, build_in_memory};
///
/// let game = "kalah(6,4)".parse()?;
/// let tables = build_in_memory(&game, 8, &BuildOptions::default())?;
/// // The only move takes the seed and ends the game; the opponent keeps two.
/// let position = Position::free(game, &"0,0,0,0,0,1,0|2,0,0,0,0,0,0".parse()?)?;
/// assert_eq!(tables.probe(Small::new(position.board())?), Some(1 - 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_in_memory(game: &Game, layer: u32, options: &BuildOptions) -> Result<Tables, Error> {
    let mut tables = Tables::empty(game)?;
    tables.extend(layer, options)?;
    Ok(tables)
}

impl Tables {
    /// Tables of a game that know nothing yet, to be [extended](Tables::extend).
    pub fn empty(game: &Game) -> Result<Tables, Error> {
        let family = Family::of(game)?;
        Ok(Tables::new(family, Layers::new(family.houses())))
    }

    /// Builds the layers that tables in memory lack up to `layer`, as [`build_in_memory`] does. Where
    /// that fails, the layers that were finished stay.
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
        self.extend_with(layer, options, &mut Workshop::default())
    }

    /// The same with a workshop that these tables alone were extended with, if any were; for the next
    /// extension it holds on to what it made.
    ///
    /// # Panics
    /// If layers lie in files.
    pub fn extend_with(
        &mut self,
        layer: u32,
        options: &BuildOptions,
        workshop: &mut Workshop,
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
        let work = working_memory(&family, &self.layers.ranks, layer, options.threads);
        // More turned blocks would be found again, but fresh memory costs more than turning does.
        let budget = (options.memory - total).min(work);
        let filler = match workshop.0.take() {
            Some(filler) => filler.again(&family, layer, options, budget),
            None => Filler::new(&family, layer, options, budget),
        };
        let mut layers = std::mem::replace(&mut self.layers, Layers::new(family.houses()));
        let done = AtomicU64::new(present);
        let upwards = layers.max_layer() + 1..=layer as usize;
        let built = upwards.into_iter().try_for_each(|layer| {
            let map = one_layer(&layers, layer, &filler, options, &done, total)?;
            layers.push(Data::Memory(map));
            Ok(())
        });
        *self = Tables::new(family, layers);
        workshop.0 = Some(filler);
        built
    }
}

/// The values of the layer on top of those that are finished.
fn one_layer(
    layers: &Layers,
    layer: usize,
    filler: &Filler,
    options: &BuildOptions,
    done: &AtomicU64,
    total: u64,
) -> Result<Zeroed, Error> {
    let layout = Layout::new(&layers.ranks, layer);
    let mut map = memory(layout.len())?;
    let mut rest = signed_mut(&mut map);
    let mut pairs = Vec::new();
    for q in 1..=layer / 2 {
        let (values, after) = rest.split_at_mut(layout.pair(q).len());
        rest = after;
        pairs.push((q, values));
    }
    side_by_side(options.threads, pairs, |(q, values)| {
        if (options.halted)() {
            return Err(Error::Halted);
        }
        filler.fill(layers, layer, q, values)?;
        let done = done.fetch_add(values.len() as u64, Ordering::Relaxed) + values.len() as u64;
        (options.progress)(BuildProgress { layer: layer as u32, done, total });
        Ok(())
    })?;
    Ok(map)
}

/// Works through pairs on several threads, those with most seeds in the shorter row first: they
/// are the largest. The first error ends it.
pub(crate) fn side_by_side<T: Send>(
    threads: usize,
    work: Vec<T>,
    job: impl Fn(T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let queue = Mutex::new(work);
    let next = || queue.lock().expect("nothing panics with the queue").pop();
    let run = || -> Result<(), Error> {
        while let Some(work) = next() {
            job(work).inspect_err(|_| {
                queue.lock().expect("nothing panics with the queue").clear();
            })?;
        }
        Ok(())
    };
    if threads <= 1 {
        return run();
    }
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut result = run();
        for helper in helpers {
            let helped = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(helped);
        }
        result
    })
}
