//! Opponents for sowing games, other programs as opponents, and contests between them.
//!
//! A [`Player`] is an [`Opponent`] at one game; it is asked for one move at a time:
//!
//! ```
//! use sowing::{Playthrough, Position};
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
//! A [`Contender`] is an opponent or an engine, a program that speaks the line protocol of
//! [`sowing_protocol::engine`]; only who is trusted to start programs may name one. [`serve_engine`] is
//! the other side of it: our own engine. [`ratings`] and [`Sprt`] make something of the results.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contender;
mod contest;
mod elo;
mod engine;
mod interval;
mod opponent;
mod player;
mod session;
mod sprt;

pub use contender::{Contender, EngineCommand, ParseContenderError};
pub use contest::{Forfeit, pairings, play_out, random_opening, seat_to_move};
pub use elo::{Rating, Results, ratings};
pub use engine::EngineFault;
pub use interval::{Interval, STANDARD_ERRORS};
pub use opponent::{Opponent, ParseOpponentError};
pub use player::{Advice, ChooseError, Player, PlayerOptions, level_chances};
pub use session::{EngineAids, EngineOptions, serve_engine};
pub use sprt::{ParseSprtError, Sprt, Verdict as SprtVerdict};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
