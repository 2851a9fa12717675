//! Blocks turned: what lies as columns, as lines.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use sowing_platform::Zeroed;

use crate::Error;
use crate::layer::{memory, signed, signed_mut};

/// Which block, and whose view its lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Whether the mover's row is the line, else the other's.
    pub(super) mover: bool,
    /// Seeds of the row that is the line.
    pub(super) line: usize,
    /// Seeds of the row that is the place in it.
    pub(super) place: usize,
}

/// A turned block.
#[derive(Debug)]
pub(super) struct Flip(Zeroed);

impl Flip {
    pub(super) fn values(&self) -> &[i8] {
        signed(&self.0)
    }

    fn turned(
        spare: Option<Zeroed>,
        block: &[i8],
        lines: usize,
        width: usize,
    ) -> Result<Flip, Error> {
        let mut map = match spare {
            Some(spare) => spare,
            None => memory(block.len())?,
        };
        transpose(signed_mut(&mut map), block, lines, width);
        Ok(Flip(map))
    }
}

type Slot = Arc<OnceLock<Result<Flip, Error>>>;

#[derive(Debug, Default)]
struct Shelf {
    slots: HashMap<Key, (Slot, u64, usize)>,
    /// Memory of blocks that went, for others: what the system gives is cleared first, which takes
    /// longer than turning a block.
    spare: Vec<Zeroed>,
    /// What the blocks and the spare memory take.
    bytes: usize,
    clock: u64,
}

impl Shelf {
    /// Lets the block go that was not used for longest, of those that nobody holds.
    fn let_go(&mut self) -> bool {
        let idle = self.slots.iter().filter(|(_, (slot, _, _))| Arc::strong_count(slot) == 1);
        let oldest = idle.min_by_key(|(_, (_, used, _))| *used).map(|(key, _)| *key);
        let Some((slot, _, bytes)) = oldest.and_then(|key| self.slots.remove(&key)) else {
            return false;
        };
        self.bytes -= bytes;
        if let Some(Ok(Flip(map))) = Arc::into_inner(slot).and_then(OnceLock::into_inner) {
            self.bytes += map.len();
            self.spare.push(map);
        }
        true
    }

    /// The smallest spare memory that is large enough, and not far too large.
    fn take_spare(&mut self, bytes: usize) -> Option<Zeroed> {
        let fits = |map: &Zeroed| (bytes..=2 * bytes).contains(&map.len());
        let spare = self.spare.iter().enumerate().filter(|(_, map)| fits(map));
        let index = spare.min_by_key(|(_, map)| map.len())?.0;
        let map = self.spare.swap_remove(index);
        self.bytes -= map.len();
        Some(map)
    }
}

/// Turned blocks, kept as long as memory allows; a block that was dropped is turned again.
#[derive(Debug)]
pub(super) struct Flips {
    shelf: Mutex<Shelf>,
    budget: usize,
}

/// A turned block in use.
#[derive(Clone, Debug)]
pub(super) struct Turned(Slot);

impl Turned {
    pub(super) fn values(&self) -> &[i8] {
        match self.0.get() {
            Some(Ok(flip)) => flip.values(),
            _ => unreachable!("handed out only when made"),
        }
    }
}

impl Flips {
    pub(super) fn new(budget: usize) -> Flips {
        Flips { shelf: Mutex::default(), budget }
    }

    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// The same blocks within another budget, which is kept from the next block on.
    pub(super) fn within(self, budget: usize) -> Flips {
        Flips { budget, ..self }
    }

    /// The turned block, from a block of so many lines.
    pub(super) fn get(
        &self,
        key: Key,
        block: &[i8],
        lines: usize,
        width: usize,
    ) -> Result<Turned, Error> {
        let (slot, spare) = self.slot(key, block.len());
        if slot.get_or_init(|| Flip::turned(spare, block, lines, width)).is_ok() {
            return Ok(Turned(slot));
        }
        let what = format!("turning a block of {} by {}", key.line, key.place);
        Err(Error::Memory { what, need: block.len() as u64, have: 0, why: "could be reserved" })
    }

    /// The place of a block, and memory for it if it is new and some is left over.
    fn slot(&self, key: Key, bytes: usize) -> (Slot, Option<Zeroed>) {
        let mut shelf = self.shelf.lock().expect("no thread panics with the shelf");
        shelf.clock += 1;
        let now = shelf.clock;
        if let Some((slot, used, _)) = shelf.slots.get_mut(&key) {
            *used = now;
            return (slot.clone(), None);
        }
        let mut spare = shelf.take_spare(bytes);
        while spare.is_none() && shelf.bytes + bytes > self.budget && shelf.let_go() {
            spare = shelf.take_spare(bytes);
        }
        let bytes = spare.as_ref().map_or(bytes, |map| map.len());
        while shelf.bytes + bytes > self.budget
            && let Some(unfit) = shelf.spare.pop()
        {
            shelf.bytes -= unfit.len();
        }
        let slot = Slot::default();
        shelf.slots.insert(key, (slot.clone(), now, bytes));
        shelf.bytes += bytes;
        (slot, spare)
    }
}

/// Writes the columns of a block as lines.
///
/// The block is cut into tiles: so many lines that a visit to a line of the outcome writes a good part
/// of a page there, since finding the page takes longer than writing to it; and so few places that
/// what is read stays in a cache until all of it was used.
pub(super) fn transpose(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
    assert!(to.len() >= lines * width && from.len() >= lines * width);
    const LINES: usize = 1024;
    const PLACES: usize = 32;
    for line in (0..lines).step_by(LINES) {
        let last_line = (line + LINES).min(lines);
        for place in (0..width).step_by(PLACES) {
            let last_place = (place + PLACES).min(width);
            let mut y = place;
            while y < last_place {
                let end = (y + SIDE).min(last_place);
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

/// Sixteen by sixteen values, with instructions that every such processor has. The compiler makes
/// nothing of the kind out of loops: five times slower than this.
#[cfg(target_arch = "x86_64")]
mod sixteen {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_setzero_si128, _mm_storeu_si128, _mm_unpackhi_epi8,
        _mm_unpacklo_epi8,
    };

    pub(super) const SIDE: usize = 16;

    /// Turns the square at the start of `from`, whose lines are `width` apart, into the one at the
    /// start of `to`, whose lines are `lines` apart.
    #[inline(always)]
    pub(super) fn square(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
        assert!(from.len() >= (SIDE - 1) * width + SIDE && to.len() >= (SIDE - 1) * lines + SIDE);
        // SAFETY: SSE2 is there on every x86-64, and the lines were just seen to lie inside.
        unsafe {
            let mut rows: [__m128i; SIDE] = [_mm_setzero_si128(); SIDE];
            for (i, row) in rows.iter_mut().enumerate() {
                *row = _mm_loadu_si128(from.as_ptr().add(i * width).cast());
            }
            // With the numbers of line and place written one after the other, to interleave the halves
            // is to move the first of their eight digits to the end: after four times they have
            // changed places.
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

/// Eight by eight values, in words of eight bytes: for any machine.
#[cfg(any(not(target_arch = "x86_64"), test))]
mod eight {
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const SIDE: usize = 8;

    /// Turns the square at the start of `from`, whose lines are `width` apart, into the one at the
    /// start of `to`, whose lines are `lines` apart.
    #[inline(always)]
    pub(super) fn square(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
        let mut rows = [0_u64; 8];
        for (i, row) in rows.iter_mut().enumerate() {
            let bytes: &[i8; 8] = from[i * width..][..8].try_into().expect("eight");
            *row = u64::from_le_bytes(bytes.map(|value| value as u8));
        }
        // Exchange the off-diagonal quarters: of four, of two, of one.
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
