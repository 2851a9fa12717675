//! The analysis of sowing games in a browser, for a worker to call.
//!
//! Requests and responses are those of the server's API, as text: a path, a query string, JSON. The *main worker*
//! answers at once and plans analyses, the *workers* of the pool search; each has an [`Engine`]. Clocks and cores
//! come from `sowing_platform`.
#![deny(missing_docs)]

mod engine;
mod error;
mod heap;
mod planner;
mod solving;

pub use engine::Engine;
pub use planner::Planner;
pub use solving::Solving;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the program that this is a part of.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}

/// The name of a game's book, where its family can have one.
#[wasm_bindgen]
pub fn book_of(game: &str) -> Option<String> {
    Some(sowing_rules::Family::for_game(&game.parse().ok()?).ok()?.slug())
}

/// Whether memory was refused since the last call: the reason why a worker failed.
#[wasm_bindgen]
pub fn was_full() -> bool {
    heap::was_full()
}
