//! Moves and turns that keep what a position is known to be worth.

use std::collections::HashMap;

use sowing::{Move, Playthrough, Position};
use sowing_solver::{SolveError, Solver};

use crate::past::ending_moves;

/// Whether the mover still has at least this margin after a legal move: whether the move is as good
/// as the best, if the margin is the value of the position where the game stands.
///
/// # Panics
/// If the move is not legal.
pub fn keeps(
    solver: &mut Solver,
    play: &Playthrough,
    action: Move,
    margin: i64,
) -> Result<bool, SolveError> {
    if let Some((_, ends)) = ending_moves(play).iter().find(|(ending, _)| *ending == action) {
        return Ok(*ends >= margin);
    }
    leaves(solver, play.position(), action, margin)
}

/// The same where nothing was before.
fn leaves(
    solver: &mut Solver,
    position: &Position,
    action: Move,
    margin: i64,
) -> Result<bool, SolveError> {
    let (next, report) = position.play(action).expect("legal");
    if report.again {
        solver.at_least(&next, margin)
    } else {
        Ok(!solver.at_least(&next, margin.saturating_neg().saturating_add(1))?)
    }
}

/// A whole turn that keeps a margin which the position where a game stands is known to be worth, the
/// game not being over. In a game that repeats positions the margin must be the [value](crate::value),
/// and the turn also leads towards it: such turns, played again and again, gain it in the end.
///
/// It fails if no turn keeps the margin.
pub fn best_turn(
    solver: &mut Solver,
    play: &Playthrough,
    margin: i64,
) -> Result<Vec<Move>, SolveError> {
    let (mut turn, mut at) = (Vec::new(), play.clone());
    loop {
        for action in keeping_moves(solver, &at, margin)? {
            let played = at.play(action).expect("moves that keep a margin are legal");
            turn.push(action);
            if !played.report.again || played.report.finished {
                return Ok(turn);
            }
        }
    }
}

/// The turn or its first move.
fn keeping_moves(
    solver: &mut Solver,
    play: &Playthrough,
    margin: i64,
) -> Result<Vec<Move>, SolveError> {
    let position = play.position();
    if position.pie_is_open() {
        for action in position.moves() {
            if keeps(solver, play, action, margin)? {
                return Ok(vec![action]);
            }
        }
        return Err(SolveError::NoSuchTurn { margin });
    }
    if position.game().rules().repeats() {
        let ends = ending_moves(play);
        // Nothing can go wrong any more.
        if let Some((action, _)) = ends.iter().find(|(_, ends)| *ends >= margin) {
            return Ok(vec![*action]);
        }
        let open: Vec<Move> = position
            .moves()
            .filter(|action| ends.iter().all(|(ending, _)| ending != action))
            .collect();
        let mut circling = Circling { solver, known: HashMap::new() };
        return Ok(vec![circling.leave(position, &open, margin)?]);
    }
    solver.turn_of_value(position, margin)
}

/// Play in a game that repeats positions: a value that has to be gained is lost in a circle.
struct Circling<'a> {
    solver: &'a mut Solver,
    known: HashMap<(Position, bool, u32), bool>,
}

impl Circling<'_> {
    /// One of some moves that keeps the value. Where the houses are worth something, it is one that forces
    /// the next gain in the fewest moves; else endless play does no harm.
    fn leave(
        &mut self,
        position: &Position,
        moves: &[Move],
        value: i64,
    ) -> Result<Move, SolveError> {
        let mut keeping = Vec::new();
        for action in moves {
            if leaves(self.solver, position, *action, value)? {
                keeping.push(*action);
            }
        }
        let first = *keeping.first().ok_or(SolveError::NoSuchTurn { margin: value })?;
        if value <= position.lead() {
            return Ok(first);
        }
        for moves in 1.. {
            for action in &keeping {
                if self.move_gains(position, *action, value, true, moves)? {
                    return Ok(*action);
                }
            }
        }
        unreachable!("numbers do not end")
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
        if self.solver.is_halted() {
            return Err(SolveError::Stopped);
        }
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
            if mine && !leaves(self.solver, position, action, value)? {
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
