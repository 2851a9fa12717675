//! Houses and pits.

use std::fmt;
use std::str::FromStr;

use crate::{MAX_HOUSES, parse_digits, quoted};

/// A house of one row, numbered from 1 at its owner's left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(u8);

impl House {
    /// The house with this number; `None` outside 1 to [`MAX_HOUSES`].
    pub fn new(number: u8) -> Option<House> {
        (1..=MAX_HOUSES).contains(&number).then_some(House(number))
    }

    /// The number, from 1.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The index in the row, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }

    pub(crate) fn at(index: usize) -> House {
        House(index as u8 + 1)
    }
}

impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a text is not a house.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a house is a number from 1 to {MAX_HOUSES}, not {what}", what = quoted(.0))]
pub struct ParseHouseError(String);

impl FromStr for House {
    type Err = ParseHouseError;

    fn from_str(text: &str) -> Result<House, ParseHouseError> {
        let number = parse_digits(text.trim()).and_then(|number| u8::try_from(number).ok());
        number.and_then(House::new).ok_or_else(|| ParseHouseError(text.trim().to_string()))
    }
}

/// A pit as the mover sees it. The text form is `own 3`, `store` or `other 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pit {
    /// A house of the mover's row.
    Own(House),
    /// The mover's store.
    Store,
    /// A house of the opponent's row, numbered from the opponent's left.
    Other(House),
}

impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pit::Own(house) => write!(f, "own {house}"),
            Pit::Store => f.write_str("store"),
            Pit::Other(house) => write!(f, "other {house}"),
        }
    }
}

/// Why a text is not a pit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pit is of the form own 3, store or other 3, not {what}", what = quoted(.0))]
pub struct ParsePitError(String);

impl FromStr for Pit {
    type Err = ParsePitError;

    fn from_str(text: &str) -> Result<Pit, ParsePitError> {
        let text = text.trim();
        let pit = match text.split_once(' ') {
            Some(("own", house)) => house.parse().map(Pit::Own).ok(),
            Some(("other", house)) => house.parse().map(Pit::Other).ok(),
            _ => (text == "store").then_some(Pit::Store),
        };
        pit.ok_or_else(|| ParsePitError(text.to_string()))
    }
}
