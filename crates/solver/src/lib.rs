//! Exact values of positions of sowing games, and proofs of them.
//!
//! A [`Solver`] gives the value of a position and of each whole turn:
//!
//! ```
//! use sowing::Position;
//! use sowing_solver::Solver;
//!
//! let game = "s-kalaha(3,3)".parse()?;
//! let mut solver = Solver::new(game)?;
//! let start = Position::start(game);
//! let value = solver.value(&start)?.value().expect("nobody stopped it");
//! assert!(value > 0, "the first player wins");
//! assert_eq!(solver.turns(&start)?[0].verdict.value(), Some(value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Certificate`] proves a bound to anybody who has the rules:
//!
//! ```
//! use sowing::Position;
//! use sowing_solver::{Certificate, Claim, Solver};
//!
//! let game = "s-kalaha(3,3)".parse()?;
//! let mut solver = Solver::new(game)?;
//! let win = Certificate::prove(&mut solver, &Position::start(game), Claim::AtLeast(1))?;
//! let read: Certificate = win.to_string().parse()?;
//! read.verify()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! Nothing that can happen depends on the stores, so the search asks of the houses alone: are they
//! worth at least so much to the mover? It answers best first above (`src/proof.rs`) and depth first
//! below (`src/search.rs`), by whole turns (`src/turn.rs`), keeps proven bounds in a table whose keys
//! are complete (`src/memory.rs`, `src/rank.rs`), and closes in on the value by such questions
//! (`src/core.rs`). Clockwise games, which repeat positions, are
//! solved layer by layer, by the seeds in houses (`src/loopy.rs`).
#![deny(missing_docs)]

mod book;
mod book_file;
mod certificate;
mod checker;
mod core;
mod cost;
mod error;
mod estimate;
mod exchange;
mod hand;
mod keeper;
mod kept;
mod loopy;
mod means;
mod memory;
mod order;
mod paths;
mod proof;
mod prover;
mod rank;
mod search;
mod solver;
mod turn;
mod usual;
mod verdict;

pub use book::{Book, BookCheck, BookError, BookLine};
pub use book_file::BookFile;
pub use certificate::{
    Certificate, Claim, MAX_CERTIFICATE_BYTES, MAX_LINE_BYTES, ParseCertificateError,
    ParseClaimError, ReadCertificateError,
};
pub use checker::{Flaw, MOST_BOARDS, RefutedError};
pub use error::SolveError;
pub use exchange::Exchange;
pub use keeper::Keeper;
pub use loopy::GameTooLarge;
pub use means::AT_REST;
pub use prover::ProveError;
pub use solver::{Ask, SearchProgress, Solver, SolverOptions, Turn, Until, Work};
pub use verdict::{Bounds, Outcome, Verdict};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
