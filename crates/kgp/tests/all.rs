//! All integration tests of the crate: one program, linked once.

mod common;
mod elsewhere;
mod games;
mod manners;
