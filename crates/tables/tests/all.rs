//! All integration tests of the crate: one program, linked once.

mod counts;
mod files;
mod shared;
mod values;
