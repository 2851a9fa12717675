//! One perfect continuation.

use std::collections::HashSet;

use sowing_rules::{Move, Playthrough};
use sowing_solver::{SolveError, Solver};

use crate::best::best_turn;

/// One perfect continuation from the current position of a game to its end, turn by turn. `value` is the value of
/// that position, and `first` a best turn, if one is known. In a game that repeats positions, the line stops at
/// the first repetition.
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
            play.try_play(*action).expect("a best turn is legal");
        }
        line.push(turn);
        value = -value;
    }
    Ok(line)
}
