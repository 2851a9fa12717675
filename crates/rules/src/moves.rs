//! Moves and turns, and their texts.

use std::fmt;
use std::str::FromStr;

use crate::{House, MAX_HOUSES, quoted};

/// A move: a house, or a swap of sides under the pie rule.
///
/// The text form is the house's number, or `swap`. `x`, the swap of a [`Record`](crate::Record), is parsed too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Picks up this house.
    House(House),
    /// Takes over the first player's side.
    Swap,
}

impl Move {
    /// The move that plays the house with this number.
    ///
    /// # Panics
    /// If the number is not in 1 to [`MAX_HOUSES`]. Parse user input instead.
    pub fn house(number: u8) -> Move {
        Move::House(House::new(number).expect("a house's number is from 1 to 16"))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({self})")
    }
}

impl From<House> for Move {
    fn from(house: House) -> Move {
        Move::House(house)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::House(house) => house.fmt(f),
            Move::Swap => f.pad("swap"),
        }
    }
}

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a move is a house's number from 1 to {MAX_HOUSES}, or swap, not {what}", what = quoted(.0))]
pub struct ParseMoveError(String);

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let text = text.trim();
        if text == "swap" || text == "x" {
            return Ok(Move::Swap);
        }
        text.parse().map(Move::House).map_err(|_| ParseMoveError(text.to_string()))
    }
}

/// The text form of a turn: `3-5`, or `swap`.
///
/// ```
/// use sowing_rules::{Move, turn_text};
///
/// assert_eq!(turn_text(&[Move::house(3), Move::house(5)]), "3-5");
/// ```
pub fn turn_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join("-")
}
