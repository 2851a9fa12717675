//! The order in which boards are played from: no move leads back.

use sowing_rules::{CompactBoard, Game};
use sowing_tables::RowIndex;

/// A place for every board of a game, in stages.
///
/// A stage is a layer and a distance: the steps that all seeds lie away from the last houses of
/// their rows. A move that brings no seed to a store shifts seeds along the mover's row, so it leads
/// to a smaller distance; any other leads to a lower layer. Stages are numbered from the highest
/// layer and the largest distance on, so that every move leads to a later one. Clockwise, seeds
/// that bring nothing can come round again: there a layer is one stage, and moves may stay in it.
///
/// Within its layer a board has a rank: by the seeds in the mover's row, then by the two rows' own
/// ranks.
#[derive(Clone, Debug)]
pub(super) struct Order {
    ranks: RowIndex,
    total: usize,
    /// Steps that a seed can lie away from the last house; 0 where distances do not count.
    farthest: usize,
    /// The number of the first stage of each layer.
    first_stage: Vec<u32>,
    /// The first rank of the boards of each layer with so many seeds in the mover's row.
    first_rank: Vec<Vec<u64>>,
}

impl Order {
    /// The order of a game, or `None` if its boards are too many to be ranked.
    pub(super) fn new(game: &Game) -> Option<Order> {
        let total = usize::try_from(game.total()).ok()?;
        let ranks = RowIndex::new(Some(game.houses()).filter(|h| *h <= CompactBoard::MAX_HOUSES)?);
        if total > ranks.max_seeds() as usize {
            return None;
        }
        let farthest = if game.rules().repeats() { 0 } else { ranks.houses() - 1 };
        let mut first_stage = vec![0; total + 1];
        for layer in (0..total).rev() {
            first_stage[layer] = first_stage[layer + 1] + ((layer + 1) * farthest) as u32 + 1;
        }
        let mut first_rank = Vec::new();
        for layer in 0..=total {
            let mut next = 0_u64;
            let mut of_layer = Vec::new();
            for own in 0..=layer {
                of_layer.push(next);
                let boards = ranks.count(own) as u64 * ranks.count(layer - own) as u64;
                next = next.checked_add(boards)?;
            }
            first_rank.push(of_layer);
        }
        Some(Order { ranks, total, farthest, first_stage, first_rank })
    }

    /// How many stages there are.
    pub(super) fn stages(&self) -> usize {
        self.first_stage[0] as usize + 1
    }

    /// The layer of a stage.
    pub(super) fn layer(&self, stage: usize) -> usize {
        self.first_stage.partition_point(|first| *first as usize > stage)
    }

    /// A board's stage, and its rank in the layer.
    #[inline]
    pub(super) fn place(&self, board: CompactBoard) -> (usize, u64) {
        let (own, own_rank) = self.ranks.index_of(board.own());
        let (other, other_rank) = self.ranks.index_of(board.other());
        let layer = own + other;
        // Together the rows still hold no more than a byte a house.
        let both = board.own() + board.other();
        let distance: usize = (0..self.farthest)
            .map(|i| (both >> (8 * i) & 0xff) as usize * (self.farthest - i))
            .sum();
        let stage = self.first_stage[layer] as usize + layer * self.farthest - distance;
        let rank = own_rank as u64 * self.ranks.count(other) as u64 + other_rank as u64;
        (stage, self.first_rank[layer][own] + rank)
    }

    /// How many boards a layer has: their ranks lie below.
    pub(super) fn boards(&self, layer: usize) -> u64 {
        let last = self.first_rank[layer][layer];
        last + self.ranks.count(layer) as u64 * self.ranks.count(0) as u64
    }

    /// The board of this rank in a layer.
    pub(super) fn board(&self, layer: usize, rank: u64) -> CompactBoard {
        let first_rank = &self.first_rank[layer];
        let own = first_rank.partition_point(|first| *first <= rank) - 1;
        let (rank, others) = (rank - first_rank[own], self.ranks.count(layer - own) as u64);
        let own_row = self.ranks.row(own, (rank / others) as usize);
        CompactBoard::from_rows(own_row, self.ranks.row(layer - own, (rank % others) as usize))
    }

    /// Bytes that hold every split of the seeds in stores.
    pub(super) fn split_bytes(&self, layer: usize) -> usize {
        (self.total - layer) / 8 + 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sowing_rules::{Board, CompiledRules, Position};

    use super::*;

    #[test]
    fn every_board_has_its_own_place() {
        for name in ["kalah(1,4)", "s-kalaha(3,1)", "kalah(2,2,clockwise)"] {
            let game: Game = name.parse().unwrap();
            let order = Order::new(&game).unwrap();
            let mut stages = HashSet::new();
            for layer in 0..=game.total() as usize {
                let boards = |own| order.ranks.count(own) * order.ranks.count(layer - own);
                for rank in 0..(0..=layer).map(boards).sum::<usize>() as u64 {
                    let (stage, same) = order.place(order.board(layer, rank));
                    assert_eq!((rank, order.layer(stage)), (same, layer), "{name}");
                    stages.insert(stage);
                }
            }
            assert_eq!(stages.len(), order.stages(), "{name}");
        }
    }

    #[test]
    fn moves_lead_on() {
        for name in ["s-kalaha(4,2)", "kalah(3,3)", "kalah(3,2,empty-capture)"] {
            let game: Game = name.parse().unwrap();
            let (order, rules) =
                (Order::new(&game).unwrap(), CompiledRules::<CompactBoard>::new(&game));
            let start = CompactBoard::new(Position::start(game).board()).unwrap();
            let (mut open, mut seen) = (vec![start], HashSet::from([start]));
            while let Some(board) = open.pop() {
                for slot in board.occupied().filter(|_| !board.is_finished()) {
                    let next = rules.play_unchecked(board, slot).board;
                    assert!(order.place(next).0 > order.place(board).0, "{name}: {board:?}");
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
    }
}
