//! All integration tests of the crate: one program, linked once.

mod engines;
mod players;
mod time;
mod tournament;
