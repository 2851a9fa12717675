//! The built-in opponents.

use std::fmt;
use std::str::FromStr;

use sowing_rules::{parse_digits, quoted};

use crate::level::{LEVELS, strength};

/// A built-in opponent.
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
    /// Plays every legal move with equal probability.
    Random,
    /// The PDP-1's program, with this look-ahead in turns, 1 or more.
    Pdp(u32),
    /// A level from 1, the weakest, to 9.
    Level(u8),
    /// Plays perfectly if the solver finishes in its time, else the best move found.
    Perfect,
}

impl Opponent {
    /// The strongest level.
    pub const MAX_LEVEL: u8 = LEVELS.len() as u8;
    /// The largest look-ahead of [`Opponent::Pdp`].
    pub const MAX_DEPTH: u32 = 99;

    /// The depth of its look-ahead in turns; `None` for an opponent without one.
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

/// Why a text is not an opponent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseOpponentError {
    /// No opponent has this name.
    #[error("unknown player {what}: the players are random, pdp:DEPTH, level:1 to level:9 and perfect, as in level:3", what = quoted(.0))]
    Unknown(String),
    /// The depth is out of range or not a number.
    #[error("the depth of pdp is a number from 1 to {max}, as in pdp:4, not {what}", max = Opponent::MAX_DEPTH, what = quoted(.0))]
    Depth(String),
    /// The level is out of range or not a number.
    #[error("a level is a number from 1 to {max}, as in level:3, not {what}", max = Opponent::MAX_LEVEL, what = quoted(.0))]
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
        let read = |text: &str, max: u32| {
            let number = parse_digits(text).and_then(|number| u32::try_from(number).ok());
            number.filter(|number| (1..=max).contains(number))
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
