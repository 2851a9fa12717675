//! What the page asks, and what it is told.
//!
//! A question is a query string, an answer a form that is written as JSON. The web server and the
//! worker in a browser give the same answers, since both are given here; what they differ in is how
//! long work is shared out, and that is theirs.
//!
//! ```
//! use sowing_answers::{GameQuery, View, read};
//!
//! let query: GameQuery = read("game=kalah(6,4)&moves=3")?;
//! let view = serde_json::to_string(&View::new(&query.playthrough()?)).unwrap();
//! assert!(view.contains("\"to_move\":\"south\""), "a move that ends in the store: once more");
//! # Ok::<(), sowing_answers::Refusal>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod choices;
mod games;
mod import;
mod picture;
mod position;
mod qr;
mod query;
mod refusal;
mod reply;
mod shipped;
mod solitaire;

pub use choices::Choices;
pub use games::{Asked, Games, RulesText};
pub use import::{Imported, Pasted};
pub use picture::{Seen, picture};
pub use position::View;
pub use qr::Said;
pub use query::{GameQuery, read};
pub use refusal::{ErrorBody, Refusal};
pub use reply::{Replier, Reply};
pub use shipped::{Fair, FairStart, Puzzles};
pub use solitaire::{Plays, SolitaireView};

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
