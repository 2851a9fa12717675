//! The analysis of sowing games in a browser: what a worker calls.
//!
//! Questions and answers are those of the server's API, as texts: a path, a query string, JSON. A
//! worker is either the *front*, which answers at once and plans analyses, or a *hand*, which
//! searches; both are an [`Engine`]. Nothing here knows of files, threads or clocks beyond what
//! `sowing_platform` has.
#![deny(missing_docs)]

mod engine;
mod fault;
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

/// Whether memory was refused since this was asked last: why a worker broke off.
#[wasm_bindgen]
pub fn was_full() -> bool {
    heap::was_full()
}
