//! The boards, and the order in which seeds are sown round them.

mod small;
mod wide;

use std::fmt::Debug;
use std::hash::Hash;

pub use small::{Small, SmallError};
pub use wide::Wide;

use crate::{Direction, House, Pit};

/// The pits that the mover sows into, in sowing order: all houses and the mover's own store.
#[derive(Clone, Debug)]
pub struct Track {
    pits: Vec<Pit>,
}

impl Track {
    /// The track round a board with this many houses a row.
    pub fn new(houses: u8, direction: Direction) -> Track {
        let own = (0..houses.into()).map(House::at).map(Pit::Own);
        let other = (0..houses.into()).map(House::at).map(Pit::Other);
        let pits = match direction {
            Direction::CounterClockwise => own.chain([Pit::Store]).chain(other).collect(),
            Direction::Clockwise => own.rev().chain(other.rev()).chain([Pit::Store]).collect(),
        };
        Track { pits }
    }

    /// All pits of the track, once.
    pub fn pits(&self) -> &[Pit] {
        &self.pits
    }

    /// The pits that seeds picked up from a pit fall into, one after the other, without end.
    pub fn after(&self, from: Pit) -> impl Iterator<Item = Pit> + '_ {
        let start = self.pits.iter().position(|pit| *pit == from).unwrap_or(0);
        self.pits.iter().copied().cycle().skip(start + 1)
    }
}

/// What one sowing did.
#[derive(Clone, Copy, Debug)]
pub struct Sown {
    /// How many seeds were picked up.
    pub seeds: u64,
    /// The slot that the last seed fell into.
    pub last: usize,
    /// How many of the seeds fell into the mover's store.
    pub gain: u64,
}

/// A board as the mover sees it: two rows of houses in numbered slots.
///
/// The mover's houses are slots 0, 1, ...; the opponent's are [`ROW`](Board::ROW), `ROW + 1`, ...;
/// the mover's store is [`STORE`](Board::STORE). What a board does is only the mechanics of
/// sowing; what a move is, [`Law`](crate::Law) says for all boards alike.
pub trait Board: Copy + Debug + Ord + Hash {
    /// Slots a row.
    const ROW: usize;
    /// The slot of the mover's store.
    const STORE: usize = 2 * Self::ROW;

    /// A track made ready for this board.
    type Sower: Clone + Debug + Send + Sync;

    /// Makes a track ready.
    fn sower(track: &Track) -> Self::Sower;

    /// Picks up all seeds of a house and sows them.
    fn sow(&mut self, sower: &Self::Sower, slot: usize) -> Sown;

    /// The seeds in a house.
    fn seeds(&self, slot: usize) -> u64;

    /// Empties a house.
    fn take(&mut self, slot: usize) -> u64;

    /// Puts captured seeds into the mover's store.
    fn bank(&mut self, seeds: u64);

    /// The board as the opponent sees it.
    fn flip(self) -> Self;

    /// The seeds in the mover's row.
    fn own_seeds(&self) -> u64;

    /// The seeds in the opponent's row.
    fn other_seeds(&self) -> u64;

    /// Whether the game is over: one row is empty.
    fn is_finished(&self) -> bool {
        self.own_seeds() == 0 || self.other_seeds() == 0
    }

    /// The slot of a pit.
    fn slot(pit: Pit) -> usize {
        match pit {
            Pit::Own(house) => house.index(),
            Pit::Other(house) => Self::ROW + house.index(),
            Pit::Store => Self::STORE,
        }
    }

    /// The pit of a slot.
    fn pit(slot: usize) -> Pit {
        if slot < Self::ROW {
            Pit::Own(House::at(slot))
        } else if slot < Self::STORE {
            Pit::Other(House::at(slot - Self::ROW))
        } else {
            Pit::Store
        }
    }
}
