//! Sowing solitaires: Tchoukaillon and its matrices, wrapping, chaining, Tchuka Ruma.
//!
//! A board is a row of bins, numbered from the Ruma out. Everything is computed exactly.
//!
//! The one winning board of a number of stones, and how often each bin is played:
//!
//! ```
//! use sowing_solitaire::Winning;
//!
//! let winning = Winning::new(11).unwrap();
//! assert_eq!(winning.board().to_string(), "1,1,1,3,5");
//! assert_eq!(winning.moves().collect::<Vec<_>>(), [6, 2, 1, 1, 1]);
//!
//! // 10^18 stones lie in 1.77 billion bins, which are streamed and not held.
//! let winning = Winning::new(1_000_000_000_000_000_000).unwrap();
//! assert_eq!(winning.length(), 1_772_453_853);
//! assert_eq!(winning.bins().take(4).collect::<Vec<_>>(), [0, 1, 3, 1]);
//! ```
//!
//! Whether a board can be won, and how often, where chains are allowed:
//!
//! ```
//! use sowing_solitaire::{WinAnalysis, DEFAULT_LIMIT, Variant};
//!
//! let analysis = WinAnalysis::new(Variant::CHAINING, "0,1,2,1".parse()?, DEFAULT_LIMIT)?;
//! assert!(analysis.winnable());
//! assert_eq!(analysis.shortest().unwrap()[0], 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod board;
mod census;
mod chain;
mod digest;
mod fraction;
mod game;
mod matrix;
mod pack;
mod play_vectors;
mod search;
mod sequence;
mod tchoukaillon;
mod tchuka_ruma;
mod theorem;
mod vector;
mod win;
mod winning;
mod wrapping;

pub use board::{Board, BoardError};
pub use census::{WinningCounts, winning_boards};
pub use chain::{Chain, chain_count, chains};
pub use digest::Digest;
pub use fraction::{Fraction, decimal};
pub use game::{Fault, Leg, ParseVariantError, Variant};
pub use matrix::{
    MAX_CHAIN_LENGTH, MAX_LENGTH, MAX_SOWING_LENGTH, Matrix, MatrixError, MatrixKind, NotWhole,
    inverse_product, length_of_chain_vector, recursion, sowing_column, sowing_index,
    unplay_product,
};
pub use play_vectors::{PlayVectors, SowingVectors};
pub use search::{DEFAULT_LIMIT, Length, Plays, SearchError, Tally, WinAnalysis, tally};
pub use sequence::{
    MAX_STRING, ParseBFileError, ParseSequenceError, Sequence, Term, fewest_stones, parse_b_file,
};
pub use tchoukaillon::{BinCheck, Line, LossReason, check, check_bins, unplay};
pub use tchuka_ruma::{StartError, losses, tchuka_ruma};
pub use theorem::{Checked, MAX_THEOREM_LENGTH, check_theorems};
pub use vector::{ParseVectorError, Vector};
pub use win::{Found, any_win, decide, shortest_win};
pub use winning::{Bins, Moves, Run, Runs, Summary, Winning};
pub use wrapping::{unwrap, wrapping_play};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
