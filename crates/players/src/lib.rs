//! Opponents for sowing games, and a review of what was played. No input, no output.
//!
//! A [`Player`] is an [`Opponent`] at one game; it is asked for one move at a time:
//!
//! ```
//! use sowing::{Playthrough, Position};
//! use sowing_players::{Options, Player};
//!
//! let game = "kalah(4,3)".parse()?;
//! let mut play = Playthrough::new(Position::start(game));
//! let mut south = Player::new("perfect".parse()?, game, Options::default())?;
//! let mut north = Player::new("level:2".parse()?, game, Options::default())?;
//! while sowing_players::result(&play).is_none() {
//!     let player = if play.side() == sowing::Side::South { &mut south } else { &mut north };
//!     let action = player.choose(&play)?;
//!     play.play(action)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Afterwards a [`Review`] says what each turn cost.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod ending;
mod keep;
mod opponent;
mod player;
mod review;
mod search;

pub use ending::{is_endless, result};
pub use opponent::{Opponent, ParseOpponentError};
pub use player::{ChooseError, Options, Player};
pub use review::{Review, ReviewedTurn};
