//! Random numbers that do not depend on who draws them first.

/// A stream of random numbers, one for each pair of a seed and an index.
///
/// Streams can be started in any order and on any thread: game 7 of seed 1 is always the same.
#[derive(Clone, Copy, Debug)]
pub struct Stream(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a number over all 64 bits, one to one.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Stream {
    /// The stream of this seed and index.
    pub fn new(seed: u64, index: u64) -> Stream {
        Stream(mix(mix(seed.wrapping_add(STEP)).wrapping_add(index.wrapping_mul(STEP))))
    }

    /// A number below a bound, each as likely as the other to `bound` parts in 2^64.
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
    fn numbers_are_even_and_streams_differ() {
        let mut counts = [[0u32; 6]; 2];
        for index in 0..10_000 {
            let mut stream = Stream::new(1, index);
            for count in &mut counts {
                count[stream.below(6) as usize] += 1;
            }
        }
        for count in counts.as_flattened() {
            assert!((1_500..1_850).contains(count), "{counts:?}");
        }
        assert_ne!(Stream::new(1, 2).0, Stream::new(2, 1).0);
    }
}
