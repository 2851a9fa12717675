//! Who sits at the board.

use std::fmt;
use std::str::FromStr;

use sowing_players::{Opponent, ParseOpponentError};

/// A person at the keyboard, or an opponent.
///
/// The text form is `human` or that of [`Opponent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Human,
    Engine(Opponent),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Human => f.write_str("human"),
            Who::Engine(opponent) => opponent.fmt(f),
        }
    }
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Who, String> {
        match text.trim() {
            "human" => Ok(Who::Human),
            other => other.parse().map(Who::Engine).map_err(|error| match error {
                ParseOpponentError::Unknown(name) => format!(
                    "unknown player {}: the players are human, random, pdp:DEPTH, level:1 to level:9 and perfect, as in level:3",
                    sowing::quoted(&name)
                ),
                error => error.to_string(),
            }),
        }
    }
}
