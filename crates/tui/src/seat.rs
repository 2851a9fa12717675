//! The players at the board.

use std::fmt;
use std::str::FromStr;

use sowing_players::{Contender, ParseContenderError};

/// A person at the keyboard, an opponent, or an engine.
///
/// The text form is `human` or that of [`Contender`].
///
/// ```
/// let seat: sowing_tui::Seat = "level:3".parse()?;
/// assert_eq!(seat.to_string(), "level:3");
/// assert_eq!("human".parse(), Ok(sowing_tui::Seat::Human));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A person at the keyboard.
    Human,
    /// An opponent or an engine.
    Other(Contender),
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seat::Human => f.write_str("human"),
            Seat::Other(contender) => contender.fmt(f),
        }
    }
}

impl FromStr for Seat {
    type Err = String;

    fn from_str(text: &str) -> Result<Seat, String> {
        match text.trim() {
            "human" => Ok(Seat::Human),
            other => other.parse().map(Seat::Other).map_err(|error| match error {
                ParseContenderError::Unknown(name) => format!(
                    "unknown player {}: the players are human, random, pdp:DEPTH, level:1 to level:9, perfect and engine:COMMAND, as in level:3",
                    sowing_rules::quoted(&name)
                ),
                error => error.to_string(),
            }),
        }
    }
}
