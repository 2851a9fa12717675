//! The state that leaf searches share.

use sowing_rules::{Bounds, CompiledRules};
use sowing_tables::Tables;

use super::evaluator::Evaluator;
use super::move_ordering::MoveOrdering;
use super::proof_numbers::ProofNumbers;
use super::proof_tree::Resolved;
use super::search_board::SearchBoard;
use super::state::{Interrupt, SearchState};
use super::transposition::{Slot, TranspositionTable};

/// Boards with at most this many seeds more than the tables are not stored in the transposition table: to
/// search one again costs about as much as a probe, and they would fill half of the table.
const TT_MIN_MARGIN: i64 = 1;

/// Successors with more than this many seeds above the tables are probed at once: an entry that suffices saves
/// much. Below that, few have one; they are probed when they are tried.
const EARLY_PROBE_MARGIN: i64 = 6;

/// The read-only state that all leaf searches of a search share.
pub(crate) struct SearchContext<'a, B: SearchBoard> {
    pub(crate) rules: &'a CompiledRules<B>,
    pub(crate) transpositions: &'a TranspositionTable,
    pub(crate) tables: Option<&'a Tables>,
    pub(crate) ordering: &'a MoveOrdering,
    pub(crate) evaluator: Option<&'a Evaluator>,
    /// Called at least every [`NODES_PER_CLOCK_CHECK`](SearchBoard::NODES_PER_CLOCK_CHECK) nodes: checks the limits
    /// and returns whether the search is stopped.
    pub(crate) check_limits: &'a dyn Fn() -> bool,
}

impl<B: SearchBoard> SearchContext<'_, B> {
    /// Whether to probe the transposition table for a successor with `seeds` seeds before it is tried.
    #[inline]
    pub(super) fn probes_early(&self, seeds: i64) -> bool {
        self.tables.is_none_or(|tables| seeds > i64::from(tables.max_layer()) + EARLY_PROBE_MARGIN)
    }

    /// The slot of a board with `seeds` seeds, prefetched; `None` if it is not stored.
    #[inline]
    pub(super) fn slot(&self, board: &B, seeds: i64) -> Option<Slot> {
        if self.tables.is_some_and(|tables| seeds <= i64::from(tables.max_layer()) + TT_MIN_MARGIN)
        {
            return None;
        }
        let slot = self.transpositions.slot(board, seeds as u64)?;
        self.transpositions.prefetch(slot);
        Some(slot)
    }
}

/// The state that the leaf searches of a worker share.
pub(crate) struct WorkerContext<'a, B: SearchBoard> {
    pub(crate) search: SearchContext<'a, B>,
    pub(crate) state: &'a SearchState<'a>,
}

impl<B: SearchBoard> WorkerContext<'_, B> {
    /// The initial proof numbers of a test.
    pub(super) fn initial_numbers(&self, board: &B, target: i64) -> ProofNumbers {
        let estimate = self.search.evaluator.map_or(0.0, |evaluator| evaluator.in_seeds(board));
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
        let table = self.search.transpositions;
        table.probe(table.slot(board, board.layer())?)?.decide(target)
    }

    /// Stores a result in the transposition table, and publishes it to other processes.
    pub(super) fn store(
        &self,
        slot: Slot,
        layer: i64,
        resolved: &Resolved<B>,
    ) -> Result<(), Interrupt> {
        let Resolved { target, result, work, .. } = *resolved;
        let table = self.search.transpositions;
        let bounds = if result >= target {
            Bounds { low: result, high: layer }
        } else {
            Bounds { low: -layer, high: result }
        };
        table.store(slot, bounds, work)?;
        if let Some(exchange) = self.state.exchange {
            exchange.publish(work, || table.entry(slot, bounds, work));
        }
        Ok(())
    }
}
