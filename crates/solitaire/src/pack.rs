//! Boards as one word.

use std::hash::{BuildHasherDefault, Hasher};

/// Packs boards of a fixed number of bins and at most so many stones into one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packer {
    bins: usize,
    bits: u32,
}

impl Packer {
    /// `None` if a board does not fit 128 bits.
    pub(crate) fn new(bins: usize, stones: u64) -> Option<Packer> {
        let bits = (u64::BITS - stones.leading_zeros()).max(1);
        let fits = bins as u128 * u128::from(bits) <= 128;
        fits.then_some(Packer { bins, bits })
    }

    pub(crate) fn pack(self, bins: &[u64]) -> u128 {
        bins.iter().rev().fold(0, |word, &stones| word << self.bits | u128::from(stones))
    }

    pub(crate) fn unpack(self, mut word: u128, bins: &mut Vec<u64>) {
        bins.clear();
        let mask = (1u128 << self.bits) - 1;
        for _ in 0..self.bins {
            bins.push((word & mask) as u64);
            word >>= self.bits;
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

pub(crate) type WordSet = std::collections::HashSet<u128, BuildHasherDefault<Mixer>>;
pub(crate) type WordMap<T> = std::collections::HashMap<u128, T, BuildHasherDefault<Mixer>>;
