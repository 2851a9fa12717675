//! What the search remembers: proven bounds of positions.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use memmap2::MmapMut;

use crate::rank::{Ranked, Ranks};

/// Proven bounds of a value: `low <= value <= high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// A table of bounds, shared by threads.
///
/// An entry is one word, read and written whole, so that a reader never sees half of one. It
/// holds the bounds, how much work they took, and what the place in the table does not tell of the
/// board's rank: a scrambled rank (a bijection of its bits) is split into the bucket's number and
/// the entry's tag. An entry therefore names its board completely, and no other board can be taken
/// for it. Bounds stay true for ever, since a position's value depends on nothing but its board.
#[derive(Debug)]
pub(crate) struct Memory {
    ranks: Ranks,
    entries: Zeroed,
    bucket_bits: u32,
    tag_bits: u32,
}

/// Entries a bucket: a cache line of them.
const WAYS: usize = 8;

const BUCKET_BYTES: u64 = 8 * WAYS as u64;

const BOUND_BITS: u32 = 8;
const EFFORT_BITS: u32 = 6;
const EFFORT_MASK: u64 = (1 << EFFORT_BITS) - 1;
const TAG_SHIFT: u32 = 2 * BOUND_BITS + EFFORT_BITS;

/// Where a board's entry may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    bucket: usize,
    tag: u64,
}

impl Memory {
    /// A table of at most this many bytes (but never too small to work).
    pub(crate) fn new(houses: usize, bytes: u64) -> io::Result<Memory> {
        let ranks = Ranks::new(houses);
        let bits = ranks.bits();
        // What the tag cannot hold, the place must.
        let least = bits.saturating_sub(64 - TAG_SHIFT);
        let wanted = (bytes / BUCKET_BYTES).max(1).ilog2();
        let bucket_bits = wanted.max(least).min(bits);
        let tag_bits = bits - bucket_bits;
        let entries = Zeroed::new(WAYS << bucket_bits)?;
        Ok(Memory { ranks, entries, bucket_bits, tag_bits })
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        BUCKET_BYTES << self.bucket_bits
    }

    /// The number of entries that fit.
    pub(crate) fn capacity(&self) -> u64 {
        (WAYS as u64) << self.bucket_bits
    }

    /// The same entries in a table of more buckets. Nothing is lost: a bucket and a tag together
    /// are the scrambled rank, whatever their shares of its bits.
    pub(crate) fn grown(&self, bytes: u64) -> io::Result<Memory> {
        let houses = self.ranks.houses();
        let grown = Memory::new(houses, bytes)?;
        for (index, entry) in self.entries.words().iter().enumerate() {
            let entry = entry.load(Relaxed);
            if entry != 0 {
                let mixed = ((index / WAYS) as u64) << self.tag_bits | entry >> TAG_SHIFT;
                let effort = entry >> (2 * BOUND_BITS) & EFFORT_MASK;
                grown.put(grown.place_of(mixed), unpack(entry), 1 << effort);
            }
        }
        Ok(grown)
    }

    /// The place of a board of this level; `None` if the level is too high to be remembered.
    #[inline]
    pub(crate) fn place<B: Ranked>(&self, board: &B, level: u64) -> Option<Place> {
        if level > self.ranks.max_level() {
            return None;
        }
        let rank = board.rank(&self.ranks);
        let bits = self.bucket_bits + self.tag_bits;
        let mask = (1 << bits) - 1;
        // Each step is a bijection of the numbers below 2^bits.
        let half = bits / 2 + 1;
        let mut mixed = rank.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
        mixed ^= mixed >> half;
        mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        mixed ^= mixed >> half;
        Some(self.place_of(mixed))
    }

    #[inline]
    fn place_of(&self, mixed: u64) -> Place {
        let tag = mixed & ((1 << self.tag_bits) - 1);
        Place { bucket: (mixed >> self.tag_bits) as usize * WAYS, tag }
    }

    /// The bounds known of the board at a place.
    #[inline]
    pub(crate) fn get(&self, place: Place) -> Option<Span> {
        let bucket = &self.entries.words()[place.bucket..place.bucket + WAYS];
        bucket.iter().find_map(|entry| {
            let entry = entry.load(Relaxed);
            (entry != 0 && entry >> TAG_SHIFT == place.tag).then(|| unpack(entry))
        })
    }

    /// Remembers bounds that took about this much work, at the cost of what took least.
    pub(crate) fn put(&self, place: Place, span: Span, work: u64) {
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
                let known = unpack(entry);
                let span = Span { low: known.low.max(span.low), high: known.high.min(span.high) };
                let effort = effort.max(entry >> (2 * BOUND_BITS) & EFFORT_MASK);
                bucket[way].store(pack(place.tag, effort, span), Relaxed);
                return;
            }
            let known_effort = 1 + (entry >> (2 * BOUND_BITS) & EFFORT_MASK);
            if known_effort < victim.0 {
                victim = (known_effort, way);
            }
        }
        bucket[victim.1].store(pack(place.tag, effort, span), Relaxed);
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
struct Zeroed(MmapMut);

impl Zeroed {
    fn new(words: usize) -> io::Result<Zeroed> {
        let map = MmapMut::map_anon(8 * words)?;
        #[cfg(target_os = "linux")]
        // Not all systems have large pages, and the table works without.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Zeroed(map))
    }

    #[inline]
    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map is aligned to a page, zeroed, a whole number of words long, lives as long
        // as `self`, and is never touched but through these words, which may be shared.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 8) }
    }
}

const OFFSET: i64 = 128;

fn pack(tag: u64, effort: u64, span: Span) -> u64 {
    debug_assert!(span.low > -OFFSET && span.high < OFFSET && span.low <= span.high);
    let (low, high) = ((span.low + OFFSET) as u64, (span.high + OFFSET) as u64);
    tag << TAG_SHIFT | effort << (2 * BOUND_BITS) | high << BOUND_BITS | low
}

fn unpack(entry: u64) -> Span {
    let low = (entry & 0xff) as i64 - OFFSET;
    let high = (entry >> BOUND_BITS & 0xff) as i64 - OFFSET;
    Span { low, high }
}
