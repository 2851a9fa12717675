//! What something is known: as data and in words.

use std::fmt;

use serde::Serialize;
use sowing::{Position, Side};
use sowing_solver::{Bounds, Outcome, Verdict};

/// A verdict as it is written down: unknown is `null`, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Known {
    /// The mover's margin with perfect play; `null` if it is not known.
    #[cfg_attr(feature = "schema", schema(required))]
    pub value: Option<i64>,
    /// What is proven of a value that is not known: it is at least the first, at most the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, min_items = 2, max_items = 2))]
    pub bounds: Option<[i64; 2]>,
    /// `win`, `draw` or `loss` for the mover; `null` if it is not known.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<crate::schema::Outcome>))]
    pub outcome: Option<Outcome>,
}

impl From<Verdict> for Known {
    fn from(verdict: Verdict) -> Known {
        let Bounds { low, high } = verdict.bounds();
        let value = verdict.value();
        let bounds = value.is_none().then_some([low, high]);
        Known { value, bounds, outcome: verdict.outcome() }
    }
}

impl From<Bounds> for Known {
    fn from(bounds: Bounds) -> Known {
        Verdict::from(bounds).into()
    }
}

/// As people write it: `+6`, `0`, or `-2 to +8` where only bounds are known.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { low, high } = self.bounds();
        let signed = |value| if value == 0 { "0".to_string() } else { format!("{value:+}") };
        if low == high {
            f.pad(&signed(low))
        } else {
            f.pad(&format!("{} to {}", signed(low), signed(high)))
        }
    }
}

impl Known {
    /// The bounds; equal ones if the value is known.
    pub fn bounds(&self) -> Bounds {
        match (self.value, self.bounds) {
            (Some(value), _) => Bounds { low: value, high: value },
            (None, Some([low, high])) => Bounds { low, high },
            (None, None) => Bounds { low: i64::MIN, high: i64::MAX },
        }
    }

    /// The same as a verdict.
    pub fn verdict(&self) -> Verdict {
        self.bounds().into()
    }
}

/// The worth of a position in plain words. The mover sits at this side.
pub fn words(position: &Position, verdict: Verdict, mover: Side) -> String {
    if let Some(margin) = position.margin() {
        return format!("The game is over: {}.", sowing::Ending::of_margin(mover, margin));
    }
    match (verdict, verdict.outcome()) {
        (Verdict::Exact(0), _) | (_, Some(Outcome::Draw)) => {
            "A draw with perfect play.".to_string()
        }
        (Verdict::Exact(value), _) => {
            format!("{} with perfect play.", sowing::Ending::of_margin(mover, value))
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
