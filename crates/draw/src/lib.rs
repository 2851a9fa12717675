//! Pictures and typeset forms of sowing games.
//!
//! A board as a picture, and as text:
//!
//! ```
//! use sowing_rules::{Position, Side};
//! use sowing_draw::board;
//!
//! let start = Position::start("kalah(2,1)".parse()?);
//! let picture = board::picture(&start, Side::South, Side::South).to_string();
//! assert!(picture.starts_with("<svg") && picture.contains("<title>kalah(2,1)"));
//! let text = board::text(&start, Side::South, &board::ASCII);
//! assert!(text.contains("+---+---+---+---+"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod board;
mod element;
mod grouped;
mod latex;
pub mod solitaire;
mod spread;
pub mod study;
pub mod tree;
pub mod words;

pub use element::{Element, Picture};
pub use grouped::grouped;
pub use spread::spread;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
