//! Boards as numbers: every board of up to some layer, and nothing else, gets a number below a
//! bound, so that a number can stand for its board.

use sowing::{Board, Small, Wide};
use sowing_tables::{Spot, Tables};

/// The largest number of bits a rank may have.
pub(crate) const MAX_BITS: u32 = 58;

/// The highest layer whose values fit the bytes of a table entry.
pub(crate) const MAX_LAYER: u64 = 127;

/// The ranks of all boards with `houses` houses a row up to a layer.
///
/// Let c(i) be the seeds in the first i+1 of all 2h houses, plus i. The c(i) rise strictly, so
/// they are a set of 2h numbers, and the sum of the binomials "c(i) choose i+1" is the set's place
/// among all such sets in colexicographic order: no two boards share it. Boards of lower layer
/// come first, so those up to layer n fill the numbers below "n + 2h choose 2h".
#[derive(Clone, Debug)]
pub(crate) struct BoardRanks {
    houses: usize,
    max_layer: u64,
    bits: u32,
    /// "s + i choose i + 1", a row for each i.
    binomials: Vec<[u64; ROW]>,
}

/// As many numbers of seeds as there can be.
const ROW: usize = MAX_LAYER as usize + 1;

impl BoardRanks {
    /// Ranks as far as they stay within [`MAX_BITS`] bits and values within a byte.
    pub(crate) fn new(houses: usize) -> BoardRanks {
        let pits = 2 * houses;
        let fits = |layer: u64| {
            binomial(layer + pits as u64, pits as u64).is_some_and(|n| n <= 1 << MAX_BITS)
        };
        let mut max_layer = MAX_LAYER;
        while !fits(max_layer) {
            max_layer -= 1;
        }
        let count = binomial(max_layer + pits as u64, pits as u64).expect("it fits");
        let bits = (64 - (count - 1).leading_zeros()).max(1);
        let mut binomials = vec![[0; ROW]; pits];
        for (i, row) in (0..).zip(&mut binomials) {
            for (s, slot) in (0..=max_layer).zip(row) {
                *slot = binomial(s + i, i + 1).expect("smaller than the count");
            }
        }
        BoardRanks { houses, max_layer, bits, binomials }
    }

    /// Houses a row.
    pub(crate) fn houses(&self) -> usize {
        self.houses
    }

    /// The highest layer that has ranks.
    pub(crate) fn max_layer(&self) -> u64 {
        self.max_layer
    }

    /// Every rank is below two to this power.
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// How many boards have a lower layer than this, which may be one above the highest.
    pub(crate) fn below(&self, layer: u64) -> u64 {
        let pits = 2 * self.houses as u64;
        if layer == 0 { 0 } else { binomial(layer - 1 + pits, pits).expect("within the bits") }
    }

    /// The board of a rank below that of the first board above the highest layer.
    pub(crate) fn board(&self, mut rank: u64) -> Small {
        let mut rows = [0; 2];
        let mut sum = self.max_layer as usize;
        let mut above = None;
        // The seeds in the first houses together, from all of them down to the first alone.
        for i in (0..2 * self.houses).rev() {
            while self.binomial(i, sum) > rank {
                sum -= 1;
            }
            rank -= self.binomial(i, sum);
            if let Some((above, before)) = above.replace((i, sum)) {
                rows[above / self.houses] |= ((before - sum) as u64) << (8 * (above % self.houses));
            }
        }
        rows[0] |= sum as u64;
        Small::from_rows(rows[0], rows[1])
    }

    fn binomial(&self, index: usize, seeds: usize) -> u64 {
        self.binomials[index][seeds]
    }
}

/// "n choose k", if it is small enough to be of use here.
fn binomial(n: u64, k: u64) -> Option<u64> {
    let mut product: u128 = 1;
    for i in 0..k {
        product = product * u128::from(n.checked_sub(i)?) / u128::from(i + 1);
        if product > 1 << 62 {
            return None;
        }
    }
    Some(product as u64)
}

/// A board that a solver can search on: it can be ranked and mixed.
pub(crate) trait Ranked: Board + Send + Sync {
    /// A board without seeds.
    const EMPTY: Self;

    /// How many positions are looked at between two looks at the clock. On a wide board a single
    /// relay can pick up tens of thousands of houses.
    const PATIENCE: u64;

    /// The board's rank; its layer must not exceed the ranks' highest.
    fn rank(&self, ranks: &BoardRanks) -> u64;

    /// A hash, for sets that hold whole boards.
    fn mix(&self) -> u64;

    /// What tables say of a board, if they have it.
    fn look_up(&self, tables: &Tables) -> Option<i8>;

    /// Where tables have a board, if they do.
    fn spot(&self, tables: &Tables) -> Option<Spot>;

    /// The slots of the mover's houses that hold seeds, the ones nearest to the store first.
    fn near_first(&self, houses: usize) -> impl Iterator<Item = usize>;

    /// Each own house together with the house opposite, from the left: their seeds, of which more than
    /// `most` are taken for as many, as a number below (most + 1)^2. No more than 15.
    fn columns(&self, houses: usize, most: u64) -> impl Iterator<Item = usize> + Clone {
        (0..houses).map(move |slot| {
            let (own, opposite) = (self.seeds(slot), self.seeds(Self::ROW + houses - 1 - slot));
            (own.min(most) * (most + 1) + opposite.min(most)) as usize
        })
    }
}

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

const TOP_BITS: u64 = 0x80 * EVERY_BYTE;

/// All bits of each byte whose top bit is set; no other bits may be.
#[inline]
fn whole(top_bits: u64) -> u64 {
    (top_bits >> 7) * 0xff
}

/// Each byte, or `most` where that is less; it must be below 128.
#[inline]
fn at_most(bytes: u64, most: u64) -> u64 {
    // Nothing is borrowed from the next byte, since the top bit is set before.
    let more = (((bytes | TOP_BITS) - (most + 1) * EVERY_BYTE) | bytes) & TOP_BITS;
    let more = whole(more);
    bytes & !more | (most * EVERY_BYTE) & more
}

/// The other's row as it lies opposite the mover's.
#[inline]
fn opposite(board: &Small, houses: usize) -> u64 {
    board.other().swap_bytes() >> (8 * (8 - houses))
}

impl Ranked for Small {
    const EMPTY: Small = Small::EMPTY;
    const PATIENCE: u64 = 1 << 11;

    #[inline]
    fn rank(&self, ranks: &BoardRanks) -> u64 {
        // Byte i of the product is the sum of bytes 0 to i.
        let mut own = self.own().wrapping_mul(EVERY_BYTE);
        let mut other = self.other().wrapping_mul(EVERY_BYTE) + (own >> 56) * EVERY_BYTE;
        let (of_own, of_other) = ranks.binomials.split_at(ranks.houses);
        let mut rank = 0;
        for (of_own, of_other) in of_own.iter().zip(of_other) {
            // No sum is beyond the highest layer.
            rank += of_own[own as usize % ROW] + of_other[other as usize % ROW];
            (own, other) = (own >> 8, other >> 8);
        }
        rank
    }

    #[inline]
    fn mix(&self) -> u64 {
        let own = self.own().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (own.rotate_left(29) ^ self.other()).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }

    #[inline]
    fn look_up(&self, tables: &Tables) -> Option<i8> {
        tables.probe(*self)
    }

    #[inline]
    fn spot(&self, tables: &Tables) -> Option<Spot> {
        tables.spot(*self)
    }

    #[inline]
    fn near_first(&self, houses: usize) -> impl Iterator<Item = usize> {
        let own = self.own();
        (0..houses).rev().filter(move |slot| own >> (8 * slot) & 0xff != 0)
    }

    #[inline]
    fn columns(&self, houses: usize, most: u64) -> impl Iterator<Item = usize> + Clone {
        let (own, opposite) = (at_most(self.own(), most), at_most(opposite(self, houses), most));
        let columns = own * (most + 1) + opposite;
        (0..houses).map(move |slot| (columns >> (8 * slot) & 0xff) as usize)
    }
}

impl Ranked for Wide {
    const EMPTY: Wide = Wide::EMPTY;
    const PATIENCE: u64 = 1;

    fn rank(&self, ranks: &BoardRanks) -> u64 {
        let mut sum = 0;
        let seeds = self.own().iter().chain(self.other()).enumerate();
        seeds
            .map(|(i, seeds)| {
                sum += *seeds as usize;
                ranks.binomial(i, sum)
            })
            .sum()
    }

    fn mix(&self) -> u64 {
        self.own().iter().chain(self.other()).fold(0, |mixed: u64, seeds| {
            (mixed.rotate_left(29) ^ seeds).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// Tables are for small boards.
    fn look_up(&self, _tables: &Tables) -> Option<i8> {
        None
    }

    fn spot(&self, _tables: &Tables) -> Option<Spot> {
        None
    }

    fn near_first(&self, houses: usize) -> impl Iterator<Item = usize> {
        let own = *self;
        (0..houses).rev().filter(move |slot| own.seeds(*slot) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing::{Game, Position, Rules, Stream};

    #[test]
    fn ranks_are_boards() {
        for houses in 1..=8 {
            let ranks = BoardRanks::new(houses);
            let end = ranks.below(ranks.max_layer() + 1);
            let step = (end / 10_007).max(1) as usize;
            for rank in (0..end.min(3000)).chain((0..end).step_by(step)).chain([end - 1]) {
                assert_eq!(ranks.board(rank).rank(&ranks), rank, "{houses}");
            }
        }
    }

    /// A row of a small board is looked at all at once, one of a wide board house by house.
    #[test]
    fn both_boards_look_the_same() {
        let mut random = Stream::new(5, 0);
        for houses in 1..=8 {
            let game = Game::new(Rules::default(), houses, 1).unwrap();
            for round in 0..2_000 {
                // Now and then nearly all that a board can hold.
                let most = [2, 4, 16, 240 / (2 * u64::from(houses))][round % 4];
                let mut row = || {
                    let seeds: Vec<_> =
                        (0..houses).map(|_| random.below(most).to_string()).collect();
                    seeds.join(",")
                };
                let setup = format!("{},0|{},0", row(), row()).parse().unwrap();
                let Ok(position) = Position::free(game, &setup) else { continue };
                let (wide, houses) = (*position.board(), usize::from(houses));
                let small = Small::new(&wide).unwrap();
                for most in [1, 9, 15] {
                    assert!(
                        small.columns(houses, most).eq(wide.columns(houses, most)),
                        "{position}"
                    );
                }
            }
        }
    }
}
