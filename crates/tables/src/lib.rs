//! Endgame tables of sowing games: the exact value of every position with few seeds in houses.
//!
//! The value of a live position is its house value, the margin with perfect play without the stores: one byte per
//! position. Tables are for counter-clockwise games with up to 8 houses per row; the games of a
//! [`Family`](sowing_rules::Family) share them. They are built bottom-up, layer by layer in
//! the number of seeds, in memory or in files; within a layer every successor is computed first.
//!
//! Build tables and probe a position:
//!
//! ```
//! use sowing_rules::{CompactBoard, Position};
//! use sowing_tables::{BuildOptions, build_in_memory};
//!
//! let game = "kalah(3,2)".parse()?;
//! let tables = build_in_memory(&game, 6, &BuildOptions::default())?;
//! // The only move stores the seed and ends the game; the opponent keeps two.
//! let position = Position::free(game, &"0,0,1,0|2,0,0,0".parse()?)?;
//! assert_eq!(tables.probe(CompactBoard::new(position.board())?), Some(1 - 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # SIGBUS
//!
//! Table files are memory maps. On Unix, a read beyond the end of a file that another process has truncated
//! raises SIGBUS, whose default action ends the process. Therefore opening the first table file installs a
//! handler for SIGBUS in the whole process. For addresses in a table file it maps zeros and marks the file as
//! truncated, so that probes give `None` and [`Tables::integrity_error`] names the file. Every other SIGBUS goes to
//! the handler that was installed before, or to the default action. A program that installs its own handler
//! later replaces this one.
//!
//! # Features and stability
//!
//! - `sigbus-handler` (default): the handler above. Without it, a truncated table file ends the process, like
//!   any memory map.
//!
//! Before 1.0 a minor version may break the interface; text forms and file formats stay readable.
#![deny(missing_docs)]

mod build;
mod dir;
mod error;
mod file;
mod layer;
mod layer_file_layout;
mod layers;
mod map;
mod pack;
mod query;
mod row_index;
mod shared;
mod tables;
mod verify;

pub use build::{
    BuildCache, BuildOptions, BuildProgress, Method, build_in_memory, live_positions_to,
    memory_to_build,
};
pub use dir::{
    BuildPlan, build_in_directory, compress_directory, default_directory, family_directory,
    plan_build, remove_partial_files,
};
pub use error::{Error, format_bytes};
pub use file::Encoding;
pub use query::TableEntry;
pub use row_index::{MAX_LAYER, RowIndex, live_positions};
pub use shared::{FilledPair, PendingLayer, SharedBuild};
pub use tables::{LayerInfo, Tables, ValueLocation};
pub use verify::VerifyScope;

/// Runs the examples of the readme as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
