//! What the search remembers: proven bounds of positions.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sowing_platform::Zeroed;

use crate::book::Entry;
use crate::rank::{BoardRanks, Ranked};
use crate::verdict::Bounds;

/// A table of bounds, shared by threads.
///
/// An entry is one word, read and written whole, so that a reader never sees half of one. It
/// holds the bounds, how much work they took, and what the place in the table does not tell of the
/// board's rank.
///
/// A scrambled rank (a bijection of its bits) belongs to the bucket that it falls into when the
/// numbers below 2^bits are cut into as many stretches as there are buckets. A stretch is at most
/// 2^tag_bits long, and numbers that are less than 2^tag_bits apart differ in their lowest tag_bits
/// bits: those are the entry's tag. Bucket and tag together therefore name the board completely,
/// and no other board can be taken for it. Bounds stay true for ever, since a position's value
/// depends on nothing but its board.
#[derive(Debug)]
pub(crate) struct Memory {
    ranks: BoardRanks,
    entries: Words,
    buckets: u64,
    tag_bits: u32,
}

/// Two bounds of one position cross, or no board has them: something that was taken for proven is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossed;

/// Entries a bucket: a cache line of them.
const WAYS: usize = 8;

const BUCKET_BYTES: u64 = 8 * WAYS as u64;

const BOUND_BITS: u32 = 8;
pub(crate) const EFFORT_BITS: u32 = 6;
const EFFORT_MASK: u64 = (1 << EFFORT_BITS) - 1;
const TAG_SHIFT: u32 = 2 * BOUND_BITS + EFFORT_BITS;

/// The least effort such that no more than so many entries took as much, given how many took each.
pub(crate) fn least_effort(counts: &[usize; 1 << EFFORT_BITS], most: usize) -> u32 {
    let (mut least, mut all) = (EFFORT_MASK as u32, 0);
    for (effort, count) in counts.iter().enumerate().rev() {
        all += count;
        if all > most {
            break;
        }
        least = effort as u32;
    }
    least
}

/// Odd, so that each has an inverse modulo every power of two.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The number that gives 1 when multiplied by an odd factor, modulo 2^64.
fn inverse(factor: u64) -> u64 {
    // Three bits are right at first, and each step doubles them.
    (0..5).fold(factor, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)))
    })
}

/// Where a board's entry may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    bucket: usize,
    tag: u64,
}

impl Memory {
    /// A table of at most this many bytes (but never too small to work).
    pub(crate) fn new(houses: usize, bytes: u64) -> io::Result<Memory> {
        let ranks = BoardRanks::new(houses);
        let bits = ranks.bits();
        // What the tag cannot hold, the place must.
        let least = 1 << bits.saturating_sub(64 - TAG_SHIFT);
        let buckets = (bytes / BUCKET_BYTES).clamp(least, 1 << bits.min(40));
        let longest = (1_u64 << bits).div_ceil(buckets);
        let tag_bits = longest.next_power_of_two().ilog2();
        let words = usize::try_from(buckets).ok().and_then(|buckets| buckets.checked_mul(WAYS));
        let entries = Words::new(words.ok_or(io::ErrorKind::OutOfMemory)?)?;
        Ok(Memory { ranks, entries, buckets, tag_bits })
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        BUCKET_BYTES * self.buckets
    }

    /// The number of entries that fit.
    pub(crate) fn capacity(&self) -> u64 {
        WAYS as u64 * self.buckets
    }

    /// Whether so many entries are in use that others soon give way to new ones: more than half of those
    /// in some buckets all over the table.
    pub(crate) fn is_crowded(&self) -> bool {
        const SAMPLE: usize = 1 << 10;
        let buckets = self.entries.words().chunks_exact(WAYS);
        let sample = buckets.step_by((self.buckets as usize / SAMPLE).max(1)).flatten();
        let (used, all) = sample.fold((0, 0), |(used, all), entry| {
            (used + usize::from(entry.load(Relaxed) != 0), all + 1)
        });
        2 * used > all
    }

    /// The same entries in a table of more buckets, unless somebody wants it to end first. Nothing
    /// is lost: bucket and tag together are the scrambled rank, in any number of buckets.
    pub(crate) fn grown(
        &self,
        bytes: u64,
        halted: &dyn Fn() -> bool,
    ) -> io::Result<Option<Memory>> {
        let grown = Memory::new(self.ranks.houses(), bytes)?;
        for (index, entry) in self.entries.words().iter().enumerate() {
            if index % (1 << 16) == 0 && halted() {
                return Ok(None);
            }
            let entry = entry.load(Relaxed);
            if entry != 0 {
                let mixed = self.mixed_of((index / WAYS) as u64, entry >> TAG_SHIFT);
                let effort = entry >> (2 * BOUND_BITS) & EFFORT_MASK;
                // Each entry is put once, so nothing can cross.
                let _ = grown.put(grown.place_of(mixed), unpack(entry), 1 << effort);
            }
        }
        Ok(Some(grown))
    }

    /// The place of a board of this layer; `None` if the layer is too high to be remembered.
    #[inline]
    pub(crate) fn place<B: Ranked>(&self, board: &B, layer: u64) -> Option<Place> {
        if layer > self.ranks.max_layer() {
            return None;
        }
        Some(self.place_of(self.mixed(board.rank(&self.ranks))))
    }

    /// A rank, scrambled: each step is a bijection of the numbers below 2^bits.
    #[inline]
    fn mixed(&self, rank: u64) -> u64 {
        let (half, mask) = (self.half(), (1 << self.ranks.bits()) - 1);
        let mut mixed = rank.wrapping_mul(FACTORS[0]) & mask;
        mixed ^= mixed >> half;
        mixed = mixed.wrapping_mul(FACTORS[1]) & mask;
        mixed ^ mixed >> half
    }

    /// More than half of the bits: to add a number shifted by so many to itself twice is to do
    /// nothing.
    #[inline]
    fn half(&self) -> u32 {
        self.ranks.bits() / 2 + 1
    }

    /// The rank that was scrambled.
    fn unmixed(&self, mixed: u64) -> u64 {
        let (half, mask) = (self.half(), (1 << self.ranks.bits()) - 1);
        let mut rank = mixed ^ mixed >> half;
        rank = rank.wrapping_mul(inverse(FACTORS[1])) & mask;
        rank ^= rank >> half;
        rank.wrapping_mul(inverse(FACTORS[0])) & mask
    }

    /// Remembers what a book knows. Where it is full, what took most work stays.
    pub(crate) fn take_on(&self, entries: &[Entry]) -> Result<(), Crossed> {
        entries.iter().try_for_each(|entry| {
            self.put(self.place_of(self.mixed(entry.rank)), entry.bounds(), entry.work())
        })
    }

    /// An entry of the board at a place.
    pub(crate) fn entry(&self, place: Place, bounds: Bounds, work: u64) -> Entry {
        let mixed = self.mixed_of((place.bucket / WAYS) as u64, place.tag);
        Entry::new(self.unmixed(mixed), bounds, work)
    }

    /// What took most work, so many entries at most, in order of rank.
    pub(crate) fn costly(&self, most: usize) -> Vec<Entry> {
        let words = || self.entries.words().iter().map(|entry| entry.load(Relaxed));
        let mut counts = [0; 1 << EFFORT_BITS];
        for entry in words().filter(|entry| *entry != 0) {
            counts[(entry >> (2 * BOUND_BITS) & EFFORT_MASK) as usize] += 1;
        }
        let least = 1 << least_effort(&counts, most);
        let mut costly: Vec<Entry> = (self.entries.words().iter().enumerate())
            .filter_map(|(index, entry)| {
                let entry = entry.load(Relaxed);
                let work = 1 << (entry >> (2 * BOUND_BITS) & EFFORT_MASK);
                let is_costly = entry != 0 && work >= least;
                let mixed =
                    is_costly.then(|| self.mixed_of((index / WAYS) as u64, entry >> TAG_SHIFT))?;
                Some(Entry::new(self.unmixed(mixed), unpack(entry), work))
            })
            .collect();
        costly.sort_unstable_by_key(|entry| entry.rank);
        // A board can be there twice for a moment, when two threads add it at once.
        costly.dedup_by(|one, other| one.rank == other.rank);
        costly
    }

    #[inline]
    fn place_of(&self, mixed: u64) -> Place {
        let bucket = (u128::from(mixed) * u128::from(self.buckets)) >> self.ranks.bits();
        let tag = mixed & ((1 << self.tag_bits) - 1);
        Place { bucket: bucket as usize * WAYS, tag }
    }

    /// The scrambled rank with this place: the number of the bucket's stretch that ends in the tag.
    fn mixed_of(&self, bucket: u64, tag: u64) -> u64 {
        let first = (u128::from(bucket) << self.ranks.bits()).div_ceil(self.buckets.into()) as u64;
        first + (tag.wrapping_sub(first) & ((1 << self.tag_bits) - 1))
    }

    /// The bounds known of the board at a place.
    #[inline]
    pub(crate) fn get(&self, place: Place) -> Option<Bounds> {
        let bucket = &self.entries.words()[place.bucket..place.bucket + WAYS];
        bucket.iter().find_map(|entry| {
            let entry = entry.load(Relaxed);
            (entry != 0 && entry >> TAG_SHIFT == place.tag).then(|| unpack(entry))
        })
    }

    /// Remembers bounds that took about this much work, at the cost of what took least.
    #[must_use = "crossing bounds end a search"]
    pub(crate) fn put(&self, place: Place, bounds: Bounds, work: u64) -> Result<(), Crossed> {
        if !(-OFFSET < bounds.low && bounds.low <= bounds.high && bounds.high < OFFSET) {
            return Err(Crossed);
        }
        let bucket = &self.entries.words()[place.bucket..place.bucket + WAYS];
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
            if entry >> TAG_SHIFT == place.tag {
                let both = unpack(entry).and(bounds).ok_or(Crossed)?;
                let effort = effort.max(entry >> (2 * BOUND_BITS) & EFFORT_MASK);
                bucket[way].store(pack(place.tag, effort, both), Relaxed);
                return Ok(());
            }
            let known_effort = 1 + (entry >> (2 * BOUND_BITS) & EFFORT_MASK);
            if known_effort < victim.0 {
                victim = (known_effort, way);
            }
        }
        bucket[victim.1].store(pack(place.tag, effort, bounds), Relaxed);
        Ok(())
    }

    /// Asks for the memory of a place ahead of its use.
    #[inline]
    pub(crate) fn prefetch(&self, place: Place) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect on memory, whatever the address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch(
                self.entries.words().as_ptr().wrapping_add(place.bucket).cast(),
                _MM_HINT_T0,
            );
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }
}

/// Words that are zero at first, in large pages where the system has them: entries are read all
/// over the table, and small pages would cost a second miss each.
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
    use sowing::Stream;

    /// In tables of any size no two ranks share a place, and a place gives its rank back.
    #[test]
    fn places_are_complete() {
        for (houses, bytes) in [(1, 64), (1, 1000), (2, 64 * 12_347), (6, 64 * 100_003), (8, 1)] {
            let memory = Memory::new(houses, bytes).unwrap();
            let end = 1_u64 << memory.ranks.bits();
            let step = (end / 5_000).max(1);
            let ranks = (0..end).step_by(step as usize).flat_map(|from| from..from + 3);
            for mixed in ranks.filter(|mixed| *mixed < end).chain([end - 1]) {
                let place = memory.place_of(mixed);
                assert!(place.tag < 1 << (64 - TAG_SHIFT));
                let bucket = (place.bucket / WAYS) as u64;
                assert!(bucket < memory.buckets);
                assert_eq!(memory.mixed_of(bucket, place.tag), mixed, "{houses} {bytes}");
            }
        }
    }

    /// What was put comes out, under its rank.
    #[test]
    fn costly_entries_are_what_was_put() {
        let memory = Memory::new(6, 64 * 10_007).unwrap();
        let end = 1_u64 << memory.ranks.bits();
        let ranks: Vec<u64> = (0..300).map(|i| i * (end / 301)).collect();
        for (rank, work) in ranks.iter().zip(1..) {
            assert_eq!(memory.unmixed(memory.mixed(*rank)), *rank);
            let bounds = Bounds { low: (rank % 50) as i64, high: 60 };
            memory.put(memory.place_of(memory.mixed(*rank)), bounds, work).unwrap();
        }
        // Half of them would be in the middle of those that took as much: less is kept.
        let costly = memory.costly(299);
        assert_eq!(costly.len(), 300 - 1);
        let costly = memory.costly(180);
        assert_eq!(costly.len(), 300 - 127);
        for (entry, rank) in costly.iter().zip(&ranks[127..]) {
            assert_eq!((entry.rank, entry.low, entry.high), (*rank, (rank % 50) as i8, 60));
        }
        let other = Memory::new(6, 64 * 999).unwrap();
        other.take_on(&costly).unwrap();
        assert_eq!(other.costly(1000), costly);
    }

    #[test]
    fn crossing_bounds_are_refused() {
        let memory = Memory::new(2, 1 << 12).unwrap();
        let place = memory.place_of(77);
        assert_eq!(memory.put(place, Bounds { low: 2, high: 9 }, 1), Ok(()));
        assert_eq!(memory.put(place, Bounds { low: -9, high: 1 }, 1), Err(Crossed));
        assert_eq!(memory.get(place), Some(Bounds { low: 2, high: 9 }));
        assert_eq!(memory.put(place, Bounds { low: -9, high: 2 }, 1), Ok(()));
        assert_eq!(memory.get(place), Some(Bounds { low: 2, high: 2 }));
    }

    #[test]
    fn bounds_that_no_board_has_are_refused() {
        let memory = Memory::new(2, 1 << 12).unwrap();
        let place = memory.place_of(77);
        for (low, high) in [(3, 2), (-128, 0), (0, 128), (i64::MIN, i64::MAX)] {
            assert_eq!(memory.put(place, Bounds { low, high }, 1), Err(Crossed));
            assert_eq!(memory.get(place), None);
        }
    }

    #[test]
    fn nothing_is_lost_in_growing() {
        let small = Memory::new(3, 64 * 99).unwrap();
        let ranks: Vec<u64> = (0..300).map(|i| i * 1_000_003 % (1 << small.ranks.bits())).collect();
        for (rank, low) in ranks.iter().zip(0..) {
            small.put(small.place_of(*rank), Bounds { low: low % 100, high: 100 }, 1).unwrap();
        }
        let large = small.grown(64 * 1_000, &|| false).unwrap().expect("nobody halts it");
        for rank in &ranks {
            let kept = small.get(small.place_of(*rank));
            assert_eq!(large.get(large.place_of(*rank)), kept);
        }
        assert!(small.grown(64 * 1_000, &|| true).unwrap().is_none());
    }

    #[test]
    fn a_table_is_crowded_when_half_of_it_is_in_use() {
        let memory = Memory::new(6, 64 * 20_000).unwrap();
        let mut random = Stream::new(3, 0);
        let mut put = |entries: u64| {
            for _ in 0..entries {
                let rank = random.below(1 << memory.ranks.bits());
                let place = memory.place_of(memory.mixed(rank));
                memory.put(place, Bounds { low: 0, high: 1 }, 1).unwrap();
            }
        };
        put(memory.capacity() * 3 / 8);
        assert!(!memory.is_crowded());
        put(memory.capacity() * 3 / 8);
        assert!(memory.is_crowded());
    }
}
