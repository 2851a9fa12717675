//! What the commands `sow` and `sow-cluster` share: failures with exit codes, amounts as people write them, and input
//! that is bounded.
//!
//! ```
//! use sowing_command::{failure::Failure, read_position, units};
//!
//! assert_eq!(units::time("5m"), Ok(std::time::Duration::from_secs(300)));
//! let game = "kalah(3,1)".parse()?;
//! let failure = read_position(game, "0,0,2,1|1,1,1", false).expect_err("a store is missing");
//! assert!(matches!(failure, Failure::Input(_)) && failure.exit_code() == 2);
//! # Ok::<(), sowing_rules::ParseGameError>(())
//! ```
//!
//! There are no features. The crate is made for the two commands, and changes with them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod failure;
pub mod input;
pub mod units;

use sowing_rules::{Game, Position, Setup};

use crate::failure::Failure;

/// Reads a position of a game, with just the game's seeds unless it is `free`.
pub fn read_position(game: Game, text: &str, free: bool) -> Result<Position, Failure> {
    let setup: Setup = text.parse()?;
    Ok(if free { Position::free(game, &setup)? } else { Position::new(game, &setup)? })
}

/// A pool of `threads` threads, or of one per core. At most four threads per core are started: results do not depend on
/// their number.
pub fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(4 * cores))
        .build()
        .map_err(|error| Failure::Input(format!("cannot start threads: {error}")))
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
