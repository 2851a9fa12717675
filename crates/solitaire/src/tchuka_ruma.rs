//! Tchuka Ruma from its usual start: the same number of seeds in every bin.

use crate::board::{Board, BoardError};
use crate::game::Variant;
use crate::search::SearchError;
use crate::win::any_win;

/// The start of Tchuka Ruma: so many bins with so many seeds each, and an empty Ruma.
pub fn tchuka_ruma(bins: usize, seeds: u64) -> Result<Board, StartError> {
    if bins == 0 {
        return Err(StartError::NoBins);
    }
    if seeds == 0 {
        return Err(StartError::NoSeeds);
    }
    if bins > 128 {
        return Err(StartError::TooManyBins(bins));
    }
    Ok(Board::level(bins, seeds)?)
}

/// Why there is no such start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// No bins.
    #[error("the number of bins is 0: it should be 1 or more, as in tchuka-ruma 4 2")]
    NoBins,
    /// More bins than a search can hold.
    #[error("the number of bins is {0}: it should be at most 128, as in tchuka-ruma 4 2")]
    TooManyBins(usize),
    /// No seeds.
    #[error("the number of seeds a bin is 0: it should be 1 or more, as in tchuka-ruma 4 2")]
    NoSeeds,
    /// More seeds than can be counted.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// The numbers of seeds a bin, from 1 to `upto`, with which so many bins cannot be cleared: with 2 bins
/// A007780. Ends with the first error.
///
/// ```
/// use sowing_solitaire::{DEFAULT_LIMIT, losses};
///
/// let first: Result<Vec<u64>, _> = losses(2, 15, DEFAULT_LIMIT).collect();
/// assert_eq!(first, Ok(vec![1, 2, 3, 6, 9, 11]));
/// ```
pub fn losses(
    bins: usize,
    upto: u64,
    limit: usize,
) -> impl Iterator<Item = Result<u64, SearchError>> {
    let mut seeds = 0;
    let mut failed = false;
    std::iter::from_fn(move || {
        while !failed && seeds < upto {
            seeds += 1;
            let too_large = SearchError::TooLarge { bins, stones: seeds, bits: 256 };
            let found = tchuka_ruma(bins, seeds)
                .map_err(|_| too_large)
                .and_then(|board| any_win(Variant::TCHUKA_RUMA, &board, limit));
            match found {
                Ok(found) if found.win.is_some() => (),
                Ok(_) => return Some(Ok(seeds)),
                Err(error) => {
                    failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    })
}
