//! Sowing games on a terminal: a [`Board`] on the full screen, and the [`Teletype`] of the PDP-1's program.
//!
//! ```
//! use sowing_players::PlayerOptions;
//! use sowing_rules::{Playthrough, Position};
//! use sowing_tui::{Board, Settings, Theme};
//!
//! let seats = ["human".parse()?, "level:3".parse()?];
//! let settings = Settings { seats, games: 1, pace: None, recorded: false };
//! let start = Playthrough::new(Position::start("kalah(4,3)".parse().expect("a game")));
//! let theme = Theme { ascii: true, color: false };
//! let mut board = Board::new(settings, start, &PlayerOptions::default(), None, theme)
//!     .unwrap_or_else(|failure| panic!("{failure}"));
//! assert!(board.records().is_empty(), "no game was played");
//! # Ok::<(), String>(())
//! ```
//!
//! There are no features. The screen is drawn on standard error; it is restored after a panic and after a signal.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod app;
mod board;
mod motion;
mod screen;
mod seat;
mod steps;
mod teletype;
#[cfg(test)]
mod tests;
mod view;
mod workers;

pub use app::Settings;
pub use board::Board;
pub use screen::Screen;
pub use seat::Seat;
pub use teletype::Teletype;
pub use view::Theme;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
