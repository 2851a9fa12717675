//! The board of any size: laps by division, 64-bit houses.

use super::{Board, Sown, Track};
use crate::MAX_HOUSES;

const ROW: usize = MAX_HOUSES as usize;

/// A board of up to 16 houses per row with its stores, as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WideBoard {
    houses: u8,
    /// The mover's row, the opponent's row, the mover's store, the opponent's store.
    pits: [u64; 2 * ROW + 2],
}

const OTHER_STORE: usize = 2 * ROW + 1;

impl WideBoard {
    /// A board without houses.
    pub const EMPTY: WideBoard = WideBoard { houses: 0, pits: [0; 2 * ROW + 2] };

    /// A board with these rows and stores.
    ///
    /// # Panics
    /// If the rows differ in length or are longer than 16 houses.
    pub fn new(own: &[u64], store: u64, other: &[u64], other_store: u64) -> WideBoard {
        assert!(own.len() == other.len() && own.len() <= ROW, "two equal rows of up to 16 houses");
        let mut pits = [0; 2 * ROW + 2];
        pits[..own.len()].copy_from_slice(own);
        pits[ROW..ROW + other.len()].copy_from_slice(other);
        pits[WideBoard::STORE] = store;
        pits[OTHER_STORE] = other_store;
        WideBoard { houses: own.len() as u8, pits }
    }

    /// Houses per row.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// All seeds; the sum cannot overflow.
    pub(crate) fn total(&self) -> u128 {
        self.pits.iter().map(|seeds| u128::from(*seeds)).sum()
    }

    /// The mover's row.
    pub fn own(&self) -> &[u64] {
        &self.pits[..self.houses.into()]
    }

    /// The opponent's row, from the opponent's left.
    pub fn other(&self) -> &[u64] {
        &self.pits[ROW..ROW + usize::from(self.houses)]
    }

    /// The mover's store.
    pub fn store(&self) -> u64 {
        self.pits[Self::STORE]
    }

    /// The opponent's store.
    pub fn other_store(&self) -> u64 {
        self.pits[OTHER_STORE]
    }
}

/// The slots in sowing order, two laps, and the index of each slot in it.
#[derive(Clone, Debug)]
pub struct Laps {
    order: [u8; 2 * (2 * ROW + 1)],
    index: [u8; 2 * ROW],
    length: usize,
}

impl Board for WideBoard {
    const ROW: usize = ROW;

    type Sower = Laps;

    fn sower(track: &Track) -> Laps {
        let length = track.pits().len();
        let mut laps = Laps { order: [0; 4 * ROW + 2], index: [0; 2 * ROW], length };
        for (index, pit) in track.pits().iter().copied().enumerate() {
            let slot = WideBoard::slot(pit);
            laps.order[index] = slot as u8;
            laps.order[index + length] = slot as u8;
            if slot != Self::STORE {
                laps.index[slot] = index as u8;
            }
        }
        laps
    }

    fn sow(&mut self, laps: &Laps, slot: usize) -> Sown {
        let seeds = self.take(slot);
        let store = self.store();
        let length = laps.length as u64;
        let rounds = seeds / length;
        if rounds > 0 {
            for slot in &laps.order[..laps.length] {
                self.pits[usize::from(*slot)] += rounds;
            }
        }
        // Without a remainder the last seed falls into the emptied house.
        let index = usize::from(laps.index[slot]);
        let rest = &laps.order[index..][..=(seeds % length) as usize];
        for slot in &rest[1..] {
            self.pits[usize::from(*slot)] += 1;
        }
        Sown { seeds, last: rest[rest.len() - 1].into(), gain: self.store() - store }
    }

    fn seeds(&self, slot: usize) -> u64 {
        self.pits[slot]
    }

    fn take(&mut self, slot: usize) -> u64 {
        std::mem::take(&mut self.pits[slot])
    }

    fn bank(&mut self, seeds: u64) {
        self.pits[Self::STORE] += seeds;
    }

    fn flip(mut self) -> WideBoard {
        let (own, other) = self.pits[..2 * ROW].split_at_mut(ROW);
        own.swap_with_slice(other);
        self.pits.swap(Self::STORE, OTHER_STORE);
        self
    }

    fn own_seeds(&self) -> u64 {
        self.own().iter().sum()
    }

    fn other_seeds(&self) -> u64 {
        self.other().iter().sum()
    }
}
