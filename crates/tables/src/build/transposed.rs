//! Transposed blocks of finished layers, in a cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use sowing_platform::Zeroed;

use crate::Error;
use crate::layer::{memory, signed, signed_mut};

/// A block of finished values, seen as a matrix of lines and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BlockKey {
    /// Whether a line is a row of the mover; else it is a row of the opponent.
    pub(super) mover: bool,
    /// Seeds of the rows that are lines.
    pub(super) line: usize,
    /// Seeds of the rows that are columns.
    pub(super) column: usize,
}

#[derive(Debug)]
struct TransposedBlock(Zeroed);

impl TransposedBlock {
    fn new(
        spare: Option<Zeroed>,
        block: &[i8],
        lines: usize,
        width: usize,
    ) -> Result<TransposedBlock, Error> {
        let mut map = match spare {
            Some(spare) => spare,
            None => memory(block.len())?,
        };
        transpose(signed_mut(&mut map), block, lines, width);
        Ok(TransposedBlock(map))
    }
}

type Slot = Arc<OnceLock<Result<TransposedBlock, Error>>>;

#[derive(Debug)]
struct Entry {
    slot: Slot,
    last_used: u64,
    bytes: usize,
}

/// Blocks by their last use.
#[derive(Debug, Default)]
struct LruCache {
    entries: HashMap<BlockKey, Entry>,
    /// Memory of evicted blocks, to be reused: clearing fresh memory takes the system longer than
    /// transposing a block.
    spare: Vec<Zeroed>,
    /// Bytes of the blocks and of the spare memory.
    bytes: usize,
    clock: u64,
}

impl LruCache {
    /// Evicts the least recently used block that is not in use. Its memory becomes spare. Returns whether
    /// there was one.
    fn evict(&mut self) -> bool {
        let idle = self.entries.iter().filter(|(_, entry)| Arc::strong_count(&entry.slot) == 1);
        let oldest = idle.min_by_key(|(_, entry)| entry.last_used).map(|(key, _)| *key);
        let Some(Entry { slot, bytes, .. }) = oldest.and_then(|key| self.entries.remove(&key))
        else {
            return false;
        };
        self.bytes -= bytes;
        if let Some(Ok(TransposedBlock(map))) = Arc::into_inner(slot).and_then(OnceLock::into_inner)
        {
            self.bytes += map.len();
            self.spare.push(map);
        }
        true
    }

    /// The smallest spare memory of `bytes` to twice as many bytes.
    fn take_spare(&mut self, bytes: usize) -> Option<Zeroed> {
        let fits = |map: &Zeroed| (bytes..=2 * bytes).contains(&map.len());
        let spare = self.spare.iter().enumerate().filter(|(_, map)| fits(map));
        let index = spare.min_by_key(|(_, map)| map.len())?.0;
        let map = self.spare.swap_remove(index);
        self.bytes -= map.len();
        Some(map)
    }
}

/// Transposed blocks within a memory budget; an evicted block is transposed again when it is needed.
///
/// Blocks in use are never evicted, so that the budget is exceeded if they alone are larger.
#[derive(Debug)]
pub(super) struct TransposedCache {
    lru: Mutex<LruCache>,
    budget: usize,
}

/// A transposed block in use.
#[derive(Clone, Debug)]
pub(super) struct CachedBlock(Slot);

impl CachedBlock {
    pub(super) fn values(&self) -> &[i8] {
        match self.0.get() {
            Some(Ok(block)) => signed(&block.0),
            _ => unreachable!("a cached block is initialized"),
        }
    }
}

impl TransposedCache {
    pub(super) fn new(budget: usize) -> TransposedCache {
        TransposedCache { lru: Mutex::default(), budget }
    }

    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// The same blocks with another budget, which takes effect at the next insertion.
    pub(super) fn with_budget(self, budget: usize) -> TransposedCache {
        TransposedCache { budget, ..self }
    }

    /// The transpose of `block`, which has `lines` lines of `width` values.
    pub(super) fn get(
        &self,
        key: BlockKey,
        block: &[i8],
        lines: usize,
        width: usize,
    ) -> Result<CachedBlock, Error> {
        let (slot, spare) = self.slot(key, block.len());
        if slot.get_or_init(|| TransposedBlock::new(spare, block, lines, width)).is_ok() {
            return Ok(CachedBlock(slot));
        }
        let what = format!("transposing a block of {} by {}", key.line, key.column);
        Err(Error::Memory { what, need: block.len() as u64, have: 0, why: "could be reserved" })
    }

    /// The slot of a block, and spare memory for it if the slot is new and memory of this size is spare.
    fn slot(&self, key: BlockKey, bytes: usize) -> (Slot, Option<Zeroed>) {
        let mut lru = self.lru.lock().expect("no thread panics with the cache");
        lru.clock += 1;
        let now = lru.clock;
        if let Some(entry) = lru.entries.get_mut(&key) {
            entry.last_used = now;
            return (entry.slot.clone(), None);
        }
        let mut spare = lru.take_spare(bytes);
        while spare.is_none() && lru.bytes + bytes > self.budget && lru.evict() {
            spare = lru.take_spare(bytes);
        }
        let bytes = spare.as_ref().map_or(bytes, |map| map.len());
        while lru.bytes + bytes > self.budget
            && let Some(unfit) = lru.spare.pop()
        {
            lru.bytes -= unfit.len();
        }
        let slot = Slot::default();
        lru.entries.insert(key, Entry { slot: slot.clone(), last_used: now, bytes });
        lru.bytes += bytes;
        (slot, spare)
    }
}

/// Writes the columns of a block as lines.
///
/// The block is processed in tiles. A tile has `LINES` lines, so that each line of the result receives
/// a good part of a page at a time: a TLB miss costs more than the write. It has only `COLUMNS` columns,
/// so that its source stays in the cache.
pub(super) fn transpose(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
    assert!(to.len() >= lines * width && from.len() >= lines * width);
    const LINES: usize = 1024;
    const COLUMNS: usize = 32;
    for line in (0..lines).step_by(LINES) {
        let last_line = (line + LINES).min(lines);
        for column in (0..width).step_by(COLUMNS) {
            let last_column = (column + COLUMNS).min(width);
            let mut y = column;
            while y < last_column {
                let end = (y + SIDE).min(last_column);
                let mut x = line;
                while end - y == SIDE && last_line - x >= SIDE {
                    square(&mut to[y * lines + x..], &from[x * width + y..], lines, width);
                    x += SIDE;
                }
                for x in x..last_line {
                    for y in y..end {
                        to[y * lines + x] = from[x * width + y];
                    }
                }
                y = end;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
use sixteen::{SIDE, square};

#[cfg(not(target_arch = "x86_64"))]
use eight::{SIDE, square};

/// Sixteen by sixteen values with SSE2, which every x86-64 has. The loops that the compiler vectorizes by
/// itself are five times slower.
#[cfg(target_arch = "x86_64")]
mod sixteen {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_setzero_si128, _mm_storeu_si128, _mm_unpackhi_epi8,
        _mm_unpacklo_epi8,
    };

    pub(super) const SIDE: usize = 16;

    /// Transposes the square at the start of `from`, whose lines are `width` apart, into the start of
    /// `to`, whose lines are `lines` apart.
    #[inline(always)]
    pub(super) fn square(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
        assert!(from.len() >= (SIDE - 1) * width + SIDE && to.len() >= (SIDE - 1) * lines + SIDE);
        // SAFETY: every x86-64 has SSE2, and the assertion above keeps all lines in bounds.
        unsafe {
            let mut rows: [__m128i; SIDE] = [_mm_setzero_si128(); SIDE];
            for (i, row) in rows.iter_mut().enumerate() {
                *row = _mm_loadu_si128(from.as_ptr().add(i * width).cast());
            }
            // Interleaving the halves rotates the eight-bit address (line, column) by one bit; four
            // rotations exchange line and column.
            for _ in 0..4 {
                let (upper, lower) = (rows, &rows[SIDE / 2..]);
                let mut mixed = rows;
                for i in 0..SIDE / 2 {
                    mixed[2 * i] = _mm_unpacklo_epi8(upper[i], lower[i]);
                    mixed[2 * i + 1] = _mm_unpackhi_epi8(upper[i], lower[i]);
                }
                rows = mixed;
            }
            for (i, row) in rows.iter().enumerate() {
                _mm_storeu_si128(to.as_mut_ptr().add(i * lines).cast(), *row);
            }
        }
    }
}

/// Eight by eight values in 64-bit words, for any processor.
#[cfg(any(not(target_arch = "x86_64"), test))]
mod eight {
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const SIDE: usize = 8;

    /// Transposes the square at the start of `from`, whose lines are `width` apart, into the start of
    /// `to`, whose lines are `lines` apart.
    #[inline(always)]
    pub(super) fn square(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
        let mut rows = [0_u64; 8];
        for (i, row) in rows.iter_mut().enumerate() {
            let bytes: &[i8; 8] = from[i * width..][..8].try_into().expect("eight");
            *row = u64::from_le_bytes(bytes.map(|value| value as u8));
        }
        // Exchange the off-diagonal quadrants of sizes four, two and one.
        for (step, shift, mask) in [
            (4, 32, 0xffff_ffff_u64),
            (2, 16, 0x0000_ffff_0000_ffff),
            (1, 8, 0x00ff_00ff_00ff_00ff),
        ] {
            for i in (0..8).filter(|i| i & step == 0) {
                let swap = ((rows[i] >> shift) ^ rows[i + step]) & mask;
                rows[i + step] ^= swap;
                rows[i] ^= swap << shift;
            }
        }
        for (i, row) in rows.iter().enumerate() {
            to[i * lines..][..8].copy_from_slice(&row.to_le_bytes().map(|byte| byte as i8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(line: usize) -> BlockKey {
        BlockKey { mover: true, line, column: 1 }
    }

    /// The lines of the blocks in the cache, in order.
    fn cached(cache: &TransposedCache) -> Vec<usize> {
        let lru = cache.lru.lock().unwrap();
        assert!(lru.bytes <= cache.budget);
        let mut lines: Vec<usize> = lru.entries.keys().map(|key| key.line).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn the_least_recently_used_block_is_evicted() {
        let (cache, block) = (TransposedCache::new(300), [7; 100]);
        let get = |line: usize| cache.get(key(line), &block, 10, 10).unwrap();
        (1..=3).for_each(|line| drop(get(line)));
        assert_eq!(cached(&cache), [1, 2, 3]);
        drop(get(1));
        drop(get(4));
        assert_eq!(cached(&cache), [1, 3, 4]);
        drop(get(5));
        assert_eq!(cached(&cache), [1, 4, 5]);
    }

    #[test]
    fn blocks_in_use_stay_and_may_exceed_the_budget() {
        let (cache, block) = (TransposedCache::new(100), [7; 100]);
        let first = cache.get(key(1), &block, 10, 10).unwrap();
        let second = cache.get(key(2), &[8; 100], 10, 10).unwrap();
        assert_eq!((first.values()[99], second.values()[99]), (7, 8));
        assert_eq!(cache.lru.lock().unwrap().bytes, 200);
    }

    #[test]
    fn columns_become_lines() {
        let sizes = [(1, 1), (3, 70), (8, 8), (16, 16), (64, 65), (129, 7), (200, 133), (1100, 40)];
        for (lines, width) in sizes {
            let from: Vec<i8> = (0..lines * width).map(|i| (i * 37 % 251) as i8).collect();
            let mut to = vec![0; from.len()];
            transpose(&mut to, &from, lines, width);
            for x in 0..lines {
                for y in 0..width {
                    assert_eq!(to[y * lines + x], from[x * width + y]);
                }
            }
        }
    }

    #[test]
    fn the_square_for_any_machine_is_the_same() {
        let (lines, width) = (9, 11);
        let from: Vec<i8> = (0..8 * width).map(|i| (i * 37 % 251) as i8).collect();
        let mut to = vec![0; 8 * lines];
        eight::square(&mut to, &from, lines, width);
        for x in 0..8 {
            for y in 0..8 {
                assert_eq!(to[y * lines + x], from[x * width + y]);
            }
        }
    }
}
