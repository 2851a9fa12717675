//! All integration tests of the crate: one program, linked once.

mod books;
mod certificates;
mod changed_tables;
mod exchange;
mod forgeries;
mod limits;
mod loopy;
mod published;
