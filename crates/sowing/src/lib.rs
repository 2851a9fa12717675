//! Mancala games: Kalah and its variants, S-Kalaha. The one crate to depend on.
//!
//! The rules are at the root, everything else in a module behind a feature of the same name.
//!
//! ```
//! use sowing::{Bounds, Game, Move, Position};
//!
//! let game: Game = "kalah(6,6)".parse()?;
//! let start = Position::start(game);
//! let mut solver = sowing::solver_for(game)?;
//! assert_eq!(solver.value(&start)?.bounds, Bounds::exact(4));
//! let (next, report) = start.play(Move::house(1));
//! assert!(report.again && next.board().store() == 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `solver`, `books`, `tables`, `certificate`, `analysis` and `sigbus-handler` are on by default, `players` and `serde`
//! are off (`analysis` turns `serde` on).
//! Without features the crate is the rules alone: no input or output, no threads, no unsafe code.
//!
//! | feature | gives |
//! | --- | --- |
//! | `solver` | [`solver`], exact values |
//! | `books` | [`books`], built-in proven openings, which [`solver_for`] uses |
//! | `tables` | [`tables`], endgame tables |
//! | `certificate` | [`certificate`], proofs and their checker |
//! | `analysis` | [`analysis`], moves, turns, lines, reviews |
//! | `players` | `players`, opponents, engines, ratings |
//! | `serde` | serde forms of games, positions, moves and bounds |
//! | `sigbus-handler` | a [handler of the process](tables#sigbus) for table files that are truncated while in use |
//!
//! Examples in the modules name the crates below: `sowing_rules::` is `sowing::` here, `sowing_solver::` is
//! `sowing::solver::`, and so on.
//!
//! Before 1.0 a minor version may break the interface; text forms and file formats stay readable.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub use sowing_rules::{
    Board, Bounds, Capture, CompactBoard, CompactBoardError, CompactPosition, CompiledRules,
    Direction, Ending, Family, FamilyError, Game, House, MAX_HOUSES, MAX_SEEDS, Move, MoveReport,
    Note, Numbering, Occupied, Outcome, ParseBoundsError, ParseEndingError, ParseGameError,
    ParseHouseError, ParseMoveError, ParseNumberingError, ParseOutcomeError, ParsePitError,
    ParseRecordError, ParseSetupError, ParseSideError, Perft, Pit, Play, PlayError, Played,
    Playthrough, Position, PositionError, Record, RecordedMove, ReplayError, RuleError, RuleOption,
    Rules, Separator, Setup, Side, Sown, Step, Track, Undo, WideBoard, perft, turn_text,
};

#[cfg(feature = "analysis")]
pub use sowing_analysis as analysis;
#[cfg(feature = "books")]
pub use sowing_books as books;
#[cfg(feature = "certificate")]
pub use sowing_certificate as certificate;
#[cfg(feature = "players")]
pub use sowing_players as players;
#[cfg(feature = "solver")]
pub use sowing_solver as solver;
#[cfg(feature = "tables")]
pub use sowing_tables as tables;

/// Default options with, where the feature `books` is on, the built-in book of the game, as the command `sow solve`
/// has them. [`SolverOptions::default`](solver::SolverOptions::default) has no book.
///
/// ```
/// use std::time::Duration;
/// use sowing::solver::{Solver, SolverOptions, StopReason};
///
/// let game = "kalah(8,8)".parse()?;
/// let time = Some(Duration::from_millis(50));
/// let options = SolverOptions { time, ..sowing::solver_options(&game) };
/// let answer = Solver::with_options(game, options)?.value(&sowing::Position::start(game))?;
/// assert_eq!(answer.stopped, Some(StopReason::Time));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "solver")]
pub fn solver_options(game: &Game) -> solver::SolverOptions {
    #[cfg(not(feature = "books"))]
    let _ = game;
    solver::SolverOptions {
        #[cfg(feature = "books")]
        book: books::book_for(game),
        ..solver::SolverOptions::default()
    }
}

/// A solver with [these options](solver_options).
#[cfg(feature = "solver")]
pub fn solver_for(game: Game) -> Result<solver::Solver, solver::SolveError> {
    solver::Solver::with_options(game, solver_options(&game))
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
