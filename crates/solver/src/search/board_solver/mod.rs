//! The solver of one kind of board: null-window tests, each searched in rounds.

mod growth;
mod round;
mod turn_search;

use std::sync::Arc;

use sowing_rules::{Bounds, CompiledRules, Game};
use sowing_tables::Tables;

use self::round::SINGLE_THREAD_NODES;
use super::evaluator::Evaluator;
use super::move_ordering::MoveOrdering;
use super::proof_tree::ProofTree;
use super::search_board::SearchBoard;
use super::shared_tree::SharedTree;
use super::state::Interrupt;
use super::static_bounds::static_bounds;
use super::transposition::{BoundsCrossed, TranspositionTable};
use crate::book::Book;
use crate::control::{Control, StopReason};
use crate::entry::Entry;
use crate::error::SolveError;
use crate::resources::Resources;

/// Solves boards of one kind, and keeps all proven bounds.
#[derive(Debug)]
pub(crate) struct BoardSolver<B: SearchBoard> {
    game: Game,
    rules: CompiledRules<B>,
    transpositions: TranspositionTable,
    tables: Option<Arc<Tables>>,
    /// Whether the tables were built here, so that they may be extended.
    owns_tables: bool,
    /// The tables that the solver was given. Bounds that rest on them stay stored after better tables replace
    /// them, so their files are watched as long as the solver lives.
    given_tables: Option<Arc<Tables>>,
    ordering: MoveOrdering,
    evaluator: Option<Evaluator>,
    /// The memory of the last tree, for the next one.
    tree: Option<ProofTree<B>>,
    /// The boards that were asked about.
    queries: u64,
}

/// The bytes of the transposition table at first: it fits a processor's cache.
const INITIAL_TT_BYTES: u64 = 1 << 18;

/// The memory of a finished tree above this many bytes is freed.
const MAX_KEPT_TREE_BYTES: usize = 1 << 26;

impl<B: SearchBoard> BoardSolver<B> {
    /// A solver that starts with the entries of a book, in a transposition table of at most `max_tt_bytes`.
    pub(crate) fn new(
        game: &Game,
        tables: Option<&Arc<Tables>>,
        book: Option<&Book>,
        max_tt_bytes: u64,
    ) -> Result<BoardSolver<B>, SolveError> {
        let rules = CompiledRules::new(game);
        let entries = book.map_or(&[][..], |book| book.entries());
        // Half of the table is room for new entries.
        let wanted = (16 * entries.len() as u64).min(max_tt_bytes);
        let transpositions = TranspositionTable::new(rules.houses(), INITIAL_TT_BYTES.max(wanted))?;
        transpositions.import(entries).map_err(|BoundsCrossed| SolveError::Contradiction)?;
        Ok(BoardSolver {
            game: *game,
            ordering: MoveOrdering::new(&rules, None),
            rules,
            transpositions,
            tables: tables.cloned(),
            owns_tables: false,
            given_tables: tables.cloned(),
            evaluator: None,
            tree: None,
            queries: 0,
        })
    }

    /// The highest layer of its tables; 0 without.
    pub(crate) fn table_layer(&self) -> u32 {
        self.tables.as_ref().map_or(0, |tables| tables.max_layer())
    }

    /// The bytes of the transposition table and of tables built here.
    pub(crate) fn bytes(&self) -> u64 {
        let built = self.tables.as_ref().filter(|_| self.owns_tables);
        let tables = built.map_or(0, |tables| tables.info().iter().map(|layer| layer.bytes).sum());
        self.transpositions.bytes() + tables
    }

    /// Narrows the bounds of a live board's value by null-window tests, until they meet or `is_enough` says so. The
    /// bounds are true however it ends. Returns why it stopped before; `None` if the goal is reached.
    ///
    /// The driver is MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, 1996), with proof-number search in place of
    /// alpha-beta.
    pub(crate) fn narrow(
        &mut self,
        board: B,
        bounds: &mut Bounds,
        first_target: i64,
        is_enough: &dyn Fn(Bounds) -> bool,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<StopReason>, SolveError> {
        // All seeds in houses are shared out, so the value has their parity; unless seeds can be lost.
        let step = if self.rules.definition().remaining_lost { 1 } else { 2 };
        let mut wanted = first_target;
        self.queries += 1;
        let known = static_bounds(&self.rules, &board, board.layer() as i64);
        *bounds = bounds.intersect(known).ok_or(SolveError::Contradiction)?;
        while bounds.low < bounds.high && !is_enough(*bounds) {
            // The lowest possible value from `wanted` on.
            let steps = (wanted - bounds.low + step - 1).div_euclid(step).max(1);
            let target = (bounds.low + steps * step).min(bounds.high);
            let tested = match self.test(board, target, *bounds, resources, control)? {
                Ok(result) if result >= target => Bounds { low: result, high: bounds.high },
                Ok(result) => Bounds { low: bounds.low, high: result },
                Err(reason) => return Ok(Some(reason)),
            };
            *bounds = bounds.intersect(tested).ok_or(SolveError::Contradiction)?;
            wanted = if bounds.low >= target { bounds.low + step } else { bounds.high };
        }
        Ok(None)
    }

    /// One null-window test, `value >= target`: its [fail-soft result](super), or why it stopped before.
    fn test(
        &mut self,
        board: B,
        target: i64,
        bounds: Bounds,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Result<i64, StopReason>, SolveError> {
        let tree = match self.tree.take() {
            Some(tree) => tree.reset(board, target),
            None => ProofTree::new(board, target),
        };
        let mut tree = SharedTree::new(tree, resources.memory.proof_tree);
        let test = NullWindow { board, target, bounds };
        let result = self.search_in_rounds(&mut tree, &test, resources, control);
        let tree = tree.into_tree();
        self.tree = Some(tree).filter(|tree| tree.allocated_bytes() <= MAX_KEPT_TREE_BYTES);
        result
    }

    /// Searches in rounds of growing node budgets. Between rounds the tree is trimmed, and memory and tables grow
    /// with the work.
    fn search_in_rounds(
        &mut self,
        tree: &mut SharedTree<B>,
        test: &NullWindow<B>,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Result<i64, StopReason>, SolveError> {
        let (mut budget, mut spent) = (SINGLE_THREAD_NODES, 0);
        loop {
            let before = resources.work.nodes;
            let result = self.search_round(tree, test, budget - spent, resources, control);
            spent += resources.work.nodes - before;
            tree.limit_leaf_budget();
            match result {
                Ok(result) => return Ok(Ok(result)),
                Err(Interrupt::Stopped(reason)) => return Ok(Err(reason)),
                Err(Interrupt::BoundsCrossed | Interrupt::TableDamaged) => {
                    // A damaged file explains crossing bounds.
                    self.check_tables()?;
                    return Err(SolveError::Contradiction);
                }
                Err(Interrupt::TreeFull) => tree.trim(),
                // An imported entry that decided the test may be gone again: the search goes on.
                Err(Interrupt::NodeBudget | Interrupt::Resolved) => {}
            }
            if spent >= budget {
                budget = self.grow(test.board, budget, &mut spent, resources, control)?;
            }
        }
    }

    /// The stored entries with the most effort, at most `max`, in order of index.
    ///
    /// It fails if a table file has changed by the time that the entries are copied: any of them may rest on it.
    pub(crate) fn export(&self, max: usize) -> Result<Vec<Entry>, SolveError> {
        let entries = self.transpositions.export(max);
        self.check_tables()?;
        Ok(entries)
    }

    /// Fails if a file of the given tables is not as it was when it was opened.
    fn check_tables(&self) -> Result<(), SolveError> {
        match self.given_tables.as_ref().and_then(|tables| tables.integrity_error()) {
            Some(error) => Err(SolveError::Tables(error)),
            None => Ok(()),
        }
    }

    /// The result of a test that needs no search.
    fn stored_result(&self, test: &NullWindow<B>) -> Option<i64> {
        let NullWindow { board, target, .. } = test;
        if let Some(value) = self.tables.as_ref().and_then(|tables| board.probe(tables)) {
            return Some(value.into());
        }
        let slot = self.transpositions.slot(board, board.layer())?;
        self.transpositions.probe(slot)?.decide(*target)
    }
}

/// A null-window test of a board whose value lies within the bounds: is it at least the target?
struct NullWindow<B> {
    board: B,
    target: i64,
    bounds: Bounds,
}

#[cfg(test)]
mod tests;
