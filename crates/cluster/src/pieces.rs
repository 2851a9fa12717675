//! A list of work cut into pieces.

use std::ops::Range;

/// The pieces of a list, in order: small at first, so that everybody soon has one; then larger, up
/// to a limit; small again at the end, so that nobody waits long for the last.
///
/// ```
/// use sowing_cluster::Pieces;
///
/// let sizes: Vec<u64> = Pieces::new(0..40, 2, 8).map(|piece| piece.end - piece.start).collect();
/// assert_eq!(sizes, [1, 1, 2, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    left: Range<u64>,
    ranks: u64,
    most: u64,
    cut: u64,
}

/// At the end a piece is this part of what there is left for each.
const PART: u64 = 3;

impl Pieces {
    /// Cuts a list for so many ranks, no piece larger than `most`.
    pub fn new(list: Range<u64>, ranks: usize, most: u64) -> Pieces {
        Pieces { left: list, ranks: ranks.max(1) as u64, most: most.max(1), cut: 0 }
    }
}

impl Iterator for Pieces {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let left = self.left.end.saturating_sub(self.left.start);
        if left == 0 {
            return None;
        }
        let growing = 1_u64.checked_shl((self.cut / self.ranks) as u32).unwrap_or(u64::MAX);
        let shrinking = (left / (PART * self.ranks)).max(1);
        let size = growing.min(shrinking).min(self.most).min(left);
        let piece = self.left.start..self.left.start + size;
        self.left.start = piece.end;
        self.cut += 1;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_list() {
        for (many, ranks, most) in [(0, 1, 1), (1, 7, 9), (1000, 1, 16), (4555, 16, 16), (99, 3, 1)]
        {
            let mut next = 5;
            for piece in Pieces::new(5..5 + many, ranks, most) {
                assert_eq!(piece.start, next);
                assert!(piece.end > piece.start && piece.end - piece.start <= most);
                next = piece.end;
            }
            assert_eq!(next, 5 + many);
        }
        // A list without end is not laid out in advance, and its pieces do not overflow.
        let long = Pieces::new(0..u64::MAX, 2, u64::MAX);
        assert_eq!(long.last().map(|piece| piece.end), Some(u64::MAX));
    }
}
