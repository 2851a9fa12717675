//! Exact values of positions of sowing games, and proofs of them.
//!
//! A [`Solver`] gives the value of a position and of each whole turn:
//!
//! ```
//! use sowing_rules::Position;
//! use sowing_solver::Solver;
//!
//! let game = "s-kalaha(3,3)".parse()?;
//! let mut solver = Solver::new(game)?;
//! let start = Position::start(game);
//! let value = solver.value(&start)?.value().expect("no limit stops it");
//! assert!(value > 0, "the first player wins");
//! assert_eq!(solver.turns(&start)?[0].bounds.value(), Some(value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A certificate proves a bound to a reader who has the rules alone:
//!
//! ```
//! use sowing_rules::Position;
//! use sowing_certificate::{Certificate, Claim};
//! use sowing_solver::Solver;
//!
//! let game = "s-kalaha(3,3)".parse()?;
//! let mut solver = Solver::new(game)?;
//! let win = solver.prove(&Position::start(game), Claim::AtLeast(1))?;
//! let read: Certificate = win.to_string().parse()?;
//! read.verify()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! Stores affect no move, so the search ignores them. It narrows the bounds of a board's value by null-window tests
//! (`search/board_solver/`). A test is a proof tree, expanded best first (`search/proof_tree.rs`); its leaves are
//! searched depth first, over whole turns (`search/leaf_search.rs`, `search/turn_generator.rs`). Proven bounds are
//! stored in a transposition table with complete keys (`search/transposition.rs`). Clockwise games, which repeat
//! positions, are solved by value iteration (`loopy/`). `book/` keeps proven bounds in files.
//!
//! # Features
//!
//! `serde`: serde forms of the types. It is stable; the types of the search are private.
#![deny(missing_docs)]

mod book;
mod control;
mod entry;
mod error;
mod loopy;
mod options;
mod prover;
mod query;
mod resources;
mod search;
mod solver;

pub use book::{
    Book, BookCheck, BookError, BookFile, BookLine, BookRecheck, Checkpointer, Exchange,
    GrowingBook, sample_passes,
};
pub use control::{ParseStopReasonError, Progress, StopReason};
pub use error::SolveError;
pub use loopy::GameTooLarge;
pub use options::SolverOptions;
pub use prover::ProveError;
pub use query::{Answer, Goal, Query, Turn, Work};
pub use resources::PROCESS_OVERHEAD;
pub use solver::Solver;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
