//! Maps from rows to the indices of rows after a move, computed once per number of seeds.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use sowing_rules::Capture;

use super::sow_effect::{Last, SowEffects, crossing_pattern};
use crate::RowIndex;
use crate::row_index::seeds_in;

/// Consecutive rows that map to consecutive indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) len: u32,
    pub(super) from: u32,
    /// Seeds captured; 0 without a capture.
    pub(super) taken: u32,
}

/// The source of each row's value: an index per row, or runs where these are long on average.
#[derive(Debug)]
pub(super) enum Gather {
    Indices(Vec<u32>),
    Runs(Vec<Run>),
}

/// The average length from which on runs are faster than an index per row.
const MIN_RUN: usize = 12;

/// The index of each row of `seeds` seeds after `crossing` seeds have crossed into it.
#[derive(Debug)]
pub(super) struct CrossingMap {
    indices: Vec<u32>,
    gather: Gather,
    bound: usize,
}

impl CrossingMap {
    fn new(row_index: &RowIndex, seeds: usize, crossing: usize) -> CrossingMap {
        let added = crossing_pattern(row_index.houses(), crossing);
        let rows = row_index.rows(seeds);
        let indices: Vec<u32> =
            rows.iter().map(|row| row_index.index_of(row + added).1 as u32).collect();
        let runs = runs(indices.iter().map(|index| (0, *index)));
        let gather = if indices.len() / runs.len() < MIN_RUN {
            Gather::Indices(indices.clone())
        } else {
            Gather::Runs(runs)
        };
        let bound = indices.iter().max().map_or(0, |index| *index as usize + 1);
        CrossingMap { indices, gather, bound }
    }

    /// The index of one row after the crossing.
    pub(super) fn index(&self, row: usize) -> usize {
        self.indices[row] as usize
    }

    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// A strict upper bound of all indices.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    pub(super) fn gather(&self) -> &Gather {
        &self.gather
    }
}

/// Merges consecutive indices into runs.
fn runs(indices: impl Iterator<Item = (u32, u32)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (taken, from) in indices {
        match runs.last_mut() {
            Some(run) if run.taken == taken && run.from + run.len == from => run.len += 1,
            _ => runs.push(Run { len: 1, from, taken }),
        }
    }
    runs
}

/// The seeds that a row loses to a capture (8 bits), and its index without them (24 bits).
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureEntry(u32);

impl CaptureEntry {
    #[inline(always)]
    pub(super) fn taken(self) -> usize {
        (self.0 >> 24) as usize
    }

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
}

/// For each row of `seeds` seeds, after `crossing` seeds have crossed into it: the capture of one house.
#[derive(Debug)]
pub(super) struct CaptureMap {
    entries: Vec<CaptureEntry>,
    runs: Option<Vec<Run>>,
    /// For each number of seeds taken: a strict upper bound of the indices, 0 if there are none.
    bounds: Vec<usize>,
}

impl CaptureMap {
    fn new(row_index: &RowIndex, seeds: usize, crossing: usize, house: usize) -> CaptureMap {
        let added = crossing_pattern(row_index.houses(), crossing);
        let mut bounds = vec![0; seeds + crossing + 1];
        let entry = |row: u64| {
            let row = row + added;
            let taken = seeds_in(row, house);
            let index = row_index.index_of(row - (taken << (8 * house))).1;
            assert!(index < 1 << 24, "the layer is checked to be small enough");
            let bound = &mut bounds[taken as usize];
            *bound = (*bound).max(index + 1);
            CaptureEntry((taken << 24) as u32 | index as u32)
        };
        let entries: Vec<CaptureEntry> = row_index.rows(seeds).into_iter().map(entry).collect();
        let runs = runs(entries.iter().map(|entry| (entry.taken() as u32, entry.index() as u32)));
        let runs = (entries.len() / runs.len() >= MIN_RUN).then_some(runs);
        CaptureMap { entries, runs, bounds }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[CaptureEntry] {
        &self.entries
    }

    pub(super) fn runs(&self) -> Option<&[Run]> {
        self.runs.as_deref()
    }

    pub(super) fn bounds(&self) -> &[usize] {
        &self.bounds
    }
}

/// A segment of the candidates: the values after moves of one kind, for all rows of the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// All seeds stay in the mover's row.
    Pass,
    /// This number of seeds cross; the turn ends.
    Cross(usize),
    /// The last seed falls into the store, after this number of full laps.
    Again(usize),
    /// The last seed falls into an empty own house and captures: full laps, house.
    Capture(usize, usize),
    /// The last seed falls into an empty own house and is captured alone, after this number of full laps.
    LastSeed(usize),
}

/// For each row of `seeds` seeds of the mover and each house: the index of the candidate after that move.
#[derive(Debug)]
pub(super) struct CandidateTable {
    houses: usize,
    segments: Vec<(Segment, usize, usize)>,
    short: Option<Vec<u16>>,
    long: Vec<u32>,
    bound: usize,
}

impl CandidateTable {
    fn new(
        row_index: &RowIndex,
        effects: &SowEffects,
        capture: Capture,
        seeds: usize,
    ) -> CandidateTable {
        let houses = row_index.houses();
        let mut moves = Vec::new();
        let mut starts: BTreeMap<Segment, (usize, usize)> = BTreeMap::new();
        for row in row_index.rows(seeds) {
            for house in 0..houses {
                let sown = (seeds_in(row, house) > 0).then(|| {
                    let (after, effect) = effects.sow(row, house);
                    let laps = effect.gain;
                    match effect.last {
                        Last::Store => (Segment::Again(laps - 1), after),
                        Last::Own(last) if seeds_in(after, last) == 1 => {
                            let without = after - (1 << (8 * last));
                            match capture {
                                Capture::None if laps == 0 => (Segment::Pass, after),
                                Capture::None => (Segment::Cross(effect.crossing), after),
                                Capture::LastSeed => (Segment::LastSeed(laps), without),
                                Capture::Standard | Capture::Empty => {
                                    (Segment::Capture(laps, last), without)
                                }
                            }
                        }
                        _ if effect.crossing == 0 => (Segment::Pass, after),
                        _ => (Segment::Cross(effect.crossing), after),
                    }
                });
                let index = sown.map(|(segment, after)| {
                    let (seeds, index) = row_index.index_of(after);
                    starts.insert(segment, (0, row_index.count(seeds)));
                    (segment, index)
                });
                moves.push(index);
            }
        }
        // Index 0 is the candidate of an empty house.
        let mut bound = 1;
        for (start, len) in starts.values_mut() {
            *start = bound;
            bound += *len;
        }
        let index = |sown: Option<(Segment, usize)>| {
            sown.map_or(0, |(segment, index)| starts[&segment].0 + index)
        };
        let long: Vec<u32> = moves.into_iter().map(|sown| index(sown) as u32).collect();
        let fits = bound <= 1 << 16;
        let short = fits.then(|| long.iter().map(|index| *index as u16).collect());
        let segments =
            starts.iter().map(|(segment, (start, len))| (*segment, *start, *len)).collect();
        CandidateTable { houses, segments, long: if fits { vec![] } else { long }, short, bound }
    }

    pub(super) fn houses(&self) -> usize {
        self.houses
    }

    /// The segments in order, each with its start and length.
    pub(super) fn segments(&self) -> &[(Segment, usize, usize)] {
        &self.segments
    }

    /// The number of candidates: a strict upper bound of all indices.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    /// The indices, by row and then by house, if 16 bits suffice.
    pub(super) fn short(&self) -> Option<&[u16]> {
        self.short.as_deref()
    }

    /// The indices if 16 bits do not suffice.
    pub(super) fn long(&self) -> &[u32] {
        &self.long
    }
}

/// The rows with one house empty: their index, and their index with one seed in that house.
#[derive(Debug)]
pub(super) struct EmptyHouseMap(pub(super) Vec<(u32, u32)>);

impl EmptyHouseMap {
    fn new(row_index: &RowIndex, seeds: usize, house: usize) -> EmptyHouseMap {
        let rows = row_index.rows(seeds).into_iter().enumerate();
        let empty = rows.filter(|(_, row)| seeds_in(*row, house) == 0);
        let filled = |row: u64| row_index.index_of(row + (1 << (8 * house))).1;
        EmptyHouseMap(empty.map(|(index, row)| (index as u32, filled(row) as u32)).collect())
    }
}

#[derive(Debug)]
struct Memo<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo(Mutex::default())
    }
}

impl<K: Hash + Eq, V> Memo<K, V> {
    fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut memo = self.0.lock().expect("no thread panics with the memo");
        memo.entry(key).or_insert_with(|| Arc::new(make())).clone()
    }
}

/// All maps of a build, each computed on first use.
#[derive(Debug, Default)]
pub(super) struct RowMaps {
    crossings: Memo<(usize, usize), CrossingMap>,
    captures: Memo<(usize, usize, usize), CaptureMap>,
    candidate_table: Memo<usize, CandidateTable>,
    empty_houses: Memo<(usize, usize), EmptyHouseMap>,
}

impl RowMaps {
    pub(super) fn crossing(
        &self,
        row_index: &RowIndex,
        seeds: usize,
        crossing: usize,
    ) -> Arc<CrossingMap> {
        self.crossings.get((seeds, crossing), || CrossingMap::new(row_index, seeds, crossing))
    }

    pub(super) fn capture(
        &self,
        row_index: &RowIndex,
        seeds: usize,
        crossing: usize,
        house: usize,
    ) -> Arc<CaptureMap> {
        self.captures
            .get((seeds, crossing, house), || CaptureMap::new(row_index, seeds, crossing, house))
    }

    pub(super) fn candidate_table(
        &self,
        row_index: &RowIndex,
        effects: &SowEffects,
        capture: Capture,
        seeds: usize,
    ) -> Arc<CandidateTable> {
        self.candidate_table.get(seeds, || CandidateTable::new(row_index, effects, capture, seeds))
    }

    pub(super) fn empty_houses(
        &self,
        row_index: &RowIndex,
        seeds: usize,
        house: usize,
    ) -> Arc<EmptyHouseMap> {
        self.empty_houses.get((seeds, house), || EmptyHouseMap::new(row_index, seeds, house))
    }
}

#[cfg(test)]
mod tests {
    use sowing_rules::{CompactBoard, CompiledRules, Game};

    use super::*;

    /// Every move of every pair of rows: the maps give the rows that the rules give.
    #[test]
    fn maps_agree_with_the_rules() {
        for (game, p, q) in [
            ("kalah(3,1)", 4, 5),
            ("kalah(2,1,empty-capture)", 11, 3),
            ("kalah(1,1)", 9, 2),
            ("kalah(3,1,last-seed-capture)", 5, 3),
            ("kalah(3,1,no-capture)", 8, 2),
        ] {
            let game: Game = game.parse().unwrap();
            let (row_index, maps) = (RowIndex::new(game.houses()), RowMaps::default());
            let houses = row_index.houses();
            let rules = CompiledRules::<CompactBoard>::new(&game);
            let effects = SowEffects::new(houses, p);
            let capture = game.rules().capture;
            let table = maps.candidate_table(&row_index, &effects, capture, p);
            let index = |row: u64| row_index.index_of(row).1;
            for (a, own) in row_index.rows(p).into_iter().enumerate() {
                for house in (0..houses).filter(|house| seeds_in(own, *house) > 0) {
                    let effect = effects.sow(own, house).1;
                    let candidate = usize::from(table.short().unwrap()[a * houses + house]);
                    let (segment, start, _) = *table
                        .segments()
                        .iter()
                        .find(|(_, start, len)| (*start..start + len).contains(&candidate))
                        .unwrap();
                    for (b, other) in row_index.rows(q).into_iter().enumerate() {
                        let played =
                            rules.play_unchecked(CompactBoard::from_rows(own, other), house);
                        let (mine, theirs) = match played.again {
                            true => (played.board.own(), played.board.other()),
                            false => (played.board.other(), played.board.own()),
                        };
                        assert_eq!(played.again, matches!(segment, Segment::Again(_)));
                        let Segment::Capture(_, last) = segment else {
                            let crossed = maps.crossing(&row_index, q, effect.crossing).index(b);
                            assert_eq!(candidate - start, index(mine), "{game}");
                            assert_eq!(crossed, index(theirs), "{game}");
                            continue;
                        };
                        let opposite = houses - 1 - last;
                        let map = maps.capture(&row_index, q, effect.crossing, opposite);
                        let entry = map.entries()[b];
                        if capture == Capture::Standard && entry.taken() == 0 {
                            // The last seed stays.
                            assert_eq!(played.gain, effect.gain as u64);
                            let empty = maps.empty_houses(&row_index, p - 1, last);
                            let filled = empty
                                .0
                                .iter()
                                .find(|(empty, _)| *empty as usize == candidate - start);
                            if effect.crossing == 0 {
                                assert_eq!(filled.unwrap().1 as usize, index(mine), "{game}");
                            }
                            continue;
                        }
                        assert_eq!(played.gain as usize, effect.gain + 1 + entry.taken());
                        assert_eq!(candidate - start, index(mine), "{game}");
                        assert_eq!(entry.index(), index(theirs), "{game}");
                    }
                }
            }
        }
    }
}
