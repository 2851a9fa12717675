//! What lines say.

use std::fmt;
use std::str::FromStr;

use sowing::{Setup, quoted};

use super::{Argument, Line, LineError};

/// What a client wants of a server.
///
/// The text form is `freeplay`, `eval` or `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// To play.
    Freeplay,
    /// To say what positions are worth.
    Eval,
    /// To show that it knows the rules.
    Verify,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Freeplay, Mode::Eval, Mode::Verify];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Freeplay => "freeplay",
            Mode::Eval => "eval",
            Mode::Verify => "verify",
        })
    }
}

/// Why a text names no mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode {what}: the modes are freeplay, eval and verify", what = quoted(.0))]
pub struct ParseModeError(String);

impl FromStr for Mode {
    type Err = ParseModeError;

    fn from_str(text: &str) -> Result<Mode, ParseModeError> {
        let mode = Mode::ALL.into_iter().find(|mode| mode.to_string() == text);
        mode.ok_or_else(|| ParseModeError(text.to_string()))
    }
}

/// A command of a client or a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The server's greeting: its version of the protocol.
    Kgp {
        /// The number that must be right.
        major: u64,
        /// What was added.
        minor: u64,
        /// What was mended.
        patch: u64,
    },
    /// What the client wants; a word, since a server may know more than [`Mode`] does.
    Mode(String),
    /// Something is in order.
    Ok,
    /// Something is not.
    Error(String),
    /// Something that the other side may want to know.
    Set {
        /// As in `info:name`.
        key: String,
        /// As in `"Ada"`.
        value: Argument,
    },
    /// A position, the reader to move.
    State(Setup),
    /// A house, counted from 1.
    Move(u64),
    /// No better move will come.
    Yield,
    /// No more is wanted.
    Stop,
    /// What the position is worth.
    Eval(f64),
    /// A position and the house to be played in it, counted from 0.
    Problem {
        /// The position.
        board: Setup,
        /// The house, counted from 0.
        house: u64,
    },
    /// The position after it, as the same player sees it, and whether the player moves again.
    Solution {
        /// The position.
        board: Setup,
        /// Whether the last seed fell into the store.
        repeat: bool,
    },
    /// Are you there?
    Ping,
    /// Yes.
    Pong,
    /// The end.
    Goodbye,
}

impl Command {
    /// As a line without numbers.
    pub fn line(self) -> Line {
        let name = self.name().to_string();
        let arguments = match self {
            Command::Kgp { major, minor, patch } => {
                [major, minor, patch].map(|number| Argument::Integer(number as i64)).into()
            }
            Command::Mode(mode) => vec![Argument::Word(mode)],
            Command::Error(why) => vec![Argument::Text(why)],
            Command::Set { key, value } => vec![Argument::Word(key), value],
            Command::State(board) => vec![Argument::Board(board)],
            Command::Move(house) => vec![Argument::Integer(house as i64)],
            Command::Eval(value) => vec![Argument::Real(value)],
            Command::Problem { board, house } => {
                vec![Argument::Board(board), Argument::Integer(house as i64)]
            }
            Command::Solution { board, repeat } => {
                vec![Argument::Board(board), Argument::Word(repeat.to_string())]
            }
            Command::Ok
            | Command::Yield
            | Command::Stop
            | Command::Ping
            | Command::Pong
            | Command::Goodbye => Vec::new(),
        };
        Line { id: None, reference: None, name, arguments }
    }

    /// As a line that answers another.
    pub fn answering(self, reference: u64) -> Line {
        Line { reference: Some(reference), ..self.line() }
    }

    /// As a line with a number.
    pub fn numbered(self, id: u64) -> Line {
        Line { id: Some(id), ..self.line() }
    }

    /// The name, as it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Kgp { .. } => "kgp",
            Command::Mode(_) => "mode",
            Command::Ok => "ok",
            Command::Error(_) => "error",
            Command::Set { .. } => "set",
            Command::State(_) => "state",
            Command::Move(_) => "move",
            Command::Yield => "yield",
            Command::Stop => "stop",
            Command::Eval(_) => "eval",
            Command::Problem { .. } => "problem",
            Command::Solution { .. } => "solution",
            Command::Ping => "ping",
            Command::Pong => "pong",
            Command::Goodbye => "goodbye",
        }
    }
}

/// `true`, `t`, `yes`, or a number that is not 0.
fn truth(argument: &Argument) -> Option<bool> {
    match argument {
        Argument::Integer(number) => Some(*number != 0),
        Argument::Word(word) => match word.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" => Some(true),
            "false" | "f" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn natural(argument: &Argument) -> Option<u64> {
    match argument {
        Argument::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

impl TryFrom<&Line> for Command {
    type Error = LineError;

    fn try_from(line: &Line) -> Result<Command, LineError> {
        let arguments = line.arguments.as_slice();
        let (command, right) = match line.name.as_str() {
            "kgp" => (greeting(arguments), "kgp 1 0 1"),
            "mode" => {
                let mode = match arguments {
                    [Argument::Word(mode)] => Some(Command::Mode(mode.clone())),
                    _ => None,
                };
                (mode, "mode freeplay")
            }
            // What else they say is for people.
            "ok" => (Some(Command::Ok), ""),
            "error" => {
                let why: Vec<String> = arguments.iter().map(Argument::text).collect();
                (Some(Command::Error(why.join(" "))), "")
            }
            "set" => {
                let set = match arguments {
                    [Argument::Word(key), value] => {
                        Some(Command::Set { key: key.clone(), value: value.clone() })
                    }
                    _ => None,
                };
                (set, "set info:name \"Ada\"")
            }
            "state" => {
                let state = match arguments {
                    [Argument::Board(board)] => Some(Command::State(*board)),
                    _ => None,
                };
                (state, "state <3,0,0,3,3,3,3,3,3>")
            }
            "move" => {
                let house = match arguments {
                    [house] => natural(house).map(Command::Move),
                    _ => None,
                };
                (house, "move 2")
            }
            "yield" => (arguments.is_empty().then_some(Command::Yield), "yield"),
            "stop" => (Some(Command::Stop), ""),
            "eval" => {
                let value = match arguments {
                    [Argument::Real(value)] => Some(Command::Eval(*value)),
                    [Argument::Integer(value)] => Some(Command::Eval(*value as f64)),
                    _ => None,
                };
                (value, "eval 0.5")
            }
            "problem" => {
                let problem = match arguments {
                    [Argument::Board(board), house] => {
                        natural(house).map(|house| Command::Problem { board: *board, house })
                    }
                    _ => None,
                };
                (problem, "problem <3,0,0,3,3,3,3,3,3> 0")
            }
            "solution" => {
                let solution = match arguments {
                    [Argument::Board(board), repeat] => {
                        truth(repeat).map(|repeat| Command::Solution { board: *board, repeat })
                    }
                    _ => None,
                };
                (solution, "solution <3,1,0,0,4,4,3,3,3> true")
            }
            "ping" => (Some(Command::Ping), ""),
            "pong" => (Some(Command::Pong), ""),
            "goodbye" => (Some(Command::Goodbye), ""),
            _ => {
                (None, "kgp, mode, set, state, move, yield, stop, eval, problem, solution or ping")
            }
        };
        command.ok_or_else(|| LineError::Arguments { name: shown(&line.name), right })
    }
}

/// A name that somebody sent, short enough to be repeated.
fn shown(name: &str) -> String {
    name.chars().take(40).collect()
}

fn greeting(arguments: &[Argument]) -> Option<Command> {
    let [major, minor, patch] = arguments else { return None };
    Some(Command::Kgp { major: natural(major)?, minor: natural(minor)?, patch: natural(patch)? })
}

impl FromStr for Command {
    type Err = LineError;

    /// Reads a line for what it says, whatever its numbers.
    fn from_str(text: &str) -> Result<Command, LineError> {
        Command::try_from(&text.parse::<Line>()?)
    }
}
