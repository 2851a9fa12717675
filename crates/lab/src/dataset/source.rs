//! Where the positions of a data set are from.

use std::fmt;
use std::str::FromStr;

use sowing_players::{Opponent, ParseOpponentError};

/// Where the positions of a data set are from.
///
/// The text form is `uniform`, or that of an [`Opponent`]: `random`, `level:3`, `perfect`.
///
/// ```
/// use sowing_lab::SampleSource;
///
/// let source: SampleSource = "level:3".parse()?;
/// assert_eq!(source.to_string(), "level:3");
/// # Ok::<(), sowing_lab::ParseSourceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleSource {
    /// Games of an opponent against itself, one position of each. All but `random` begin with
    /// [`RANDOM_MOVES`] random moves, so that games differ. `perfect` plays at random until its tables
    /// know the values, and one of the best moves, each as likely as the other, from there on.
    Games(Opponent),
    /// Every position of a layer is as likely as any other, whether play can reach it or not; the
    /// seeds that are not in houses are shared out between the stores at random.
    Uniform,
}

/// The random moves at the start of games that would be all alike without.
pub const RANDOM_MOVES: u32 = 4;

impl fmt::Display for SampleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleSource::Games(opponent) => opponent.fmt(f),
            SampleSource::Uniform => f.write_str("uniform"),
        }
    }
}

/// Why a text names no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("positions are from uniform or the games of a player: {0}")]
pub struct ParseSourceError(ParseOpponentError);

impl FromStr for SampleSource {
    type Err = ParseSourceError;

    fn from_str(text: &str) -> Result<SampleSource, ParseSourceError> {
        match text.trim() {
            "uniform" => Ok(SampleSource::Uniform),
            name => name.parse().map(SampleSource::Games).map_err(ParseSourceError),
        }
    }
}
