//! The order in which turns are tried.

use sowing::{Capture, Law};

use crate::estimate::Estimator;
use crate::rank::Ranked;

/// How good it looks for a mover to have gained so much and left a board to the opponent.
///
/// Seeds in the store count most. An opponent with few moves, few of them into the store, and few
/// seeds, above all next to it, has least to answer with; and seeds opposite an empty house of the
/// mover's may be captured. An estimate of the board refines that, but only so far: what is cheap
/// to search counts too. The weights are those that needed the fewest nodes over a dozen games.
///
/// All that is a sum over the columns of the board, so that each takes one look into a table.
#[derive(Debug)]
pub(crate) struct Order {
    /// How bad the seeds of an opponent's house and of the mover's opposite look, a row for each column.
    columns: Vec<[i32; ROW]>,
    gain: i64,
    theirs: i64,
}

/// Higher counts of seeds are taken for this one.
const MOST: usize = 15;
const ROW: usize = (MOST + 1) * (MOST + 1);

impl Order {
    pub(crate) fn new<B: Ranked>(law: &Law<B>, estimate: Option<&Estimator>) -> Order {
        let (houses, capture) = (law.houses(), law.rules().capture);
        let is_prey = matches!(capture, Capture::Standard | Capture::Empty);
        // The units of an estimate are finer.
        let scale = if estimate.is_some() { 4 } else { 1 };
        let column = |slot: usize| {
            let mut row = [0; ROW];
            for (pair, weight) in row.iter_mut().enumerate() {
                let (theirs, opposite) = (pair / (MOST + 1), pair % (MOST + 1));
                let moves = 8 * i32::from(theirs > 0);
                let agains = 6 * i32::from(theirs == houses - slot);
                let near = if slot == houses - 1 { 2 * theirs as i32 } else { 0 };
                let prey = if is_prey && opposite == 0 { 3 * theirs as i32 } else { 0 };
                let learnt = estimate.map_or(0, |known| known.of_column(slot, theirs, opposite));
                *weight = scale * (moves + agains + near - prey) + learnt;
            }
            row
        };
        let gain = if estimate.is_some() { 4 * 32 + 96 } else { 32 };
        Order { columns: (0..houses).map(column).collect(), gain, theirs: 2 * i64::from(scale) }
    }

    /// The more, the better.
    #[inline]
    pub(crate) fn promise<B: Ranked>(&self, board: &B, gain: i64) -> i64 {
        let columns = board.columns(self.columns.len(), MOST as u64);
        let looks: i32 = self.columns.iter().zip(columns).map(|(row, pair)| row[pair % ROW]).sum();
        self.gain * gain - self.theirs * board.own_seeds() as i64 - i64::from(looks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing::{Game, Small};

    /// A board whose houses hold so many seeds each.
    fn board(own: [u64; 3], other: [u64; 3]) -> Small {
        let row = |seeds: [u64; 3]| seeds.iter().rev().fold(0, |row, seeds| row << 8 | seeds);
        Small::from_rows(row(own), row(other))
    }

    #[test]
    fn what_strikes_the_eye_counts() {
        let game: Game = "kalah(3,3)".parse().unwrap();
        let order = Order::new(&Law::<Small>::new(&game), None);
        let promise = |own, other, gain| order.promise(&board(own, other), gain);
        // A seed in the store.
        assert_eq!(promise([2, 0, 0], [1, 1, 1], 1) - promise([2, 0, 0], [1, 1, 1], 0), 32);
        // One move of two seeds; of three, which goes again.
        assert_eq!(promise([2, 0, 0], [1, 1, 1], 0), -8 - 2 * 2);
        assert_eq!(promise([3, 0, 0], [1, 1, 1], 0), -8 - 2 * 3 - 6);
        // Next to the store; opposite an empty house, where there are captures.
        assert_eq!(promise([0, 0, 2], [1, 1, 1], 0), -8 - 2 * 2 - 2 * 2);
        assert_eq!(promise([2, 0, 0], [1, 1, 0], 0), -8 - 2 * 2 + 3 * 2);
        let game: Game = "s-kalaha(3,3)".parse().unwrap();
        let order = Order::new(&Law::<Small>::new(&game), None);
        assert_eq!(order.promise(&board([2, 0, 0], [1, 1, 0]), 0), -8 - 2 * 2);
    }
}
