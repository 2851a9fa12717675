//! The boards and their sowing order.

mod compact;
mod wide;

use std::fmt::Debug;
use std::hash::Hash;

pub use compact::{CompactBoard, CompactBoardError, Occupied};
pub use wide::WideBoard;

use crate::{Direction, House, Pit};

/// The pits that the mover sows into, in sowing order: all houses and the mover's store.
#[derive(Clone, Debug)]
pub struct Track {
    pits: Vec<Pit>,
}

impl Track {
    /// The track round a board with `houses` houses per row.
    pub fn new(houses: u8, direction: Direction) -> Track {
        let own = (0..houses.into()).map(House::at).map(Pit::Own);
        let other = (0..houses.into()).map(House::at).map(Pit::Other);
        let pits = match direction {
            Direction::CounterClockwise => own.chain([Pit::Store]).chain(other).collect(),
            Direction::Clockwise => own.rev().chain(other.rev()).chain([Pit::Store]).collect(),
        };
        Track { pits }
    }

    /// The pits of one lap.
    pub fn pits(&self) -> &[Pit] {
        &self.pits
    }

    /// The pits that seeds from a pit are sown into, in order, without end.
    pub fn after(&self, from: Pit) -> impl Iterator<Item = Pit> + '_ {
        let start = self.pits.iter().position(|pit| *pit == from).unwrap_or(0);
        self.pits.iter().copied().cycle().skip(start + 1)
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::CompactBoard {}
    impl Sealed for super::WideBoard {}
}

/// The result of one sowing.
#[derive(Clone, Copy, Debug)]
pub struct Sown {
    /// The seeds picked up.
    pub seeds: u64,
    /// The slot of the last seed.
    pub last: usize,
    /// The seeds sown into the mover's store.
    pub gain: u64,
}

/// A board as the mover sees it: two rows of houses in numbered slots.
///
/// The mover's houses are slots 0, 1, ...; the opponent's are [`ROW`](Board::ROW), `ROW + 1`, ...;
/// the mover's store is [`STORE`](Board::STORE). A board implements sowing alone; the rules of a
/// move are in [`CompiledRules`](crate::CompiledRules), once for all boards.
///
/// The trait is sealed: [`CompactBoard`] and [`WideBoard`] are its only implementations.
pub trait Board: Copy + Debug + Ord + Hash + sealed::Sealed {
    /// Slots per row.
    const ROW: usize;
    /// The slot of the mover's store.
    const STORE: usize = 2 * Self::ROW;

    /// A track, compiled for this board.
    type Sower: Clone + Debug + Send + Sync;

    /// Compiles a track.
    fn sower(track: &Track) -> Self::Sower;

    /// Picks up all seeds of a house and sows them.
    fn sow(&mut self, sower: &Self::Sower, slot: usize) -> Sown;

    /// The seeds in a house.
    fn seeds(&self, slot: usize) -> u64;

    /// Empties a house, and returns its seeds.
    fn take(&mut self, slot: usize) -> u64;

    /// Puts captured seeds into the mover's store.
    fn bank(&mut self, seeds: u64);

    /// The board as the opponent sees it.
    fn flip(self) -> Self;

    /// The seeds in the mover's row.
    fn own_seeds(&self) -> u64;

    /// The seeds in the opponent's row.
    fn other_seeds(&self) -> u64;

    /// The layer of the board: the seeds in all houses.
    #[inline]
    fn layer(&self) -> u64 {
        self.own_seeds() + self.other_seeds()
    }

    /// Whether a row is empty, which ends the game.
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
