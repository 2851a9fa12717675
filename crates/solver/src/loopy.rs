//! Games that repeat positions (clockwise ones), solved by retrograde analysis, layer by layer.

use std::ops::ControlFlow;

use sowing::{Game, Law, Position, Small};

use crate::rank::{BoardRanks, MAX_LAYER, Ranked};

/// Why a game that repeats positions cannot be solved.
#[derive(Debug, thiserror::Error)]
pub enum GameTooLarge {
    /// More houses than a table can be made for.
    #[error("{game} repeats positions and has {} houses: tables reach to {}", .game.houses(), Small::MAX_HOUSES)]
    Houses {
        /// The game.
        game: Game,
    },
    /// More seeds than a table can be made for.
    #[error(
        "{game} repeats positions and has {seeds} seeds in houses: its tables reach to {MAX_LAYER}"
    )]
    Seeds {
        /// The game.
        game: Game,
        /// The seeds in houses.
        seeds: u64,
    },
    /// More memory than allowed.
    #[error(
        "{game} repeats positions: all layers to {seeds} seeds in houses need {needed} bytes of memory, {allowed} are allowed"
    )]
    Memory {
        /// The game.
        game: Game,
        /// The seeds in houses.
        seeds: u64,
        /// Bytes that would be needed.
        needed: u64,
        /// Bytes that may be used.
        allowed: u64,
    },
}

/// The values of all boards, a table a layer.
///
/// A move that gains seeds leads to a lower layer, whose values are known. Among the others a
/// layer's boards can lead round in circles. Endless play is worth 0 from where the circle starts,
/// so every board starts with 0 and is set to the best of its moves, over and over, until nothing
/// changes. At any time a value away from 0 is proven: a positive one by a move to a board proven
/// as bad for the opponent, a negative one because all moves lead to boards proven as good. What
/// is still 0 in the end cannot be forced away from it by either player.
#[derive(Debug)]
pub(crate) struct Loopy {
    game: Game,
    law: Option<Law<Small>>,
    ranks: BoardRanks,
    /// For each layer the rank of its first board, and the values in order of rank.
    layers: Vec<(u64, Vec<i8>)>,
    nodes: u64,
}

impl Loopy {
    pub(crate) fn new(game: &Game) -> Loopy {
        let law = (game.houses() <= Small::MAX_HOUSES).then(|| Law::new(game));
        let ranks = BoardRanks::new(game.houses().into());
        Loopy { game: *game, law, ranks, layers: Vec::new(), nodes: 0 }
    }

    /// Boards set to the best of their moves so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What the mover of a live position gets out of its houses; `None` if the search was halted.
    pub(crate) fn value(
        &mut self,
        position: &Position,
        memory: u64,
        halted: &dyn Fn() -> bool,
    ) -> Result<Option<i64>, GameTooLarge> {
        let (game, seeds) = (self.game, position.layer());
        if self.law.is_none() {
            return Err(GameTooLarge::Houses { game });
        }
        if seeds > self.ranks.max_layer().min(MAX_LAYER) {
            return Err(GameTooLarge::Seeds { game, seeds });
        }
        let needed = self.ranks.below(seeds + 1);
        if needed > memory {
            return Err(GameTooLarge::Memory { game, seeds, needed, allowed: memory });
        }
        while self.layers.len() as u64 <= seeds {
            if !self.solve_layer(self.layers.len() as u64, halted) {
                return Ok(None);
            }
        }
        let board = Small::new(position.board()).expect("few enough houses and seeds");
        Ok(Some(self.get(board, seeds).into()))
    }

    fn get(&self, board: Small, layer: u64) -> i8 {
        let (first, values) = &self.layers[layer as usize];
        values[(board.rank(&self.ranks) - first) as usize]
    }

    /// Adds a layer. Whether it did: a layer that is halted half-way is given up.
    fn solve_layer(&mut self, layer: u64, halted: &dyn Fn() -> bool) -> bool {
        let first = self.ranks.below(layer);
        let count = (self.ranks.below(layer + 1) - first) as usize;
        self.layers.push((first, vec![0; count]));
        loop {
            let mut changed = false;
            let mut index = 0;
            let over = for_each_board(self.ranks.houses(), layer, &mut |board| {
                if index % (1 << 16) == 0 && halted() {
                    return ControlFlow::Break(());
                }
                let value = self.best(board, layer);
                self.nodes += 1;
                let slot = &mut self.layers[layer as usize].1[index];
                changed |= std::mem::replace(slot, value) != value;
                index += 1;
                ControlFlow::Continue(())
            });
            if over.is_break() {
                self.layers.pop();
                return false;
            }
            if !changed {
                return true;
            }
        }
    }

    /// The best that the mover can get as the values stand. A finished board is given its seeds.
    fn best(&self, board: Small, layer: u64) -> i8 {
        use sowing::Board;
        let law = self.law.as_ref().expect("checked before");
        if board.is_finished() {
            return law.remaining(&board) as i8;
        }
        let value = |slot| {
            let played = law.play(board, slot);
            let rest = self.get(played.board, layer - played.gain);
            played.gain as i8 + if played.again { rest } else { -rest }
        };
        board.occupied().map(value).max().expect("a live board has moves")
    }
}

/// Shows every board of a layer, in order of rank, as long as it is wanted.
fn for_each_board(houses: usize, layer: u64, show: &mut Show<'_>) -> ControlFlow<()> {
    // The seeds of the last house rise slowest: what is left for the houses before it rises.
    fn fill(
        house: usize,
        houses: usize,
        left: u64,
        rows: [u64; 2],
        show: &mut Show<'_>,
    ) -> ControlFlow<()> {
        let shift = 8 * (house % houses);
        let row = house / houses;
        if house == 0 {
            let mut rows = rows;
            rows[row] |= left << shift;
            return show(Small::from_rows(rows[0], rows[1]));
        }
        for before in 0..=left {
            let mut rows = rows;
            rows[row] |= (left - before) << shift;
            fill(house - 1, houses, before, rows, show)?;
        }
        ControlFlow::Continue(())
    }
    fill(2 * houses - 1, houses, layer, [0, 0], show)
}

type Show<'a> = dyn FnMut(Small) -> ControlFlow<()> + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_come_in_order_of_rank() {
        for (houses, layer) in [(1, 5), (2, 0), (2, 6), (3, 5), (8, 2)] {
            let ranks = BoardRanks::new(houses);
            let mut next = ranks.below(layer);
            let all = for_each_board(houses, layer, &mut |board| {
                assert_eq!(board.rank(&ranks), next);
                next += 1;
                ControlFlow::Continue(())
            });
            assert_eq!((all, next), (ControlFlow::Continue(()), ranks.below(layer + 1)));
        }
    }
}
