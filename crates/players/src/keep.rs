//! Moves that keep what a position is known to be worth.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use sowing::{Move, Position};
use sowing_solver::{SolveError, Solver};

/// Whether the mover still has at least this margin after a move.
pub(crate) fn keeps(
    solver: &mut Solver,
    position: &Position,
    action: Move,
    margin: i64,
) -> Result<bool, SolveError> {
    let (next, report) = position.play(action).expect("legal");
    if report.again {
        solver.at_least(&next, margin)
    } else {
        Ok(!solver.at_least(&next, 1 - margin)?)
    }
}

/// Moves of one player, the whole turn or its first move, that keep the exact value of a live
/// position. In a game that repeats positions they also lead towards it: played again and again,
/// they gain it in the end.
pub(crate) fn keeping_moves(
    solver: &mut Solver,
    position: &Position,
    value: i64,
) -> Result<Vec<Move>, SolveError> {
    if position.pie_is_open() {
        for action in position.moves() {
            if keeps(solver, position, action, value)? {
                return Ok(vec![action]);
            }
        }
        unreachable!("some move keeps the value");
    }
    if position.game().rules().repeats() {
        return Ok(vec![Circling { solver, known: HashMap::new() }.leave(position, value)?]);
    }
    solver.turn_worth(position, value)
}

/// Play in a game that repeats positions: a value that has to be gained is lost in a circle.
struct Circling<'a> {
    solver: &'a mut Solver,
    known: HashMap<(Position, bool, u32), bool>,
}

impl Circling<'_> {
    /// A move that keeps the value. Where the houses are worth something, it is one that forces
    /// the next gain in the fewest moves; else endless play does no harm.
    fn leave(&mut self, position: &Position, value: i64) -> Result<Move, SolveError> {
        let mut keeping = Vec::new();
        for action in position.moves() {
            if keeps(self.solver, position, action, value)? {
                keeping.push(action);
            }
        }
        if value <= position.lead() {
            return Ok(keeping[0]);
        }
        let stop = self.solver.stop_switch();
        for moves in 1.. {
            for action in &keeping {
                if stop.load(Relaxed) {
                    return Err(SolveError::Stopped);
                }
                if self.move_gains(position, *action, value, true, moves)? {
                    return Ok(*action);
                }
            }
        }
        unreachable!("a value above the lead is gained some time")
    }

    /// Whether a move leads to a gain within so many moves, by force for the player who has the
    /// value, who makes the move if it is `mine`.
    fn move_gains(
        &mut self,
        position: &Position,
        action: Move,
        value: i64,
        mine: bool,
        moves: u32,
    ) -> Result<bool, SolveError> {
        let (next, report) = position.play(action).expect("legal");
        // Seeds come home, or the other player's mistake makes the value more.
        let settled = report.gain > 0
            || report.finished
            || !mine && self.solver.at_least(&next, value + 1)?;
        Ok(settled || self.gains(&next, value, !mine, moves - 1)?)
    }

    fn gains(
        &mut self,
        position: &Position,
        value: i64,
        mine: bool,
        moves: u32,
    ) -> Result<bool, SolveError> {
        if moves == 0 {
            return Ok(false);
        }
        let key = (*position, mine, moves);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let mut answer = !mine;
        for action in position.moves() {
            if mine && !keeps(self.solver, position, action, value)? {
                continue;
            }
            if self.move_gains(position, action, value, mine, moves)? == mine {
                answer = mine;
                break;
            }
        }
        self.known.insert(key, answer);
        Ok(answer)
    }
}
