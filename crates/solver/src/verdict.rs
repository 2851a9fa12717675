//! What is known of a value.

use std::fmt;

/// Win, draw or loss, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Outcome {
    /// The mover ends with more seeds.
    Win,
    /// Both end with the same.
    Draw,
    /// The mover ends with fewer seeds.
    Loss,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        })
    }
}

/// Proven bounds of a value: it is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The value is at least this.
    pub low: i64,
    /// The value is at most this.
    pub high: i64,
}

impl std::ops::Neg for Bounds {
    type Output = Bounds;

    /// The bounds of the same value as the other player counts it.
    fn neg(self) -> Bounds {
        Bounds { low: -self.high, high: -self.low }
    }
}

impl Bounds {
    /// What all that is known of a board's value before anybody looks: its seeds go to one or the
    /// other.
    pub(crate) fn of_seeds(seeds: i64) -> Bounds {
        Bounds { low: -seeds, high: seeds }
    }

    /// Both together; `None` if they cross, so that one of them is wrong.
    pub fn and(self, other: Bounds) -> Option<Bounds> {
        let both = Bounds { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// What they say to the question whether the value is at least so much: a lower bound that is at
    /// least that, or an upper one that is less.
    #[inline]
    pub(crate) fn answer(self, target: i64) -> Option<i64> {
        let Bounds { low, high } = self;
        if low >= target { Some(low) } else { Some(high).filter(|high| *high < target) }
    }

    /// The same with a known number of seeds more.
    pub(crate) fn plus(self, seeds: i64) -> Bounds {
        Bounds { low: self.low + seeds, high: self.high + seeds }
    }
}

/// The mover's margin with perfect play, or as much as is proven of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The value.
    Exact(i64),
    /// Bounds that do not meet: the search was stopped, or more was not asked for.
    Within(Bounds),
}

impl From<Bounds> for Verdict {
    /// # Panics
    /// If the bounds cross.
    fn from(bounds: Bounds) -> Verdict {
        Verdict::of(bounds)
    }
}

impl Verdict {
    pub(crate) fn of(bounds: Bounds) -> Verdict {
        assert!(bounds.low <= bounds.high, "bounds cross: {bounds:?}");
        if bounds.low == bounds.high { Verdict::Exact(bounds.low) } else { Verdict::Within(bounds) }
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<i64> {
        match self {
            Verdict::Exact(value) => Some(*value),
            Verdict::Within(_) => None,
        }
    }

    /// The bounds; equal ones if the value is known.
    pub fn bounds(&self) -> Bounds {
        match self {
            Verdict::Exact(value) => Bounds { low: *value, high: *value },
            Verdict::Within(bounds) => *bounds,
        }
    }

    /// Win, draw or loss, if the bounds tell.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.bounds() {
            Bounds { low: 1.., .. } => Some(Outcome::Win),
            Bounds { low: 0, high: 0 } => Some(Outcome::Draw),
            Bounds { high: ..0, .. } => Some(Outcome::Loss),
            _ => None,
        }
    }

    /// The same for the opponent.
    pub fn negated(self) -> Verdict {
        Verdict::of(-self.bounds())
    }
}
