//! Where rows go: tables made once for each number of seeds.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use sowing::Capture;

use super::lay::{Last, Lays, pattern};
use crate::RowRanks;
use crate::rank::seeds_in;

/// Neighbouring rows that go to neighbouring places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) len: u32,
    pub(super) from: u32,
    /// Of captures: how many seeds are taken.
    pub(super) taken: u32,
}

/// Where each row goes: place by place, or in runs where those are long.
#[derive(Debug)]
pub(super) enum Index {
    Each(Vec<u32>),
    Runs(Vec<Run>),
}

/// Runs shorter than this on average do not pay.
const LONG_RUN: usize = 12;

/// The rank of each row of k seeds once so many seeds have crossed into it.
#[derive(Debug)]
pub(super) struct Map {
    places: Vec<u32>,
    index: Index,
    bound: usize,
}

impl Map {
    fn new(ranks: &RowRanks, seeds: usize, crossing: usize) -> Map {
        let added = pattern(ranks.houses(), crossing);
        let rows = ranks.rows(seeds);
        let places: Vec<u32> = rows.iter().map(|row| ranks.rank(row + added).1 as u32).collect();
        let runs = runs(places.iter().map(|place| (0, *place)));
        let index = if places.len() / runs.len() < LONG_RUN {
            Index::Each(places.clone())
        } else {
            Index::Runs(runs)
        };
        let bound = places.iter().max().map_or(0, |place| *place as usize + 1);
        Map { places, index, bound }
    }

    /// The place of one row.
    pub(super) fn place(&self, row: usize) -> usize {
        self.places[row] as usize
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// All places are below this.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }
}

/// Joins neighbours.
fn runs(places: impl Iterator<Item = (u32, u32)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (taken, from) in places {
        match runs.last_mut() {
            Some(run) if run.taken == taken && run.from + run.len == from => run.len += 1,
            _ => runs.push(Run { len: 1, from, taken }),
        }
    }
    runs
}

/// How many seeds a row loses to a capture, and its rank without them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken(u32);

impl Taken {
    #[inline(always)]
    pub(super) fn taken(self) -> usize {
        (self.0 >> 24) as usize
    }

    #[inline(always)]
    pub(super) fn place(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
}

/// For each row of k seeds, once so many have crossed into it: what the capture of one house takes.
#[derive(Debug)]
pub(super) struct CaptureMap {
    entries: Vec<Taken>,
    runs: Option<Vec<Run>>,
    /// For each number of seeds taken: all places are below this.
    bounds: Vec<usize>,
}

impl CaptureMap {
    fn new(ranks: &RowRanks, seeds: usize, crossing: usize, house: usize) -> CaptureMap {
        let added = pattern(ranks.houses(), crossing);
        let mut bounds = vec![0; seeds + crossing + 1];
        let entry = |row: u64| {
            let row = row + added;
            let taken = seeds_in(row, house);
            let place = ranks.rank(row - (taken << (8 * house))).1;
            assert!(place < 1 << 24, "the layer is checked to be small enough");
            let bound = &mut bounds[taken as usize];
            *bound = (*bound).max(place + 1);
            Taken((taken << 24) as u32 | place as u32)
        };
        let entries: Vec<Taken> = ranks.rows(seeds).into_iter().map(entry).collect();
        let runs = runs(entries.iter().map(|entry| (entry.taken() as u32, entry.place() as u32)));
        let runs = (entries.len() / runs.len() >= LONG_RUN).then_some(runs);
        CaptureMap { entries, runs, bounds }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[Taken] {
        &self.entries
    }

    pub(super) fn runs(&self) -> Option<&[Run]> {
        self.runs.as_deref()
    }

    pub(super) fn bounds(&self) -> &[usize] {
        &self.bounds
    }
}

/// A stretch of candidates: values that moves of the many movers of a step lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// The mover's seeds stay in the row.
    Pass,
    /// So many cross; the turn ends.
    Cross(usize),
    /// The last seed falls into the store, after so many full laps.
    Again(usize),
    /// The last seed falls into an empty own house, after so many full laps.
    Capture(usize, usize),
    /// The last seed alone is captured, after so many full laps.
    LastSeed(usize),
}

/// For each row of k seeds as the mover's, and each house of it: the candidate that it leads to.
#[derive(Debug)]
pub(super) struct Records {
    houses: usize,
    segments: Vec<(Segment, usize, usize)>,
    short: Option<Vec<u16>>,
    long: Vec<u32>,
    bound: usize,
}

impl Records {
    fn new(ranks: &RowRanks, lays: &Lays, capture: Capture, seeds: usize) -> Records {
        let houses = ranks.houses();
        let mut moves = Vec::new();
        let mut starts: BTreeMap<Segment, (usize, usize)> = BTreeMap::new();
        for row in ranks.rows(seeds) {
            for house in 0..houses {
                let sown = (seeds_in(row, house) > 0).then(|| {
                    let (after, lay) = lays.sow(row, house);
                    let laps = lay.gain;
                    match lay.last {
                        Last::Store => (Segment::Again(laps - 1), after),
                        Last::Own(last) if seeds_in(after, last) == 1 => {
                            let without = after - (1 << (8 * last));
                            match capture {
                                Capture::None if laps == 0 => (Segment::Pass, after),
                                Capture::None => (Segment::Cross(lay.crossing), after),
                                Capture::LastSeed => (Segment::LastSeed(laps), without),
                                Capture::Standard | Capture::Empty => {
                                    (Segment::Capture(laps, last), without)
                                }
                            }
                        }
                        _ if lay.crossing == 0 => (Segment::Pass, after),
                        _ => (Segment::Cross(lay.crossing), after),
                    }
                });
                let place = sown.map(|(segment, after)| {
                    let (seeds, rank) = ranks.rank(after);
                    starts.insert(segment, (0, ranks.count(seeds)));
                    (segment, rank)
                });
                moves.push(place);
            }
        }
        // Place 0 is the candidate of a house without seeds.
        let mut bound = 1;
        for (start, len) in starts.values_mut() {
            *start = bound;
            bound += *len;
        }
        let place = |sown: Option<(Segment, usize)>| {
            sown.map_or(0, |(segment, rank)| starts[&segment].0 + rank)
        };
        let long: Vec<u32> = moves.into_iter().map(|sown| place(sown) as u32).collect();
        let fits = bound <= 1 << 16;
        let short = fits.then(|| long.iter().map(|place| *place as u16).collect());
        let segments =
            starts.iter().map(|(segment, (start, len))| (*segment, *start, *len)).collect();
        Records { houses, segments, long: if fits { vec![] } else { long }, short, bound }
    }

    pub(super) fn houses(&self) -> usize {
        self.houses
    }

    /// The segments in order, each with its start and length.
    pub(super) fn segments(&self) -> &[(Segment, usize, usize)] {
        &self.segments
    }

    /// All places are below this: how many candidates there are.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    /// The places, house by house and row by row, where two bytes are enough for them.
    pub(super) fn short(&self) -> Option<&[u16]> {
        self.short.as_deref()
    }

    /// The places where two bytes are not enough.
    pub(super) fn long(&self) -> &[u32] {
        &self.long
    }
}

/// Rows with nothing in one house: their own rank, and their rank with one seed there.
#[derive(Debug)]
pub(super) struct Gaps(pub(super) Vec<(u32, u32)>);

impl Gaps {
    fn new(ranks: &RowRanks, seeds: usize, house: usize) -> Gaps {
        let rows = ranks.rows(seeds).into_iter().enumerate();
        let empty = rows.filter(|(_, row)| seeds_in(*row, house) == 0);
        let filled = |row: u64| ranks.rank(row + (1 << (8 * house))).1;
        Gaps(empty.map(|(rank, row)| (rank as u32, filled(row) as u32)).collect())
    }
}

#[derive(Debug)]
struct Memo<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K: Hash + Eq, V> Memo<K, V> {
    fn new() -> Memo<K, V> {
        Memo(Mutex::new(HashMap::new()))
    }

    fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut memo = self.0.lock().expect("no thread panics with the memo");
        memo.entry(key).or_insert_with(|| Arc::new(make())).clone()
    }
}

/// All the maps of a build, made when first asked for.
#[derive(Debug)]
pub(super) struct Maps {
    crossings: Memo<(usize, usize), Map>,
    captures: Memo<(usize, usize, usize), CaptureMap>,
    records: Memo<usize, Records>,
    gaps: Memo<(usize, usize), Gaps>,
}

impl Maps {
    pub(super) fn new() -> Maps {
        Maps {
            crossings: Memo::new(),
            captures: Memo::new(),
            records: Memo::new(),
            gaps: Memo::new(),
        }
    }

    pub(super) fn crossing(&self, ranks: &RowRanks, seeds: usize, crossing: usize) -> Arc<Map> {
        self.crossings.get((seeds, crossing), || Map::new(ranks, seeds, crossing))
    }

    pub(super) fn capture(
        &self,
        ranks: &RowRanks,
        seeds: usize,
        crossing: usize,
        house: usize,
    ) -> Arc<CaptureMap> {
        self.captures
            .get((seeds, crossing, house), || CaptureMap::new(ranks, seeds, crossing, house))
    }

    pub(super) fn records(
        &self,
        ranks: &RowRanks,
        lays: &Lays,
        capture: Capture,
        seeds: usize,
    ) -> Arc<Records> {
        self.records.get(seeds, || Records::new(ranks, lays, capture, seeds))
    }

    pub(super) fn gaps(&self, ranks: &RowRanks, seeds: usize, house: usize) -> Arc<Gaps> {
        self.gaps.get((seeds, house), || Gaps::new(ranks, seeds, house))
    }
}
