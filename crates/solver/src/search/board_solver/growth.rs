//! Growth: tables, an evaluator and a larger transposition table for a search that goes on.

use std::sync::Arc;

use sowing_rules::CompactBoard;
use sowing_tables::{Error, Tables, live_positions_to, memory_to_build};

use super::BoardSolver;
use crate::control::Control;
use crate::error::SolveError;
use crate::resources::Resources;
use crate::search::effort_model::EffortModel;
use crate::search::evaluator::Evaluator;
use crate::search::move_ordering::MoveOrdering;
use crate::search::search_board::SearchBoard;

/// The factor by which the transposition table grows.
const TT_GROWTH: u64 = 4;

/// A search is not expected to take more than this many times the nodes so far.
const MAX_FORESIGHT: u64 = 32;

/// The effort model predicts the nodes of all turns of a board, about this many queries; fewer queries take a
/// proportional part.
const MAX_EXPECTED_QUERIES: u64 = 4;

/// Building this many table positions costs as much as searching one node, memory traffic included.
const POSITIONS_PER_NODE: u64 = 45;
const RELAY_POSITIONS_PER_NODE: u64 = 4;

/// Tables are built to at most this layer, and to at least this many seeds below the board's.
const MAX_TABLE_LAYER: u32 = 60;
const MIN_SEEDS_ABOVE_TABLES: u32 = 4;

/// More threads than this do not speed up a fit of the evaluator.
const MAX_FIT_THREADS: usize = 4;

impl<B: SearchBoard> BoardSolver<B> {
    /// Gives a search that goes on more tables, a better evaluator and a larger transposition table. Returns the
    /// next node budget, of which `spent` nodes are already used: half as many nodes as the transposition table has
    /// entries, or more.
    pub(super) fn grow(
        &mut self,
        board: B,
        budget: u64,
        spent: &mut u64,
        resources: &mut Resources<'_>,
        control: &Control<'_>,
    ) -> Result<u64, SolveError> {
        self.build_tables(board, resources, control)?;
        self.fit_evaluator(resources, control);
        // The first, short round is extended to a whole one.
        let whole = self.transpositions.capacity() / 2;
        if *spent < whole {
            return Ok(whole);
        }
        let bytes_now = self.transpositions.bytes();
        let room = resources.memory.transposition_table.saturating_sub(bytes_now);
        let bytes = (bytes_now * TT_GROWTH).max(16 * *spent).min(room);
        *spent = 0;
        if bytes >= 2 * bytes_now && self.transpositions.is_crowded() {
            let is_stopped = || control.limits.is_reached();
            if let Some(grown) = self.transpositions.grown(bytes, &is_stopped)? {
                self.transpositions = grown;
            }
            return Ok(self.transpositions.capacity() / 2);
        }
        // A position whose generation exceeds the budget restarts in each round; a doubled budget guarantees that it
        // ends.
        Ok(budget.max(whole).saturating_mul(2))
    }

    /// Builds tables as far as the work so far and the memory justify.
    fn build_tables(
        &mut self,
        board: B,
        resources: &mut Resources<'_>,
        control: &Control<'_>,
    ) -> Result<(), SolveError> {
        let layer = board.layer();
        if !resources.build_tables || B::ROW > CompactBoard::MAX_HOUSES.into() {
            return Ok(());
        }
        let (relay, houses) = (self.rules.definition().relay, self.game.houses());
        let pays = |table_layer: u32| {
            let positions = match relay {
                true => RELAY_POSITIONS_PER_NODE * resources.work.nodes,
                false => POSITIONS_PER_NODE * self.expected_nodes(layer, table_layer, resources),
            };
            live_positions_to(houses, table_layer) <= positions.into()
        };
        let memory = resources.memory.tables;
        let fits = |table_layer: &u32| {
            pays(*table_layer)
                && memory_to_build(&self.game, *table_layer, resources.threads)
                    .is_ok_and(|need| need <= memory)
        };
        let highest = (layer as u32).saturating_sub(MIN_SEEDS_ABOVE_TABLES).min(MAX_TABLE_LAYER);
        let missing = self.table_layer().max(1) + 1..=highest;
        let Some(wanted) = missing.take_while(fits).last() else { return Ok(()) };
        let limits = control.limits;
        let options = sowing_tables::BuildOptions {
            threads: resources.threads,
            memory,
            should_stop: &|| limits.is_reached(),
            ..Default::default()
        };
        let cache = &mut resources.build_cache;
        let own = self.tables.as_mut().filter(|_| self.owns_tables).and_then(Arc::get_mut);
        let built = match own {
            Some(tables) => tables.extend_with(wanted, &options, cache),
            None => Tables::empty(&self.game).and_then(|mut tables| {
                tables.extend_with(wanted, &options, cache)?;
                (self.tables, self.owns_tables) = (Some(Arc::new(tables)), true);
                Ok(())
            }),
        };
        match built {
            // The search can do without, or is over.
            Ok(()) | Err(Error::Memory { .. } | Error::Stopped) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The nodes that the search is expected to take from now on, for a board of this layer above tables to
    /// `table_layer`.
    ///
    /// The effort model extrapolates from the games that it was fitted to, so its prediction is capped at
    /// [`MAX_FORESIGHT`] times the nodes so far. At least half of the nodes so far are assumed to remain.
    fn expected_nodes(&self, layer: u64, table_layer: u32, resources: &Resources<'_>) -> u64 {
        let model = EffortModel::for_houses(self.rules.houses());
        let queries = self.queries.max(resources.expected_queries).min(MAX_EXPECTED_QUERIES);
        let expected =
            model.expected_nodes(layer, table_layer) * queries as f64 / MAX_EXPECTED_QUERIES as f64;
        let nodes = resources.work.nodes;
        (nodes / 2).max((expected as u64).min(MAX_FORESIGHT * nodes))
    }

    /// Fits the evaluator to tables that are new, or much better, or to a much larger sample: as large as the work
    /// so far justifies.
    fn fit_evaluator(&mut self, resources: &Resources<'_>, control: &Control<'_>) {
        // A relay ends far from where it starts: the evaluator does not help there.
        let is_relay = self.rules.definition().relay;
        let Some(tables) = self.tables.as_ref().filter(|_| !is_relay) else { return };
        let boards = Evaluator::sample_size(resources.work.nodes);
        let is_better = self.evaluator.as_ref().is_none_or(|known| {
            tables.max_layer().min(Evaluator::MAX_LAYER) >= known.layer() + 4
                || boards >= 4 * known.boards()
        });
        if is_better {
            let limits = control.limits;
            let houses = self.rules.houses();
            let fitting = resources.memory.tables / 8 / Evaluator::fit_bytes(houses);
            let threads = resources.threads.min(fitting as usize).clamp(1, MAX_FIT_THREADS);
            let is_stopped = || limits.is_reached();
            let fitted = Evaluator::fit(houses, tables, boards, threads, &is_stopped);
            self.evaluator = fitted.or(self.evaluator.take());
            self.ordering = MoveOrdering::new(&self.rules, self.evaluator.as_ref());
        }
    }
}
