//! What a machine and a browser have differently.
//!
//! Everything else of the family is written once for both: it takes the time from [`Instant`], large
//! memory from [`Zeroed`], and asks [`cores`] whether there are threads to be had. A browser has a
//! clock of its own, no maps and no threads.
#![deny(missing_docs)]

mod zeroed;

pub use zeroed::Zeroed;

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(target_family = "wasm")]
pub use web_time::Instant;

/// How many threads are worth starting; 1 where none can be started.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
