//! Why there is no answer.

use std::io;

use sowing_rules::{Bounds, FamilyError, Game};

use crate::book::BookError;
use crate::control::StopReason;
use crate::loopy::GameTooLarge;

/// Why a position cannot be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The system gave no memory.
    #[error("the search cannot go on: {0}")]
    System(#[from] io::Error),
    /// A table is damaged, or of other games than the one to be solved.
    #[error(transparent)]
    Tables(#[from] sowing_tables::Error),
    /// A book is of other games than the one to be solved.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The game repeats positions, and its tables would not fit.
    #[error(transparent)]
    TooLarge(#[from] GameTooLarge),
    /// The turns of a position are more than the memory for them holds.
    #[error(
        "the turns of one position pass through more than {most} boards, all that its memory holds"
    )]
    TooManyTurns {
        /// The boards that can be held.
        most: usize,
    },
    /// The position is of another game.
    #[error("the solver is for {solver}, the position of {position}: both need the same game")]
    OtherGame {
        /// The solver's game.
        solver: Game,
        /// The position's game.
        position: Game,
    },
    /// The bounds of a query cross, or no value of the position satisfies them.
    #[error("no value of the position is within the bounds {0} that the query gives")]
    ImpossibleBounds(Bounds),
    /// The game has no books or tables.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// No turn reaches the margin that was asked for.
    #[error("no turn is known to reach {margin}")]
    NoSuchTurn {
        /// The margin asked for.
        margin: i64,
    },
    /// Two bounds of one position cross, so that one of them is false.
    #[error(
        "two proofs contradict each other: a book or a table holds a false value, or memory is faulty"
    )]
    Contradiction,
    /// The search stopped before the answer was known.
    #[error("the search was stopped before it knew: {0}")]
    Stopped(StopReason),
}
