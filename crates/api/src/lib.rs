//! The HTTP API without HTTP: routes, queries and responses.
//!
//! [`ROUTES`] is the table of all routes. Most are [`Direct`](Route::Direct): a function from a query string to a
//! [`Response`]. The others take a search or belong to a server; here are their queries, their limits and their
//! responses, and a front end does the work. [`document`] describes all of them as OpenAPI.
//!
//! ```
//! use sowing_api::Route;
//!
//! let Some(Route::Direct(answer)) = Route::find("position") else { panic!() };
//! let response = answer("game=kalah(6,4)&moves=3")?;
//! assert!(response.body().contains("\"to_move\":\"south\""), "the last seed fell into the store");
//! # Ok::<(), sowing_api::ApiError>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod analysis;
mod board;
mod choices;
mod document;
mod error;
mod fair;
mod games;
mod import;
mod motions;
mod position;
mod puzzles;
mod qr;
mod query;
mod record;
mod reply;
mod review;
mod route;
mod solitaire;
mod status;
mod studies;

pub use analysis::{ANALYSIS_TIME, AnalysisQuery, analysis};
pub use choices::{Choices, choices};
pub use document::document;
pub use error::{ApiError, ErrorBody};
pub use reply::{REPLY_TIME, Reply, ReplyRequest, reply};
pub use review::review;
pub use route::{PREFIX, ROUTES, Response, Route};
pub use status::{AnalysesStatus, MemoryStatus, Status, VisitorsStatus, WorkersStatus, status};
pub use studies::{STUDY_TIME, studies, study, study_table};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
