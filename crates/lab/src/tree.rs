//! The whole tree of a game, counted exactly.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sowing_rules::{CompactBoard, CompiledRules, Game, Position};

/// Every game that can be played, from the start to the end.
///
/// ```
/// use sowing_lab::Tree;
///
/// let tree = Tree::of(&"s-kalaha(1,2)".parse()?, 1_000).expect("a tiny game");
/// assert_eq!((tree.games, tree.shortest, tree.longest), (1, 2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// How many games there are: leaves of the tree of all moves.
    pub games: u128,
    /// The moves of the shortest.
    pub shortest: u32,
    /// The moves of the longest.
    pub longest: u32,
}

/// How far the pie rule has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pie {
    FirstTurn,
    Offered,
    Over,
}

struct Counter {
    rules: CompiledRules<CompactBoard>,
    known: HashMap<(CompactBoard, Pie), Tree>,
    limit: usize,
}

impl Tree {
    /// Counts the games of a game. `None` if more than `limit` boards would have to be remembered,
    /// if the board or the count is too large, or if positions repeat and games have no end.
    pub fn of(game: &Game, limit: usize) -> Option<Tree> {
        let board = CompactBoard::new(Position::start(*game).board()).ok()?;
        if game.rules().repeats() {
            return None;
        }
        let mut counter = Counter { rules: CompiledRules::new(game), known: HashMap::new(), limit };
        counter.count(board, if game.rules().pie { Pie::FirstTurn } else { Pie::Over })
    }

    fn leaf() -> Tree {
        Tree { games: 1, shortest: 0, longest: 0 }
    }

    /// The tree of a position with one more child.
    fn with(tree: Option<Tree>, child: Tree) -> Option<Tree> {
        let child = Tree { shortest: child.shortest + 1, longest: child.longest + 1, ..child };
        let Some(tree) = tree else { return Some(child) };
        Some(Tree {
            games: tree.games.checked_add(child.games)?,
            shortest: tree.shortest.min(child.shortest),
            longest: tree.longest.max(child.longest),
        })
    }
}

impl Counter {
    fn count(&mut self, board: CompactBoard, pie: Pie) -> Option<Tree> {
        if let Some(tree) = self.known.get(&(board, pie)) {
            return Some(*tree);
        }
        let mut tree = None;
        if pie == Pie::Offered {
            tree = Tree::with(tree, self.count(board, Pie::Over)?);
        }
        for slot in board.occupied() {
            let played = self.rules.play_unchecked(board, slot);
            let next = match pie {
                Pie::FirstTurn if played.again => Pie::FirstTurn,
                Pie::FirstTurn => Pie::Offered,
                Pie::Offered | Pie::Over => Pie::Over,
            };
            let child =
                if played.finished { Tree::leaf() } else { self.count(played.board, next)? };
            tree = Some(Tree::with(tree, child)?);
        }
        if self.known.len() >= self.limit {
            return None;
        }
        self.known.insert((board, pie), tree?);
        tree
    }
}
