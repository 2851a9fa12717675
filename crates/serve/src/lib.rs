//! The analysis board in the browser: a page, and the JSON API behind it.
//!
//! [`serve`] answers on a listener until the process is told to end. [`Direct`] is the same server
//! without a port:
//!
//! ```
//! use sowing_serve::{Config, Direct};
//!
//! let server = Direct::new(&Config::default())?;
//! let (status, body) = server.get("/api/v1/position?game=kalah(6,4)&moves=3").unwrap();
//! assert_eq!(status, 200);
//! assert!(body.contains("\"to_move\":\"south\""), "a move that ends in the store: once more");
//! # Ok::<(), sowing_serve::ServeError>(())
//! ```
//!
//! What it says of positions and games are the forms of [`sowing_analysis`], as they are; the
//! document at `/api/v1/openapi.json` describes all of them. What it does, it tells by [`tracing`].
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod activity;
mod analysis;
mod assets;
mod books;
mod choices;
mod config;
mod connections;
mod direct;
mod error;
mod handlers;
mod listen;
mod proxy;
mod queue;
mod refusals;
mod reply;
mod review;
mod router;
mod signals;
mod site;
mod state;
mod status;
mod stream;
mod studies;
mod workers;

pub use config::{Config, ServeError};
pub use direct::Direct;
pub use listen::serve;
pub use proxy::{ParseProxyError, Proxy};
pub use site::{Engine, Site};
pub use sowing_protocol::hosts::{Authority, ParseAuthorityError};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
