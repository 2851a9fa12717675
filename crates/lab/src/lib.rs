//! Studies of sowing games.
//!
//! Can the first player win before the opponent has moved?
//!
//! ```
//! use sowing_lab::Openings;
//!
//! let openings = Openings::of("s-kalaha(4,3)".parse()?, 1_000_000)?;
//! let shortest = openings.shortest.expect("the first turn can win");
//! assert!(2 * shortest.seeds > openings.game.total());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod openings;

pub use openings::{FirstTurn, Openings, TooManyPositions};
