//! A line protocol for engines, in the manner of UCI: a [`Request`] a line on an engine's standard
//! input, an [`Answer`] a line on its standard output.
//!
//! ```text
//! sow                                   who are you?
//!                                       id name Sowing 0.1.0
//!                                       sowok
//! game kalah(4,3)                       the game, at its start
//! position start moves 3 1              where it stands
//! go time 500                           think for half a second
//!                                       info estimate 2 nodes 0 time 0
//!                                       info value 2 turn 4-1 nodes 3107 time 2
//!                                       bestmove 4
//! quit
//! ```

mod answer;
mod request;

pub use answer::{Answer, Evaluation, Info};
pub use request::{Go, Request};

use sowing::{ParseGameError, ParseMoveError, ParseSetupError, quoted};

/// The most characters of a line: a game of thousands of moves fits.
pub const MAX_LINE: usize = 65_536;

/// Why a text is not a line of this protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TalkError {
    /// It is too long.
    #[error("a line has at most {MAX_LINE} characters, not {0}")]
    Long(usize),
    /// Nothing starts with this word.
    #[error("unknown word {what}: the words are {known}", what = quoted(.word))]
    Unknown {
        /// The word.
        word: String,
        /// Those that are known.
        known: &'static str,
    },
    /// Something follows that does not belong there, or something is missing.
    #[error("{name} is written as in {right}, not {what}", what = quoted(.text))]
    Shape {
        /// The first word.
        name: &'static str,
        /// An example.
        right: &'static str,
        /// The whole line.
        text: String,
    },
    /// No game.
    #[error(transparent)]
    Game(#[from] ParseGameError),
    /// No position.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// No move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
}

/// The words of a line, if it is not too long.
fn words(text: &str) -> Result<Vec<&str>, TalkError> {
    let length = text.chars().count();
    if length > MAX_LINE {
        return Err(TalkError::Long(length));
    }
    Ok(text.split_whitespace().collect())
}
