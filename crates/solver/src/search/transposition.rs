//! The transposition table: proven bounds of boards.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sowing_platform::{Zeroed, prefetch};
use sowing_rules::{BoardIndex, Bounds};

use super::search_board::SearchBoard;
use crate::entry::{EFFORT_BITS, Entry, least_effort};
use crate::error::SolveError;

/// A transposition table of proven bounds, shared by threads without locks.
///
/// An entry is one word, read and written whole: the bounds, the effort behind them, and a tag. An entry never
/// stands for another board: bucket and tag together are the board's complete index (*quotienting*: Cleary, 1984).
/// The index is scrambled by a bijection. The range of scrambled indices is cut into as many intervals as there are
/// buckets; an interval is at most 2^tag_bits long, so the lowest tag_bits bits are different for all its members.
///
/// Bounds stay true for ever, since a board's value depends on nothing else. Two threads that store at once may lose
/// an update or store a board twice; neither makes an entry false. Where a bucket is full, the entry with the least
/// effort is replaced.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    indices: BoardIndex,
    entries: Words,
    buckets: u64,
    tag_bits: u32,
}

/// Two bounds of one board cross, or no board has them: something false counts as proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundsCrossed;

/// Entries per bucket: one cache line.
const WAYS: usize = 8;

const BUCKET_BYTES: u64 = 8 * WAYS as u64;

const BOUND_BITS: u32 = 8;
const EFFORT_MASK: u64 = (1 << EFFORT_BITS) - 1;
const TAG_SHIFT: u32 = 2 * BOUND_BITS + EFFORT_BITS;

/// Odd, so that each has an inverse modulo every power of two.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The number that gives 1 when multiplied by an odd factor, modulo 2^64.
fn inverse(factor: u64) -> u64 {
    // Newton's iteration: three bits are right at first, and each step doubles them.
    (0..5).fold(factor, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)))
    })
}

/// The bucket and the tag of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The first word of the bucket.
    first_word: usize,
    tag: u64,
}

impl TranspositionTable {
    /// A table of at most `bytes` bytes, but never fewer than the tags need.
    pub(crate) fn new(houses: usize, bytes: u64) -> io::Result<TranspositionTable> {
        let indices = BoardIndex::new(houses);
        let bits = indices.bits();
        // The bits that the tag cannot hold are in the bucket.
        let least = 1 << bits.saturating_sub(64 - TAG_SHIFT);
        let buckets = (bytes / BUCKET_BYTES).clamp(least, 1 << bits.min(40));
        let longest = (1_u64 << bits).div_ceil(buckets);
        let tag_bits = longest.next_power_of_two().ilog2();
        let words = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(WAYS));
        let entries = Words::new(words.ok_or(io::ErrorKind::OutOfMemory)?)?;
        Ok(TranspositionTable { indices, entries, buckets, tag_bits })
    }

    /// The bytes that the table takes.
    pub(crate) fn bytes(&self) -> u64 {
        BUCKET_BYTES * self.buckets
    }

    /// The number of entries that fit.
    pub(crate) fn capacity(&self) -> u64 {
        WAYS as u64 * self.buckets
    }

    /// Whether more than half of the entries are in use, by a sample of buckets: soon entries are replaced.
    pub(crate) fn is_crowded(&self) -> bool {
        const SAMPLE: usize = 1 << 10;
        let buckets = self.entries.words().chunks_exact(WAYS);
        let sample = buckets.step_by((self.buckets as usize / SAMPLE).max(1)).flatten();
        let (used, all) = sample.fold((0, 0), |(used, all), entry| {
            (used + usize::from(entry.load(Relaxed) != 0), all + 1)
        });
        2 * used > all
    }

    /// The same entries in a larger table; `None` if `is_stopped` says so first. Bucket and tag together are the
    /// scrambled index, for any number of buckets. An entry is lost only where more than a bucket's worth of them
    /// fall into one new bucket.
    pub(crate) fn grown(
        &self,
        bytes: u64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<TranspositionTable>, SolveError> {
        let grown = TranspositionTable::new(self.indices.houses(), bytes)?;
        for (index, entry) in self.entries.words().iter().enumerate() {
            if index % (1 << 16) == 0 && is_stopped() {
                return Ok(None);
            }
            let entry = entry.load(Relaxed);
            if entry != 0 {
                let scrambled = self.scrambled_at((index / WAYS) as u64, entry >> TAG_SHIFT);
                let effort = entry >> (2 * BOUND_BITS) & EFFORT_MASK;
                grown
                    .store(grown.slot_at(scrambled), unpack(entry), 1 << effort)
                    .map_err(|BoundsCrossed| SolveError::Contradiction)?;
            }
        }
        Ok(Some(grown))
    }

    /// The slot of a board of this layer; `None` if the layer is too high for the table.
    #[inline]
    pub(crate) fn slot<B: SearchBoard>(&self, board: &B, layer: u64) -> Option<Slot> {
        if layer > self.indices.max_layer() {
            return None;
        }
        Some(self.slot_at(self.scramble(board.index(&self.indices))))
    }

    /// Scrambles an index: each step is a bijection of the numbers below 2^bits.
    #[inline]
    fn scramble(&self, index: u64) -> u64 {
        let (half, mask) = (self.half(), (1 << self.indices.bits()) - 1);
        let mut scrambled = index.wrapping_mul(FACTORS[0]) & mask;
        scrambled ^= scrambled >> half;
        scrambled = scrambled.wrapping_mul(FACTORS[1]) & mask;
        scrambled ^ scrambled >> half
    }

    /// More than half of the bits, so that `x ^ x >> half` is its own inverse.
    #[inline]
    fn half(&self) -> u32 {
        self.indices.bits() / 2 + 1
    }

    /// The inverse of [`scramble`](Self::scramble).
    fn unscramble(&self, scrambled: u64) -> u64 {
        let (half, mask) = (self.half(), (1 << self.indices.bits()) - 1);
        let mut index = scrambled ^ scrambled >> half;
        index = index.wrapping_mul(inverse(FACTORS[1])) & mask;
        index ^= index >> half;
        index.wrapping_mul(inverse(FACTORS[0])) & mask
    }

    /// Stores the entries of a book. In a full bucket each of them replaces the entry with the least effort.
    pub(crate) fn import(&self, entries: &[Entry]) -> Result<(), BoundsCrossed> {
        entries.iter().try_for_each(|entry| {
            self.store(self.slot_at(self.scramble(entry.index)), entry.bounds(), entry.work())
        })
    }

    /// A book entry of the board with a slot.
    pub(crate) fn entry(&self, slot: Slot, bounds: Bounds, work: u64) -> Entry {
        let scrambled = self.scrambled_at((slot.first_word / WAYS) as u64, slot.tag);
        Entry::new(self.unscramble(scrambled), bounds, work)
    }

    /// The entries with the most effort, at most `max`, in order of index.
    pub(crate) fn export(&self, max: usize) -> Vec<Entry> {
        let words = || self.entries.words().iter().map(|entry| entry.load(Relaxed));
        let mut counts = [0; 1 << EFFORT_BITS];
        for entry in words().filter(|entry| *entry != 0) {
            counts[(entry >> (2 * BOUND_BITS) & EFFORT_MASK) as usize] += 1;
        }
        let min_work = 1 << least_effort(&counts, max);
        let mut exported: Vec<Entry> = (self.entries.words().iter().enumerate())
            .filter_map(|(index, entry)| {
                let entry = entry.load(Relaxed);
                let work = 1 << (entry >> (2 * BOUND_BITS) & EFFORT_MASK);
                if entry == 0 || work < min_work {
                    return None;
                }
                let scrambled = self.scrambled_at((index / WAYS) as u64, entry >> TAG_SHIFT);
                Some(Entry::new(self.unscramble(scrambled), unpack(entry), work))
            })
            .collect();
        exported.sort_unstable_by_key(|entry| entry.index);
        // A board is there twice if two threads stored it at once; both entries are true.
        exported.dedup_by(|one, other| one.index == other.index);
        exported
    }

    /// The bucket by multiply-shift range reduction (Lemire, 2019).
    #[inline]
    fn slot_at(&self, scrambled: u64) -> Slot {
        let bucket = (u128::from(scrambled) * u128::from(self.buckets)) >> self.indices.bits();
        let tag = scrambled & ((1 << self.tag_bits) - 1);
        Slot { first_word: bucket as usize * WAYS, tag }
    }

    /// The scrambled index in a bucket: the member of its interval that ends in the tag.
    fn scrambled_at(&self, bucket: u64, tag: u64) -> u64 {
        let first =
            (u128::from(bucket) << self.indices.bits()).div_ceil(self.buckets.into()) as u64;
        first + (tag.wrapping_sub(first) & ((1 << self.tag_bits) - 1))
    }

    /// The bounds stored for the board with a slot.
    #[inline]
    pub(crate) fn probe(&self, slot: Slot) -> Option<Bounds> {
        let bucket = &self.entries.words()[slot.first_word..slot.first_word + WAYS];
        bucket.iter().find_map(|entry| {
            let entry = entry.load(Relaxed);
            (entry != 0 && entry >> TAG_SHIFT == slot.tag).then(|| unpack(entry))
        })
    }

    /// Stores bounds that took about `work` nodes to prove: narrows an entry of the same board, or replaces the
    /// one with the least effort.
    #[must_use = "crossing bounds end a search"]
    pub(crate) fn store(&self, slot: Slot, bounds: Bounds, work: u64) -> Result<(), BoundsCrossed> {
        if !(-OFFSET < bounds.low && bounds.low <= bounds.high && bounds.high < OFFSET) {
            return Err(BoundsCrossed);
        }
        let bucket = &self.entries.words()[slot.first_word..slot.first_word + WAYS];
        let effort = u64::from(work.max(1).ilog2().min(EFFORT_MASK as u32));
        let mut victim = (u64::MAX, 0);
        for (way, entry) in bucket.iter().enumerate() {
            let entry = entry.load(Relaxed);
            if entry == 0 {
                // Entries fill a bucket from the front.
                if victim.0 != 0 {
                    victim = (0, way);
                }
                continue;
            }
            if entry >> TAG_SHIFT == slot.tag {
                let both = unpack(entry).intersect(bounds).ok_or(BoundsCrossed)?;
                let effort = effort.max(entry >> (2 * BOUND_BITS) & EFFORT_MASK);
                bucket[way].store(pack(slot.tag, effort, both), Relaxed);
                return Ok(());
            }
            let known_effort = 1 + (entry >> (2 * BOUND_BITS) & EFFORT_MASK);
            if known_effort < victim.0 {
                victim = (known_effort, way);
            }
        }
        bucket[victim.1].store(pack(slot.tag, effort, bounds), Relaxed);
        Ok(())
    }

    /// Prefetches the bucket of a slot.
    #[inline]
    pub(crate) fn prefetch(&self, slot: Slot) {
        prefetch(self.entries.words().as_ptr().wrapping_add(slot.first_word));
    }
}

/// Words that start as zero, in large pages where the system has them: with small pages, a random read would
/// cost a second miss.
#[derive(Debug)]
struct Words(Zeroed);

impl Words {
    fn new(words: usize) -> io::Result<Words> {
        let bytes = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Words(Zeroed::new(bytes)?))
    }

    #[inline]
    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the bytes are aligned to a page, zeroed, a whole number of words long, live as
        // long as `self`, and are never touched but through these words, which may be shared.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 8) }
    }
}

const OFFSET: i64 = 128;

fn pack(tag: u64, effort: u64, bounds: Bounds) -> u64 {
    let Bounds { low, high } = bounds;
    debug_assert!(-OFFSET < low && low <= high && high < OFFSET, "{bounds:?}");
    let (low, high) = ((low + OFFSET) as u64, (high + OFFSET) as u64);
    tag << TAG_SHIFT | effort << (2 * BOUND_BITS) | high << BOUND_BITS | low
}

fn unpack(entry: u64) -> Bounds {
    let low = (entry & 0xff) as i64 - OFFSET;
    let high = (entry >> BOUND_BITS & 0xff) as i64 - OFFSET;
    Bounds { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::SeededRng;

    /// In tables of any size no two indices share a slot, and a slot gives its index back.
    #[test]
    fn slots_are_complete() {
        for (houses, bytes) in [(1, 64), (1, 1000), (2, 64 * 12_347), (6, 64 * 100_003), (8, 1)] {
            let table = TranspositionTable::new(houses, bytes).unwrap();
            let end = 1_u64 << table.indices.bits();
            let step = (end / 5_000).max(1);
            let indices = (0..end).step_by(step as usize).flat_map(|from| from..from + 3);
            for scrambled in indices.filter(|scrambled| *scrambled < end).chain([end - 1]) {
                let slot = table.slot_at(scrambled);
                assert!(slot.tag < 1 << (64 - TAG_SHIFT));
                let bucket = (slot.first_word / WAYS) as u64;
                assert!(bucket < table.buckets);
                assert_eq!(table.scrambled_at(bucket, slot.tag), scrambled, "{houses} {bytes}");
            }
        }
    }

    /// Stored entries come out under their index.
    #[test]
    fn exported_entries_are_what_was_stored() {
        let table = TranspositionTable::new(6, 64 * 10_007).unwrap();
        let end = 1_u64 << table.indices.bits();
        let indices: Vec<u64> = (0..300).map(|i| i * (end / 301)).collect();
        for (index, work) in indices.iter().zip(1..) {
            assert_eq!(table.unscramble(table.scramble(*index)), *index);
            let bounds = Bounds { low: (index % 50) as i64, high: 60 };
            table.store(table.slot_at(table.scramble(*index)), bounds, work).unwrap();
        }
        // Half of them would be in the middle of those that took as much: less is kept.
        let exported = table.export(299);
        assert_eq!(exported.len(), 300 - 1);
        let exported = table.export(180);
        assert_eq!(exported.len(), 300 - 127);
        for (entry, index) in exported.iter().zip(&indices[127..]) {
            assert_eq!((entry.index, entry.low, entry.high), (*index, (index % 50) as i8, 60));
        }
        let other = TranspositionTable::new(6, 64 * 999).unwrap();
        other.import(&exported).unwrap();
        assert_eq!(other.export(1000), exported);
    }

    #[test]
    fn crossing_bounds_are_refused() {
        let table = TranspositionTable::new(2, 1 << 12).unwrap();
        let slot = table.slot_at(77);
        assert_eq!(table.store(slot, Bounds { low: 2, high: 9 }, 1), Ok(()));
        assert_eq!(table.store(slot, Bounds { low: -9, high: 1 }, 1), Err(BoundsCrossed));
        assert_eq!(table.probe(slot), Some(Bounds { low: 2, high: 9 }));
        assert_eq!(table.store(slot, Bounds { low: -9, high: 2 }, 1), Ok(()));
        assert_eq!(table.probe(slot), Some(Bounds { low: 2, high: 2 }));
    }

    #[test]
    fn bounds_that_no_board_has_are_refused() {
        let table = TranspositionTable::new(2, 1 << 12).unwrap();
        let slot = table.slot_at(77);
        for (low, high) in [(3, 2), (-128, 0), (0, 128), (i64::MIN, i64::MAX)] {
            assert_eq!(table.store(slot, Bounds { low, high }, 1), Err(BoundsCrossed));
            assert_eq!(table.probe(slot), None);
        }
    }

    #[test]
    fn nothing_is_lost_in_growing() {
        let small = TranspositionTable::new(3, 64 * 99).unwrap();
        let indices: Vec<u64> =
            (0..300).map(|i| i * 1_000_003 % (1 << small.indices.bits())).collect();
        for (index, low) in indices.iter().zip(0..) {
            small.store(small.slot_at(*index), Bounds { low: low % 100, high: 100 }, 1).unwrap();
        }
        let large = small.grown(64 * 1_000, &|| false).unwrap().expect("not stopped");
        for index in &indices {
            let kept = small.probe(small.slot_at(*index));
            assert_eq!(large.probe(large.slot_at(*index)), kept);
        }
        assert!(small.grown(64 * 1_000, &|| true).unwrap().is_none());
    }

    #[test]
    fn a_table_is_crowded_when_half_of_it_is_in_use() {
        let table = TranspositionTable::new(6, 64 * 20_000).unwrap();
        let mut random = SeededRng::new(3, 0);
        let mut store = |entries: u64| {
            for _ in 0..entries {
                let index = random.below(1 << table.indices.bits());
                let slot = table.slot_at(table.scramble(index));
                table.store(slot, Bounds { low: 0, high: 1 }, 1).unwrap();
            }
        };
        store(table.capacity() * 3 / 8);
        assert!(!table.is_crowded());
        store(table.capacity() * 3 / 8);
        assert!(table.is_crowded());
    }

    /// Four threads store true bounds of few boards into few buckets, and probe: no probe ever gives bounds that
    /// the board's value does not satisfy.
    #[test]
    fn threads_see_whole_entries_of_the_right_board() {
        let table = TranspositionTable::new(3, 64 * 64).unwrap();
        let value = |index: u64| (index % 61) as i64 - 30;
        let hits: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let table = &table;
                    scope.spawn(move || {
                        let (mut random, mut hits) = (SeededRng::new(8, thread), 0);
                        for _ in 0..200_000 {
                            let index = 1_000 * random.below(2_000);
                            let slot = table.slot_at(table.scramble(index));
                            let (below, above) = (random.below(20) as i64, random.below(20) as i64);
                            let bounds =
                                Bounds { low: value(index) - below, high: value(index) + above };
                            table.store(slot, bounds, 1 + random.below(1_000)).unwrap();
                            if let Some(Bounds { low, high }) = table.probe(slot) {
                                assert!(low <= value(index) && value(index) <= high);
                                hits += 1;
                            }
                        }
                        hits
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(hits > 100_000, "{hits}");
    }
}
