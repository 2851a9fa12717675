//! All integration tests of the crate: one program, linked once.

mod agreement;
mod look_ahead;
mod repetition;
mod shared;
