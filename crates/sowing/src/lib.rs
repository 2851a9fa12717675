//! Two-row sowing games: Kalah and its variants, S-Kalaha; their rules, notation and records.
//!
//! One [`Rules`] value and one sowing routine ([`Law`]) serve every game, on two boards:
//! [`Small`] for solving and [`Wide`] for everything else.
//!
//! Play a turn of Kalah:
//!
//! ```
//! use sowing::{Game, Move, Position};
//!
//! let game: Game = "kalah(6,4)".parse()?;
//! let start = Position::start(game);
//! let (next, report) = start.play(Move::house(3))?;
//! assert!(report.again);
//! assert_eq!(next.to_string(), "4,4,0,5,5,5,1|4,4,4,4,4,4,0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read a position that someone wrote down; what was parsed and what is legal are two things:
//!
//! ```
//! use sowing::{Game, Position, Setup};
//!
//! let game: Game = "s-kalaha(3,1)".parse()?;
//! let setup: Setup = "0,0,2,1|1,1,1,0".parse()?;
//! let position = Position::new(game, &setup)?;
//! assert_eq!(position.moves().map(|m| m.to_string()).collect::<Vec<_>>(), ["3"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Replay a record in the PDP-1's punctuation:
//!
//! ```
//! use sowing::Record;
//!
//! let record: Record = "# game: s-kalaha(2,1)\n1,2\n2.".parse()?;
//! let game = record.replay()?;
//! assert_eq!(game.result().unwrap().to_string(), "draw");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod board;
#[cfg(feature = "serde")]
mod forms;
mod game;
mod house;
mod law;
mod perft;
mod playthrough;
mod position;
mod quoted;
mod random;
mod record;
mod rules;
mod setup;

pub use board::{Board, Small, SmallError, Sown, Track, Wide};
pub use game::{Game, MAX_HOUSES, MAX_SEEDS, ParseGameError};
pub use house::{
    House, Move, Numbering, ParseMoveError, ParseNumberingError, Pit, Side, turn_text,
};
pub use law::{Law, Played, Step};
pub use perft::{Perft, perft};
pub use playthrough::{Ending, Play, Playthrough};
pub use position::{MoveReport, PlayError, Position, PositionError};
pub use quoted::{printable, quoted};
pub use random::Stream;
pub use record::{
    Mark, Note, ParseRecordError, RECORD_UNFINISHED, Record, RecordedMove, ReplayError,
};
pub use rules::{Capture, Direction, RuleError, RuleOption, Rules};
pub use setup::{ParseSetupError, Setup};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
