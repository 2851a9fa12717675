//! A line protocol for engines, similar to UCI: one [`Request`] per line on an engine's standard input, one
//! [`Answer`] per line on its standard output.
//!
//! ```text
//! sow                                   the handshake
//!                                       id name Sowing 0.2.0
//!                                       sowok
//! game kalah(4,3)                       the game, at its start
//! position start moves 3 1              the moves so far
//! go time 500                           search for half a second
//!                                       info estimate 2 nodes 0 time 0
//!                                       info value 2 turn 4-1 nodes 3107 time 2
//!                                       bestmove 4
//! quit
//! ```

mod answer;
mod request;

pub use answer::{Answer, Evaluation, Info};
pub use request::{Go, Request};

use sowing_rules::{ParseGameError, ParseMoveError, ParseSetupError, quoted};

/// The most characters of a line, enough for a game of thousands of moves.
pub const MAX_LINE: usize = 65_536;

/// The most bytes of a line: four per character.
pub const MAX_LINE_BYTES: u64 = 4 * MAX_LINE as u64;

/// Why a text is not a line of this protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineLineError {
    /// It is too long.
    #[error("a line has at most {MAX_LINE} characters, not {0}")]
    Long(usize),
    /// No line starts with this word.
    #[error("unknown word {what}: the words are {known}", what = quoted(.word))]
    Unknown {
        /// The word.
        word: String,
        /// The known words.
        known: &'static str,
    },
    /// The line has missing or extra words.
    #[error("{name} is written as in {right}, not {what}", what = quoted(.text))]
    Shape {
        /// The first word.
        name: &'static str,
        /// An example.
        right: &'static str,
        /// The whole line.
        text: String,
    },
    /// The game is invalid.
    #[error(transparent)]
    Game(#[from] ParseGameError),
    /// The position is invalid.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// A move is invalid.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
}

/// The words of a line, if it is not too long.
fn words(text: &str) -> Result<Vec<&str>, EngineLineError> {
    let length = text.chars().count();
    if length > MAX_LINE {
        return Err(EngineLineError::Long(length));
    }
    Ok(text.split_whitespace().collect())
}
