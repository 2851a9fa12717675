//! All integration tests of the crate: one program, linked once.

mod agreement;
mod past;
mod shared;
