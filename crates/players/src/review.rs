//! What each turn of a game cost.

use sowing::{Move, Playthrough, Position, Side};
use sowing_solver::{SolveError, Solver, Verdict};

use crate::keep::keeping_moves;

/// One player's moves until the other was to play, and what they were worth.
#[derive(Clone, Debug)]
pub struct ReviewedTurn {
    /// The row that moved.
    pub side: Side,
    /// The row that the player who moved started with: another than `side` after a swap.
    pub player: Side,
    /// Which of the game's moves the turn starts with, from 0.
    pub first: usize,
    /// The moves.
    pub moves: Vec<Move>,
    /// The player's margin with perfect play before the turn.
    pub before: Verdict,
    /// The same after it.
    pub after: Verdict,
    /// A turn that would have lost nothing, where this one did.
    pub better: Option<Vec<Move>>,
}

impl ReviewedTurn {
    /// The seeds that the turn lost against perfect play; `None` where the solver's limits did not
    /// allow exact values.
    pub fn loss(&self) -> Option<i64> {
        Some(self.before.value()? - self.after.value()?)
    }
}

/// The turns of a game and what each lost.
///
/// ```
/// use sowing::{Move, Playthrough, Position};
/// use sowing_players::Review;
/// use sowing_solver::Solver;
///
/// let game = "kalah(4,3)".parse()?;
/// let mut play = Playthrough::new(Position::start(game));
/// play.play(Move::house(3))?;
/// let review = Review::of(&play, &mut Solver::new(game)?, |_| {})?;
/// assert_eq!(review.turns[0].loss(), Some(4));
/// assert_eq!(review.turns[0].better.as_ref().unwrap()[0], Move::house(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The turns in order.
    pub turns: Vec<ReviewedTurn>,
}

impl Review {
    /// Reviews a game, over or not, from its end to its start: late positions are the easy ones.
    /// Each is shown when it is done. The solver's clock is started anew for each position.
    pub fn of(
        play: &Playthrough,
        solver: &mut Solver,
        mut observe: impl FnMut(&ReviewedTurn),
    ) -> Result<Review, SolveError> {
        let swap = play.plays().iter().position(|play| play.action == Move::Swap);
        let swapped = |index| swap.is_some_and(|swap| swap < index);
        let mut turns = Vec::new();
        for (first, end) in turns_of(play).into_iter().rev() {
            let plays = &play.plays()[first..end];
            let before = if first == 0 { play.start() } else { &play.plays()[first - 1].after };
            let last = plays.last().expect("a turn has moves");
            let mut value = |position: &Position| {
                solver.restart_clock();
                solver.value(position)
            };
            let after = value(&last.after)?;
            let mut turn = ReviewedTurn {
                side: plays[0].side,
                player: if swapped(first) { !plays[0].side } else { plays[0].side },
                first,
                moves: plays.iter().map(|play| play.action).collect(),
                before: value(before)?,
                after: if last.report.again { after } else { after.negated() },
                better: None,
            };
            if let (Some(1..), Some(value)) = (turn.loss(), turn.before.value()) {
                turn.better = match better(solver, before, value) {
                    Ok(moves) => Some(moves),
                    Err(SolveError::Stopped) => None,
                    Err(error) => return Err(error),
                };
            }
            observe(&turn);
            turns.push(turn);
        }
        turns.reverse();
        Ok(Review { turns })
    }

    /// The turn that lost most; of equals the first. `None` if no turn is known to have lost.
    pub fn worst(&self) -> Option<&ReviewedTurn> {
        let losing = self.turns.iter().filter(|turn| turn.loss() > Some(0));
        losing.rev().max_by_key(|turn| turn.loss())
    }

    /// The seeds that the turns of the player who started with a row are known to have lost.
    pub fn lost(&self, player: Side) -> i64 {
        let turns = self.turns.iter().filter(|turn| turn.player == player);
        turns.filter_map(ReviewedTurn::loss).sum()
    }
}

/// Where each turn starts and ends among the moves. A swap is a turn.
fn turns_of(play: &Playthrough) -> Vec<(usize, usize)> {
    let mut turns = Vec::new();
    let mut first = 0;
    for (index, play) in play.plays().iter().enumerate() {
        if !play.report.again || play.report.finished {
            turns.push((first, index + 1));
            first = index + 1;
        }
    }
    if first < play.plays().len() {
        turns.push((first, play.plays().len()));
    }
    turns
}

/// A whole turn that keeps the value.
fn better(solver: &mut Solver, position: &Position, value: i64) -> Result<Vec<Move>, SolveError> {
    let mut turn = Vec::new();
    let mut position = *position;
    loop {
        solver.restart_clock();
        for action in keeping_moves(solver, &position, value)? {
            let (next, report) = position.play(action).expect("legal");
            turn.push(action);
            if !report.again || report.finished {
                return Ok(turn);
            }
            position = next;
        }
    }
}
