//! The solver of one kind of board: null-window tests, resources that grow with the work, threads.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use sowing_rules::{Bounds, CompactBoard, CompiledRules, Game};
use sowing_tables::{Error, Tables, live_positions_to, memory_to_build};

use super::context::SearchContext;
use super::effort_model::EffortModel;
use super::evaluator::Evaluator;
use super::move_ordering::MoveOrdering;
use super::proof_tree::ProofTree;
use super::search_board::SearchBoard;
use super::shared_tree::SharedTree;
use super::state::{Interrupt, SearchState};
use super::static_bounds::static_bounds;
use super::transposition::{BoundsCrossed, TranspositionTable};
use super::turn_paths::TurnPaths;
use super::worker::Worker;
use crate::book::{Book, Entry};
use crate::control::{Control, REPORT_INTERVAL, StopReason};
use crate::error::SolveError;
use crate::resources::Resources;

/// Solves boards of one kind, and keeps what it has proven.
#[derive(Debug)]
pub(crate) struct BoardSolver<B: SearchBoard> {
    game: Game,
    rules: CompiledRules<B>,
    transpositions: TranspositionTable,
    tables: Option<Arc<Tables>>,
    /// Whether the tables were built here, so that they may be extended.
    owns_tables: bool,
    /// The tables that the solver was given. Bounds that rest on them stay stored after better tables replace
    /// them, so that their files are watched as long as the solver lives.
    given_tables: Option<Arc<Tables>>,
    ordering: MoveOrdering,
    evaluator: Option<Evaluator>,
    /// The memory of the last tree, for the next one.
    tree: Option<ProofTree<B>>,
    /// The boards that were asked about.
    queries: u64,
}

/// How the narrowing of bounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowed {
    /// The goal is reached.
    Reached,
    /// The search stopped before.
    Stopped(StopReason),
}

/// The bytes of the transposition table at first: it fits a processor's cache.
const INITIAL_TT_BYTES: u64 = 1 << 18;

/// The factor by which the transposition table grows.
const TT_GROWTH: u64 = 4;

/// A search is not expected to take more than this many times the nodes so far.
const MAX_FORESIGHT: u64 = 32;

/// More queries than this are not expected. The effort model is for about as many: all turns of a board.
const MAX_EXPECTED_QUERIES: u64 = 4;

/// Table positions that cost as much as one node, their memory included; fewer with relays.
const POSITIONS_PER_NODE: u64 = 45;
const RELAY_POSITIONS_PER_NODE: u64 = 4;

/// Tables are built to at most this layer, and to at least this many seeds below the board's.
const MAX_TABLE_LAYER: u32 = 60;
const MIN_SEEDS_ABOVE_TABLES: u32 = 4;

/// The memory of a finished tree above this many bytes is freed.
const MAX_KEPT_TREE_BYTES: usize = 1 << 26;

/// More threads than this do not speed up a fit of the evaluator.
const MAX_FIT_THREADS: usize = 4;

/// A search starts with one thread, which gets this many nodes: fewer are not worth starting threads for.
const SINGLE_THREAD_NODES: u64 = 1 << 12;

/// Which of the results of threads counts: a failure, then a result, then a reason for none.
fn precedence(result: &Result<i64, Interrupt>) -> u8 {
    match result {
        Err(Interrupt::BoundsCrossed | Interrupt::TableDamaged) => 3,
        Ok(_) => 2,
        Err(Interrupt::Resolved) => 0,
        Err(_) => 1,
    }
}

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
    /// bounds are true however it ends.
    pub(crate) fn narrow(
        &mut self,
        board: B,
        bounds: &mut Bounds,
        first_target: i64,
        is_enough: &dyn Fn(Bounds) -> bool,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Narrowed, SolveError> {
        // All seeds in houses are shared out, so that the value has their parity; unless seeds can be lost.
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
                Err(reason) => return Ok(Narrowed::Stopped(reason)),
            };
            *bounds = bounds.intersect(tested).ok_or(SolveError::Contradiction)?;
            wanted = if bounds.low >= target { bounds.low + step } else { bounds.high };
        }
        Ok(Narrowed::Reached)
    }

    /// One null-window test, `value >= target`: a bound in the sense of
    /// [`LeafSearch::resume`](super::leaf_search::LeafSearch::resume), or why it stopped before.
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
        // A round takes as many nodes as the transposition table has room for. The first one is short, so that
        // threads are not started for little.
        let (mut budget, mut spent) =
            ((self.transpositions.capacity() / 2).min(SINGLE_THREAD_NODES), 0);
        loop {
            let before = resources.work.nodes;
            let result = self.search_round(tree, test, budget - spent, resources, control);
            spent += resources.work.nodes - before;
            tree.limit_leaf_budget();
            match result {
                Ok(result) => return Ok(Ok(result)),
                Err(Interrupt::Stopped(reason)) => return Ok(Err(reason)),
                Err(Interrupt::OutOfMemory) => return Ok(Err(StopReason::Memory)),
                Err(Interrupt::BoundsCrossed | Interrupt::TableDamaged) => {
                    // A damaged file explains crossing bounds.
                    self.check_tables()?;
                    return Err(SolveError::Contradiction);
                }
                Err(Interrupt::TreeFull) => tree.trim(),
                // An imported entry that decided the test may be gone again: the search goes on.
                Err(Interrupt::NodeBudget | Interrupt::LeafBudget | Interrupt::Resolved) => {}
            }
            if spent >= budget {
                budget = self.grow(test.board, budget, &mut spent, resources, control)?;
            }
        }
    }

    /// Gives a search that goes on more tables, a better evaluator and a larger transposition table. Returns the
    /// next node budget, of which `spent` nodes are already used.
    fn grow(
        &mut self,
        board: B,
        budget: u64,
        spent: &mut u64,
        resources: &mut Resources<'_>,
        control: &Control<'_>,
    ) -> Result<u64, SolveError> {
        self.build_tables(board, resources, control)?;
        self.fit_evaluator(resources, control);
        // The turns of one position can be far more than a budget.
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
        // The budget grows in any case: a turn that takes more nodes is started anew, and would never end.
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
            halted: &|| limits.is_reached(),
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
            Ok(()) | Err(Error::Memory { .. } | Error::Halted) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The nodes that the search is expected to take from now on, for a board of this layer above tables to
    /// `table_layer`.
    ///
    /// The effort model is measured on some games and carried on from there. Games differ, so that it is believed
    /// only as far as the nodes so far make it likely. After several queries, more are expected.
    fn expected_nodes(&self, layer: u64, table_layer: u32, resources: &Resources<'_>) -> u64 {
        let model = EffortModel::for_houses(self.rules.houses());
        let queries = self.queries.max(resources.expected_queries).min(MAX_EXPECTED_QUERIES);
        let expected =
            model.expected_nodes(layer, table_layer) * queries as f64 / MAX_EXPECTED_QUERIES as f64;
        // Half as many again as so far may be to come; or the end may be near.
        let nodes = resources.work.nodes;
        (nodes / 2).max((expected as u64).min(MAX_FORESIGHT * nodes))
    }

    /// Fits the evaluator to tables that are new, or much better, or to a much larger sample: as large as the work
    /// so far justifies.
    fn fit_evaluator(&mut self, resources: &Resources<'_>, control: &Control<'_>) {
        // A relay runs on into houses far from where it started: there the evaluator is no help.
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

    /// All turns of a live board. It fails if they do not fit the memory, or a limit is reached.
    pub(crate) fn paths(
        &self,
        board: B,
        resources: &Resources<'_>,
        control: &Control<'_>,
    ) -> Result<TurnPaths<B>, SolveError> {
        let fitting = resources.memory.turns / TurnPaths::<B>::BYTES_PER_BOARD as u64;
        let max_boards = fitting.max(1 << 12) as usize;
        TurnPaths::new(&self.rules, board, max_boards, &|| control.limits.stop_reason(0))
    }

    /// A whole turn of a live board that reaches `target`, which the board is known to be worth: the slots to
    /// play. Stored results come first, so that the turn is one that the proof uses, where there is one.
    pub(crate) fn turn_achieving(
        &mut self,
        board: B,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let turn = match self.paths(board, resources, control) {
            Ok(paths) => self.turn_among(&paths, target, resources, control),
            Err(SolveError::TooManyTurns { .. }) => {
                self.turn_by_moves(board, target, resources, control)
            }
            Err(error) => Err(error),
        };
        self.check_tables()?;
        turn
    }

    /// The turn among those of a board.
    fn turn_among(
        &mut self,
        paths: &TurnPaths<B>,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let seeds_can_be_lost = self.rules.definition().remaining_lost;
        let decided = paths.ends.iter().find(|end| match end.value {
            Some(value) => value >= target,
            None => 2 * end.gain - paths.layer >= target && !seeds_can_be_lost,
        });
        if let Some(end) = decided {
            return Ok(paths.slots(end));
        }
        let mut open = Vec::new();
        for end in paths.ends.iter().filter(|end| end.value.is_none()) {
            let left = (paths.layer - end.gain) as u64;
            let slot = self.transpositions.slot(&end.board, left);
            match slot.and_then(|slot| self.transpositions.probe(slot)) {
                Some(bounds) if end.gain - bounds.high >= target => return Ok(paths.slots(end)),
                Some(bounds) if end.gain - bounds.low < target => {}
                _ => open.push(end),
            }
        }
        open.sort_by_key(|end| Reverse(self.ordering.score(&end.board, end.gain)));
        for end in open {
            let bounds = Bounds::from_layer(paths.layer - end.gain);
            let reply = end.gain - target + 1;
            match self.test(end.board, reply, bounds, resources, control)? {
                Ok(result) if result < reply => return Ok(paths.slots(end)),
                Ok(_) => {}
                Err(reason) => return Err(SolveError::Stopped(reason)),
            }
        }
        Err(SolveError::NoSuchTurn { margin: target })
    }

    /// The same, found move by move, where the turns do not fit the memory.
    fn turn_by_moves(
        &mut self,
        board: B,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let (mut board, mut needed, mut slots) = (board, target, Vec::new());
        'turn: loop {
            for slot in (0..self.rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = self.rules.play_unchecked(board, slot);
                let needed_after = needed - played.gain as i64;
                let bounds = Bounds::from_layer(played.board.layer() as i64);
                let target = if played.again { needed_after } else { 1 - needed_after };
                let result = match played.finished {
                    true => Ok(self.rules.remaining(&played.board)),
                    false => self.test(played.board, target, bounds, resources, control)?,
                };
                let result = result.map_err(SolveError::Stopped)?;
                if (result >= target) != played.again {
                    continue;
                }
                slots.push(slot);
                if !played.again || played.finished {
                    return Ok(slots);
                }
                (board, needed) = (played.board, needed_after);
                continue 'turn;
            }
            return Err(SolveError::NoSuchTurn { margin: target });
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

    /// Searches a tree with all threads, until it is resolved or `node_budget` nodes are used up.
    fn search_round(
        &self,
        tree: &SharedTree<B>,
        test: &NullWindow<B>,
        node_budget: u64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<i64, Interrupt> {
        let nodes = resources.work.nodes;
        if let Some(reason) = control.limits.stop_reason(nodes) {
            let stored = self.stored_result(test);
            return self.unless_tables_changed(stored.ok_or(Interrupt::Stopped(reason)));
        }
        let threads = if node_budget <= SINGLE_THREAD_NODES { 1 } else { resources.threads };
        let exchange = resources.exchange;
        let state = SearchState::new(nodes, node_budget, control.limits, exchange);
        let worker_bytes = resources.memory.turns / threads as u64;
        let work = |check_limits: &dyn Fn() -> bool| {
            let context = SearchContext {
                rules: &self.rules,
                transpositions: &self.transpositions,
                tables: self.tables.as_deref(),
                ordering: &self.ordering,
                evaluator: self.evaluator.as_ref(),
                check_limits,
            };
            Worker::new(context, &state, worker_bytes).run(tree)
        };
        control.report(test.bounds, test.target, nodes);
        let checkpointer = &mut resources.checkpointer;
        let mut maintain = |control: &mut Control<'_>| {
            control.report(test.bounds, test.target, state.total_nodes());
            self.import_news(&state, test);
            if let Some(checkpointer) = checkpointer.as_deref_mut() {
                let nodes = state.total_nodes();
                if checkpointer.save_if_due(nodes, |max| self.export(max)).is_err() {
                    state.set_interrupt(Interrupt::TableDamaged);
                }
            }
        };
        let check_limits = || {
            state.apply_limits();
            state.is_interrupted()
        };
        let has_news = || exchange.is_some_and(|exchange| exchange.has_news());
        let result = match threads {
            1 => {
                // A single thread maintains the search by itself: in a browser there is no other.
                let shared = RefCell::new((control, maintain));
                work(&|| {
                    let (control, maintain) = &mut *shared.borrow_mut();
                    if has_news() || control.is_report_due() {
                        maintain(control);
                        control.reset_timer();
                    }
                    check_limits()
                })
            }
            _ => {
                let interval = REPORT_INTERVAL / if exchange.is_some() { 10 } else { 1 };
                run_threads(threads, interval, &|| work(&check_limits), &mut || maintain(control))
            }
        };
        let result = match (result, exchange) {
            (Err(Interrupt::Resolved), Some(_)) => {
                self.stored_result(test).ok_or(Interrupt::Resolved)
            }
            (result, _) => result,
        };
        state.add_to(resources.work);
        self.unless_tables_changed(result)
    }

    /// Imports the entries that other processes have published, and ends the search if they decide its test.
    fn import_news(&self, state: &SearchState<'_>, test: &NullWindow<B>) {
        if let Some(exchange) = state.exchange.filter(|exchange| exchange.has_news()) {
            if self.transpositions.import(&exchange.take_imported()).is_err() {
                state.set_interrupt(Interrupt::BoundsCrossed);
            } else if self.stored_result(test).is_some() {
                state.set_interrupt(Interrupt::Resolved);
            }
        }
    }

    /// A result, unless a file of the tables that it rests on has changed.
    fn unless_tables_changed(&self, result: Result<i64, Interrupt>) -> Result<i64, Interrupt> {
        if self.check_tables().is_err() { Err(Interrupt::TableDamaged) } else { result }
    }
}

/// Runs `work` on threads, and `maintain` at intervals. Returns the result that takes precedence: the thread with
/// the result interrupts the others, which then know less.
fn run_threads(
    threads: usize,
    interval: Duration,
    work: &(dyn Fn() -> Result<i64, Interrupt> + Sync),
    maintain: &mut dyn FnMut(),
) -> Result<i64, Interrupt> {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(move || sender.send(work()));
        }
        drop(sender);
        let mut result = Err(Interrupt::Resolved);
        loop {
            match receiver.recv_timeout(interval) {
                Ok(one) if precedence(&one) > precedence(&result) => result = one,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return result,
                Err(RecvTimeoutError::Timeout) => maintain(),
            }
        }
    })
}

/// A null-window test of a board whose value lies within the bounds: is it at least the target?
struct NullWindow<B> {
    board: B,
    target: i64,
    bounds: Bounds,
}

#[cfg(test)]
mod tests;
