//! The numberings of houses in records.

use std::fmt;
use std::str::FromStr;

use crate::{House, Side, quoted};

/// A numbering of the houses in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Numbering {
    /// From 1 at the mover's left. The default.
    #[default]
    Houses,
    /// Counter-clockwise round the board: with six houses per row, South has 1 to 6 and North 8 to 13.
    Bins,
    /// From 1 at the mover's store.
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

    /// The number of a house in a row of `houses`.
    ///
    /// ```
    /// use sowing_rules::{House, Numbering, Side};
    ///
    /// let house = House::new(2).unwrap();
    /// assert_eq!(Numbering::Bins.label(house, Side::North, 6), 9);
    /// assert_eq!(Numbering::Pdp.label(house, Side::North, 6), 5);
    /// ```
    pub fn label(self, house: House, side: Side, houses: u8) -> u8 {
        match (self, side) {
            (Numbering::Houses, _) | (Numbering::Bins, Side::South) => house.number(),
            (Numbering::Bins, Side::North) => houses + 1 + house.number(),
            (Numbering::Pdp, _) => houses + 1 - house.number(),
        }
    }

    /// The house with this number in a row of `houses`, and its side if the numbering implies it.
    pub fn house(self, label: u8, houses: u8) -> Option<(House, Option<Side>)> {
        let house = |number: u8| House::new(number).filter(|_| number <= houses);
        match self {
            Numbering::Houses => Some((house(label)?, None)),
            Numbering::Pdp => Some((house((houses + 1).checked_sub(label)?)?, None)),
            Numbering::Bins if label <= houses => Some((house(label)?, Some(Side::South))),
            Numbering::Bins => Some((house(label.checked_sub(houses + 1)?)?, Some(Side::North))),
        }
    }

    /// The highest number of a house.
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

/// Why a text is not a numbering.
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
