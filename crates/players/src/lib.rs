//! Opponents for sowing games. No input, no output.
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
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contest;
mod opponent;
mod player;

pub use contest::{play_out, random_opening, seat_to_move};
pub use opponent::{Opponent, ParseOpponentError};
pub use player::{ChooseError, Player, PlayerOptions, level_chances};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
