//! All integration tests of the crate: one program, linked once.

mod arbitrary_bytes;
mod documents;
mod irving;
mod laws;
mod notation;
mod perft;
