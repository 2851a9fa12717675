//! Proven bounds of a value, and the outcome that they prove.

use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

use crate::quoted;

/// Win, draw or loss, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The mover ends with more seeds.
    Win,
    /// Both players end with the same number of seeds.
    Draw,
    /// The mover ends with fewer seeds.
    Loss,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 3] = [Outcome::Win, Outcome::Draw, Outcome::Loss];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        })
    }
}

/// Why a text is not an outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an outcome is win, draw or loss, not {what}", what = quoted(.0))]
pub struct ParseOutcomeError(String);

impl FromStr for Outcome {
    type Err = ParseOutcomeError;

    fn from_str(text: &str) -> Result<Outcome, ParseOutcomeError> {
        let text = text.trim();
        let found = Outcome::ALL.into_iter().find(|outcome| outcome.to_string() == text);
        found.ok_or_else(|| ParseOutcomeError(text.to_string()))
    }
}

/// Proven bounds of a value: it is at least `low` and at most `high`. Equal bounds are the value.
///
/// The text form is `+6`, `0`, or `-2 to +8` if the bounds differ.
///
/// ```
/// use sowing_rules::{Bounds, Outcome};
///
/// let bounds = Bounds { low: 1, high: 9 };
/// assert_eq!((bounds.value(), bounds.outcome()), (None, Some(Outcome::Win)));
/// assert_eq!(bounds.intersect(Bounds { low: -3, high: 1 }), Some(Bounds::exact(1)));
/// assert_eq!((-bounds).to_string(), "-9 to -1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The value is at least this.
    pub low: i64,
    /// The value is at most this.
    pub high: i64,
}

impl Neg for Bounds {
    type Output = Bounds;

    /// The bounds of the same value as the other player counts it.
    #[inline]
    fn neg(self) -> Bounds {
        Bounds { low: -self.high, high: -self.low }
    }
}

impl Bounds {
    /// The bounds of a known value.
    pub const fn exact(value: i64) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// The bounds of every board with `seeds` seeds in its houses.
    pub const fn from_layer(seeds: i64) -> Bounds {
        Bounds { low: -seeds, high: seeds }
    }

    /// The value, if the bounds are equal.
    pub fn value(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Win, draw or loss, if the bounds decide it.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Bounds { low: 1.., .. } => Some(Outcome::Win),
            Bounds { low: 0, high: 0 } => Some(Outcome::Draw),
            Bounds { high: ..0, .. } => Some(Outcome::Loss),
            _ => None,
        }
    }

    /// The intersection; `None` if it is empty, so that one of the bounds is false.
    pub fn intersect(self, other: Bounds) -> Option<Bounds> {
        let both = Bounds { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// The result of the null-window test `value >= target`, if the bounds decide it: a lower bound of at
    /// least `target`, or an upper bound below it.
    #[inline]
    pub fn decide(self, target: i64) -> Option<i64> {
        let Bounds { low, high } = self;
        if low >= target { Some(low) } else { Some(high).filter(|high| *high < target) }
    }

    /// The bounds as the player counts them who has just moved, if `self` are those of the next mover: the same player
    /// after `again`.
    #[inline]
    pub fn to_mover(self, again: bool) -> Bounds {
        if again { self } else { -self }
    }

    /// The bounds of a value that is larger by `seeds`.
    #[inline]
    pub fn shifted(self, seeds: i64) -> Bounds {
        Bounds { low: self.low + seeds, high: self.high + seeds }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed = |value| if value == 0 { "0".to_string() } else { format!("{value:+}") };
        match self.value() {
            Some(value) => f.pad(&signed(value)),
            None => f.pad(&format!("{} to {}", signed(self.low), signed(self.high))),
        }
    }
}

/// Why a text is not a value or bounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bounds are of the form +6 or -2 to +8, the lower first, not {what}", what = quoted(.0))]
pub struct ParseBoundsError(String);

impl FromStr for Bounds {
    type Err = ParseBoundsError;

    fn from_str(text: &str) -> Result<Bounds, ParseBoundsError> {
        let text = text.trim();
        let (low, high) = text.split_once(" to ").unwrap_or((text, text));
        match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) if low <= high => Ok(Bounds { low, high }),
            _ => Err(ParseBoundsError(text.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_they_are_written() {
        for bounds in [Bounds::exact(0), Bounds::exact(-7), Bounds { low: -2, high: 8 }] {
            assert_eq!(bounds.to_string().parse(), Ok(bounds));
        }
        for bad in ["", "x", "3 to 2", "1 to", "1 to 2 to 3"] {
            assert!(bad.parse::<Bounds>().is_err(), "{bad}");
        }
        for outcome in Outcome::ALL {
            assert_eq!(format!(" {outcome} ").parse(), Ok(outcome));
        }
    }

    #[test]
    fn a_test_is_decided_by_one_bound() {
        let bounds = Bounds { low: 2, high: 5 };
        let decided = [1, 2, 3, 5, 6].map(|target| bounds.decide(target));
        assert_eq!(decided, [Some(2), Some(2), None, None, Some(5)]);
        assert_eq!(bounds.intersect(Bounds { low: 6, high: 9 }), None);
    }
}
