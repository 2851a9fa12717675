//! What an answer may cost.

/// What it may take to prove that a value is at least the target, and that it is not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    pub(crate) yes: f32,
    pub(crate) no: f32,
}

impl Cost {
    /// Of a turn that is known to fail.
    pub(crate) const FAILED: Cost = Cost { yes: f32::INFINITY, no: 0.0 };

    /// A guess, from the seeds in houses and from how much more than the target the board is thought
    /// to be worth to its mover. Only ratios matter. What is likely is also cheap. The constants are
    /// those that needed the fewest nodes over several games.
    pub(crate) fn guess(layer: i64, advantage: f64) -> Cost {
        let (size, likely) = (0.15 * (layer - 40) as f64, 0.15 * advantage);
        // However large the board, a cost is a number, and so is the sum of many. What systems make of
        // `exp` in its last digit is not seen after it is rounded, so that all do the same work.
        let guess = |log: f64| log.clamp(-40.0, 40.0).exp() as f32;
        Cost { yes: guess(size - likely), no: guess(size + likely) }
    }

    pub(crate) fn times(self, factor: f32) -> Cost {
        Cost { yes: self.yes * factor, no: self.no * factor }
    }

    /// Whether it is so little otherwise that those above need not know.
    pub(crate) fn is_about(self, other: Cost) -> bool {
        let near = |a: f32, b: f32| a == b || (a - b).abs() <= LITTLE * a.min(b);
        near(self.yes, other.yes) && near(self.no, other.no)
    }

    /// The same as the opponent sees it.
    pub(crate) fn turned(self) -> Cost {
        Cost { yes: self.no, no: self.yes }
    }
}

/// Costs are carried up only as far as they change by more than this part of them: most of them are guesses,
/// and far up a leaf is next to nothing.
const LITTLE: f32 = 0.03;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_is_next_to_nothing() {
        let cost = Cost { yes: 2.0, no: 3.0 };
        let near = [cost, cost.times(1.02), cost.times(0.98)];
        assert!(near.iter().all(|near| near.is_about(cost) && cost.is_about(*near)));
        let failed = Cost { yes: f32::INFINITY, no: 3.0 };
        let far = [cost.times(1.1), cost.turned(), failed, Cost { yes: 2.0, no: 0.0 }];
        assert!(far.iter().all(|far| !far.is_about(cost) && !cost.is_about(*far)));
        assert!(failed.is_about(failed) && Cost::FAILED.is_about(Cost::FAILED));
    }
}
