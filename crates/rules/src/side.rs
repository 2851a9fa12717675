//! The two sides of the board.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use crate::quoted;

/// The two sides of the board. South is the lower player and moves first.
///
/// The text form is `South` or `North`; parsing ignores case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The lower row, and the store at its right.
    South,
    /// The upper row, and the store at the board's left.
    North,
}

impl Not for Side {
    type Output = Side;

    fn not(self) -> Side {
        match self {
            Side::South => Side::North,
            Side::North => Side::South,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::South => "South",
            Side::North => "North",
        })
    }
}

/// Why a text is not a side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a side is South or North, not {what}", what = quoted(.0))]
pub struct ParseSideError(String);

impl FromStr for Side {
    type Err = ParseSideError;

    fn from_str(text: &str) -> Result<Side, ParseSideError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "south" => Ok(Side::South),
            "north" => Ok(Side::North),
            _ => Err(ParseSideError(text.trim().to_string())),
        }
    }
}
