//! The index of a board: a number that stands for it completely.

use crate::{Board, CompactBoard, Game, Position, Setup, WideBoard, binomial};

/// The most bits of an index.
const MAX_BITS: u32 = 58;

/// The indices of all boards with a number of houses per row, up to a layer: a bijection between boards and the
/// numbers below their count. Stores have no part in it. Books and table exports name boards by it, and it does not
/// change between versions.
///
/// Let c(i) be the seeds in the first i+1 of all 2h houses, plus i. The c(i) rise strictly, so they are a set
/// of 2h numbers. The sum of the binomials "c(i) choose i+1" is the set's index among all such sets in
/// colexicographic order. Boards of lower layers come first: those up to layer n fill the numbers below
/// "n + 2h choose 2h".
///
/// ```
/// use sowing_rules::{BoardIndex, Position};
///
/// let indices = BoardIndex::new(2);
/// let start = Position::start("kalah(2,1)".parse()?);
/// assert_eq!(indices.position_index(&start), Some(49));
/// assert_eq!(indices.position(*start.game(), 49), Some(start));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoardIndex {
    houses: usize,
    max_layer: u64,
    bits: u32,
    /// "s + i choose i + 1", one row per i.
    binomials: Vec<[u64; SEED_COUNTS]>,
}

/// A one in every byte.
const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

/// The possible seed counts.
const SEED_COUNTS: usize = BoardIndex::MAX_LAYER as usize + 1;

impl BoardIndex {
    /// The highest layer of any number of houses: its values fit a byte.
    pub const MAX_LAYER: u64 = 127;

    /// The indices of boards with 1 to 16 houses per row, up to [`MAX_LAYER`](BoardIndex::MAX_LAYER) or, with seven
    /// houses and more, as far as an index fits 58 bits.
    pub fn new(houses: usize) -> BoardIndex {
        let pits = 2 * houses as u64;
        let count = |layer: u64| binomial(layer + pits, pits).filter(|n| *n <= 1 << MAX_BITS);
        let mut max_layer = BoardIndex::MAX_LAYER;
        let count = loop {
            match count(max_layer) {
                Some(count) => break count as u64,
                None => max_layer -= 1,
            }
        };
        let bits = (64 - (count - 1).leading_zeros()).max(1);
        let mut binomials = vec![[0; SEED_COUNTS]; 2 * houses];
        for (i, row) in (0..).zip(&mut binomials) {
            for (s, slot) in (0..=max_layer).zip(row) {
                *slot = binomial(s + i, i + 1).expect("smaller than the count") as u64;
            }
        }
        BoardIndex { houses, max_layer, bits, binomials }
    }

    /// Houses per row.
    pub fn houses(&self) -> usize {
        self.houses
    }

    /// The highest layer that has indices.
    pub fn max_layer(&self) -> u64 {
        self.max_layer
    }

    /// Every index is below two to this power.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of boards below a layer, which may be one above the highest.
    pub fn count_below(&self, layer: u64) -> u64 {
        let pits = 2 * self.houses as u64;
        match layer {
            0 => 0,
            _ => binomial(layer - 1 + pits, pits).expect("within the bits") as u64,
        }
    }

    /// The index of a board, whose layer must not exceed the highest.
    #[inline]
    pub fn compact_index(&self, board: &CompactBoard) -> u64 {
        // Byte i of the product is the sum of bytes 0 to i.
        let mut own = board.own().wrapping_mul(EVERY_BYTE);
        let mut other = board.other().wrapping_mul(EVERY_BYTE) + (own >> 56) * EVERY_BYTE;
        let (of_own, of_other) = self.binomials.split_at(self.houses);
        let mut index = 0;
        for (of_own, of_other) in of_own.iter().zip(of_other) {
            // No sum is beyond the highest layer.
            index += of_own[own as usize % SEED_COUNTS] + of_other[other as usize % SEED_COUNTS];
            (own, other) = (own >> 8, other >> 8);
        }
        index
    }

    /// The index of a board, whose layer must not exceed the highest.
    pub fn wide_index(&self, board: &WideBoard) -> u64 {
        let mut sum = 0;
        let seeds = board.own().iter().chain(board.other()).enumerate();
        seeds
            .map(|(i, seeds)| {
                sum += *seeds as usize;
                self.binomials[i][sum]
            })
            .sum()
    }

    /// The index of a position's board; `None` if it has other houses than the indices, or more seeds in them than
    /// the highest layer.
    pub fn position_index(&self, position: &Position) -> Option<u64> {
        let board = position.board();
        let fits = usize::from(board.houses()) == self.houses && board.layer() <= self.max_layer;
        fits.then(|| self.wide_index(board))
    }

    /// The board with an index below the count of all boards, of up to 8 houses per row.
    pub fn board(&self, index: u64) -> CompactBoard {
        let mut rows = [0; 2];
        self.for_each_house(index, |house, seeds| {
            rows[house / self.houses] |= seeds << (8 * (house % self.houses));
        });
        CompactBoard::from_rows(rows[0], rows[1])
    }

    /// The position of a game whose board has this index, with empty stores and any number of seeds. `None` if the
    /// game has other houses than the indices, or no board has the index.
    pub fn position(&self, game: Game, index: u64) -> Option<Position> {
        if index >= self.count_below(self.max_layer + 1) {
            return None;
        }
        let mut pits = vec![0; 2 * self.houses];
        self.for_each_house(index, |house, seeds| pits[house] = seeds);
        let (own, other) = pits.split_at(self.houses);
        Position::free(game, &Setup::from(WideBoard::new(own, 0, other, 0))).ok()
    }

    /// Visits all houses of a board with their seeds, from the last to the first.
    fn for_each_house(&self, mut index: u64, mut visit: impl FnMut(usize, u64)) {
        let mut sum = self.max_layer as usize;
        let mut last = None;
        // The seeds in the first houses together, from all of them down to the first alone.
        for i in (0..2 * self.houses).rev() {
            while self.binomials[i][sum] > index {
                sum -= 1;
            }
            index -= self.binomials[i][sum];
            if let Some((house, before)) = last.replace((i, sum)) {
                visit(house, (before - sum) as u64);
            }
        }
        visit(0, sum as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_stand_for_boards() {
        for houses in 1..=8 {
            let indices = BoardIndex::new(houses);
            let end = indices.count_below(indices.max_layer() + 1);
            let step = (end / 10_007).max(1) as usize;
            for index in (0..end.min(3000)).chain((0..end).step_by(step)).chain([end - 1]) {
                let board = indices.board(index);
                assert_eq!(indices.compact_index(&board), index, "{houses}");
                let row = |row: u64| row.to_le_bytes().map(u64::from);
                let (own, other) = (row(board.own()), row(board.other()));
                let wide = WideBoard::new(&own[..houses], 0, &other[..houses], 0);
                assert_eq!(indices.wide_index(&wide), index, "{houses}");
            }
        }
    }

    /// Also of boards that are not compact; boards beyond the indices have none.
    #[test]
    fn indices_stand_for_positions() {
        for houses in 1..=16 {
            let game: Game = format!("kalah({houses},3)").parse().unwrap();
            let indices = BoardIndex::new(houses);
            let end = indices.count_below(indices.max_layer() + 1);
            let step = (end / 1_009).max(1) as usize;
            for index in (0..end).step_by(step).chain([end - 1]) {
                let position = indices.position(game, index).unwrap();
                assert_eq!(indices.position_index(&position), Some(index), "{position}");
            }
            assert_eq!(indices.position(game, end), None);
            assert_eq!(indices.position("kalah(3,2)".parse().unwrap(), 0).is_some(), houses == 3);
            let large: Game = format!("kalah({houses},1000)").parse().unwrap();
            assert_eq!(indices.position_index(&Position::start(large)), None);
        }
    }
}
