//! The board for solving: sixteen bytes, a sowing is one look-up and one addition.

use super::{Board, Sown, Track};
use crate::{Pit, Wide};

/// A board of up to 8 houses a row and 255 seeds, without its stores.
///
/// ```text
///   other  [ 8 houses, one byte each, the opponent's leftmost lowest ]   slots 8 to 15
///   own    [ 8 houses, one byte each, the mover's leftmost lowest    ]   slots 0 to 7
/// ```
///
/// Nothing in the rules depends on what lies in the stores, so they are left out: what falls into
/// the mover's store is reported as the move's gain, and the board itself is the whole key of a
/// position. Since no house can hold more than 255 seeds, bytes never carry into each other and
/// eight houses are sown into by one addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Small {
    own: u64,
    other: u64,
}

/// Why a board does not fit a [`Small`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmallError {
    /// A row has more than 8 houses.
    #[error("a small board has at most {max} houses, not {0}", max = Small::MAX_HOUSES)]
    Houses(u8),
    /// The houses hold more than 255 seeds.
    #[error("a small board has at most {max} seeds in its houses, not {0}", max = Small::MAX_SEEDS)]
    Seeds(u64),
}

/// What picking up some number of seeds from some slot does.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    own: u64,
    other: u64,
    last: u8,
    gain: u8,
}

/// One [`Entry`] for every slot and number of seeds.
#[derive(Clone, Debug)]
pub struct Table(Box<[Entry; 16 * 256]>);

impl Small {
    /// A board without seeds.
    pub const EMPTY: Small = Small { own: 0, other: 0 };
    /// The most houses a row can have.
    pub const MAX_HOUSES: u8 = 8;
    /// The most seeds all houses together can hold.
    pub const MAX_SEEDS: u64 = 255;

    /// The houses of a wide board, if they fit.
    pub fn new(wide: &Wide) -> Result<Small, SmallError> {
        if wide.houses() > Small::MAX_HOUSES {
            return Err(SmallError::Houses(wide.houses()));
        }
        let layer = wide.own_seeds() + wide.other_seeds();
        if layer > Small::MAX_SEEDS {
            return Err(SmallError::Seeds(layer));
        }
        let row = |seeds: &[u64]| seeds.iter().rev().fold(0, |row, seeds| row << 8 | seeds);
        Ok(Small { own: row(wide.own()), other: row(wide.other()) })
    }

    /// A board from its two rows, a byte a house, leftmost lowest.
    ///
    /// The caller answers for there being at most 255 seeds.
    pub fn from_rows(own: u64, other: u64) -> Small {
        Small { own, other }
    }

    /// The mover's row, a byte a house, leftmost lowest.
    pub fn own(&self) -> u64 {
        self.own
    }

    /// The opponent's row, a byte a house, leftmost lowest.
    pub fn other(&self) -> u64 {
        self.other
    }

    /// The slots of the mover's houses that hold seeds, leftmost first.
    #[inline]
    pub fn occupied(&self) -> Occupied {
        Occupied(non_zero_bytes(self.own))
    }
}

/// An iterator over occupied slots, see [`Small::occupied`].
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

impl Board for Small {
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
            let slot = Small::slot(from);
            let mut entry = Entry { last: slot as u8, ..Entry::default() };
            let (own_unit, other_unit, _) = unit(from);
            for (seeds, pit) in (1..256).zip(track.after(from)) {
                // Adding this entry takes the picked-up seeds away and lays them out: the sums are
                // exact modulo 2^64, and so is the outcome, whose bytes all lie in 0 to 255.
                let (own, other, store) = unit(pit);
                entry.own = entry.own.wrapping_add(own).wrapping_sub(own_unit);
                entry.other = entry.other.wrapping_add(other).wrapping_sub(other_unit);
                entry.gain += store;
                entry.last = Small::slot(pit) as u8;
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
    fn flip(self) -> Small {
        Small { own: self.other, other: self.own }
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
