//! Perft: the leaves of the move tree.

use crate::{CompactBoard, CompiledRules, Move, Position};

/// The leaves below a position, by first move and in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// The leaves below each legal move, in the order of [`Position::moves`].
    pub moves: Vec<(Move, u64)>,
    /// All leaves; 1 if the position is finished or the depth is 0.
    pub leaves: u64,
}

/// Counts the leaves of the move tree to a depth of `depth` moves. A game that ends earlier is one leaf.
///
/// ```
/// use sowing_rules::{Position, perft};
///
/// let start = Position::start("kalah(6,4)".parse()?);
/// assert_eq!(perft(&start, 2).leaves, 35);
/// # Ok::<(), sowing_rules::ParseGameError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> Perft {
    if depth == 0 || position.is_finished() {
        return Perft { moves: Vec::new(), leaves: 1 };
    }
    let rules = (position.game().houses() <= CompactBoard::MAX_HOUSES)
        .then(|| CompiledRules::new(position.game()));
    let moves: Vec<_> = position
        .moves()
        .map(|action| (action, leaves(rules.as_ref(), &after(position, action), depth - 1)))
        .collect();
    let leaves = moves.iter().map(|(_, leaves)| leaves).sum();
    Perft { moves, leaves }
}

fn after(position: &Position, action: Move) -> Position {
    position.play(action).0
}

/// Uses the wide board only while the pie rule is open or the compact board is too small.
fn leaves(rules: Option<&CompiledRules<CompactBoard>>, position: &Position, depth: u32) -> u64 {
    if depth == 0 || position.is_finished() {
        return 1;
    }
    match (rules, CompactBoard::new(position.board())) {
        (Some(rules), Ok(board)) if !position.pie_is_open() => compact_leaves(rules, board, depth),
        _ => {
            position.moves().map(|action| leaves(rules, &after(position, action), depth - 1)).sum()
        }
    }
}

/// The leaves below a live board; `depth` is at least 1.
fn compact_leaves(rules: &CompiledRules<CompactBoard>, board: CompactBoard, depth: u32) -> u64 {
    if depth == 1 {
        return board.occupied().len() as u64;
    }
    board
        .occupied()
        .map(|slot| {
            let played = rules.play_unchecked(board, slot);
            if played.finished { 1 } else { compact_leaves(rules, played.board, depth - 1) }
        })
        .sum()
}
