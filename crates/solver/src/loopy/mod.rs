//! Loopy games, which repeat positions (clockwise ones): value iteration, layer by layer.

use std::ops::ControlFlow;

use sowing_rules::{BoardIndex, CompactBoard, CompiledRules, Game, Position};

use crate::control::{Limits, StopReason};

/// Why a game that repeats positions cannot be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameTooLarge {
    /// More houses than a table can be made for.
    #[error("{game} repeats positions and has {} houses: tables reach to {}", .game.houses(), CompactBoard::MAX_HOUSES)]
    Houses {
        /// The game.
        game: Game,
    },
    /// More seeds than a table can be made for.
    #[error(
        "{game} repeats positions and has {seeds} seeds in houses: its tables reach to {}",
        BoardIndex::MAX_LAYER
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

/// The values of all boards of a loopy game, one table per layer.
///
/// A move that gains seeds leads to a lower layer, whose values are known; a move that moves again always gains. The
/// other moves of a layer can form cycles. Endless play is worth 0 from where the cycle starts. So every board starts
/// with 0 and is set to the best of its moves, again and again, until nothing changes.
///
/// At any time a positive value is a proven lower bound, by a move to a board proven bad for the opponent, and a
/// negative one a proven upper bound, because all moves lead to boards proven good. Magnitudes never fall, so the
/// iteration ends. At the fixed point no move is worth more than the board's value. So a player who always answers with
/// a best move concedes no more than that: play reaches that value, or is endless and worth 0.
#[derive(Debug)]
pub(crate) struct LoopySolver {
    game: Game,
    rules: Option<CompiledRules<CompactBoard>>,
    indices: BoardIndex,
    /// For each layer the index of its first board, and the values in order of index.
    layers: Vec<(u64, Vec<i8>)>,
    nodes: u64,
}

impl LoopySolver {
    pub(crate) fn new(game: &Game) -> LoopySolver {
        let rules = (game.houses() <= CompactBoard::MAX_HOUSES).then(|| CompiledRules::new(game));
        let indices = BoardIndex::new(game.houses().into());
        LoopySolver { game: *game, rules, indices, layers: Vec::new(), nodes: 0 }
    }

    /// The boards updated so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The house value of a live position, or the limit that is reached first. The node limit counts the boards
    /// updated so far.
    pub(crate) fn value(
        &mut self,
        position: &Position,
        memory: u64,
        limits: &Limits<'_>,
    ) -> Result<Result<i64, StopReason>, GameTooLarge> {
        let (game, seeds) = (self.game, position.layer());
        if self.rules.is_none() {
            return Err(GameTooLarge::Houses { game });
        }
        if seeds > self.indices.max_layer() {
            return Err(GameTooLarge::Seeds { game, seeds });
        }
        let needed = self.indices.count_below(seeds + 1);
        if needed > memory {
            return Err(GameTooLarge::Memory { game, seeds, needed, allowed: memory });
        }
        while self.layers.len() as u64 <= seeds {
            if let Err(reason) = self.solve_layer(self.layers.len() as u64, limits) {
                return Ok(Err(reason));
            }
        }
        let board = CompactBoard::new(position.board()).expect("few enough houses and seeds");
        Ok(Ok(self.get(board, seeds).into()))
    }

    fn get(&self, board: CompactBoard, layer: u64) -> i8 {
        let (first, values) = &self.layers[layer as usize];
        values[(self.indices.compact_index(&board) - first) as usize]
    }

    /// Solves the next layer. If a limit is reached first, the layer is dropped.
    fn solve_layer(&mut self, layer: u64, limits: &Limits<'_>) -> Result<(), StopReason> {
        let first = self.indices.count_below(layer);
        let count = (self.indices.count_below(layer + 1) - first) as usize;
        self.layers.push((first, vec![0; count]));
        loop {
            let mut changed = false;
            let mut index = 0;
            let over = for_each_board(self.indices.houses(), layer, &mut |board| {
                if index % (1 << 16) == 0
                    && let Some(reason) = limits.stop_reason(self.nodes)
                {
                    return ControlFlow::Break(reason);
                }
                let value = self.best(board, layer);
                self.nodes += 1;
                let slot = &mut self.layers[layer as usize].1[index];
                changed |= std::mem::replace(slot, value) != value;
                index += 1;
                ControlFlow::Continue(())
            });
            if let ControlFlow::Break(reason) = over {
                self.layers.pop();
                return Err(reason);
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The best move's value as the values stand. A finished board has its seeds.
    fn best(&self, board: CompactBoard, layer: u64) -> i8 {
        use sowing_rules::Board;
        let rules = self.rules.as_ref().expect("checked before");
        if board.is_finished() {
            return rules.remaining(&board) as i8;
        }
        let value = |slot| {
            let played = rules.play_unchecked(board, slot);
            let rest = self.get(played.board, layer - played.gain);
            played.to_mover(rest.into()) as i8
        };
        board.occupied().map(value).max().expect("a live board has moves")
    }
}

/// Calls `visit` for every board of a layer, in order of index, until it breaks.
fn for_each_board(houses: usize, layer: u64, visit: &mut Visit<'_>) -> ControlFlow<StopReason> {
    // The seeds of the last house fall slowest: those left for the houses before it rise.
    fn fill(
        house: usize,
        houses: usize,
        left: u64,
        rows: [u64; 2],
        visit: &mut Visit<'_>,
    ) -> ControlFlow<StopReason> {
        let shift = 8 * (house % houses);
        let row = house / houses;
        if house == 0 {
            let mut rows = rows;
            rows[row] |= left << shift;
            return visit(CompactBoard::from_rows(rows[0], rows[1]));
        }
        for before in 0..=left {
            let mut rows = rows;
            rows[row] |= (left - before) << shift;
            fill(house - 1, houses, before, rows, visit)?;
        }
        ControlFlow::Continue(())
    }
    fill(2 * houses - 1, houses, layer, [0, 0], visit)
}

type Visit<'a> = dyn FnMut(CompactBoard) -> ControlFlow<StopReason> + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_come_in_order_of_index() {
        for (houses, layer) in [(1, 5), (2, 0), (2, 6), (3, 5), (8, 2)] {
            let indices = BoardIndex::new(houses);
            let mut next = indices.count_below(layer);
            let all = for_each_board(houses, layer, &mut |board| {
                assert_eq!(indices.compact_index(&board), next);
                next += 1;
                ControlFlow::Continue(())
            });
            assert_eq!((all, next), (ControlFlow::Continue(()), indices.count_below(layer + 1)));
        }
    }
}
