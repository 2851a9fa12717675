//! The differential test: random positions of random games, solved with random settings, compared
//! with the plain implementation in `sowing-plain`.
//!
//! A [`Case`] is made from a seed and a number, so that every disagreement can be repeated.
#![deny(missing_docs)]

mod case;
mod check;

pub use case::{Case, TableSource};
pub use check::{Checked, Disagreement};
