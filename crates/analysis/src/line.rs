//! One perfect continuation.

use std::collections::HashSet;

use sowing::{Move, Playthrough};
use sowing_solver::{SolveError, Solver};

use crate::best::best_turn;

/// One perfect continuation of a game that stands at this value to the end of the game, turn by turn;
/// in a game that repeats positions, at most to where it comes back to one. It starts with `first`,
/// a best turn, where that is known.
pub fn perfect_line(
    solver: &mut Solver,
    play: &Playthrough,
    value: i64,
    first: Option<Vec<Move>>,
) -> Result<Vec<Vec<Move>>, SolveError> {
    let mut play = play.clone();
    let (mut value, mut line) = (value, Vec::new());
    let (mut seen, mut first) = (HashSet::new(), first);
    while play.result().is_none() && seen.insert((*play.position(), play.side())) {
        let turn = match first.take() {
            Some(turn) => turn,
            None => best_turn(solver, &play, value)?,
        };
        for action in &turn {
            play.play(*action).expect("a best turn is legal");
        }
        line.push(turn);
        value = -value;
    }
    Ok(line)
}
