//! The lines that an engine reads.

use std::fmt;
use std::str::FromStr;

use sowing_rules::{Game, Move, Setup, parse_digits};

use super::{EngineLineError, words};

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Go {
    /// Milliseconds.
    pub time: Option<u64>,
    /// The most positions to search.
    pub nodes: Option<u64>,
    /// Search until the value is known, without another limit.
    pub exact: bool,
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.time.iter().try_for_each(|time| write!(f, " time {time}"))?;
        self.nodes.iter().try_for_each(|nodes| write!(f, " nodes {nodes}"))?;
        f.write_str(if self.exact { " exact" } else { "" })
    }
}

/// A line that an engine reads.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "short-lived")]
pub enum Request {
    /// `sow`: the handshake.
    Sow,
    /// `isready`: answered by `readyok`.
    IsReady,
    /// `game kalah(6,4)`: a new game, at its start.
    Game(Game),
    /// `position start moves 3 6` or `position 4,4,0,5,5,5,1|4,4,4,4,4,4,0`.
    Position {
        /// The start position, South to move; `None` for the game's own.
        start: Option<Setup>,
        /// The moves from there.
        moves: Vec<Move>,
    },
    /// `go time 500`, `go nodes 100000`, `go exact`.
    Go(Go),
    /// `eval`: evaluate the position, with the limits of `go`.
    Eval(Go),
    /// `stop`: end the search and answer.
    Stop,
    /// `quit`.
    Quit,
}

const WORDS: &str = "sow, isready, game, position, go, eval, stop and quit";

impl FromStr for Request {
    type Err = EngineLineError;

    fn from_str(text: &str) -> Result<Request, EngineLineError> {
        let words = words(text)?;
        let shape = |name, right| {
            let text = text.trim().to_string();
            EngineLineError::Shape { name, right, text }
        };
        let alone = |request: Request, name| match words.len() {
            1 => Ok(request),
            _ => Err(shape(name, name)),
        };
        match *words.first().unwrap_or(&"") {
            "sow" => alone(Request::Sow, "sow"),
            "isready" => alone(Request::IsReady, "isready"),
            "stop" => alone(Request::Stop, "stop"),
            "quit" => alone(Request::Quit, "quit"),
            "game" => match words.len() {
                1 => Err(shape("game", "game kalah(6,4)")),
                _ => Ok(Request::Game(words[1..].concat().parse()?)),
            },
            "position" => {
                let error = || shape("position", "position start moves 3 6");
                let (first, rest) = words[1..].split_first().ok_or_else(error)?;
                let start = if *first == "start" { None } else { Some(first.parse()?) };
                let moves = match rest.split_first() {
                    None => Vec::new(),
                    Some((&"moves", moves)) => {
                        moves.iter().map(|text| text.parse()).collect::<Result<_, _>>()?
                    }
                    Some(_) => return Err(error()),
                };
                Ok(Request::Position { start, moves })
            }
            "go" => limits(&words[1..])
                .map(Request::Go)
                .ok_or_else(|| shape("go", "go time 500, go nodes 100000 or go exact")),
            "eval" => limits(&words[1..])
                .map(Request::Eval)
                .ok_or_else(|| shape("eval", "eval or eval time 500")),
            word => Err(EngineLineError::Unknown { word: word.to_string(), known: WORDS }),
        }
    }
}

/// The limits `time 500 nodes 1000` or `exact`, in any order, each at most once.
fn limits(words: &[&str]) -> Option<Go> {
    let mut go = Go::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let slot = match *word {
            "time" => &mut go.time,
            "nodes" => &mut go.nodes,
            "exact" if !go.exact => {
                go.exact = true;
                continue;
            }
            _ => return None,
        };
        if slot.replace(parse_digits(words.next()?)?).is_some() {
            return None;
        }
    }
    let limited = go.time.is_some() || go.nodes.is_some();
    (!(go.exact && limited)).then_some(go)
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Sow => f.write_str("sow"),
            Request::IsReady => f.write_str("isready"),
            Request::Game(game) => write!(f, "game {game}"),
            Request::Position { start, moves } => {
                f.write_str("position ")?;
                match start {
                    Some(start) => start.fmt(f)?,
                    None => f.write_str("start")?,
                }
                if !moves.is_empty() {
                    f.write_str(" moves")?;
                }
                moves.iter().try_for_each(|action| write!(f, " {action}"))
            }
            Request::Go(go) => write!(f, "go{go}"),
            Request::Eval(go) => write!(f, "eval{go}"),
            Request::Stop => f.write_str("stop"),
            Request::Quit => f.write_str("quit"),
        }
    }
}
