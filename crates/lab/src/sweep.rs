//! The outcome of every start of a family.

use std::ops::RangeInclusive;

use rayon::prelude::*;
use sowing_rules::{Game, Outcome, Position, Rules};
use sowing_solver::{SolveError, Solver, SolverOptions, StopReason};

use crate::ring::{End, Ring};
use crate::walk::undecided;

/// Something done with the length of the ring that so many houses a row make.
macro_rules! with_ring {
    ($houses:expr, $length:ident => $done:expr) => {
        with_ring!($houses, $length => $done,
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    ($houses:expr, $length:ident => $done:expr, $($h:literal)*) => {
        match $houses {
            $($h => {
                const $length: usize = 2 * $h + 1;
                $done
            })*
            houses => unreachable!("no game has {houses} houses"),
        }
    };
}

/// What the start of a game is worth to the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The game.
    pub game: Game,
    /// Win, draw or loss with perfect play.
    pub outcome: Outcome,
    /// The moves of the first turn that had to be tried: all that there are unless one wins at
    /// once. `None` where the rules are not S-Kalaha's, and the search does not go by turns.
    pub moves: Option<u64>,
}

impl Start {
    /// Finds out.
    ///
    /// For S-Kalaha, which is mostly decided in the first turn or by the answer to it, those are
    /// searched first, on a board that holds any number of seeds; what they do not decide is left
    /// to the solver.
    pub fn of(game: Game) -> Result<Start, SolveError> {
        if game.rules() == Rules::S_KALAHA {
            let (outcome, moves) = first_turns(&game);
            if let Some(outcome) = outcome {
                return Ok(Start { game, outcome, moves: Some(moves) });
            }
            return Ok(Start { game, outcome: solve(game)?, moves: Some(moves) });
        }
        Ok(Start { game, outcome: solve(game)?, moves: None })
    }
}

/// The starts with these rules and houses and each of these seeds that are no wins for the first
/// player, in order, found on the threads of the current pool.
///
/// # Panics
/// If there is no game of these rules with so many houses or seeds.
pub fn non_wins(
    rules: Rules,
    houses: u8,
    seeds: RangeInclusive<u64>,
) -> Result<Vec<Start>, SolveError> {
    const BLOCK: u64 = 4096;
    let (first, last) = seeds.into_inner();
    let blocks = (last + 1).saturating_sub(first).div_ceil(BLOCK);
    let found: Result<Vec<Vec<Start>>, SolveError> = (0..blocks)
        .into_par_iter()
        .map(|block| {
            let from = first + block * BLOCK;
            let block = from..=last.min(from + BLOCK - 1);
            let seeds = match rules {
                Rules::S_KALAHA => with_ring!(houses, L => undecided::<L>(block)),
                _ => block.collect(),
            };
            let mut starts = Vec::new();
            for seeds in seeds {
                let game = Game::new(rules, houses, seeds).expect("a game of the family");
                let start = Start::of(game)?;
                if start.outcome != Outcome::Win {
                    starts.push(start);
                }
            }
            Ok(starts)
        })
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

fn solve(game: Game) -> Result<Outcome, SolveError> {
    // A sweep has all cores busy with other starts.
    let options = SolverOptions { threads: 1, memory: 1 << 28, ..SolverOptions::default() };
    let answer = Solver::with_options(game, options)?.outcome(&Position::start(game))?;
    let stopped = || SolveError::Stopped(answer.stopped.unwrap_or(StopReason::Cancelled));
    answer.outcome().ok_or_else(stopped)
}

/// What the first turn and the answer to it decide, and the moves of the first turn.
fn first_turns(game: &Game) -> (Option<Outcome>, u64) {
    let (seeds, half) = (game.seeds(), game.total() / 2);
    with_ring!(game.houses(), L => two_turns(Ring::<L>::start(seeds), half))
}

fn two_turns<const L: usize>(start: Ring<L>, half: u64) -> (Option<Outcome>, u64) {
    let searched = start.search(half);
    if searched.wins {
        return (Some(Outcome::Win), searched.moves);
    }
    // Nothing wins at once: a loss if every answer to every turn does, no more than a draw if the
    // turns that do not end the game do.
    let (mut best, mut open) = (Outcome::Loss, false);
    let mut moves = 0;
    start.turns(half, &mut moves, &mut |end| match end {
        End::Drawn => best = Outcome::Draw,
        End::Lost => {}
        End::Passed(board) => open = open || !board.search(half).wins,
    });
    ((!open).then_some(best), moves)
}
