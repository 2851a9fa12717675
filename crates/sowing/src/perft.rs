//! Counting the leaves of the move tree.

use crate::{Law, Move, Position, Small};

/// The leaves below a position, by first move and in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// The leaves below each legal move, in the order of [`Position::moves`].
    pub moves: Vec<(Move, u64)>,
    /// All leaves. One, if the position is finished or the depth is 0.
    pub leaves: u64,
}

/// Counts the leaves of the move tree `depth` moves deep. A finished game is one leaf, however
/// early it ends.
///
/// ```
/// use sowing::{Position, perft};
///
/// let start = Position::start("kalah(6,4)".parse()?);
/// assert_eq!(perft(&start, 2).leaves, 35);
/// # Ok::<(), sowing::ParseGameError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> Perft {
    if depth == 0 || position.is_finished() {
        return Perft { moves: Vec::new(), leaves: 1 };
    }
    let law = (position.game().houses() <= Small::MAX_HOUSES).then(|| Law::new(position.game()));
    let moves: Vec<_> = position
        .moves()
        .map(|action| (action, leaves(law.as_ref(), &after(position, action), depth - 1)))
        .collect();
    let leaves = moves.iter().map(|(_, leaves)| leaves).sum();
    Perft { moves, leaves }
}

fn after(position: &Position, action: Move) -> Position {
    position.play(action).expect("the moves of a position are legal").0
}

/// Walks on the wide board only while it must: where the pie rule matters or seeds are too many.
fn leaves(law: Option<&Law<Small>>, position: &Position, depth: u32) -> u64 {
    if depth == 0 || position.is_finished() {
        return 1;
    }
    match (law, Small::new(position.board())) {
        (Some(law), Ok(board)) if !position.pie_is_open() => small_leaves(law, board, depth),
        _ => position.moves().map(|action| leaves(law, &after(position, action), depth - 1)).sum(),
    }
}

/// The leaves below a live board, `depth` at least 1.
fn small_leaves(law: &Law<Small>, board: Small, depth: u32) -> u64 {
    if depth == 1 {
        return board.occupied().len() as u64;
    }
    board
        .occupied()
        .map(|slot| {
            let played = law.play(board, slot);
            if played.finished { 1 } else { small_leaves(law, played.board, depth - 1) }
        })
        .sum()
}
