//! What a position is worth: as JSON and in words.

use serde::Serialize;
use sowing::{Position, Side};
use sowing_solver::{Bounds, Outcome, Score, Verdict};
use utoipa::ToSchema;

use crate::args::house_number;

/// A verdict: unknown is `null`, never 0.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Worth {
    /// The mover's margin with perfect play; `null` if it is not known.
    value: Option<i64>,
    /// What is proven of a value that is not known: it is at least the first, at most the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[i64; 2]>,
    /// `win`, `draw` or `loss` for the mover; `null` if it is not known.
    outcome: Option<String>,
}

impl From<Verdict> for Worth {
    fn from(verdict: Verdict) -> Worth {
        let Bounds { low, high } = verdict.bounds();
        let value = verdict.value();
        let bounds = value.is_none().then_some([low, high]);
        Worth { value, bounds, outcome: verdict.outcome().map(|outcome| outcome.to_string()) }
    }
}

/// What a move is worth.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MoveWorth {
    /// `null` for a swap.
    house: Option<u8>,
    #[serde(flatten)]
    worth: Worth,
    again: bool,
}

impl From<&Score> for MoveWorth {
    fn from(score: &Score) -> MoveWorth {
        MoveWorth {
            house: house_number(score.action),
            worth: score.verdict.into(),
            again: score.again,
        }
    }
}

/// The worth of a position in plain words. The mover sits at this side.
pub(crate) fn sentence(position: &Position, verdict: Verdict, mover: Side) -> String {
    if let Some(margin) = position.margin() {
        return format!("The game is over: {}.", sowing::Outcome::of_margin(mover, margin));
    }
    match (verdict, verdict.outcome()) {
        (Verdict::Exact(0), _) | (_, Some(Outcome::Draw)) => {
            "A draw with perfect play.".to_string()
        }
        (Verdict::Exact(value), _) => {
            format!("{} with perfect play.", sowing::Outcome::of_margin(mover, value))
        }
        (Verdict::Within(Bounds { low, .. }), Some(Outcome::Win)) => {
            format!("{mover} wins with perfect play, by at least {low}.")
        }
        (Verdict::Within(Bounds { high, .. }), Some(Outcome::Loss)) => {
            format!("{} wins with perfect play, by at least {}.", !mover, -high)
        }
        (Verdict::Within(Bounds { low, high }), None) => {
            format!("Not solved: {mover}'s margin is proven to lie in {low:+} to {high:+}.")
        }
    }
}
