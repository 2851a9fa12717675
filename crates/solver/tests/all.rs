//! All integration tests of the crate: one program, linked once.

mod agreement;
mod books;
mod changed_tables;
mod exchange;
mod limits;
mod loopy;
mod published;
mod signature;
