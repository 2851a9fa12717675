//! Move ordering: the order in which turns are tried.

use sowing_rules::{Capture, CompiledRules};

use super::evaluator::Evaluator;
use super::search_board::SearchBoard;

/// Scores a turn by its gain and the board that it leaves to the opponent.
///
/// Seeds in the store count most. A good board leaves the opponent few moves, few of them into the store, and
/// few seeds, above all next to it; and seeds opposite an empty house of the player who made the turn may be
/// captured. The evaluator refines the score, but does not replace it: boards that are cheap to search count too. The
/// weights needed the fewest nodes over a dozen games.
///
/// The score is a sum over the columns of the board, one table look-up each.
#[derive(Debug)]
pub(crate) struct MoveOrdering {
    /// The penalty of the seeds in a house of the opponent and in the house opposite, of the player who made the turn.
    columns: Vec<[i32; PAIRS]>,
    /// The score per seed gained, and the penalty per seed left in the opponent's row.
    gain: i64,
    seed_penalty: i64,
}

/// Higher seed counts are scored as this one.
const MAX_COUNT: usize = 15;
const PAIRS: usize = (MAX_COUNT + 1) * (MAX_COUNT + 1);

impl MoveOrdering {
    pub(crate) fn new<B: SearchBoard>(
        rules: &CompiledRules<B>,
        evaluator: Option<&Evaluator>,
    ) -> MoveOrdering {
        let (houses, capture) = (rules.houses(), rules.definition().capture);
        let captures_opposite = matches!(capture, Capture::Standard | Capture::Empty);
        // The units of the evaluator are finer.
        let scale = if evaluator.is_some() { 4 } else { 1 };
        let column = |slot: usize| {
            let mut row = [0; PAIRS];
            for (pair, weight) in row.iter_mut().enumerate() {
                let (theirs, opposite) = (pair / (MAX_COUNT + 1), pair % (MAX_COUNT + 1));
                let moves = 8 * i32::from(theirs > 0);
                let agains = 6 * i32::from(theirs == houses - slot);
                let near = if slot == houses - 1 { 2 * theirs as i32 } else { 0 };
                let capturable =
                    if captures_opposite && opposite == 0 { 3 * theirs as i32 } else { 0 };
                let fitted =
                    evaluator.map_or(0, |evaluator| evaluator.column(slot, theirs, opposite));
                *weight = scale * (moves + agains + near - capturable) + fitted;
            }
            row
        };
        let gain = if evaluator.is_some() { 4 * 32 + 96 } else { 32 };
        MoveOrdering {
            columns: (0..houses).map(column).collect(),
            gain,
            seed_penalty: 2 * i64::from(scale),
        }
    }

    /// The score of a turn that gains `gain` seeds and leaves a board to the opponent. Higher is better.
    #[inline]
    pub(crate) fn score<B: SearchBoard>(&self, board: &B, gain: i64) -> i64 {
        let columns = board.columns(self.columns.len(), MAX_COUNT as u64);
        let penalty: i32 =
            self.columns.iter().zip(columns).map(|(row, pair)| row[pair % PAIRS]).sum();
        self.gain * gain - self.seed_penalty * board.own_seeds() as i64 - i64::from(penalty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::{CompactBoard, Game};

    /// A board with these seeds in its houses.
    fn board(own: [u64; 3], other: [u64; 3]) -> CompactBoard {
        let row = |seeds: [u64; 3]| seeds.iter().rev().fold(0, |row, seeds| row << 8 | seeds);
        CompactBoard::from_rows(row(own), row(other))
    }

    #[test]
    fn each_feature_counts() {
        let game: Game = "kalah(3,3)".parse().unwrap();
        let order = MoveOrdering::new(&CompiledRules::<CompactBoard>::new(&game), None);
        let score = |own, other, gain| order.score(&board(own, other), gain);
        // A seed in the store.
        assert_eq!(score([2, 0, 0], [1, 1, 1], 1) - score([2, 0, 0], [1, 1, 1], 0), 32);
        // One move of two seeds; of three, which goes again.
        assert_eq!(score([2, 0, 0], [1, 1, 1], 0), -8 - 2 * 2);
        assert_eq!(score([3, 0, 0], [1, 1, 1], 0), -8 - 2 * 3 - 6);
        // Next to the store; opposite an empty house, where there are captures.
        assert_eq!(score([0, 0, 2], [1, 1, 1], 0), -8 - 2 * 2 - 2 * 2);
        assert_eq!(score([2, 0, 0], [1, 1, 0], 0), -8 - 2 * 2 + 3 * 2);
        let game: Game = "s-kalaha(3,3)".parse().unwrap();
        let order = MoveOrdering::new(&CompiledRules::<CompactBoard>::new(&game), None);
        assert_eq!(order.score(&board([2, 0, 0], [1, 1, 0]), 0), -8 - 2 * 2);
    }
}
