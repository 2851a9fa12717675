//! The lines that an engine writes.

use std::fmt;
use std::str::FromStr;

use sowing_rules::{Bounds, Move, turn_text};

use super::{EngineLineError, words};

/// The value of a position or a move for the mover: proven bounds or an estimate.
///
/// The text form is `value 6`, `bounds -2 8` or `estimate 4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// Proven bounds of the margin with perfect play.
    Proven(Bounds),
    /// An estimate of it.
    Estimate(i64),
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Proven(Bounds { low, high }) if low == high => write!(f, "value {low}"),
            Evaluation::Proven(Bounds { low, high }) => write!(f, "bounds {low} {high}"),
            Evaluation::Estimate(estimate) => write!(f, "estimate {estimate}"),
        }
    }
}

/// The progress of a search.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Info {
    /// The move; `None` for the position.
    pub action: Option<Move>,
    /// Its evaluation.
    pub known: Option<Evaluation>,
    /// A whole turn that achieves the value; may be empty.
    pub turn: Vec<Move>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub time: Option<u64>,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        self.action.iter().try_for_each(|action| write!(f, " move {action}"))?;
        self.known.iter().try_for_each(|known| write!(f, " {known}"))?;
        if !self.turn.is_empty() {
            write!(f, " turn {}", turn_text(&self.turn))?;
        }
        self.nodes.iter().try_for_each(|nodes| write!(f, " nodes {nodes}"))?;
        self.time.iter().try_for_each(|time| write!(f, " time {time}"))
    }
}

/// A line that an engine writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// `id name Ada 1.0`.
    Name(String),
    /// `sowok`: the handshake is complete.
    SowOk,
    /// `readyok`.
    ReadyOk,
    /// `info ...`.
    Info(Info),
    /// `bestmove 3`, or `bestmove none` if the game is over.
    BestMove(Option<Move>),
    /// `eval value 6`.
    Eval(Evaluation),
    /// `error ...`: a request is invalid.
    Error(String),
}

const WORDS: &str = "id, sowok, readyok, info, bestmove, eval and error";

impl FromStr for Answer {
    type Err = EngineLineError;

    fn from_str(text: &str) -> Result<Answer, EngineLineError> {
        let words = words(text)?;
        let shape = |name, right| {
            let text = text.trim().to_string();
            EngineLineError::Shape { name, right, text }
        };
        match *words.first().unwrap_or(&"") {
            "sowok" => Ok(Answer::SowOk),
            "readyok" => Ok(Answer::ReadyOk),
            "id" => match words[1..] {
                ["name", ref name @ ..] if !name.is_empty() => Ok(Answer::Name(name.join(" "))),
                _ => Err(shape("id", "id name Ada 1.0")),
            },
            "error" => Ok(Answer::Error(words[1..].join(" "))),
            "bestmove" => match words[1..] {
                ["none"] => Ok(Answer::BestMove(None)),
                [action] => Ok(Answer::BestMove(Some(action.parse()?))),
                _ => Err(shape("bestmove", "bestmove 3")),
            },
            "eval" => {
                let mut rest = &words[1..];
                let known = evaluation(&mut rest).filter(|_| rest.is_empty());
                known.map(Answer::Eval).ok_or_else(|| shape("eval", "eval value 6"))
            }
            "info" => info(&words[1..]).map(Answer::Info).ok_or_else(|| {
                shape("info", "info move 3 bounds -2 8 turn 3-5 nodes 1000 time 20")
            }),
            word => Err(EngineLineError::Unknown { word: word.to_string(), known: WORDS }),
        }
    }
}

/// `-2`, `0`, `8`, `+8`.
fn integer(word: &str) -> Option<i64> {
    word.parse().ok()
}

fn evaluation(words: &mut &[&str]) -> Option<Evaluation> {
    let (known, taken) = match **words {
        ["value", value, ..] => (Evaluation::Proven(Bounds::exact(integer(value)?)), 2),
        ["estimate", estimate, ..] => (Evaluation::Estimate(integer(estimate)?), 2),
        ["bounds", low, high, ..] => {
            let (low, high) = (integer(low)?, integer(high)?);
            if low > high {
                return None;
            }
            (Evaluation::Proven(Bounds { low, high }), 3)
        }
        _ => return None,
    };
    *words = &words[taken..];
    Some(known)
}

/// The fields of an `info` line, each at most once, in any order.
fn info(mut words: &[&str]) -> Option<Info> {
    let mut info = Info::default();
    while let Some((first, rest)) = words.split_first() {
        let second = rest.first();
        let fresh = match *first {
            "move" => info.action.replace(second?.parse().ok()?).is_none(),
            "nodes" => info.nodes.replace(second?.parse().ok()?).is_none(),
            "time" => info.time.replace(second?.parse().ok()?).is_none(),
            "turn" => {
                let fresh = info.turn.is_empty();
                info.turn =
                    second?.split('-').map(|text| text.parse().ok()).collect::<Option<_>>()?;
                fresh
            }
            _ => {
                let known = evaluation(&mut words)?;
                if info.known.replace(known).is_some() {
                    return None;
                }
                continue;
            }
        };
        if !fresh {
            return None;
        }
        words = &rest[1..];
    }
    Some(info)
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Name(name) => write!(f, "id name {name}"),
            Answer::SowOk => f.write_str("sowok"),
            Answer::ReadyOk => f.write_str("readyok"),
            Answer::Info(info) => info.fmt(f),
            Answer::BestMove(Some(action)) => write!(f, "bestmove {action}"),
            Answer::BestMove(None) => f.write_str("bestmove none"),
            Answer::Eval(known) => write!(f, "eval {known}"),
            Answer::Error(why) => write!(f, "error {why}"),
        }
    }
}
