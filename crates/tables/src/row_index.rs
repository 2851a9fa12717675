//! The index of a row among all rows with the same number of seeds.

use sowing_rules::binomial;

/// One seed in each house.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest layer: a value must fit a signed byte.
pub const MAX_LAYER: u32 = 127;

/// The bijection between rows and indices, for one number of houses (a combinatorial number system).
///
/// A row is a `u64` with one byte per house, the leftmost in the lowest byte, as in
/// [`CompactBoard`](sowing_rules::CompactBoard). Rows with the same number of seeds have indices from 0 in
/// lexicographic order, the leftmost house most significant. A move that stays inside its row moves seeds to
/// the right, so that it lowers the index.
#[derive(Clone, Debug)]
pub struct RowIndex {
    houses: usize,
    max_seeds: usize,
    /// `counts[k]`: the number of rows of k seeds; 0 beyond `max_seeds`.
    counts: [u32; 256],
    /// `terms[i - 1][s]`: the amount by which s seeds in house i and to its right lower the index, for i = 1
    /// to 7; 0 if there is no house i.
    terms: [[u32; 256]; 7],
}

/// The number of rows of `houses` houses with `seeds` seeds.
pub(crate) fn count_rows(houses: u64, seeds: u64) -> u128 {
    match (houses, seeds) {
        (_, 0) => 1,
        (0, _) => 0,
        _ => choose(seeds + houses - 1, houses - 1),
    }
}

fn choose(n: u64, k: u64) -> u128 {
    binomial(n, k).expect("counts of positions fit 128 bits")
}

/// The number of live positions of a layer: both rows have seeds.
///
/// ```
/// assert_eq!(sowing_tables::live_positions(6, 30), 3_158_812_704);
/// ```
pub fn live_positions(houses: u8, layer: u32) -> u128 {
    let (houses, layer) = (u64::from(houses), u64::from(layer));
    (1..layer).map(|p| count_rows(houses, p) * count_rows(houses, layer - p)).sum()
}

impl RowIndex {
    /// The index of rows of 1 to 8 houses.
    ///
    /// # Panics
    /// If `houses` is not 1 to 8.
    pub fn new(houses: u8) -> RowIndex {
        assert!((1..=8).contains(&houses), "tables have 1 to 8 houses per row, not {houses}");
        let houses = usize::from(houses);
        let mut counts = [0; 256];
        let mut max_seeds = 0;
        for (seeds, slot) in counts.iter_mut().enumerate() {
            let count = count_rows(houses as u64, seeds as u64);
            if count >= 1 << 31 {
                break;
            }
            *slot = count as u32;
            max_seeds = seeds;
        }
        let mut row_index = RowIndex { houses, max_seeds, counts, terms: [[0; 256]; 7] };
        // With S seeds from house i on, the rows that agree left of house i - 1 and have fewer seeds from house i
        // on number C(S + h - i - 1, h - i). The index is the count of rows, less one, less the sum of these.
        for i in 1..houses {
            for seeds in 1..=max_seeds {
                let right = houses - i;
                let term = choose((seeds + right - 1) as u64, right as u64);
                row_index.terms[i - 1][seeds] = term as u32;
            }
        }
        row_index
    }

    /// Houses per row.
    pub fn houses(&self) -> usize {
        self.houses
    }

    /// The most seeds of a row: indices fit 31 bits.
    pub fn max_seeds(&self) -> u32 {
        self.max_seeds as u32
    }

    /// The number of rows with `seeds` seeds.
    ///
    /// # Panics
    /// If `seeds` exceeds [`max_seeds`](RowIndex::max_seeds).
    #[inline]
    pub fn count(&self, seeds: usize) -> usize {
        assert!(seeds <= self.max_seeds, "rows of {seeds} seeds are not numbered");
        self.counts[seeds] as usize
    }

    /// The seeds of a row, and its index among the rows with as many seeds.
    ///
    /// The index is unspecified if the row has more than [`max_seeds`](RowIndex::max_seeds) seeds, or seeds beyond
    /// its houses. One multiplication computes all suffix sums; each house then costs one look-up in a table of the
    /// first-level cache.
    #[inline]
    pub fn index_of(&self, row: u64) -> (usize, usize) {
        // The terms of missing houses are 0.
        if self.houses <= 6 { self.index_in::<6>(row) } else { self.index_in::<8>(row) }
    }

    #[inline(always)]
    fn index_in<const H: usize>(&self, row: u64) -> (usize, usize) {
        // Byte 7 of the product is the sum of all houses, byte 7 + i that of house i and all to
        // its right.
        let product = u128::from(row) * u128::from(ONES);
        let seeds = (product >> 56) as u8;
        let right = (product >> 64) as u64;
        let mut index = self.counts[usize::from(seeds)].wrapping_sub(1);
        for (i, terms) in self.terms[..H - 1].iter().enumerate() {
            index = index.wrapping_sub(terms[usize::from((right >> (8 * i)) as u8)]);
        }
        (usize::from(seeds), index as usize)
    }

    /// All rows with `seeds` seeds, in order of their index.
    pub fn rows(&self, seeds: usize) -> Vec<u64> {
        let mut rows = Vec::with_capacity(self.count(seeds));
        self.extend(&mut rows, 0, 0, seeds as u64);
        rows
    }

    fn extend(&self, rows: &mut Vec<u64>, house: usize, left: u64, seeds: u64) {
        if house + 1 == self.houses {
            rows.push(left | seeds << (8 * house));
            return;
        }
        for here in 0..=seeds {
            self.extend(rows, house + 1, left | here << (8 * house), seeds - here);
        }
    }

    /// The row with `seeds` seeds and this index.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, seeds: usize, index: usize) -> u64 {
        assert!(index < self.count(seeds), "{index} is not the index of a row of {seeds} seeds");
        // The term of each house determines the seeds in it and to its right.
        let mut off = (self.count(seeds) - 1 - index) as u32;
        let (mut row, mut left) = (0, seeds);
        for (house, terms) in self.terms[..self.houses - 1].iter().enumerate() {
            let mut right = left;
            while terms[right] > off {
                right -= 1;
            }
            off -= terms[right];
            row |= ((left - right) as u64) << (8 * house);
            left = right;
        }
        row | (left as u64) << (8 * (self.houses - 1))
    }
}

/// The seeds in house `house` of a row.
#[inline]
pub(crate) fn seeds_in(row: u64, house: usize) -> u64 {
    row >> (8 * house) & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_count_rows_in_order() {
        for houses in 1..=8 {
            let row_index = RowIndex::new(houses);
            for seeds in 0..=9 {
                let rows = row_index.rows(seeds);
                assert_eq!(rows.len(), row_index.count(seeds));
                for (index, row) in rows.iter().enumerate() {
                    assert_eq!(
                        row_index.index_of(*row),
                        (seeds, index),
                        "{houses} houses, row {row:#x}"
                    );
                    assert_eq!(row_index.row(seeds, index), *row);
                }
                let key = |row: &u64| row.swap_bytes();
                assert!(rows.is_sorted_by_key(key), "{houses} houses, {seeds} seeds");
            }
        }
    }

    #[test]
    fn live_positions_by_the_closed_formula() {
        for houses in 1..=8_u64 {
            for layer in 2..=40 {
                let both = choose(layer + 2 * houses - 1, 2 * houses - 1);
                let closed = both - 2 * choose(layer + houses - 1, houses - 1);
                assert_eq!(live_positions(houses as u8, layer as u32), closed);
            }
        }
    }
}
