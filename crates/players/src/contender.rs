//! Contenders: built-in opponents and external engines.

use std::fmt;
use std::str::FromStr;

use sowing_rules::quoted;

use crate::opponent::{Opponent, ParseOpponentError};

/// A built-in opponent or an external engine.
///
/// The text form is that of [`Opponent`], or `engine:COMMAND`. Text from a network is parsed as [`Opponent`], which
/// cannot name a program to start.
///
/// ```
/// use sowing_players::Contender;
///
/// let contender: Contender = "engine:sow engine --threads 1".parse()?;
/// assert_eq!(contender.to_string(), "engine:sow engine --threads 1");
/// assert_eq!("level:3".parse::<Contender>()?.to_string(), "level:3");
/// # Ok::<(), sowing_players::ParseContenderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Contender {
    /// A built-in opponent.
    Opponent(Opponent),
    /// An external engine.
    Engine(EngineCommand),
}

/// The command line of an engine, with quotes as in a shell. No shell is started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EngineCommand {
    text: String,
    words: Vec<String>,
}

impl EngineCommand {
    /// The program.
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// Its arguments.
    pub fn arguments(&self) -> &[String] {
        &self.words[1..]
    }
}

impl From<Opponent> for Contender {
    fn from(opponent: Opponent) -> Contender {
        Contender::Opponent(opponent)
    }
}

impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Opponent(opponent) => opponent.fmt(f),
            Contender::Engine(command) => write!(f, "engine:{command}"),
        }
    }
}

/// Why a text is not a contender.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseContenderError {
    /// No opponent has this name.
    #[error("unknown player {what}: the players are random, pdp:DEPTH, level:1 to level:9, perfect and engine:COMMAND, as in level:3", what = quoted(.0))]
    Unknown(String),
    /// The number of an opponent is wrong.
    #[error(transparent)]
    Opponent(ParseOpponentError),
    /// The command is empty, too long, or has an unclosed quote or a control character.
    #[error("an engine is given with its command, quotes closed, as in engine:./bot or \"engine:sow engine --threads 1\", not {what}", what = quoted(.0))]
    Command(String),
}

/// The most characters of a command, which is printed in tables and records.
const MAX_COMMAND_CHARS: usize = 1000;

impl FromStr for Contender {
    type Err = ParseContenderError;

    fn from_str(text: &str) -> Result<Contender, ParseContenderError> {
        let Some(command) = text.trim().strip_prefix("engine:") else {
            return text.parse().map(Contender::Opponent).map_err(|error| match error {
                ParseOpponentError::Unknown(name) => ParseContenderError::Unknown(name),
                error => ParseContenderError::Opponent(error),
            });
        };
        let command = command.trim();
        let printable =
            command.chars().count() <= MAX_COMMAND_CHARS && !command.contains(char::is_control);
        let words = shlex::split(command).filter(|words| printable && !words.is_empty());
        match words {
            Some(words) if !words[0].is_empty() => {
                Ok(Contender::Engine(EngineCommand { text: command.to_string(), words }))
            }
            _ => Err(ParseContenderError::Command(command.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        let engine = |text: &str| match text.parse() {
            Ok(Contender::Engine(command)) => command,
            other => panic!("{text}: {other:?}"),
        };
        let command = engine("engine:'my bot' -x \"a b\"");
        assert_eq!(
            (command.program(), command.arguments()),
            ("my bot", &["-x", "a b"].map(String::from)[..])
        );
        for bad in [
            "engine:",
            "engine: ",
            "engine:'x",
            "engine:''",
            "engine:a\nb",
            "engine",
            "engine:\u{7}",
        ] {
            assert!(bad.parse::<Contender>().is_err(), "{bad:?}");
        }
        assert!(format!("engine:{}", "x".repeat(1001)).parse::<Contender>().is_err());
        // An opponent never names a program.
        assert!("engine:true".parse::<Opponent>().is_err());
    }
}
