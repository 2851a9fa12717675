//! The inputs that the workers of a round share.

use sowing_rules::{Bounds, CompiledRules};
use sowing_tables::Tables;

use super::evaluator::Evaluator;
use super::move_ordering::MoveOrdering;
use super::proof_numbers::ProofNumbers;
use super::search_board::SearchBoard;
use super::state::SearchState;
use super::transposition::{BoundsCrossed, Slot, TranspositionTable};

/// Within a leaf search, boards with at most this many seeds more than the tables are not stored in the transposition
/// table: to search one again costs about as much as a probe, and they would fill half of the table. Results of the
/// proof tree are always stored.
const TT_MIN_SEEDS_ABOVE_TABLES: i64 = 1;

/// Successors with more than this many seeds above the tables are probed at once: an entry that suffices saves
/// much. Below that, few have one; they are probed when they are tried.
const EARLY_PROBE_SEEDS_ABOVE_TABLES: i64 = 6;

/// The inputs of a worker, shared by all workers of a round. Only `state` and `transpositions` change, both by atomic
/// operations alone.
pub(crate) struct SearchContext<'a, B: SearchBoard> {
    pub(crate) rules: &'a CompiledRules<B>,
    pub(crate) transpositions: &'a TranspositionTable,
    pub(crate) tables: Option<&'a Tables>,
    pub(crate) ordering: &'a MoveOrdering,
    pub(crate) evaluator: Option<&'a Evaluator>,
    pub(crate) state: &'a SearchState<'a>,
    /// Called at least every [`NODES_PER_CLOCK_CHECK`](SearchBoard::NODES_PER_CLOCK_CHECK) nodes: applies the limits
    /// to `state`; a worker that is alone also maintains the search.
    pub(crate) poll: &'a dyn Fn(),
}

impl<B: SearchBoard> SearchContext<'_, B> {
    /// Whether to probe the transposition table for a successor with `seeds` seeds before it is tried.
    #[inline]
    pub(super) fn probes_early(&self, seeds: i64) -> bool {
        let is_far = |tables: &Tables| {
            seeds > i64::from(tables.max_layer()) + EARLY_PROBE_SEEDS_ABOVE_TABLES
        };
        self.tables.is_none_or(is_far)
    }

    /// The slot of a board with `seeds` seeds, prefetched; `None` if boards so near to the tables, or of so high a layer,
    /// are never stored.
    #[inline]
    pub(super) fn slot(&self, board: &B, seeds: i64) -> Option<Slot> {
        let is_near =
            |tables: &Tables| seeds <= i64::from(tables.max_layer()) + TT_MIN_SEEDS_ABOVE_TABLES;
        if self.tables.is_some_and(is_near) {
            return None;
        }
        let slot = self.transpositions.slot(board, seeds as u64)?;
        self.transpositions.prefetch(slot);
        Some(slot)
    }

    /// The initial proof numbers of a test.
    pub(super) fn initial_numbers(&self, board: &B, target: i64) -> ProofNumbers {
        let estimate = self.evaluator.map_or(0.0, |evaluator| evaluator.in_seeds(board));
        let numbers = ProofNumbers::initial(board.layer() as i64, estimate - target as f64);
        match self.state.exchange {
            Some(exchange) => numbers.scaled(exchange.cost_jitter(board.hash_key())),
            None => numbers,
        }
    }

    /// The result of a test by the transposition table, if other processes publish there. Without them a result
    /// in the table is nearly always in the tree too, and a probe would be wasted.
    pub(super) fn imported_result(&self, board: &B, target: i64) -> Option<i64> {
        self.state.exchange?;
        let slot = self.transpositions.slot(board, board.layer())?;
        self.transpositions.probe(slot)?.decide(target)
    }

    /// Stores the fail-soft result of a test of a board with `layer` seeds, which took `work` nodes, in the
    /// transposition table, and publishes it to other processes.
    pub(super) fn store(
        &self,
        slot: Slot,
        layer: i64,
        target: i64,
        result: i64,
        work: u64,
    ) -> Result<(), BoundsCrossed> {
        let bounds = if result >= target {
            Bounds { low: result, high: layer }
        } else {
            Bounds { low: -layer, high: result }
        };
        self.transpositions.store(slot, bounds, work)?;
        if let Some(exchange) = self.state.exchange {
            exchange.publish(work, || self.transpositions.entry(slot, bounds, work));
        }
        Ok(())
    }
}
