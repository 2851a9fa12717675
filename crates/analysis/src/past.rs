//! What a game's past says of its moves: one that brings a position up for the third time ends it.

use sowing::{Move, Playthrough};
use sowing_solver::{Bounds, SolveError, Solver, Verdict};

/// The moves that end a game at once because their position comes up for the third time, each with
/// the margin that the mover then has.
pub(crate) fn ending_moves(play: &Playthrough) -> Vec<(Move, i64)> {
    if !play.position().game().rules().repeats() || play.is_endless() {
        return Vec::new();
    }
    let lead = play.position().lead();
    let ends = |action: &Move| {
        let mut after = play.clone();
        after.play(*action).is_ok() && after.is_endless()
    };
    // A repetition gains nothing.
    play.position().moves().filter(ends).map(|action| (action, lead)).collect()
}

/// The value of the position where a game stands. A move that ends the game by repetition has the
/// margin that it ends with; what was before is forgotten beyond that.
///
/// # Panics
/// If the solver is of another game.
pub fn value(solver: &mut Solver, play: &Playthrough) -> Result<Verdict, SolveError> {
    let position = play.position();
    if play.is_endless() {
        return Ok(Verdict::Exact(position.lead()));
    }
    let ends = ending_moves(play);
    if ends.is_empty() {
        return solver.value(position);
    }
    let mut best: Option<Bounds> = None;
    for action in position.moves() {
        let Bounds { low, high } = match ends.iter().find(|(ending, _)| *ending == action) {
            Some((_, margin)) => Bounds { low: *margin, high: *margin },
            None => {
                let (next, report) = position.play(action).expect("legal");
                let verdict = solver.value(&next)?;
                if report.again { verdict.bounds() } else { verdict.negated().bounds() }
            }
        };
        best = Some(best.map_or(Bounds { low, high }, |best| Bounds {
            low: best.low.max(low),
            high: best.high.max(high),
        }));
    }
    Ok(best.expect("a live position has moves").into())
}
