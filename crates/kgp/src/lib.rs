//! The Kalah Game Protocol: a client that plays on servers, and a server for practice.
//!
//! Lines are those of [`sowing_protocol::kgp`]; they go over TCP or a WebSocket. [`connect`] plays with
//! any contender on whatever board a server sends; [`Server`] lets clients play against one of our
//! opponents or each other, has them evaluate positions, and checks that they know the rules.
//!
//! # The rules of servers
//!
//! A game there is over as soon as a store holds more than half of all seeds. What is left then cannot
//! change who wins: seeds never leave a store. So every course of a game has the same winner under
//! both rules, a draw (half of the seeds each) is a draw under both, and with perfect play an outcome
//! is the same; only margins differ, and of those a server knows none. Perfect there means: a position
//! that can be won is won, one that can be drawn is not lost. That is what the client plays for, and it
//! takes less than the value.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod address;
mod client;
mod options;
mod recorder;
mod records;
mod rules;
mod server;
mod thinker;
mod wire;

pub use address::{Address, ParseAddressError};
pub use client::connect;
pub use options::{Aids, ClientError, ClientEvent, ClientOptions, Introduction, Summary};
pub use rules::{is_over, winner};
pub use server::{Clock, Server, ServerEvent, ServerLimits, ServerOptions, Standing};
pub use sowing_protocol::hosts::{Authority, ParseAuthorityError};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
