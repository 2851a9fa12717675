//! Sets of the ways in which the seeds in stores can be split.

use std::ops::BitOr;

/// What the first player's store can hold: bit `f` of `W` words says that it can hold `f` seeds.
/// The other store holds the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Splits<const W: usize>([u64; W]);

impl<const W: usize> Splits<W> {
    pub(super) const NONE: Splits<W> = Splits([0; W]);

    /// The one split with nothing in the first player's store.
    pub(super) const START: Splits<W> = {
        let mut words = [0; W];
        words[0] = 1;
        Splits(words)
    };

    pub(super) fn is_none(&self) -> bool {
        *self == Splits::NONE
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// All splits after so many more seeds for the first player.
    #[inline]
    pub(super) fn plus(&self, seeds: u64) -> Splits<W> {
        let (by, shift) = ((seeds / 64) as usize, seeds % 64);
        let mut words = [0; W];
        for (i, word) in words.iter_mut().enumerate().skip(by) {
            *word = self.0[i - by] << shift;
            if shift > 0 && i > by {
                *word |= self.0[i - by - 1] >> (64 - shift);
            }
        }
        Splits(words)
    }

    /// Those of these splits that are not among the others.
    pub(super) fn without(&self, others: &Splits<W>) -> Splits<W> {
        Splits(std::array::from_fn(|i| self.0[i] & !others.0[i]))
    }

    /// Appends the lowest `bytes` bytes, which hold all there is.
    pub(super) fn write(&self, bytes: usize, out: &mut Vec<u8>) {
        out.extend(self.0.iter().flat_map(|word| word.to_le_bytes()).take(bytes));
    }

    /// What [`write`](Splits::write) wrote.
    pub(super) fn read(bytes: &[u8]) -> Splits<W> {
        let mut words = [0; W];
        for (i, byte) in bytes.iter().enumerate() {
            words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
        }
        Splits(words)
    }
}

impl<const W: usize> BitOr for Splits<W> {
    type Output = Splits<W>;

    #[inline]
    fn bitor(self, other: Splits<W>) -> Splits<W> {
        Splits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_added_across_words() {
        for seeds in [0, 1, 63, 64, 65, 127, 128, 200, 255] {
            let splits = Splits::<4>::START.plus(seeds);
            assert_eq!(splits.0[seeds as usize / 64], 1 << (seeds % 64));
            assert_eq!(splits.count(), 1);
            assert_eq!(Splits::<4>::START.plus(seeds / 2).plus(seeds - seeds / 2), splits);
            let both = splits | Splits::START;
            let mut bytes = Vec::new();
            both.write(seeds as usize / 8 + 1, &mut bytes);
            assert_eq!(Splits::read(&bytes), both);
            let rest = both.without(&Splits::START);
            assert_eq!(rest, if seeds > 0 { splits } else { Splits::NONE });
        }
    }
}
