//! One entry of the transposition table or of a book.

use sowing_rules::Bounds;

/// The bits of an effort, the binary logarithm of a number of nodes.
pub(crate) const EFFORT_BITS: u32 = 6;

/// The bounds of one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The board's index: see [`BoardIndex`](sowing_rules::BoardIndex).
    pub(crate) index: u64,
    pub(crate) low: i8,
    pub(crate) high: i8,
    /// The binary logarithm of the nodes that the proof took.
    pub(crate) effort: u8,
}

impl Entry {
    pub(crate) fn new(index: u64, Bounds { low, high }: Bounds, work: u64) -> Entry {
        Entry { index, low: low as i8, high: high as i8, effort: work.max(1).ilog2() as u8 }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { low: self.low.into(), high: self.high.into() }
    }

    pub(crate) fn work(&self) -> u64 {
        1 << self.effort
    }
}

/// The least effort such that at most `max` entries have that effort or more, given the number of entries per effort;
/// the highest effort if even its entries are more.
pub(crate) fn least_effort(counts: &[usize; 1 << EFFORT_BITS], max: usize) -> u32 {
    let (mut least, mut all) = (counts.len() as u32 - 1, 0);
    for (effort, count) in counts.iter().enumerate().rev() {
        all += count;
        if all > max {
            break;
        }
        least = effort as u32;
    }
    least
}
