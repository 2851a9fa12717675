//! All integration tests of the crate: one program, linked once.

mod census;
mod dataset;
mod fair;
mod grade;
mod graph;
mod losses;
mod openings;
mod playouts;
mod polynomial;
mod puzzles;
mod results;
mod study;
mod sweep;
