//! Solving a sample of a book's positions again.

use sowing_rules::SeededRng;

use super::book::Book;
use crate::{SolveError, Solver};

/// The result of [`Book::recheck`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookRecheck {
    /// Positions that were solved again.
    pub solved: usize,
    /// Positions that the solver's limits stopped.
    pub unfinished: usize,
    /// Positions whose bounds the solver refutes, in words.
    pub wrong: Vec<String>,
}

impl Book {
    /// Solves a random sample of the positions again, each at most once, with a solver that does not know the book.
    /// Calls `progress` after each of them.
    pub fn recheck(
        &self,
        solver: &mut Solver,
        sample: usize,
        seed: u64,
        mut progress: impl FnMut(),
    ) -> Result<BookRecheck, SolveError> {
        let mut random = SeededRng::new(seed, 0);
        let mut lines: Vec<_> = self.lines().collect();
        let mut recheck = BookRecheck::default();
        for index in 0..sample.min(lines.len()) {
            let left = (lines.len() - index) as u64;
            lines.swap(index, index + random.below(left) as usize);
            let line = lines[index];
            let found = solver.value(&line.position)?.bounds;
            match found.low == found.high {
                true => recheck.solved += 1,
                false => recheck.unfinished += 1,
            }
            if found.low > line.bounds.high || found.high < line.bounds.low {
                let [found, said] = [found, line.bounds];
                let position = line.position;
                recheck.wrong.push(format!("{position}: the book has {said}, it is {found}"));
            }
            progress();
        }
        Ok(recheck)
    }
}

/// The probability that none of `sample` random positions of a book is among its `wrong` ones.
///
/// ```
/// // Of 300 positions of a large book that is wrong in one place of a hundred.
/// let passes = sowing_solver::sample_passes(1_000_000, 10_000, 300);
/// assert!((0.04..0.05).contains(&passes));
/// ```
pub fn sample_passes(positions: usize, wrong: usize, sample: usize) -> f64 {
    let left = positions.saturating_sub(wrong);
    (0..sample)
        .map(|drawn| left.saturating_sub(drawn) as f64 / (positions - drawn) as f64)
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_likely_a_false_book_passes() {
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-3;
        assert!(close(sample_passes(1_000_000, 10_000, 300), 0.049));
        assert!(close(sample_passes(1_000_000, 10_000, 20), 0.818));
        assert!(close(sample_passes(10, 1, 4), 0.6));
        assert_eq!(
            (sample_passes(10, 1, 10), sample_passes(10, 1, 0), sample_passes(0, 0, 0)),
            (0.0, 1.0, 1.0)
        );
    }
}
