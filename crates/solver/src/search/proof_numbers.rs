//! Proof and disproof numbers.

/// The effort expected for proving, and for disproving, the null-window test `value >= target` of a board.
///
/// Proof-number search counts leaves. Here a leaf starts with an estimate of its effort
/// instead of 1, as in evaluation-function based proof-number search (Winands and Schadd, 2010). Only ratios
/// matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProofNumbers {
    pub(crate) proof: f32,
    pub(crate) disproof: f32,
}

impl ProofNumbers {
    /// Of a test that has failed.
    pub(crate) const DISPROVEN: ProofNumbers = ProofNumbers { proof: f32::INFINITY, disproof: 0.0 };

    /// The initial numbers of a leaf with `layer` seeds in houses, whose estimated value exceeds the target by
    /// `advantage`. The likelier result is the cheaper one. The constants needed the fewest nodes over several
    /// games.
    pub(crate) fn initial(layer: i64, advantage: f64) -> ProofNumbers {
        let (size, likely) = (0.15 * (layer - 40) as f64, 0.15 * advantage);
        // The clamp keeps numbers and their sums finite. Rounding to f32 hides the last digit of `exp`, in
        // which systems differ, so that all search the same nodes.
        let number = |log: f64| log.clamp(-40.0, 40.0).exp() as f32;
        ProofNumbers { proof: number(size - likely), disproof: number(size + likely) }
    }

    pub(crate) fn scaled(self, factor: f32) -> ProofNumbers {
        ProofNumbers { proof: self.proof * factor, disproof: self.disproof * factor }
    }

    /// Whether the difference is too small to update the ancestors. So the stored numbers of a node are within 3 % of
    /// those that its children's numbers give; errors can compound with depth. Results do not depend on numbers.
    pub(crate) fn is_close(self, other: ProofNumbers) -> bool {
        let close = |a: f32, b: f32| a == b || (a - b).abs() <= UPDATE_THRESHOLD * a.min(b);
        close(self.proof, other.proof) && close(self.disproof, other.disproof)
    }

    /// The numbers of the same test as the opponent sees it.
    pub(crate) fn swapped(self) -> ProofNumbers {
        ProofNumbers { proof: self.disproof, disproof: self.proof }
    }
}

/// The relative change below which ancestors are not updated: most numbers are estimates, and far up a leaf
/// hardly counts.
const UPDATE_THRESHOLD: f32 = 0.03;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_are_close() {
        let numbers = ProofNumbers { proof: 2.0, disproof: 3.0 };
        let close = [numbers, numbers.scaled(1.02), numbers.scaled(0.98)];
        assert!(close.iter().all(|close| close.is_close(numbers) && numbers.is_close(*close)));
        let infinite = ProofNumbers { proof: f32::INFINITY, disproof: 3.0 };
        let zero = ProofNumbers { proof: 2.0, disproof: 0.0 };
        let far = [numbers.scaled(1.1), numbers.swapped(), infinite, zero];
        assert!(far.iter().all(|far| !far.is_close(numbers) && !numbers.is_close(*far)));
        assert!(infinite.is_close(infinite));
        assert!(ProofNumbers::DISPROVEN.is_close(ProofNumbers::DISPROVEN));
    }
}
