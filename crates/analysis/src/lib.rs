//! What a person wants to know of a position or a game: one analysis for every face.
//!
//! [`analyze`] takes a game as it stands and tells what it finds, better and better: at once an
//! estimate of the position and of every move, then proven bounds, the value together with the turn
//! that proves it, every move, and on request every whole turn and a perfect line.
//!
//! ```
//! use sowing::{Playthrough, Position};
//! use sowing_analysis::{Wants, analyze};
//! use sowing_solver::Solver;
//!
//! let game = "kalah(4,3)".parse()?;
//! let play = Playthrough::new(Position::start(game));
//! let mut solver = Solver::new(game)?;
//! let found = analyze(&mut solver, &play, &Wants::default(), &mut |_| {})?;
//! assert_eq!(found.known.value, Some(6));
//! assert_eq!(found.words, "South wins by 6 with perfect play.");
//! assert_eq!(found.moves[0].action.to_string(), "2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Review`] says what each turn of a game gave away, [`keeps`] whether a move is as good as the
//! best, and [`Motion`]s are a move seed by seed. Nothing here reads, writes, waits or starts threads.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod analysis;
mod best;
mod known;
mod line;
mod look_ahead;
mod motion;
mod past;
mod plan;
mod review;
mod rules;
#[cfg(feature = "schema")]
pub mod schema;

pub use analysis::{Analysis, Finding, MoveFound, Source, TurnFound, Wants, analyze};
pub use best::{best_turn, keeps};
pub use known::{Known, words};
pub use line::perfect_line;
pub use look_ahead::{
    BETWEEN_LOOKS, Halted, LOOK_AHEAD_MEMORY, Limits, Ranking, deepen, estimates, rank,
};
pub use motion::{Motion, MotionKind, motions};
pub use past::value;
pub use plan::{Plan, Report, Task};
pub use review::{Lost, Review, ReviewedTurn};
pub use rules::rules_in_words;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
