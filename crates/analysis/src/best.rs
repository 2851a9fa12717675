//! Moves and turns that keep the value of a position.

use std::collections::HashMap;

use sowing_rules::{Move, Playthrough, Position};
use sowing_solver::{SolveError, Solver};

use crate::repetition::ending_moves;

/// Whether the mover has at least `margin` after a legal move. If `margin` is the value of the game's current
/// position, the result is whether the move is a best one.
///
/// # Panics
/// If the move is not legal.
pub fn keeps_value(
    solver: &mut Solver,
    play: &Playthrough,
    action: Move,
    margin: i64,
) -> Result<bool, SolveError> {
    if let Some((_, end)) = ending_moves(play).iter().find(|(ending, _)| *ending == action) {
        return Ok(*end >= margin);
    }
    keeps_margin(solver, play.position(), action, margin)
}

/// The same for a position without earlier moves.
fn keeps_margin(
    solver: &mut Solver,
    position: &Position,
    action: Move,
    margin: i64,
) -> Result<bool, SolveError> {
    let (next, report) = position.play(action);
    if report.again {
        solver.at_least(&next, margin)
    } else {
        Ok(!solver.at_least(&next, margin.saturating_neg().saturating_add(1))?)
    }
}

/// A whole turn after which the mover still has at least `margin`, a proven lower bound of the current position
/// of a game that is not over. It fails if no turn keeps the margin.
///
/// In a game that repeats positions, `margin` must be the [value](crate::value_in_game). The turn then also makes
/// progress: repeated calls gain the value instead of cycling.
pub fn best_turn(
    solver: &mut Solver,
    play: &Playthrough,
    margin: i64,
) -> Result<Vec<Move>, SolveError> {
    let (mut turn, mut at) = (Vec::new(), play.clone());
    loop {
        for action in keeping_moves(solver, &at, margin)? {
            let played = at.try_play(action).expect("moves that keep a margin are legal");
            turn.push(action);
            if !played.report.again || played.report.finished {
                return Ok(turn);
            }
        }
    }
}

/// A turn that keeps the margin, or its first move.
fn keeping_moves(
    solver: &mut Solver,
    play: &Playthrough,
    margin: i64,
) -> Result<Vec<Move>, SolveError> {
    let position = play.position();
    if position.pie_is_open() {
        for action in position.moves() {
            if keeps_value(solver, play, action, margin)? {
                return Ok(vec![action]);
            }
        }
        return Err(SolveError::NoSuchTurn { margin });
    }
    if position.game().rules().repeats() {
        let ends = ending_moves(play);
        // This ends the game.
        if let Some((action, _)) = ends.iter().find(|(_, ends)| *ends >= margin) {
            return Ok(vec![*action]);
        }
        let open: Vec<Move> = position
            .moves()
            .filter(|action| ends.iter().all(|(ending, _)| ending != action))
            .collect();
        let mut breaker = CycleBreaker { solver, known: HashMap::new() };
        return Ok(vec![breaker.choose_move(position, &open, margin)?]);
    }
    solver.turn_achieving(position, margin)
}

/// Chooses moves in a game that repeats positions, where a player who only keeps the value can cycle and never
/// gain it.
struct CycleBreaker<'a> {
    solver: &'a mut Solver,
    known: HashMap<(Position, bool, u32), bool>,
}

impl CycleBreaker<'_> {
    /// One of `moves` that keeps the value. If the value exceeds the lead, the move forces the next gain in the
    /// fewest moves; otherwise endless play does no harm.
    fn choose_move(
        &mut self,
        position: &Position,
        moves: &[Move],
        value: i64,
    ) -> Result<Move, SolveError> {
        let mut keeping = Vec::new();
        for action in moves {
            if keeps_margin(self.solver, position, *action, value)? {
                keeping.push(*action);
            }
        }
        let first = *keeping.first().ok_or(SolveError::NoSuchTurn { margin: value })?;
        if value <= position.lead() {
            return Ok(first);
        }
        for depth in 1.. {
            for action in &keeping {
                if self.move_forces_gain(position, *action, value, true, depth)? {
                    return Ok(*action);
                }
            }
        }
        unreachable!("numbers do not end")
    }

    /// Whether the player with the value forces a gain within `depth` moves, this one included. The move is
    /// that player's own if `own`, else the opponent's.
    fn move_forces_gain(
        &mut self,
        position: &Position,
        action: Move,
        value: i64,
        own: bool,
        depth: u32,
    ) -> Result<bool, SolveError> {
        if let Some(reason) = self.solver.stop_reason() {
            return Err(SolveError::Stopped(reason));
        }
        let (next, report) = position.play(action);
        // A store gains seeds, or a mistake of the opponent raises the value.
        let gained =
            report.gain > 0 || report.finished || !own && self.solver.at_least(&next, value + 1)?;
        Ok(gained || self.position_forces_gain(&next, value, !own, depth - 1)?)
    }

    fn position_forces_gain(
        &mut self,
        position: &Position,
        value: i64,
        own: bool,
        depth: u32,
    ) -> Result<bool, SolveError> {
        if depth == 0 {
            return Ok(false);
        }
        let key = (*position, own, depth);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let mut answer = !own;
        for action in position.moves() {
            if own && !keeps_margin(self.solver, position, action, value)? {
                continue;
            }
            if self.move_forces_gain(position, action, value, own, depth)? == own {
                answer = own;
                break;
            }
        }
        self.known.insert(key, answer);
        Ok(answer)
    }
}
