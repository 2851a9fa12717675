//! Boards: North above, South below, stores at the ends.

mod picture;
mod text;

pub use picture::picture;
pub use text::{ASCII, Frame, UNICODE, text};

use sowing_rules::{Position, Side};

/// The seeds of one side.
struct Row<'a> {
    /// From the owner's left.
    houses: &'a [u64],
    store: u64,
}

/// The rows of a position whose mover sits at a side: South's, North's.
fn rows(position: &Position, mover: Side) -> [Row<'_>; 2] {
    let board = position.board();
    let own = Row { houses: board.own(), store: board.store() };
    let other = Row { houses: board.other(), store: board.other_store() };
    match mover {
        Side::South => [own, other],
        Side::North => [other, own],
    }
}
