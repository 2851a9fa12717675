//! Opponents for sowing games: built-in players, external engines, and contests between them.
//!
//! A [`Player`] chooses one move at a time:
//!
//! ```
//! use sowing_rules::{Playthrough, Position};
//! use sowing_players::{PlayerOptions, Player};
//!
//! let game = "kalah(4,3)".parse()?;
//! let mut play = Playthrough::new(Position::start(game));
//! let mut south = Player::new("perfect".parse()?, game, PlayerOptions::default())?;
//! let mut north = Player::new("level:2".parse()?, game, PlayerOptions::default())?;
//! sowing_players::play_out(&mut play, &mut south, &mut north)?;
//! assert!(play.position().is_finished());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Opponent`] is built in. A [`Contender`] is an opponent or an engine, a program that speaks the line protocol of
//! [`sowing_protocol::engine`]; never parse one from untrusted input, since it names a program to start.
//! [`serve_engine`] is the other side of that protocol. A [`Tournament`] plays many games; [`ratings`] and [`Sprt`]
//! evaluate the results.
//!
//! There are no features. The text forms are stable; the strengths of levels may change with the version.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contender;
mod contest;
mod elo;
mod engine;
mod engine_stderr;
mod error;
mod interval;
mod level;
mod opponent;
mod player;
mod session;
mod sprt;
mod tournament;

pub use contender::{Contender, EngineCommand, ParseContenderError};
pub use contest::{Forfeit, pairings, play_out, player_to_move, random_opening};
pub use elo::{Rating, Results, ratings};
pub use error::{ChooseError, EngineFault, NoHandshake};
pub use interval::{Interval, STANDARD_ERRORS};
pub use opponent::{Opponent, ParseOpponentError};
pub use player::{Advice, Player, PlayerOptions, level_chances};
pub use session::{EngineAids, EngineOptions, serve_engine};
pub use sprt::{ParseSprtError, Sprt, SprtResult};
pub use tournament::{
    PLAYED_GAMES_HEADER, PairResults, ParallelGames, PlayedGame, RecordFolder, RecordFolderError,
    Standing, Tournament, TournamentOpenings, TournamentOptions,
};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
