//! Benchmarks of the sowing crates: fixed work, printed as counts and rates. `sow bench` is made of it.
//!
//! Each piece of work checks its own answer, so that a benchmark of a wrong program fails.
//!
//! ```no_run
//! use sowing_bench::{Bench, BenchReport};
//!
//! let mut out = std::io::stdout();
//! Bench::Solve.run(&mut BenchReport::new(&mut out, false)).unwrap_or_else(|failure| panic!("{failure}"));
//! ```
//!
//! The feature `load` adds `Load`, a server under load.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(feature = "load")]
mod load;
mod playouts;
mod report;
mod solitaire;
mod solve;
mod sow;
mod tables;

#[cfg(feature = "load")]
pub use load::Load;
pub use report::BenchReport;

use sowing_command::failure::Failure;

/// A list of fixed work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bench {
    /// Moves played: walks of the move tree and random games on both boards.
    Sow,
    /// Values of a fixed list of games, with one thread. Their nodes are a signature of the search.
    Solve,
    /// Boards and terms of Tchoukaillon.
    Solitaire,
    /// Endgame tables built and probed, beside the speed of the memory.
    Tables,
    /// Random games on all cores.
    Playouts,
}

impl Bench {
    /// Does the work and prints a line for each piece. Fails at the first wrong answer.
    pub fn run(self, report: &mut BenchReport<'_>) -> Result<(), Failure> {
        match self {
            Bench::Sow => sow::run(report),
            Bench::Solve => solve::run(report),
            Bench::Solitaire => solitaire::run(report),
            Bench::Tables => tables::run(report),
            Bench::Playouts => playouts::run(report),
        }
    }
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
