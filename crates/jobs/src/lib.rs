//! Resumable, chunked work: jobs of independent tasks, progress files, provenance.
//!
//! A [`Job`] is a list of independent tasks whose rows go to a [`ResumableFile`]; a finished file has its
//! [`Provenance`]. The jobs that `sow` and `sow-cluster` share are here with their arguments: [`SweepArgs`],
//! [`FairArgs`], [`DatasetArgs`], [`PlayoutsArgs`], [`PerftArgs`] and [`PositionsArgs`].
//!
//! ```
//! use std::path::Path;
//! use clap::{Args, FromArgMatches};
//! use sowing_jobs::{Job, PerftArgs};
//!
//! let command = PerftArgs::augment_args(clap::Command::new("perft"));
//! let args = PerftArgs::from_arg_matches(&command.get_matches_from(["perft", "kalah(3,2)", "6"]))?;
//! let job = args.job(Path::new("leaves.txt")).expect("a position");
//! let mut worker = job.worker().expect("threads");
//! let leaves: u64 = (0..job.tasks())
//!     .flat_map(|task| job.rows(&mut worker, task..task + 1).expect("a count"))
//!     .map(|row| row.trim().parse::<u64>().expect("a number"))
//!     .sum();
//! let start = sowing_rules::Position::start("kalah(3,2)".parse()?);
//! assert_eq!(leaves, sowing_rules::perft(&start, 6).leaves);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The feature `parquet` writes data sets as Parquet files. The formats of the files are stable; the crate's API changes
//! with the two commands.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod chunks;
mod dataset;
mod job;
mod perft;
mod playouts;
mod positions;
pub mod provenance;
mod resumable_file;
mod solver_args;
mod starts;
mod sweep;

pub use chunks::Chunks;
pub use dataset::{
    DATASET_BLOCK, DATASET_CHUNK, DATASET_SEEDS, DatasetArgs, DatasetJob, SampleArgs,
    dataset_format,
};
pub use job::{Job, Summary, finish, open};
pub use perft::{PerftArgs, PerftJob, report_perft};
pub use playouts::{PlayoutsArgs, PlayoutsJob, report_playouts};
pub use positions::{PositionsArgs, PositionsJob};
pub use provenance::Provenance;
pub use resumable_file::{Kind, ResumableFile, finished, lock_file};
pub use solver_args::{SolverArgs, known_book, open_tables};
pub use starts::{
    FairArgs, STARTS_CHUNK, STARTS_HEADER, StartRow, StartsJob, check_complete, fair_starts_in,
};
pub use sweep::{FamilyName, SWEEP_HEADER, SweepArgs, sweep_row};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
