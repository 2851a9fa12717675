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
pub(super) fn transpose(to: &mut [i8], from: &[i8], lines: usize, width: usize) {
    assert!(to.len() >= lines * width && from.len() >= lines * width);
    const TILE: usize = 64;
    for line in (0..lines).step_by(TILE) {
        for place in (0..width).step_by(TILE) {
            let last_line = (line + TILE).min(lines);
            let last_place = (place + TILE).min(width);
            let mut y = place;
            while y < last_place {
                let mut x = line;
                if last_place - y >= 8 {
                    while last_line - x >= 8 {
                        square(to, from, lines, width, x, y);
                        x += 8;
                    }
                }
                let end = if last_place - y >= 8 { y + 8 } else { last_place };
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

/// Turns eight by eight values.
#[inline(always)]
fn square(to: &mut [i8], from: &[i8], lines: usize, width: usize, x: usize, y: usize) {
    let mut rows = [0_u64; 8];
    for (i, row) in rows.iter_mut().enumerate() {
        let start = (x + i) * width + y;
        let bytes: &[i8; 8] = from[start..start + 8].try_into().expect("eight");
        *row = u64::from_le_bytes(bytes.map(|value| value as u8));
    }
    // Exchange the off-diagonal quarters: of four, of two, of one.
    for (step, shift, mask) in
        [(4, 32, 0xffff_ffff_u64), (2, 16, 0x0000_ffff_0000_ffff), (1, 8, 0x00ff_00ff_00ff_00ff)]
    {
        for i in (0..8).filter(|i| i & step == 0) {
            let swap = ((rows[i] >> shift) ^ rows[i + step]) & mask;
            rows[i + step] ^= swap;
            rows[i] ^= swap << shift;
        }
    }
    for (i, row) in rows.iter().enumerate() {
        let start = (y + i) * lines + x;
        to[start..start + 8].copy_from_slice(&row.to_le_bytes().map(|byte| byte as i8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_lines() {
        for (lines, width) in [(1, 1), (3, 70), (8, 8), (64, 65), (129, 7), (200, 133)] {
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
}
