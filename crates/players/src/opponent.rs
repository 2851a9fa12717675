//! Whom one can play against.

use std::fmt;
use std::str::FromStr;

use sowing::quoted;

use crate::player::strength;

/// A kind of opponent.
///
/// The text form is `random`, `pdp:4`, `level:3` or `perfect`.
///
/// ```
/// use sowing_players::Opponent;
///
/// let opponent: Opponent = "level:3".parse()?;
/// assert_eq!(opponent, Opponent::Level(3));
/// assert_eq!(opponent.to_string(), "level:3");
/// # Ok::<(), sowing_players::ParseOpponentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opponent {
    /// Every legal move is equally likely.
    Random,
    /// The PDP-1's machine, which looks so many turns ahead, 1 or more.
    Pdp(u32),
    /// From 1, beatable by a child, to 9, strong.
    Level(u8),
    /// Exact where the solver can in its time, else its best.
    Perfect,
}

impl Opponent {
    /// The strongest level.
    pub const MAX_LEVEL: u8 = 9;
    /// The most turns that the PDP-1's machine can be told to look ahead.
    pub const MAX_DEPTH: u32 = 99;

    /// How many turns it looks ahead where it does not move at random; `None` where that is not how it
    /// plays.
    pub fn turns_ahead(self) -> Option<u32> {
        match self {
            Opponent::Pdp(depth) => Some(depth),
            Opponent::Level(level) => Some(strength(level).depth),
            Opponent::Random | Opponent::Perfect => None,
        }
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opponent::Random => f.write_str("random"),
            Opponent::Pdp(depth) => write!(f, "pdp:{depth}"),
            Opponent::Level(level) => write!(f, "level:{level}"),
            Opponent::Perfect => f.write_str("perfect"),
        }
    }
}

/// Why a text names no opponent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseOpponentError {
    /// No opponent has this name.
    #[error("unknown player {what}: the players are random, pdp:DEPTH, level:1 to level:9 and perfect, as in level:3", what = quoted(.0))]
    Unknown(String),
    /// The depth is out of range or not a number.
    #[error("the depth of pdp is a number from 1 to {most}, as in pdp:4, not {what}", most = Opponent::MAX_DEPTH, what = quoted(.0))]
    Depth(String),
    /// The level is out of range or not a number.
    #[error("a level is a number from 1 to {most}, as in level:3, not {what}", most = Opponent::MAX_LEVEL, what = quoted(.0))]
    Level(String),
}

impl FromStr for Opponent {
    type Err = ParseOpponentError;

    fn from_str(text: &str) -> Result<Opponent, ParseOpponentError> {
        let text = text.trim();
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        // Digits only: a sign is not part of a number here.
        let read = |text: &str, most: u32| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.filter(|_| digits)
        };
        match (name, number) {
            ("random", None) => Ok(Opponent::Random),
            ("perfect", None) => Ok(Opponent::Perfect),
            ("pdp", number) => {
                let number = number.unwrap_or_default();
                let depth = read(number, Opponent::MAX_DEPTH);
                depth.map(Opponent::Pdp).ok_or_else(|| ParseOpponentError::Depth(number.into()))
            }
            ("level", number) => {
                let number = number.unwrap_or_default();
                let level = read(number, Opponent::MAX_LEVEL.into());
                let level = level.map(|level| Opponent::Level(level as u8));
                level.ok_or_else(|| ParseOpponentError::Level(number.into()))
            }
            _ => Err(ParseOpponentError::Unknown(text.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["random", "perfect", "pdp:1", "pdp:99", "level:1", "level:9"] {
            assert_eq!(name.parse::<Opponent>().unwrap().to_string(), name);
        }
        for bad in [
            "", "human", "pdp", "pdp:", "pdp:0", "pdp:+4", "pdp:100", "level:0", "level:10",
            "random:1",
        ] {
            assert!(bad.parse::<Opponent>().is_err(), "{bad}");
        }
    }
}
