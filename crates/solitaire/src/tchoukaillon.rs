//! Playing, unplaying and checking a Tchoukaillon board.

use crate::board::Board;

/// Theorem 1's two tests of one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BinCheck {
    /// The bin.
    pub bin: u64,
    /// Its stones.
    pub stones: u64,
    /// The stones of this bin and all nearer ones.
    pub lower: u64,
    /// The stones of this bin and all farther ones.
    pub upper: u64,
    /// The stones of the whole board.
    pub total: u64,
}

impl BinCheck {
    /// Whether the bin is not overfull: it holds no more stones than its number.
    pub fn fits(&self) -> bool {
        self.stones <= self.bin
    }

    /// Theorem 1, first form: the lower sum and the total leave the same rest by `bin + 1`.
    pub fn lower_congruence(&self) -> bool {
        (self.total - self.lower).is_multiple_of(self.bin + 1)
    }

    /// Theorem 1, second form: the upper sum is a multiple of `bin`.
    pub fn upper_congruence(&self) -> bool {
        self.upper.is_multiple_of(self.bin)
    }
}

/// Theorem 1's tests of every bin, the nearest first.
pub fn check_bins(board: &Board) -> impl Iterator<Item = BinCheck> + '_ {
    let total = board.stones();
    let mut lower = 0;
    (1..).zip(board.bins()).map(move |(bin, &stones)| {
        let upper = total - lower;
        lower += stones;
        BinCheck { bin, stones, lower, upper, total }
    })
}

/// Why a Tchoukaillon board loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LossReason {
    /// A bin holds more stones than its number: its last stone would overshoot the Ruma.
    #[error(
        "bin {bin} is overfull: it holds {stones} {}, and a play from it ends in the Ruma only \
         with {bin}",
        if *stones == 1 { "stone" } else { "stones" }
    )]
    Overfull {
        /// The nearest such bin.
        bin: u64,
        /// Its stones.
        stones: u64,
    },
    /// No bin is overfull, but a congruence fails.
    #[error(
        "the congruence of bin {bin} fails: bins {bin} and beyond hold {upper} stones, which is \
         not a multiple of {bin}"
    )]
    Congruence {
        /// The nearest bin whose second congruence fails.
        bin: u64,
        /// The stones of that bin and all farther ones.
        upper: u64,
    },
}

/// Whether Tchoukaillon's rules let the board be cleared, by Theorem 1, or else why not. One step
/// a bin.
///
/// ```
/// use sowing_solitaire::{LossReason, check};
///
/// assert_eq!(check(&"0,2,2,4".parse().unwrap()), Ok(()));
/// assert_eq!(
///     check(&"2,0,3,1".parse().unwrap()),
///     Err(LossReason::Overfull { bin: 1, stones: 2 }),
/// );
/// ```
pub fn check(board: &Board) -> Result<(), LossReason> {
    let mut congruence = Ok(());
    for bin in check_bins(board) {
        if !bin.fits() {
            return Err(LossReason::Overfull { bin: bin.bin, stones: bin.stones });
        }
        if congruence.is_ok() && !bin.upper_congruence() {
            congruence = Err(LossReason::Congruence { bin: bin.bin, upper: bin.upper });
        }
    }
    congruence
}

/// The winning play of a winning board: the bins in the order in which they are played, and the
/// board as it stands after each.
///
/// ```
/// use sowing_solitaire::Line;
///
/// let mut line = Line::new("0,2,2,4".parse().unwrap())?;
/// let plays: Vec<u64> = std::iter::from_fn(|| line.advance()).collect();
/// assert_eq!(plays, [2, 1, 4, 1, 3, 1, 2, 1]);
/// # Ok::<(), sowing_solitaire::LossReason>(())
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    bins: Vec<u64>,
    stones: u64,
}

impl Line {
    /// The winning play of the board. Fails if the board loses, with the reason.
    pub fn new(board: Board) -> Result<Line, LossReason> {
        check(&board)?;
        let stones = board.stones();
        Ok(Line { bins: board.into_bins(), stones })
    }

    /// The stones of each bin now.
    pub fn bins(&self) -> &[u64] {
        &self.bins
    }

    /// The stones on the board now: also the number of plays that are left.
    pub fn stones(&self) -> u64 {
        self.stones
    }

    /// Plays the first harvestable bin and says which it was. `None` when the board is cleared.
    pub fn advance(&mut self) -> Option<u64> {
        if self.stones == 0 {
            return None;
        }
        let bin = (1..)
            .zip(&self.bins)
            .find(|&(bin, &stones)| stones == bin)
            .map(|(bin, _)| bin)
            .expect("a winning board that is not cleared has a harvestable bin");
        let index = bin as usize - 1;
        self.bins[index] = 0;
        self.bins[..index].iter_mut().for_each(|stones| *stones += 1);
        self.stones -= 1;
        Some(bin)
    }
}

/// Takes one play back: one stone from the Ruma and one from each bin up to the first empty one,
/// all put there. The board grows by a bin where none is empty. Says which bin it was.
///
/// ```
/// let mut bins = vec![1, 0, 2, 4];
/// assert_eq!(sowing_solitaire::unplay(&mut bins), 2);
/// assert_eq!(bins, [0, 2, 2, 4]);
/// ```
pub fn unplay(bins: &mut Vec<u64>) -> u64 {
    let index = bins.iter().position(|&stones| stones == 0).unwrap_or(bins.len());
    if index == bins.len() {
        bins.push(0);
    }
    bins[..index].iter_mut().for_each(|stones| *stones -= 1);
    bins[index] = index as u64 + 1;
    index as u64 + 1
}
