//! Two-row sowing games (mancala): the rules, boards, positions, notation and records of Kalah, its variants and
//! S-Kalaha.
//!
//! Play a move of Kalah:
//!
//! ```
//! use sowing_rules::{Game, Move, Position};
//!
//! let game: Game = "kalah(6,4)".parse()?;
//! let start = Position::start(game);
//! let (next, report) = start.play(Move::house(3));
//! assert!(report.again);
//! assert_eq!(next.to_string(), "4,4,0,5,5,5,1|4,4,4,4,4,4,0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Parse a position; a [`Setup`] is any board, a [`Position`] is checked against its game:
//!
//! ```
//! use sowing_rules::{Game, Position, Setup};
//!
//! let game: Game = "s-kalaha(3,1)".parse()?;
//! let setup: Setup = "0,0,2,1|1,1,1,0".parse()?;
//! let position = Position::new(game, &setup)?;
//! assert_eq!(position.moves().map(|m| m.to_string()).collect::<Vec<_>>(), ["3"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Replay a [`Record`] in the PDP-1's punctuation:
//!
//! ```
//! use sowing_rules::Record;
//!
//! let record: Record = "# game: s-kalaha(2,1)\n1,2\n2.".parse()?;
//! let game = record.replay()?;
//! assert_eq!(game.result().unwrap().to_string(), "draw");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which type to use
//!
//! | type | holds | use it for |
//! | --- | --- | --- |
//! | [`Position`] | game, houses, stores, pie rule | everything that is not a search: checked moves, reports of each step |
//! | [`Playthrough`] | positions, moves, repetitions | a game in progress, with undo |
//! | [`CompactPosition`] | houses, stores, side: 24 bytes | search and playouts with stores, in place with undo |
//! | [`CompactBoard`] | houses of the mover and the opponent: 16 bytes | solving; the board is the key of a table |
//! | [`WideBoard`] | houses and stores of any game | the board of a [`Position`] |
//!
//! [`CompiledRules`] plays moves on both boards; make one per game. The compact types have up to 8 houses per row and
//! 255 seeds in houses.
//!
//! # Features
//!
//! `serde`: serde forms of the types, which are their text forms; [`Bounds`] is an object of `value`, `bounds` and
//! `outcome`.
//!
//! Before 1.0 a minor version may break the interface; text forms and file formats stay readable.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod binomial;
mod board;
mod board_index;
mod bounds;
mod compact_position;
mod compiled_rules;
mod digits;
mod family;
mod game;
mod house;
mod moves;
mod numbering;
mod perft;
mod playthrough;
mod position;
mod quoted;
mod record;
mod rng;
mod rules;
pub mod sanitize;
#[cfg(feature = "serde")]
mod serialize;
mod setup;
mod side;

pub use binomial::binomial;
pub use board::{Board, CompactBoard, CompactBoardError, Occupied, Sown, Track, WideBoard};
pub use board_index::BoardIndex;
pub use bounds::{Bounds, Outcome, ParseBoundsError, ParseOutcomeError};
pub use compact_position::{CompactPosition, Undo};
pub use compiled_rules::{CompiledRules, Played, Step};
pub use digits::parse_digits;
pub use family::{Family, FamilyError};
pub use game::{Game, MAX_HOUSES, MAX_SEEDS, ParseGameError};
pub use house::{House, ParseHouseError, ParsePitError, Pit};
pub use moves::{Move, ParseMoveError, turn_text};
pub use numbering::{Numbering, ParseNumberingError};
pub use perft::{Perft, PerftBranches, perft};
pub use playthrough::{Ending, ParseEndingError, Play, Playthrough};
pub use position::{MoveReport, PlayError, Position, PositionError};
pub use quoted::{printable, quoted};
pub use record::{
    Note, ParseRecordError, RECORD_UNFINISHED, Record, RecordedMove, ReplayError, Separator,
};
pub use rng::SeededRng;
pub use rules::{Capture, Direction, RuleError, RuleOption, Rules};
pub use setup::{ParseSetupError, Setup};
pub use side::{ParseSideError, Side};

/// The name and version of this library, as in `sowing 0.1.0`. Certificates, books and records name it.
pub const PROGRAM: &str = concat!("sowing ", env!("CARGO_PKG_VERSION"));

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
