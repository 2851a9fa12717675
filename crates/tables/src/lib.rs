//! Endgame tables of sowing games: the exact value of every position with few seeds in houses.
//!
//! The value of a live position is the mover's net gain from the seeds in houses with perfect play,
//! one byte a position. Tables are for counter-clockwise games with up to 8 houses a row; [`Family`]
//! says which games share them.
//!
//! Build some and look a position up:
//!
//! ```
//! use sowing::Small;
//! use sowing_tables::{BuildOptions, build_in_memory};
//!
//! let tables = build_in_memory(&"kalah(3,2)".parse()?, 6, &BuildOptions::default())?;
//! // A seed right before the store is taken, and the game is over: two remain to the other side.
//! let board = Small::from_rows(0x01_00_00, 0x00_00_02);
//! assert_eq!(tables.probe(board), Some(1 - 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod build;
mod dir;
mod error;
mod family;
mod file;
mod layer;
mod map;
mod pack;
mod rank;
mod shared;
mod sheet;
mod tables;
mod verify;

pub use build::{
    BuildOptions, BuildProgress, Method, Workshop, build_in_memory, live_positions_to,
    memory_to_build,
};
pub use dir::{
    Plan, available_memory, build_in_directory, compress, data_directory, default_directory,
    folder, plan, remove_partials,
};
pub use error::{Error, bytes};
pub use family::Family;
pub use file::Form;
pub use rank::{MAX_LAYER, RowRanks, live_positions};
pub use shared::{FilledPair, Seal, SharedBuild};
pub use tables::{LayerInfo, Spot, Tables};
pub use verify::Extent;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
