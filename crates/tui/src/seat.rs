//! Who sits at the board.

use std::fmt;
use std::str::FromStr;

use sowing_players::{Contender, ParseContenderError};

/// A person at the keyboard, or somebody else.
///
/// The text form is `human` or that of [`Contender`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Human,
    Other(Contender),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Human => f.write_str("human"),
            Who::Other(contender) => contender.fmt(f),
        }
    }
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Who, String> {
        match text.trim() {
            "human" => Ok(Who::Human),
            other => other.parse().map(Who::Other).map_err(|error| match error {
                ParseContenderError::Unknown(name) => format!(
                    "unknown player {}: the players are human, random, pdp:DEPTH, level:1 to level:9, perfect and engine:COMMAND, as in level:3",
                    sowing_rules::quoted(&name)
                ),
                error => error.to_string(),
            }),
        }
    }
}
