//! The few differences between a native program and a browser: clock, large memory, threads.
//!
//! All other crates of Sowing are written once for both. They take the time from [`Instant`], large
//! allocations from [`Zeroed`], the number of threads from [`cores`], and keep other memory within
//! [`SCRATCH`]. A browser has its own clock, little memory, no memory maps and no threads.
//!
//! ```
//! use sowing_platform::{Instant, Zeroed, available_memory, cores};
//!
//! let start = Instant::now();
//! if available_memory().is_none_or(|bytes| bytes > 1 << 20) {
//!     assert!(Zeroed::new(1 << 20)?.iter().all(|byte| *byte == 0));
//! }
//! assert!(cores() >= 1 && start.elapsed().as_secs() < 60);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! There are no features. The crate serves the other crates of Sowing: its interface may change with any
//! release.
#![deny(missing_docs)]

mod memory;
mod zeroed;

pub use memory::available_memory;
pub use zeroed::Zeroed;

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(target_family = "wasm")]
pub use web_time::Instant;

/// Bytes that a computation may use for its own caches, tables and inputs aside. A web worker has a few tens
/// of megabytes in total.
pub const SCRATCH: usize = if cfg!(target_family = "wasm") { 3 << 19 } else { 1 << 25 };

/// Prefetches the cache line at an address, which may be any address. Does nothing on processors other than
/// x86-64.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch does not access memory, so that every address is valid.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The number of threads that run in parallel; 1 if threads cannot be started.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the examples of the readme as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
