//! The commands of the protocol.

use std::fmt;
use std::str::FromStr;

use sowing_rules::{Setup, quoted};

use super::{Argument, Line, LineError};

/// The mode of a client.
///
/// The text form is `freeplay`, `eval` or `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It plays.
    Freeplay,
    /// It evaluates positions.
    Eval,
    /// It shows that it implements the rules.
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

/// Why a text is not a mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode {what}: the modes are freeplay, eval and verify", what = quoted(.0))]
pub struct ParseModeError(String);

impl FromStr for Mode {
    type Err = ParseModeError;

    fn from_str(text: &str) -> Result<Mode, ParseModeError> {
        let text = text.trim();
        let mode = Mode::ALL.into_iter().find(|mode| mode.to_string() == text);
        mode.ok_or_else(|| ParseModeError(text.to_string()))
    }
}

/// A command of a client or a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// The server's greeting: its version of the protocol.
    Kgp {
        /// The major version; both sides need the same.
        major: u64,
        /// The minor version.
        minor: u64,
        /// The patch version.
        patch: u64,
    },
    /// The mode of the client; a word, since a server may support more than [`Mode`].
    Mode(String),
    /// The line that it answers is accepted.
    Ok,
    /// The line that it answers is refused.
    Error(String),
    /// Sets an option.
    Set {
        /// The key, as in `info:name`.
        key: String,
        /// The value, as in `"Ada"`.
        value: Argument,
    },
    /// A position, the receiver to move.
    State(Setup),
    /// A house, counted from 1.
    Move(u64),
    /// The last move is final.
    Yield,
    /// The server ends the search.
    Stop,
    /// The evaluation of the position.
    Eval(f64),
    /// A position and a house to play.
    Problem {
        /// The position.
        board: Setup,
        /// The house, counted from 0.
        house: u64,
    },
    /// The position after a problem's move, as the same player sees it.
    Solution {
        /// The position.
        board: Setup,
        /// Whether the last seed fell into the store.
        repeat: bool,
    },
    /// Asks for a pong.
    Ping,
    /// Answers a ping.
    Pong,
    /// Ends the connection.
    Goodbye,
}

impl Command {
    /// The command as a line without ids.
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

    /// The command as a line that answers the line with this id.
    pub fn answering(self, reference: u64) -> Line {
        Line { reference: Some(reference), ..self.line() }
    }

    /// The command as a line with this id.
    pub fn numbered(self, id: u64) -> Line {
        Line { id: Some(id), ..self.line() }
    }

    /// The name of the command.
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

/// A boolean: `true`, `t`, `yes`, a number other than 0, or their opposites.
fn boolean(argument: &Argument) -> Option<bool> {
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

/// The names of all commands.
const NAMES: &str = "kgp, mode, ok, error, set, state, move, yield, stop, eval, problem, solution, ping, pong and goodbye";

impl TryFrom<&Line> for Command {
    type Error = LineError;

    fn try_from(line: &Line) -> Result<Command, LineError> {
        let arguments = line.arguments.as_slice();
        let name = line.name.as_str();
        let (command, right) = match name {
            "kgp" => (greeting(arguments), "kgp 1 0 1"),
            "mode" => (mode(arguments), "mode freeplay"),
            // Further arguments are for human readers.
            "ok" => (Some(Command::Ok), ""),
            "error" => (Some(error(arguments)), ""),
            "set" => (set(arguments), "set info:name \"Ada\""),
            "state" => (state(arguments), "state <3,0,0,3,3,3,3,3,3>"),
            "move" => (house(arguments), "move 2"),
            "yield" => (arguments.is_empty().then_some(Command::Yield), "yield"),
            "stop" => (Some(Command::Stop), ""),
            "eval" => (eval(arguments), "eval 0.5"),
            "problem" => (problem(arguments), "problem <3,0,0,3,3,3,3,3,3> 0"),
            "solution" => (solution(arguments), "solution <3,1,0,0,4,4,3,3,3> true"),
            "ping" => (Some(Command::Ping), ""),
            "pong" => (Some(Command::Pong), ""),
            "goodbye" => (Some(Command::Goodbye), ""),
            _ => return Err(LineError::UnknownCommand { name: name.to_string(), known: NAMES }),
        };
        command.ok_or_else(|| LineError::Arguments { name: name.to_string(), right })
    }
}

fn greeting(arguments: &[Argument]) -> Option<Command> {
    let [major, minor, patch] = arguments else { return None };
    Some(Command::Kgp { major: natural(major)?, minor: natural(minor)?, patch: natural(patch)? })
}

fn mode(arguments: &[Argument]) -> Option<Command> {
    let [Argument::Word(mode)] = arguments else { return None };
    Some(Command::Mode(mode.clone()))
}

fn error(arguments: &[Argument]) -> Command {
    let why: Vec<String> = arguments.iter().map(Argument::text).collect();
    Command::Error(why.join(" "))
}

fn set(arguments: &[Argument]) -> Option<Command> {
    let [Argument::Word(key), value] = arguments else { return None };
    Some(Command::Set { key: key.clone(), value: value.clone() })
}

fn state(arguments: &[Argument]) -> Option<Command> {
    let [Argument::Board(board)] = arguments else { return None };
    Some(Command::State(*board))
}

fn house(arguments: &[Argument]) -> Option<Command> {
    let [house] = arguments else { return None };
    natural(house).map(Command::Move)
}

fn eval(arguments: &[Argument]) -> Option<Command> {
    match arguments {
        [Argument::Real(value)] => Some(Command::Eval(*value)),
        [Argument::Integer(value)] => Some(Command::Eval(*value as f64)),
        _ => None,
    }
}

fn problem(arguments: &[Argument]) -> Option<Command> {
    let [Argument::Board(board), house] = arguments else { return None };
    Some(Command::Problem { board: *board, house: natural(house)? })
}

fn solution(arguments: &[Argument]) -> Option<Command> {
    let [Argument::Board(board), repeat] = arguments else { return None };
    Some(Command::Solution { board: *board, repeat: boolean(repeat)? })
}

impl FromStr for Command {
    type Err = LineError;

    /// Parses the command of a line and ignores its ids.
    fn from_str(text: &str) -> Result<Command, LineError> {
        Command::try_from(&text.parse::<Line>()?)
    }
}
