//! What a machine and a browser have differently.
//!
//! Everything else of the family is written once for both: it takes the time from [`Instant`], large
//! memory from [`Zeroed`], keeps within [`SCRATCH`] beside that, and asks [`cores`] whether there are
//! threads to be had. A browser has a clock of its own, little memory, no maps and no threads.
#![deny(missing_docs)]

mod zeroed;

pub use zeroed::Zeroed;

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(target_family = "wasm")]
pub use web_time::Instant;

/// Bytes that a computation may remember beside its tables and what it was given. A worker of a browser
/// has a few tens of megabytes in all.
pub const SCRATCH: usize = if cfg!(target_family = "wasm") { 3 << 19 } else { 1 << 25 };

/// How many threads are worth starting; 1 where none can be started.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
