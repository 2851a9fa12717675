//! Analysis of positions and games of sowing games: values, best turns, reviews.
//!
//! [`analyze`] gives an estimate of the position and of every move at once, then proven bounds that only tighten,
//! the value together with a turn that achieves it, the value of every move, and on request every whole turn and a
//! perfect line. All front ends use it.
//!
//! ```
//! use sowing_rules::{Playthrough, Position};
//! use sowing_analysis::{AnalysisOptions, analyze};
//! use sowing_solver::Solver;
//!
//! let game = "kalah(4,3)".parse()?;
//! let play = Playthrough::new(Position::start(game));
//! let mut solver = Solver::new(game)?;
//! let found = analyze(&mut solver, &play, &AnalysisOptions::default(), &mut |_| {})?;
//! assert_eq!(found.known.value(), Some(6));
//! assert_eq!(found.words, "South wins by 6 with perfect play.");
//! assert_eq!(found.moves[0].action.to_string(), "2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Plan`] shares one analysis among several solvers. A [`Review`] gives the margin that each turn of a game
//! lost, [`keeps_value`] is whether a move is a best one, [`iterative_deepening`] ranks moves without a solver,
//! and [`motions`] lists a move seed by seed. The crate does no input or output and starts no threads.
//!
//! # Features
//!
//! `schema`: schemas of the serde types for an OpenAPI document. It follows `utoipa`, and is as stable as that.
//! The JSON of [`Analysis`], [`Finding`] and [`Review`] is stable; that of [`Task`] and [`TaskReport`] is for
//! workers of one build.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod analysis;
mod best;
mod describe;
mod line;
mod look_ahead;
mod motion;
mod plan;
mod repetition;
mod review;
mod rules;
#[cfg(feature = "schema")]
pub mod schema;

pub use analysis::{Analysis, AnalysisOptions, Finding, MoveFound, Source, TurnFound, analyze};
pub use best::{best_turn, keeps_value};
pub use describe::describe_value;
pub use line::perfect_line;
pub use look_ahead::{
    LimitReached, Limits, MAX_LOOK_AHEAD_BYTES, NODES_BETWEEN_CHECKS, Ranking, estimates,
    iterative_deepening, search_to_depth,
};
pub use motion::{Motion, MotionKind, motions};
pub use plan::{Plan, Task, TaskReport};
pub use repetition::value_in_game;
pub use review::{Lost, Review, ReviewedTurn};
pub use rules::rules_in_words;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
