//! Houses, sides, moves, and the numberings in which people write them.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use crate::game::plain_number;
use crate::{MAX_HOUSES, quoted};

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

    /// The number less one: where the house lies in its row.
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

/// A pit as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pit {
    /// A house of the mover's row.
    Own(House),
    /// The mover's store.
    Store,
    /// A house of the opponent's row, numbered from the opponent's left.
    Other(House),
}

/// The two sides of the board. South is the lower player and moves first.
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
        f.write_str(match self {
            Side::South => "South",
            Side::North => "North",
        })
    }
}

/// What a player may do: play a house, or swap sides where the pie rule offers it.
///
/// The text form is the house's number, or `swap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Pick up this house.
    House(House),
    /// Take over the first player's side (pie rule).
    Swap,
}

impl Move {
    /// The move that plays the house with this number.
    ///
    /// # Panics
    /// Outside 1 to [`MAX_HOUSES`]. For numbers that someone typed, parse.
    pub fn house(number: u8) -> Move {
        Move::House(House::new(number).expect("a house's number is from 1 to 16"))
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::House(house) => house.fmt(f),
            Move::Swap => f.write_str("swap"),
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
        if text == "swap" {
            return Ok(Move::Swap);
        }
        plain_number(text)
            .and_then(|number| House::new(u8::try_from(number).ok()?))
            .map(Move::House)
            .ok_or_else(|| ParseMoveError(text.to_string()))
    }
}

/// How the houses are numbered in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Numbering {
    /// From 1 at the mover's left. The default.
    #[default]
    Houses,
    /// Counter-clockwise round the whole board: with six houses South has 1 to 6, North 8 to 13.
    Bins,
    /// From 1 at the mover's store, so that the highest number is farthest from it.
    Pdp,
}

impl Numbering {
    /// Every numbering.
    pub const ALL: [Numbering; 3] = [Numbering::Houses, Numbering::Bins, Numbering::Pdp];

    /// The numbering's name: `houses`, `bins` or `pdp`.
    pub fn name(self) -> &'static str {
        match self {
            Numbering::Houses => "houses",
            Numbering::Bins => "bins",
            Numbering::Pdp => "pdp",
        }
    }

    /// The number that a house of a row of `houses` bears.
    ///
    /// ```
    /// use sowing::{House, Numbering, Side};
    ///
    /// let house = House::new(2).unwrap();
    /// assert_eq!(Numbering::Bins.label(house, Side::North, 6), 9);
    /// assert_eq!(Numbering::Pdp.label(house, Side::North, 6), 5);
    /// ```
    pub fn label(self, house: House, side: Side, houses: u8) -> u8 {
        match (self, side) {
            (Numbering::Houses, _) | (Numbering::Bins, Side::South) => house.0,
            (Numbering::Bins, Side::North) => houses + 1 + house.0,
            (Numbering::Pdp, _) => houses + 1 - house.0,
        }
    }

    /// The house that bears this number in a row of `houses`, and the side where the number tells
    /// it.
    pub fn read(self, label: u8, houses: u8) -> Option<(House, Option<Side>)> {
        let row = 1..=houses;
        match self {
            Numbering::Houses => row.contains(&label).then_some((House(label), None)),
            Numbering::Pdp => row.contains(&label).then(|| (House(houses + 1 - label), None)),
            Numbering::Bins if row.contains(&label) => Some((House(label), Some(Side::South))),
            Numbering::Bins => {
                let north = label.checked_sub(houses + 1)?;
                row.contains(&north).then_some((House(north), Some(Side::North)))
            }
        }
    }

    /// The highest number that a house can bear.
    pub fn highest(self, houses: u8) -> u8 {
        match self {
            Numbering::Houses | Numbering::Pdp => houses,
            Numbering::Bins => 2 * houses + 1,
        }
    }
}

impl fmt::Display for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a text does not name a numbering.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown numbering {what}: the numberings are houses, bins and pdp", what = quoted(.0))]
pub struct ParseNumberingError(String);

impl FromStr for Numbering {
    type Err = ParseNumberingError;

    fn from_str(text: &str) -> Result<Numbering, ParseNumberingError> {
        let name = text.trim();
        Numbering::ALL
            .into_iter()
            .find(|numbering| numbering.name() == name)
            .ok_or_else(|| ParseNumberingError(name.to_string()))
    }
}
