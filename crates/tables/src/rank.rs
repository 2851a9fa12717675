//! Rows in order: all ways to lay k seeds in the houses of one row, and their numbers.

/// The lowest byte of each house.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The most seeds a layer can have: a value must fit a signed byte.
pub const MAX_LAYER: u32 = 127;

/// The numbering of rows of one width.
///
/// A row is a `u64`, a byte a house, the leftmost lowest, as in [`Small`](sowing::Small). Rows with
/// the same number of seeds are numbered from 0 in lexicographic order, the leftmost house most
/// significant. A move that stays inside its row takes seeds from a house and adds to houses on its
/// right, so the row after it comes earlier.
#[derive(Clone, Debug)]
pub struct RowRanks {
    houses: usize,
    max_seeds: usize,
    /// `counts[k]`: rows of k seeds; 0 beyond `max_seeds`.
    counts: [u32; 256],
    /// `terms[i - 1][s]`: what s seeds in house i and to its right take off the rank, for
    /// i = 1 to 7; nothing where there is no such house.
    terms: [[u32; 256]; 7],
}

/// How many ways there are to lay `seeds` in `houses`.
pub(crate) fn ways(houses: u64, seeds: u64) -> u128 {
    match (houses, seeds) {
        (_, 0) => 1,
        (0, _) => 0,
        _ => binomial(seeds + houses - 1, houses - 1),
    }
}

fn binomial(n: u64, k: u64) -> u128 {
    (1..=u128::from(k)).fold(1, |product, i| product * (u128::from(n - k) + i) / i)
}

/// The live positions of a layer: both rows hold seeds.
///
/// ```
/// assert_eq!(sowing_tables::live_positions(6, 30), 3_158_812_704);
/// ```
pub fn live_positions(houses: u8, layer: u32) -> u128 {
    let (houses, layer) = (u64::from(houses), u64::from(layer));
    (1..layer).map(|p| ways(houses, p) * ways(houses, layer - p)).sum()
}

impl RowRanks {
    /// The numbering of rows of 1 to 8 houses.
    ///
    /// # Panics
    /// With any other number of houses.
    pub fn new(houses: u8) -> RowRanks {
        assert!((1..=8).contains(&houses), "tables have 1 to 8 houses a row, not {houses}");
        let houses = usize::from(houses);
        let mut counts = [0; 256];
        let mut max_seeds = 0;
        for (seeds, slot) in counts.iter_mut().enumerate() {
            let count = ways(houses as u64, seeds as u64);
            if count >= 1 << 31 {
                break;
            }
            *slot = count as u32;
            max_seeds = seeds;
        }
        let mut ranks = RowRanks { houses, max_seeds, counts, terms: [[0; 256]; 7] };
        // With S the seeds from house i on, the rows that agree left of it and have more to the
        // right of house i - 1 number C(S + h - i - 1, h - i).
        for i in 1..houses {
            for seeds in 1..=max_seeds {
                let right = houses - i;
                let term = binomial((seeds + right - 1) as u64, right as u64);
                ranks.terms[i - 1][seeds] = term as u32;
            }
        }
        ranks
    }

    /// Houses a row.
    pub fn houses(&self) -> usize {
        self.houses
    }

    /// The most seeds a row can have here: as many as keep ranks within 31 bits.
    pub fn max_seeds(&self) -> u32 {
        self.max_seeds as u32
    }

    /// How many rows have this many seeds.
    ///
    /// # Panics
    /// Beyond [`max_seeds`](RowRanks::max_seeds).
    #[inline]
    pub fn count(&self, seeds: usize) -> usize {
        assert!(seeds <= self.max_seeds, "rows of {seeds} seeds are not numbered");
        self.counts[seeds] as usize
    }

    /// The seeds of a row and its number among the rows of as many seeds.
    ///
    /// One multiplication gives all sums from the right; each house then costs one look-up in a
    /// table that stays in the first-level cache. Trusts the row to have no more seeds than
    /// [`max_seeds`](RowRanks::max_seeds) and nothing beyond its houses; the rank of any other means
    /// nothing.
    #[inline]
    pub fn rank(&self, row: u64) -> (usize, usize) {
        // Terms of houses that are not there are 0.
        if self.houses <= 6 { self.rank_of::<6>(row) } else { self.rank_of::<8>(row) }
    }

    #[inline(always)]
    fn rank_of<const H: usize>(&self, row: u64) -> (usize, usize) {
        // Byte 7 of the product is the sum of all houses, byte 7 + i that of house i and all to
        // its right.
        let product = u128::from(row) * u128::from(ONES);
        let seeds = (product >> 56) as u8;
        let right = (product >> 64) as u64;
        let mut rank = self.counts[usize::from(seeds)].wrapping_sub(1);
        for (i, terms) in self.terms[..H - 1].iter().enumerate() {
            rank = rank.wrapping_sub(terms[usize::from((right >> (8 * i)) as u8)]);
        }
        (usize::from(seeds), rank as usize)
    }

    /// All rows of this many seeds, in order.
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

    /// The row of this many seeds with this number.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, seeds: usize, rank: usize) -> u64 {
        assert!(rank < self.count(seeds), "{rank} is not the rank of a row of {seeds} seeds");
        // What each house takes off the rank says how many seeds lie from it on to the right.
        let mut off = (self.count(seeds) - 1 - rank) as u32;
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
    fn ranks_count_rows_in_order() {
        for houses in 1..=8 {
            let ranks = RowRanks::new(houses);
            for seeds in 0..=9 {
                let rows = ranks.rows(seeds);
                assert_eq!(rows.len(), ranks.count(seeds));
                for (rank, row) in rows.iter().enumerate() {
                    assert_eq!(ranks.rank(*row), (seeds, rank), "{houses} houses, row {row:#x}");
                    assert_eq!(ranks.row(seeds, rank), *row);
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
                let both = binomial(layer + 2 * houses - 1, 2 * houses - 1);
                let closed = both - 2 * binomial(layer + houses - 1, houses - 1);
                assert_eq!(live_positions(houses as u8, layer as u32), closed);
            }
        }
    }
}
