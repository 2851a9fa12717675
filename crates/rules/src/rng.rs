//! Reproducible random numbers.

/// A random number generator, seeded by a pair of a seed and an index.
///
/// Generators are independent of the order of their creation: game 7 of seed 1 is the same on every thread and in
/// every run.
#[derive(Clone, Copy, Debug)]
pub struct SeededRng(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64, a bijection.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl SeededRng {
    /// The generator of this seed and index.
    pub fn new(seed: u64, index: u64) -> SeededRng {
        SeededRng(mix(mix(seed.wrapping_add(STEP)).wrapping_add(index.wrapping_mul(STEP))))
    }

    /// A number below `bound`. The bias is at most `bound` in 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        ((u128::from(mix(self.0)) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_seeds_differ() {
        let mut counts = [[0u32; 6]; 2];
        for index in 0..10_000 {
            let mut random = SeededRng::new(1, index);
            for count in &mut counts {
                count[random.below(6) as usize] += 1;
            }
        }
        for count in counts.as_flattened() {
            assert!((1_500..1_850).contains(count), "{counts:?}");
        }
        assert_ne!(SeededRng::new(1, 2).0, SeededRng::new(2, 1).0);
    }
}
