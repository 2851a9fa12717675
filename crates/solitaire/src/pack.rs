//! Boards as one word.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::marker::PhantomData;

/// What a board is packed into: one word, or two for the boards that need them.
pub(crate) trait Word: Copy + Eq + Hash {
    /// Words of 128 bits. No bin lies across two of them.
    const WORDS: usize;

    fn of(words: impl Iterator<Item = u128>) -> Self;
    fn word(self, index: usize) -> u128;
}

impl Word for u128 {
    const WORDS: usize = 1;

    fn of(mut words: impl Iterator<Item = u128>) -> u128 {
        words.next().unwrap_or(0)
    }

    fn word(self, _: usize) -> u128 {
        self
    }
}

impl Word for (u128, u128) {
    const WORDS: usize = 2;

    fn of(mut words: impl Iterator<Item = u128>) -> (u128, u128) {
        (words.next().unwrap_or(0), words.next().unwrap_or(0))
    }

    fn word(self, index: usize) -> u128 {
        if index == 0 { self.0 } else { self.1 }
    }
}

/// Packs boards of a fixed number of bins and at most so many stones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packer<W = u128> {
    bins: usize,
    bits: u32,
    word: PhantomData<W>,
}

impl<W: Word> Packer<W> {
    /// `None` if a board does not fit.
    pub(crate) fn new(bins: usize, stones: u64) -> Option<Packer<W>> {
        let bits = (u64::BITS - stones.leading_zeros()).max(1);
        let fits = bins <= (128 / bits) as usize * W::WORDS;
        fits.then_some(Packer { bins, bits, word: PhantomData })
    }

    pub(crate) fn pack(self, bins: &[u64]) -> W {
        W::of(bins.chunks((128 / self.bits) as usize).map(|bins| {
            bins.iter().rev().fold(0, |word, &stones| word << self.bits | u128::from(stones))
        }))
    }

    pub(crate) fn unpack(self, words: W, bins: &mut Vec<u64>) {
        bins.clear();
        let mask = (1u128 << self.bits) - 1;
        let each = (128 / self.bits) as usize;
        for first in (0..self.bins).step_by(each) {
            let mut word = words.word(first / each);
            for _ in first..self.bins.min(first + each) {
                bins.push((word & mask) as u64);
                word >>= self.bits;
            }
        }
    }
}

/// Mixes a packed board. Collisions cost time only: the maps compare whole words.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u128(u128::from(byte));
        }
    }

    fn write_u128(&mut self, word: u128) {
        let low = (word as u64) ^ self.0 ^ 0x9e37_79b9_7f4a_7c15;
        let high = (word >> 64) as u64 ^ 0xd6e8_feb8_6659_fd93;
        let product = u128::from(low) * 0xa076_1d64_78bd_642f;
        let mixed = (product as u64) ^ (product >> 64) as u64 ^ high;
        let product = u128::from(mixed) * 0xe703_7ed1_a0b4_28db;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }
}

pub(crate) type WordSet<W = u128> = HashSet<W, BuildHasherDefault<Mixer>>;
pub(crate) type WordMap<T> = HashMap<u128, T, BuildHasherDefault<Mixer>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_come_back() {
        fn check<W: Word>(bins: usize, stones: u64) {
            let packer = Packer::<W>::new(bins, stones).unwrap();
            let mut back = Vec::new();
            for emptied in 0..bins {
                let mut board = vec![stones; bins];
                board[emptied] = emptied as u64 % 2;
                packer.unpack(packer.pack(&board), &mut back);
                assert_eq!(back, board);
            }
        }
        check::<u128>(16, 255);
        check::<u128>(2, u64::MAX);
        check::<(u128, u128)>(28, 511);
        check::<(u128, u128)>(20, 400);
        check::<(u128, u128)>(3, 1);
        assert!(Packer::<u128>::new(15, 256).is_none() && Packer::<u128>::new(14, 256).is_some());
        assert!(Packer::<(u128, u128)>::new(29, 511).is_none());
    }
}
