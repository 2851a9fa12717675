//! The lines of two protocols for sowing games, parsed and formatted in both directions, without input or output.
//!
//! [`kgp`] is the Kalah Game Protocol, in which bots play on servers:
//!
//! ```
//! use sowing_protocol::kgp::{Command, Line};
//!
//! let line: Line = "12@4 stop".parse()?;
//! assert_eq!((line.id, line.reference), (Some(12), Some(4)));
//! assert_eq!(Command::try_from(&line)?, Command::Stop);
//! assert_eq!(Command::Yield.answering(4).to_string(), "@4 yield");
//! # Ok::<(), sowing_protocol::kgp::LineError>(())
//! ```
//!
//! [`engine`] is a protocol for engines on standard input and output, similar to UCI:
//!
//! ```
//! use sowing_protocol::engine::{Answer, Request};
//!
//! let request: Request = "go time 500".parse()?;
//! assert_eq!(request.to_string(), "go time 500");
//! let answer: Answer = "bestmove 3".parse()?;
//! assert_eq!(answer, Answer::BestMove(Some(sowing_rules::Move::house(3))));
//! # Ok::<(), sowing_protocol::engine::EngineLineError>(())
//! ```
//!
//! [`hosts`] checks that an HTTP request is for this server and not from a page of another site.
//!
//! There are no features. The lines are stable: they are documented, and other programs speak them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod engine;
pub mod hosts;
pub mod kgp;

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
