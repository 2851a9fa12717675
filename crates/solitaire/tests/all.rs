//! All integration tests of the crate: one program, linked once.

mod agreement;
mod errors;
mod kalah;
mod paper;
mod plain;
mod search;
mod sequences;
