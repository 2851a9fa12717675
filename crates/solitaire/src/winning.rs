//! The one winning board of each number of stones, without playing.

use std::iter::FusedIterator;
use std::num::NonZeroU64;

use crate::board::Board;
use crate::digest::Digest;

/// The unique winning Tchoukaillon board with so many stones, and its move vector.
///
/// Nothing is held but the number of stones: [`bins`](Winning::bins) and
/// [`moves`](Winning::moves) compute the entries as they are asked for, one addition each, and
/// [`runs`](Winning::runs) takes about 1.9 cbrt(n) steps for the whole board, which has about
/// sqrt(pi n) bins.
///
/// ```
/// use sowing_solitaire::Winning;
///
/// let winning = Winning::new(8).unwrap();
/// assert_eq!(winning.bins().collect::<Vec<_>>(), [0, 2, 2, 4]);
/// assert_eq!(winning.moves().collect::<Vec<_>>(), [4, 2, 1, 1]);
/// assert_eq!(winning.length(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Winning {
    stones: NonZeroU64,
}

impl Winning {
    /// The winning board with so many stones. `None` for no stones.
    pub fn new(stones: u64) -> Option<Winning> {
        NonZeroU64::new(stones).map(|stones| Winning { stones })
    }

    /// The number of stones.
    pub fn stones(self) -> u64 {
        self.stones.get()
    }

    /// The stones of each bin, the nearest first: Theorem 1's construction.
    pub fn bins(self) -> Bins {
        Bins { runs: self.runs(), stones: 0, rise: 0, left: 0 }
    }

    /// How often each bin is played, the nearest first: Theorem 4's construction.
    pub fn moves(self) -> Moves {
        Moves { runs: self.runs(), moves: 0, left: 0 }
    }

    /// The board and its moves as runs of consecutive bins that are played equally often.
    pub fn runs(self) -> Runs {
        Runs { bin: 1, unplayed: self.stones() }
    }

    /// The number of bins, in about 1.9 cbrt(n) steps.
    pub fn length(self) -> u64 {
        self.runs().last().map_or(0, |run| run.last())
    }

    /// The board in memory.
    pub fn board(self) -> Board {
        Board::new(self.bins().collect()).expect("a winning board has bins, and its stones fit")
    }

    /// What can be said of the board without writing it out, in about 1.9 cbrt(n) steps. At most
    /// `largest` bins are listed.
    pub fn summary(self, largest: usize) -> Summary {
        let mut digest = Digest::new();
        let mut summary = Summary { length: 0, stones: 0, largest: Vec::new(), digest: 0 };
        for run in self.runs() {
            digest.progression(run.stones, run.rise(), run.bins);
            summary.length = run.last();
            summary.stones += run.total();
            // Stones rise along a run: its last bins are its fullest.
            let tail = run.bins.min(largest as u64);
            let bins = (run.bins - tail..run.bins).map(|k| (run.first + k, run.stones_at(k)));
            summary.largest.extend(bins);
            if summary.largest.len() > 4 * largest + 64 {
                keep_largest(&mut summary.largest, largest);
            }
        }
        keep_largest(&mut summary.largest, largest);
        summary.digest = digest.value();
        summary
    }

    /// As [`summary`](Winning::summary), of the move vector. The digest is the move vector's.
    pub fn moves_summary(self, largest: usize) -> Summary {
        let mut digest = Digest::new();
        let mut summary = Summary { length: 0, stones: 0, largest: Vec::new(), digest: 0 };
        for run in self.runs() {
            digest.progression(run.moves, 0, run.bins);
            summary.length = run.last();
            summary.stones += u128::from(run.moves) * u128::from(run.bins);
            // Moves fall along the board: the first bins are played most.
            let room = largest - summary.largest.len();
            let bins = (0..run.bins.min(room as u64)).map(|k| (run.first + k, run.moves));
            summary.largest.extend(bins);
        }
        summary.digest = digest.value();
        summary
    }
}

fn keep_largest(bins: &mut Vec<(u64, u64)>, keep: usize) {
    bins.sort_by_key(|&(bin, stones)| (std::cmp::Reverse(stones), bin));
    bins.truncate(keep);
}

/// What can be said of a long vector without writing it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of bins.
    pub length: u64,
    /// The sum of the entries: the stones of the board, or the moves of its play.
    pub stones: u128,
    /// The largest entries, each as bin and value, the largest first and the nearer bin first
    /// among equals.
    pub largest: Vec<(u64, u64)>,
    /// The vector's [`Digest`].
    pub digest: u64,
}

/// Consecutive bins of a winning board that are played equally often. Along a run the stones rise
/// by twice the number of moves from bin to bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The bin nearest the Ruma.
    pub first: u64,
    /// The number of bins, at least 1.
    pub bins: u64,
    /// How often each of them is played, at least once.
    pub moves: u64,
    /// The stones of the first bin.
    pub stones: u64,
}

impl Run {
    /// The bin farthest from the Ruma.
    pub fn last(&self) -> u64 {
        self.first + self.bins - 1
    }

    /// How many more stones each bin has than the one before it.
    pub fn rise(&self) -> u64 {
        // Saturates for a run of one bin only.
        self.moves.saturating_mul(2)
    }

    /// The stones of the bin `offset` beyond the first.
    pub fn stones_at(&self, offset: u64) -> u64 {
        self.stones + self.rise() * offset
    }

    /// The stones of all bins of the run.
    pub fn total(&self) -> u128 {
        let bins = u128::from(self.bins);
        bins * u128::from(self.stones) + u128::from(self.moves) * bins * (bins - 1)
    }
}

/// The runs of a winning board, the nearest first. Made by [`Winning::runs`].
///
/// With `q` the moves not yet given to a bin, Theorem 4 gives bin `i` the moves
/// `m = ceil(q / (i + 1))`, and leaves it `b = i m - (q - m)` stones. The next bin gets `m` too as
/// long as `q - m k > (m - 1)(i + 1 + k)`, so that the end of a run takes one division: no bin of
/// it is looked at.
#[derive(Clone, Debug)]
pub struct Runs {
    bin: u64,
    unplayed: u64,
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if self.unplayed == 0 {
            return None;
        }
        let (bin, q) = (self.bin, self.unplayed);
        let moves = q.div_ceil(bin + 1);
        // (moves - 1)(bin + 1) < q, and bin * moves is at most the number of stones.
        let slack = q - (moves - 1) * (bin + 1) - 1;
        let bins = if moves == 1 { q } else { slack / (moves + (moves - 1)) + 1 };
        self.bin += bins;
        self.unplayed -= moves * bins;
        Some(Run { first: bin, bins, moves, stones: bin * moves - (q - moves) })
    }
}

impl FusedIterator for Runs {}

/// The bins of a winning board, the nearest first. Made by [`Winning::bins`].
#[derive(Clone, Debug)]
pub struct Bins {
    runs: Runs,
    stones: u64,
    rise: u64,
    left: u64,
}

impl Iterator for Bins {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            let run = self.runs.next()?;
            (self.stones, self.rise, self.left) = (run.stones, run.rise(), run.bins);
        }
        let stones = self.stones;
        self.left -= 1;
        if self.left > 0 {
            self.stones += self.rise;
        }
        Some(stones)
    }

    fn fold<B, F: FnMut(B, u64) -> B>(self, init: B, mut f: F) -> B {
        let mut folded =
            (0..self.left).fold(init, |folded, k| f(folded, self.stones + k * self.rise));
        for run in self.runs {
            folded = (0..run.bins).fold(folded, |folded, k| f(folded, run.stones_at(k)));
        }
        folded
    }
}

impl FusedIterator for Bins {}

/// The move vector of a winning board, the nearest bin first. Made by [`Winning::moves`].
#[derive(Clone, Debug)]
pub struct Moves {
    runs: Runs,
    moves: u64,
    left: u64,
}

impl Iterator for Moves {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            let run = self.runs.next()?;
            (self.moves, self.left) = (run.moves, run.bins);
        }
        self.left -= 1;
        Some(self.moves)
    }

    fn fold<B, F: FnMut(B, u64) -> B>(self, init: B, mut f: F) -> B {
        let mut folded = (0..self.left).fold(init, |folded, _| f(folded, self.moves));
        for run in self.runs {
            folded = (0..run.bins).fold(folded, |folded, _| f(folded, run.moves));
        }
        folded
    }
}

impl FusedIterator for Moves {}
