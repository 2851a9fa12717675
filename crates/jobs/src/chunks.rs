//! A list of tasks cut into chunks.

use std::ops::Range;

/// The chunks of a list of tasks, in order: small at first, so that every worker soon has one; then larger, up to a
/// limit; small again at the end, so that no worker waits long for the last.
///
/// ```
/// use sowing_jobs::Chunks;
///
/// let sizes: Vec<u64> = Chunks::new(0..40, 2, 8).map(|chunk| chunk.end - chunk.start).collect();
/// assert_eq!(sizes, [1, 1, 2, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Chunks {
    left: Range<u64>,
    workers: u64,
    most: u64,
    cut: u64,
}

/// Near the end, a chunk is this part of a worker's share of the rest.
const PART: u64 = 3;

impl Chunks {
    /// Cuts a list of tasks for `workers` workers into chunks of at most `most`.
    pub fn new(tasks: Range<u64>, workers: usize, most: u64) -> Chunks {
        Chunks { left: tasks, workers: workers.max(1) as u64, most: most.max(1), cut: 0 }
    }
}

impl Iterator for Chunks {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let left = self.left.end.saturating_sub(self.left.start);
        if left == 0 {
            return None;
        }
        let growing = 1_u64.checked_shl((self.cut / self.workers) as u32).unwrap_or(u64::MAX);
        let shrinking = (left / (PART * self.workers)).max(1);
        let size = growing.min(shrinking).min(self.most).min(left);
        let chunk = self.left.start..self.left.start + size;
        self.left.start = chunk.end;
        self.cut += 1;
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_make_up_the_list() {
        for (many, workers, most) in
            [(0, 1, 1), (1, 7, 9), (1000, 1, 16), (4555, 16, 16), (99, 3, 1)]
        {
            let mut next = 5;
            for chunk in Chunks::new(5..5 + many, workers, most) {
                assert_eq!(chunk.start, next);
                assert!(chunk.end > chunk.start && chunk.end - chunk.start <= most);
                next = chunk.end;
            }
            assert_eq!(next, 5 + many);
        }
        // A list without end is not laid out in advance, and its chunks do not overflow.
        let long = Chunks::new(0..u64::MAX, 2, u64::MAX);
        assert_eq!(long.last().map(|chunk| chunk.end), Some(u64::MAX));
    }
}
