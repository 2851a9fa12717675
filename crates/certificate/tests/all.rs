//! All integration tests of the crate: one program, linked once.

mod certificates;
mod forgeries;
