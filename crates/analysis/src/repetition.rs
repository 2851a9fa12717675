//! Repetition: a position that occurs for the third time ends the game.

use sowing_rules::{Bounds, Move, Playthrough};
use sowing_solver::{Answer, SolveError, Solver};

/// The moves that end a game by repetition, each with the mover's final margin.
pub(crate) fn ending_moves(play: &Playthrough) -> Vec<(Move, i64)> {
    if !play.position().game().rules().repeats() || play.is_endless() {
        return Vec::new();
    }
    let lead = play.position().lead();
    let ends = |action: &Move| {
        let mut after = play.clone();
        after.try_play(*action).is_ok() && after.is_endless()
    };
    // A repetition gains nothing.
    play.position().moves().filter(ends).map(|action| (action, lead)).collect()
}

/// The value of the current position of a game. A move that ends the game by repetition has its final margin as
/// its value; deeper in the search, the earlier positions of the game are ignored.
pub fn value_in_game(solver: &mut Solver, play: &Playthrough) -> Result<Answer, SolveError> {
    let position = play.position();
    if play.is_endless() {
        return Ok(Answer::exact(position.lead()));
    }
    let ends = ending_moves(play);
    if ends.is_empty() {
        return solver.value(position);
    }
    let mut best: Option<Bounds> = None;
    let mut stopped = None;
    for action in position.moves() {
        let Bounds { low, high } = match ends.iter().find(|(ending, _)| *ending == action) {
            Some((_, margin)) => Bounds::exact(*margin),
            None => {
                let (next, report) = position.play(action);
                let answer = solver.value(&next)?;
                stopped = stopped.or(answer.stopped);
                answer.bounds.to_mover(report.again)
            }
        };
        best = Some(best.map_or(Bounds { low, high }, |best| Bounds {
            low: best.low.max(low),
            high: best.high.max(high),
        }));
    }
    let bounds = best.expect("a live position has moves");
    Ok(Answer { bounds, stopped: stopped.filter(|_| bounds.value().is_none()) })
}
