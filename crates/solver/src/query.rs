//! Queries to a solver and their answers.

use sowing_rules::{Bounds, Move, Outcome};

use crate::control::StopReason;

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Goal {
    /// Until the value is known.
    Value,
    /// Until it is known whether the value is a win, a draw or a loss.
    Outcome,
    /// Until it is known whether the value is at least this.
    AtLeast(i64),
}

impl Goal {
    /// Whether these bounds reach the goal.
    pub fn is_reached(self, bounds: Bounds) -> bool {
        match self {
            Goal::Value => bounds.low == bounds.high,
            Goal::Outcome => bounds.outcome().is_some(),
            Goal::AtLeast(margin) => bounds.decide(margin).is_some(),
        }
    }
}

/// A query about a position.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// How far the search goes.
    pub goal: Goal,
    /// Bounds of the value that the caller knows to be true.
    pub known: Option<Bounds>,
    /// The margin that is tested first. One near the value saves work.
    pub first_target: i64,
}

impl Query {
    /// A query without knowledge: it first tests the margin of [`Goal::AtLeast`], else whether the mover wins.
    pub fn new(goal: Goal) -> Query {
        let first_target = if let Goal::AtLeast(margin) = goal { margin } else { 1 };
        Query { goal, known: None, first_target }
    }
}

/// The proven bounds of a position's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The mover's margin with perfect play lies within these.
    pub bounds: Bounds,
    /// Why the goal was not reached; `None` if it was.
    pub stopped: Option<StopReason>,
}

impl Answer {
    /// The answer that a value is known.
    pub fn exact(value: i64) -> Answer {
        Answer { bounds: Bounds::exact(value), stopped: None }
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<i64> {
        self.bounds.value()
    }

    /// Win, draw or loss, if it is known.
    pub fn outcome(&self) -> Option<Outcome> {
        self.bounds.outcome()
    }
}

/// A whole turn and its value.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The moves, on the shortest path to the turn's end; of equally short ones, the leftmost houses.
    pub moves: Vec<Move>,
    /// The mover's margin after it with perfect play lies within these.
    pub bounds: Bounds,
    /// Why the bounds do not meet; `None` if they do.
    pub stopped: Option<StopReason>,
}

impl Turn {
    /// The turn after which the opponent's value is `answer`.
    pub(crate) fn new(moves: Vec<Move>, answer: Answer) -> Turn {
        Turn { moves, bounds: -answer.bounds, stopped: answer.stopped }
    }
}

/// The work of a solver so far. With one thread, the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Positions whose moves were generated.
    pub nodes: u64,
    /// Moves played.
    pub moves: u64,
    /// Positions cut off by a turn that was searched, not by the turn generator.
    pub cutoffs: u64,
    /// Those of them cut off by the first turn tried.
    pub first_cutoffs: u64,
}
