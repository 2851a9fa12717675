//! Studies of sowing games.
//!
//! Can the first player win before the opponent has moved?
//!
//! ```
//! use sowing_lab::Openings;
//!
//! let openings = Openings::of("s-kalaha(4,3)".parse()?, 1_000_000)?;
//! let shortest = openings.shortest.expect("the first turn can win");
//! assert!(2 * shortest.seeds > openings.game.total());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How large is the tree, by random games?
//!
//! ```
//! use sowing_lab::Playouts;
//!
//! let played = Playouts::play("kalah(4,3)".parse()?, 1_000, 7);
//! assert!((2.0..3.0).contains(&played.branching()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Which starts of a family does the first player not win?
//!
//! ```
//! use sowing_rules::Rules;
//!
//! let losses = sowing_lab::non_wins(Rules::S_KALAHA, 3, 6..=48)?;
//! let seeds: Vec<u64> = losses.iter().map(|start| start.game.seeds()).collect();
//! assert_eq!(seeds, [6, 7, 32, 42]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Does a published table come out?
//!
//! ```
//! use sowing_lab::study::{StudyOptions, find};
//!
//! let report = find("thesis-1").expect("a study").run(&StudyOptions::default());
//! assert!(report.agrees() && report.unreached() == 0);
//! ```
//!
//! Features: `parquet` writes data sets and endgame tables as Parquet files; `schema` describes the forms for an OpenAPI document.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod census;
mod dataset;
mod fair;
mod first_move;
mod grade;
mod graph;
mod opening_book;
mod openings;
#[cfg(feature = "parquet")]
mod parquet_writer;
mod phase;
mod playouts;
mod polynomial;
mod puzzle;
mod ring;
pub mod study;
mod sweep;
mod table_export;
mod tree;
mod walk;

pub use census::{Census, CensusError, CensusOptions, CensusProgress, Layer};
#[cfg(feature = "parquet")]
pub use dataset::ParquetFile;
pub use dataset::{
    Dataset, DatasetError, DatasetFormat, DatasetSpec, ParseSourceError, RANDOM_MOVES, Sample,
    SampleSource, dataset_columns,
};
pub use fair::{
    MOST_STARTS, NearStarts, NearStartsError, SHIPPED_MOVED, ValuedStart, fair_starts,
    random_fair_start, seeds_moved,
};
pub use first_move::{FirstMove, PickUp};
pub use grade::{Chooser, ContenderChooser, Grade, GradeError, Tally, grade, grade_review};
pub use graph::{Edge, Graph, Node, Shape, TooManyNodes};
pub use opening_book::{GrowError, OpeningBook};
pub use openings::{FirstTurn, Openings, TooManyPositions};
pub use phase::{ParsePhaseError, Phase};
pub use playouts::{LogEstimate, Playouts};
pub use polynomial::{MAX_DEGREE, ParsePolynomialError, Polynomial};
pub use puzzle::{ParseThemeError, Puzzle, PuzzleSet, Theme, puzzles};
pub use sweep::{Start, non_wins};
pub use table_export::{ExportError, TableFormat, export_layers};
pub use tree::Tree;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
