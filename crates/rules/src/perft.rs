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

/// The move tree of [`perft`], cut into branches that can be counted in any order.
///
/// ```
/// use sowing_rules::{PerftBranches, Position, perft};
///
/// let start = Position::start("kalah(6,4)".parse()?);
/// let branches = PerftBranches::new(start, 5, 3);
/// let leaves: Vec<u64> = (0..branches.len()).rev().map(|branch| branches.leaves(branch)).collect();
/// let leaves: Vec<u64> = leaves.into_iter().rev().collect();
/// assert_eq!(branches.sum(&leaves), perft(&start, 5));
/// # Ok::<(), sowing_rules::ParseGameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PerftBranches {
    position: Position,
    first_moves: Vec<Move>,
    /// Each with the index of its first move and the depth that is left.
    branches: Vec<(usize, Position, u32)>,
}

impl PerftBranches {
    /// Cuts the tree of `depth` moves after the first `cut` moves. A game that ends earlier is a branch by itself.
    pub fn new(position: Position, depth: u32, cut: u32) -> PerftBranches {
        let first_moves: Vec<Move> = match depth {
            0 => Vec::new(),
            _ => position.moves().collect(),
        };
        let numbered = first_moves.iter().enumerate();
        let mut branches: Vec<(usize, Position, u32)> =
            numbered.map(|(first, action)| (first, after(&position, *action), depth - 1)).collect();
        for _ in 1..cut.min(depth) {
            let one_on = branches.into_iter().flat_map(|(first, position, depth)| {
                let next: Vec<_> = match position.is_finished() {
                    true => vec![(first, position, depth)],
                    false => position
                        .moves()
                        .map(|action| (first, after(&position, action), depth - 1))
                        .collect(),
                };
                next
            });
            branches = one_on.collect();
        }
        PerftBranches { position, first_moves, branches }
    }

    /// The position that all branches start from.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The number of branches.
    pub fn len(&self) -> usize {
        self.branches.len()
    }

    /// Whether there are no branches: the position is finished, or the depth is 0.
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// The leaves of one branch.
    ///
    /// # Panics
    /// If there is no such branch.
    pub fn leaves(&self, branch: usize) -> u64 {
        let (_, position, depth) = &self.branches[branch];
        perft(position, *depth).leaves
    }

    /// The leaves of all branches, in their order, added up.
    pub fn sum(&self, leaves: &[u64]) -> Perft {
        let mut moves: Vec<(Move, u64)> =
            self.first_moves.iter().map(|action| (*action, 0)).collect();
        for ((first, ..), leaves) in self.branches.iter().zip(leaves) {
            moves[*first].1 += leaves;
        }
        // A finished position and a depth of 0 are one leaf.
        let leaves = if moves.is_empty() { 1 } else { leaves.iter().sum() };
        Perft { moves, leaves }
    }
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
