//! Boards that the search runs on.

use sowing_rules::{Board, BoardIndex, CompactBoard, WideBoard};
use sowing_tables::{Tables, ValueLocation};

/// A board that the search runs on: it has an index and a hash, and is found in tables.
pub(crate) trait SearchBoard: Board + Send + Sync {
    /// A board without seeds.
    const EMPTY: Self;

    /// The nodes between two clock checks. On a wide board a single relay can pick up tens of thousands of
    /// houses.
    const NODES_PER_CLOCK_CHECK: u64;

    /// The board's index. Its layer must not exceed the highest of the indices.
    fn index(&self, indices: &BoardIndex) -> u64;

    /// A hash, for sets that hold whole boards.
    fn hash_key(&self) -> u64;

    /// The value in the tables, if they have the board.
    fn probe(&self, tables: &Tables) -> Option<i8>;

    /// The place of the value in the tables, if they have the board.
    fn locate(&self, tables: &Tables) -> Option<ValueLocation>;

    /// The slots of the mover's occupied houses, nearest to the store first.
    fn occupied_nearest_store_first(&self, houses: usize) -> impl Iterator<Item = usize>;

    /// The seeds of each own house and the house opposite, from the left: each count at most `max`, which is at
    /// most 15, both as one number below (max + 1)^2.
    fn columns(&self, houses: usize, max: u64) -> impl Iterator<Item = usize> + Clone {
        (0..houses).map(move |slot| {
            let (own, opposite) = (self.seeds(slot), self.seeds(Self::ROW + houses - 1 - slot));
            (own.min(max) * (max + 1) + opposite.min(max)) as usize
        })
    }
}

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

const TOP_BITS: u64 = 0x80 * EVERY_BYTE;

/// All bits of each byte whose top bit is set. No other bits may be set.
#[inline]
fn spread(top_bits: u64) -> u64 {
    (top_bits >> 7) * 0xff
}

/// Each byte, at most `max`, which is below 128.
#[inline]
fn clamp_bytes(bytes: u64, max: u64) -> u64 {
    // Nothing is borrowed from the next byte, since the top bit is set before.
    let larger = (((bytes | TOP_BITS) - (max + 1) * EVERY_BYTE) | bytes) & TOP_BITS;
    let larger = spread(larger);
    bytes & !larger | (max * EVERY_BYTE) & larger
}

/// The opponent's row in the order in which it lies opposite the mover's.
#[inline]
fn opposite(board: &CompactBoard, houses: usize) -> u64 {
    board.other().swap_bytes() >> (8 * (8 - houses))
}

impl SearchBoard for CompactBoard {
    const EMPTY: CompactBoard = CompactBoard::EMPTY;
    const NODES_PER_CLOCK_CHECK: u64 = 1 << 11;

    #[inline]
    fn index(&self, indices: &BoardIndex) -> u64 {
        indices.compact_index(self)
    }

    #[inline]
    fn hash_key(&self) -> u64 {
        let own = self.own().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (own.rotate_left(29) ^ self.other()).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }

    #[inline]
    fn probe(&self, tables: &Tables) -> Option<i8> {
        tables.probe(*self)
    }

    #[inline]
    fn locate(&self, tables: &Tables) -> Option<ValueLocation> {
        tables.locate(*self)
    }

    #[inline]
    fn occupied_nearest_store_first(&self, houses: usize) -> impl Iterator<Item = usize> {
        let own = self.own();
        (0..houses).rev().filter(move |slot| own >> (8 * slot) & 0xff != 0)
    }

    #[inline]
    fn columns(&self, houses: usize, max: u64) -> impl Iterator<Item = usize> + Clone {
        let (own, opposite) =
            (clamp_bytes(self.own(), max), clamp_bytes(opposite(self, houses), max));
        let columns = own * (max + 1) + opposite;
        (0..houses).map(move |slot| (columns >> (8 * slot) & 0xff) as usize)
    }
}

impl SearchBoard for WideBoard {
    const EMPTY: WideBoard = WideBoard::EMPTY;
    const NODES_PER_CLOCK_CHECK: u64 = 1;

    fn index(&self, indices: &BoardIndex) -> u64 {
        indices.wide_index(self)
    }

    fn hash_key(&self) -> u64 {
        self.own().iter().chain(self.other()).fold(0, |mixed: u64, seeds| {
            (mixed.rotate_left(29) ^ seeds).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// Tables are for compact boards.
    fn probe(&self, _tables: &Tables) -> Option<i8> {
        None
    }

    fn locate(&self, _tables: &Tables) -> Option<ValueLocation> {
        None
    }

    fn occupied_nearest_store_first(&self, houses: usize) -> impl Iterator<Item = usize> {
        let own = *self;
        (0..houses).rev().filter(move |slot| own.seeds(*slot) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::{Game, Position, Rules, SeededRng};

    /// A row of a compact board is read all at once, one of a wide board house by house.
    #[test]
    fn both_boards_have_the_same_columns() {
        let mut random = SeededRng::new(5, 0);
        for houses in 1..=8 {
            let game = Game::new(Rules::default(), houses, 1).unwrap();
            for round in 0..2_000 {
                // Every fourth board holds nearly as many seeds as it can.
                let max = [2, 4, 16, 240 / (2 * u64::from(houses))][round % 4];
                let mut row = || {
                    let seeds: Vec<_> =
                        (0..houses).map(|_| random.below(max).to_string()).collect();
                    seeds.join(",")
                };
                let setup = format!("{},0|{},0", row(), row()).parse().unwrap();
                let Ok(position) = Position::free(game, &setup) else { continue };
                let (wide, houses) = (*position.board(), usize::from(houses));
                let compact = CompactBoard::new(&wide).unwrap();
                for max in [1, 9, 15] {
                    let same = compact.columns(houses, max).eq(wide.columns(houses, max));
                    assert!(same, "{position}");
                }
            }
        }
    }
}
