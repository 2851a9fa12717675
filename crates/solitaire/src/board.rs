//! A row of bins with a Ruma at its near end.

use std::fmt;
use std::str::FromStr;

use crate::vector::{fields, write_list};

/// The stones of each bin, bin 1 nearest the Ruma: `0,2,2,4`.
///
/// ```text
///   Ruma   1   2   3   4        bins are numbered from the Ruma
///    0     0   2   2   4        0,2,2,4
///      <-- direction of play
/// ```
///
/// A board has at least one bin and its stones together fit a `u64`. Bins may be empty, the last
/// one too. Spaces may stand for commas, and parentheses may surround the whole.
///
/// ```
/// use sowing_solitaire::Board;
///
/// let board: Board = "(0, 2, 2, 4)".parse()?;
/// assert_eq!(board.to_string(), "0,2,2,4");
/// assert_eq!(board.stones(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board(Vec<u64>);

impl Board {
    /// The board with these stones in its bins, the nearest bin first.
    pub fn new(bins: Vec<u64>) -> Result<Board, BoardError> {
        if bins.is_empty() {
            return Err(BoardError::NoBins);
        }
        bins.iter()
            .try_fold(0u64, |sum, &stones| sum.checked_add(stones))
            .ok_or(BoardError::Sum)?;
        Ok(Board(bins))
    }

    /// The board of so many bins with so many stones in each.
    pub fn level(bins: usize, stones: u64) -> Result<Board, BoardError> {
        Board::new(vec![stones; bins])
    }

    /// The stones of each bin, the nearest bin first.
    pub fn bins(&self) -> &[u64] {
        &self.0
    }

    /// How many bins there are: at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The stones of all bins together.
    pub fn stones(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The stones in each bin.
    pub fn into_bins(self) -> Vec<u64> {
        self.0
    }
}

impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let bins = fields(text)
            .map_err(|()| BoardError::NoBins)?
            .into_iter()
            .enumerate()
            .map(|(index, field)| {
                let bin = index + 1;
                let digits = field.strip_prefix('-').unwrap_or(field);
                let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                match field.parse() {
                    Ok(stones) if numeric => Ok(stones),
                    _ if numeric && digits.len() < field.len() => {
                        Err(BoardError::Negative { bin, text: field.to_owned() })
                    }
                    _ if numeric => Err(BoardError::TooMany { bin, text: field.to_owned() }),
                    _ => Err(BoardError::NotANumber { bin, text: field.to_owned() }),
                }
            })
            .collect::<Result<Vec<u64>, _>>()?;
        Board::new(bins)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

/// Why there is no such board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// There is no bin.
    #[error(
        "the board is empty: write the stones of each bin, the nearest to the Ruma first, as in \
         0,2,2,4"
    )]
    NoBins,
    /// A bin holds fewer than no stones.
    #[error("bin {bin} of the board holds {text} stones: it should hold 0 or more, as in 0,2,2,4")]
    Negative {
        /// Which bin.
        bin: usize,
        /// What stood there.
        text: String,
    },
    /// A bin holds more stones than can be counted.
    #[error(
        "bin {bin} of the board holds {text} stones: it should hold at most {max}, as in 0,2,2,4",
        max = u64::MAX
    )]
    TooMany {
        /// Which bin.
        bin: usize,
        /// What stood there.
        text: String,
    },
    /// A bin's stones are not a number.
    #[error("bin {bin} of the board is \"{text}\": it should be a number of stones, as in 0,2,2,4")]
    NotANumber {
        /// Which bin.
        bin: usize,
        /// What stood there.
        text: String,
    },
    /// The bins together hold more stones than can be counted.
    #[error(
        "the stones of the board add up to more than {max}: use fewer, as in 0,2,2,4",
        max = u64::MAX
    )]
    Sum,
}
