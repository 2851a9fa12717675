//! The board for solving: 16 bytes; a sowing is one lookup and two additions.

use super::{Board, Sown, Track};
use crate::{Pit, WideBoard};

/// A board of up to 8 houses per row and 255 seeds, without its stores.
///
/// ```text
///   other  [ 8 houses, one byte each, the opponent's leftmost lowest ]   slots 8 to 15
///   own    [ 8 houses, one byte each, the mover's leftmost lowest    ]   slots 0 to 7
/// ```
///
/// No rule depends on the stores, so they are left out: seeds that enter the mover's store are reported as the move's
/// gain, and the board is the whole key of a position. No house can hold more than 255 seeds, so bytes never carry
/// into each other, and one addition sows into eight houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CompactBoard {
    own: u64,
    other: u64,
}

/// Why a board does not fit a [`CompactBoard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompactBoardError {
    /// A row has more than 8 houses.
    #[error("a compact board has at most {max} houses, not {0}", max = CompactBoard::MAX_HOUSES)]
    Houses(u8),
    /// The houses hold more than 255 seeds.
    #[error("a compact board has at most {max} seeds in its houses, not {0}", max = CompactBoard::MAX_SEEDS)]
    Seeds(u64),
    /// Houses and stores hold more seeds than a [`CompactPosition`](crate::CompactPosition) counts.
    #[error("a compact position has at most 65535 seeds, not {0}")]
    Total(u64),
    /// A swap is still possible.
    #[error("a compact position has no pie rule: play the first turn and the answer to it first")]
    Pie,
}

/// The effect of a sowing from one slot with one number of seeds.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    own: u64,
    other: u64,
    last: u8,
    gain: u8,
}

/// An [`Entry`] for every slot and number of seeds.
#[derive(Clone, Debug)]
pub struct Table(Box<[Entry; 16 * 256]>);

impl CompactBoard {
    /// A board without seeds.
    pub const EMPTY: CompactBoard = CompactBoard { own: 0, other: 0 };
    /// The most houses per row.
    pub const MAX_HOUSES: u8 = 8;
    /// The most seeds in all houses together.
    pub const MAX_SEEDS: u64 = 255;

    /// The houses of a wide board, if they fit.
    pub fn new(wide: &WideBoard) -> Result<CompactBoard, CompactBoardError> {
        if wide.houses() > CompactBoard::MAX_HOUSES {
            return Err(CompactBoardError::Houses(wide.houses()));
        }
        let layer = wide.layer();
        if layer > CompactBoard::MAX_SEEDS {
            return Err(CompactBoardError::Seeds(layer));
        }
        let row = |seeds: &[u64]| seeds.iter().rev().fold(0, |row, seeds| row << 8 | seeds);
        Ok(CompactBoard { own: row(wide.own()), other: row(wide.other()) })
    }

    /// A board from its two rows, one byte per house, leftmost lowest.
    ///
    /// The caller guarantees that there are at most 255 seeds; [`new`](Self::new) checks.
    pub fn from_rows(own: u64, other: u64) -> CompactBoard {
        CompactBoard { own, other }
    }

    /// The mover's row, one byte per house, leftmost lowest.
    pub fn own(&self) -> u64 {
        self.own
    }

    /// The opponent's row, one byte per house, leftmost lowest.
    pub fn other(&self) -> u64 {
        self.other
    }

    /// The slots of the mover's houses that hold seeds, leftmost first.
    #[inline]
    pub fn occupied(&self) -> Occupied {
        Occupied(non_zero_bytes(self.own))
    }
}

/// An iterator over occupied slots, see [`CompactBoard::occupied`].
#[derive(Clone, Copy, Debug)]
pub struct Occupied(u64);

impl Iterator for Occupied {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let slot = self.0.trailing_zeros() / 8;
        self.0 &= self.0 - 1;
        Some(slot as usize)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Occupied {}

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The top bit of each byte that is not zero.
#[inline]
fn non_zero_bytes(row: u64) -> u64 {
    (((row & LOW_BITS) + LOW_BITS) | row) & !LOW_BITS
}

/// The sum of a row's bytes, which is at most 255.
#[inline]
fn sum(row: u64) -> u64 {
    row.wrapping_mul(0x0101_0101_0101_0101) >> 56
}

impl Board for CompactBoard {
    const ROW: usize = 8;

    type Sower = Table;

    fn sower(track: &Track) -> Table {
        let mut table = Box::new([Entry::default(); 16 * 256]);
        let unit = |pit: Pit| match pit {
            Pit::Own(house) => (1 << (8 * house.index()), 0, 0),
            Pit::Other(house) => (0, 1 << (8 * house.index()), 0),
            Pit::Store => (0, 0, 1),
        };
        for from in track.pits().iter().copied().filter(|pit| *pit != Pit::Store) {
            let slot = CompactBoard::slot(from);
            let mut entry = Entry { last: slot as u8, ..Entry::default() };
            let (own_unit, other_unit, _) = unit(from);
            for (seeds, pit) in (1..256).zip(track.after(from)) {
                // Adding the entry removes the seeds and sows them. The sums are exact modulo 2^64, and all
                // bytes of the result lie in 0 to 255.
                let (own, other, store) = unit(pit);
                entry.own = entry.own.wrapping_add(own).wrapping_sub(own_unit);
                entry.other = entry.other.wrapping_add(other).wrapping_sub(other_unit);
                entry.gain += store;
                entry.last = CompactBoard::slot(pit) as u8;
                table[slot << 8 | seeds] = entry;
            }
        }
        Table(table)
    }

    #[inline]
    fn sow(&mut self, table: &Table, slot: usize) -> Sown {
        let seeds = self.seeds(slot);
        let entry = &table.0[(slot << 8 | seeds as usize) & 0xfff];
        self.own = self.own.wrapping_add(entry.own);
        self.other = self.other.wrapping_add(entry.other);
        Sown { seeds, last: entry.last.into(), gain: entry.gain.into() }
    }

    #[inline]
    fn seeds(&self, slot: usize) -> u64 {
        let row = if slot < Self::ROW { self.own } else { self.other };
        row >> (8 * (slot & 7)) & 0xff
    }

    #[inline]
    fn take(&mut self, slot: usize) -> u64 {
        let row = if slot < Self::ROW { &mut self.own } else { &mut self.other };
        let shift = 8 * (slot & 7);
        let seeds = *row >> shift & 0xff;
        *row ^= seeds << shift;
        seeds
    }

    #[inline]
    fn bank(&mut self, _seeds: u64) {}

    #[inline]
    fn flip(self) -> CompactBoard {
        CompactBoard { own: self.other, other: self.own }
    }

    #[inline]
    fn own_seeds(&self) -> u64 {
        sum(self.own)
    }

    #[inline]
    fn other_seeds(&self) -> u64 {
        sum(self.other)
    }

    #[inline]
    fn is_finished(&self) -> bool {
        self.own == 0 || self.other == 0
    }
}
