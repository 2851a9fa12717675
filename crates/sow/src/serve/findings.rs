//! What an analysis has found so far, and how it is told.

use std::sync::Arc;

use axum::response::sse::Event;
use serde::Serialize;
use sowing::{Move, Position, Side};
use sowing_solver::{Bounds, Score, Verdict};
use utoipa::ToSchema;

use super::error::Refusal;
use super::query::move_text;
use super::stream::event;
use crate::worth::{MoveWorth, Worth, sentence};

/// Where an analysis stands.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    pub(crate) position: Position,
    /// What is proven of the position's value.
    pub(crate) bounds: Bounds,
    pub(crate) effort: Effort,
    /// What it took to know the value, once it is known.
    pub(crate) valued: Option<Effort>,
    /// The legal moves in their order, as far as something is proven of them.
    pub(crate) scores: Vec<Option<Score>>,
    pub(crate) end: Option<Result<Arc<End>, Refusal>>,
}

/// The work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Effort {
    pub(crate) nodes: u64,
    pub(crate) seconds: f64,
}

/// How an analysis ended.
#[derive(Debug)]
pub(crate) struct End {
    /// The moves, best first.
    pub(crate) scores: Vec<Score>,
    /// A whole turn that keeps the value.
    pub(crate) best_turn: Option<Vec<Move>>,
    /// A perfect continuation, turn by turn.
    pub(crate) line: Option<Vec<Vec<Move>>>,
    /// Whether every value is known.
    pub(crate) exact: bool,
}

/// Proven bounds of the position's value, and the work so far.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BoundsEvent {
    lower: i64,
    upper: i64,
    nodes: u64,
    seconds: f64,
}

/// The value of the position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ValueEvent {
    #[serde(flatten)]
    worth: Worth,
    words: String,
    nodes: u64,
    seconds: f64,
}

/// What is proven of a move. It may come again with narrower bounds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MoveEvent {
    #[serde(rename = "move")]
    action: String,
    value: Option<i64>,
    lower: i64,
    upper: i64,
    again: bool,
}

/// All that was found: what `sow solve --json` prints, and more.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoneEvent {
    game: String,
    position: String,
    #[serde(flatten)]
    worth: Worth,
    words: String,
    /// Best first.
    moves: Vec<MoveWorth>,
    /// A whole turn that keeps the value; `null` if it is not known.
    best_turn: Option<Vec<String>>,
    /// A perfect continuation, turn by turn; `null` if it is not known.
    line: Option<Vec<Vec<String>>>,
    nodes: u64,
    seconds: f64,
    /// Whether every value is known. If not, a limit ended the search.
    exact: bool,
    /// Whether it was known before it was asked for.
    cached: bool,
}

impl Findings {
    /// Nothing is found yet but what the board itself tells.
    pub(crate) fn new(position: Position) -> Findings {
        let (lead, level) = (position.lead(), position.level() as i64);
        let bounds = match position.margin() {
            Some(margin) => Bounds { low: margin, high: margin },
            None => Bounds { low: lead - level, high: lead + level },
        };
        Findings {
            position,
            bounds,
            effort: Effort::default(),
            valued: None,
            scores: vec![None; position.moves().count()],
            end: None,
        }
    }

    /// All there is to find of a finished position.
    pub(crate) fn of_finished(position: Position) -> Findings {
        let end = End {
            scores: Vec::new(),
            best_turn: Some(Vec::new()),
            line: Some(Vec::new()),
            exact: true,
        };
        let valued = Some(Effort::default());
        Findings { valued, end: Some(Ok(Arc::new(end))), ..Findings::new(position) }
    }

    /// Whether every value was found.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(&self.end, Some(Ok(end)) if end.exact)
    }

    fn verdict(&self) -> Verdict {
        Verdict::from(self.bounds)
    }

    /// What a reader does not know yet who was told an earlier state.
    pub(crate) fn news(&self, told: Option<&Findings>, mover: Side, cached: bool) -> Vec<Event> {
        let mut news = Vec::new();
        let Effort { nodes, seconds } = self.effort;
        if told.is_none_or(|told| (told.bounds, told.effort) != (self.bounds, self.effort)) {
            let Bounds { low: lower, high: upper } = self.bounds;
            news.push(event("bounds", &BoundsEvent { lower, upper, nodes, seconds }));
        }
        let words = sentence(&self.position, self.verdict(), mover);
        if let (Some(effort), None) = (self.valued, told.and_then(|told| told.valued)) {
            let Effort { nodes, seconds } = effort;
            let worth = self.verdict().into();
            news.push(event("value", &ValueEvent { worth, words: words.clone(), nodes, seconds }));
        }
        for (index, score) in self.scores.iter().enumerate() {
            let before = told.and_then(|told| told.scores[index].as_ref());
            if let Some(score) = score
                && before.is_none_or(|before| before.verdict != score.verdict)
            {
                news.push(event("move", &MoveEvent::from(score)));
            }
        }
        match &self.end {
            None => {}
            Some(_) if told.is_some_and(|told| told.end.is_some()) => {}
            Some(Err(refusal)) => news.push(event("failed", &refusal.body())),
            Some(Ok(end)) => {
                let texts = |turn: &Vec<Move>| turn.iter().copied().map(move_text).collect();
                let done = DoneEvent {
                    game: self.position.game().to_string(),
                    position: self.position.to_string(),
                    worth: self.verdict().into(),
                    words,
                    moves: end.scores.iter().map(MoveWorth::from).collect(),
                    best_turn: end.best_turn.as_ref().map(texts),
                    line: end.line.as_ref().map(|line| line.iter().map(texts).collect()),
                    nodes,
                    seconds,
                    exact: end.exact,
                    cached,
                };
                news.push(event("done", &done));
            }
        }
        news
    }
}

impl From<&Score> for MoveEvent {
    fn from(score: &Score) -> MoveEvent {
        let Bounds { low: lower, high: upper } = score.verdict.bounds();
        MoveEvent {
            action: move_text(score.action),
            value: score.verdict.value(),
            lower,
            upper,
            again: score.again,
        }
    }
}
