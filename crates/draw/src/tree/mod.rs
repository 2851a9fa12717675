//! Trees of games: positions, and the moves or turns between them.
//!
//! Boards are as South sees them, North's side after the bar.

mod dot;
mod layout;
mod picture;
mod text;

pub use dot::dot;
pub use picture::{MAX_HEIGHT, MAX_WIDTH, TreeTooLarge, picture};
pub use text::text;

use sowing_lab::Node;
use sowing_rules::Move;

/// Two lines on a node: its board, and who is to move or how it ended.
struct Label {
    south: String,
    north: String,
    state: String,
}

impl Label {
    fn new(node: &Node) -> Label {
        let board = node.seen_by_south().to_string();
        let (south, north) = board.split_once('|').expect("a position has a bar");
        let mut state = match node.result {
            Some(result) => result.to_string(),
            None => node.side.to_string(),
        };
        if let (Some(value), None) = (node.value, node.result) {
            state.push_str(&format!(", {}", signed(value)));
        }
        if node.cut {
            state.push_str(" ...");
        }
        Label { south: south.to_string(), north: north.to_string(), state }
    }

    /// The letters of its longer line.
    fn letters(&self) -> usize {
        let board = self.south.chars().count() + self.north.chars().count() + 3;
        board.max(self.state.chars().count())
    }
}

fn signed(value: i64) -> String {
    if value == 0 { "0".to_string() } else { format!("{value:+}") }
}

fn moves_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join("-")
}
