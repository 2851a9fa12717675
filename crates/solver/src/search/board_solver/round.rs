//! One round of a search: workers on a shared tree, and the maintenance beside them.

use std::cell::RefCell;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::{BoardSolver, NullWindow};
use crate::book::{Checkpointer, Exchange};
use crate::control::{Control, REPORT_INTERVAL};
use crate::resources::Resources;
use crate::search::context::SearchContext;
use crate::search::search_board::SearchBoard;
use crate::search::shared_tree::SharedTree;
use crate::search::state::{Interrupt, SearchState};
use crate::search::worker::Worker;

/// The nodes of the first round of a test, which one thread searches: fewer are not worth starting threads for.
pub(super) const SINGLE_THREAD_NODES: u64 = 1 << 12;

/// Which of the results of threads counts: a failure, then a result, then a reason for none.
fn precedence(result: &Result<i64, Interrupt>) -> u8 {
    match result {
        Err(Interrupt::BoundsCrossed | Interrupt::TableDamaged) => 3,
        Ok(_) => 2,
        Err(Interrupt::Resolved) => 0,
        Err(_) => 1,
    }
}

/// A round of the search for the result of one test.
struct Round<'a, B: SearchBoard> {
    solver: &'a BoardSolver<B>,
    tree: &'a SharedTree<B>,
    test: &'a NullWindow<B>,
    state: SearchState<'a>,
    /// The memory of a worker's stacks.
    worker_bytes: u64,
}

impl<B: SearchBoard> BoardSolver<B> {
    /// Searches a tree with all threads, until it is resolved or `node_budget` nodes are used up.
    pub(super) fn search_round(
        &self,
        tree: &SharedTree<B>,
        test: &NullWindow<B>,
        node_budget: u64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<i64, Interrupt> {
        let nodes = resources.work.nodes;
        if let Some(reason) = control.limits.stop_reason(nodes) {
            // A limit does not hide a result that is already stored.
            let stored = self.stored_result(test);
            return self.unless_tables_changed(stored.ok_or(Interrupt::Stopped(reason)));
        }
        let threads = if node_budget <= SINGLE_THREAD_NODES { 1 } else { resources.threads };
        let state = SearchState::new(nodes, node_budget, control.limits, resources.exchange);
        let worker_bytes = resources.memory.turns / threads as u64;
        let round = Round { solver: self, tree, test, state, worker_bytes };
        control.report(test.bounds, test.target, nodes);
        let checkpointer = resources.checkpointer.as_deref_mut();
        let result = match threads {
            1 => round.run_alone(control, checkpointer),
            _ => round.run_threads(threads, control, checkpointer),
        };
        round.state.add_to(resources.work);
        let result = match (result, resources.exchange) {
            (Err(Interrupt::Resolved), Some(_)) => {
                self.stored_result(test).ok_or(Interrupt::Resolved)
            }
            (result, _) => result,
        };
        self.unless_tables_changed(result)
    }

    /// A result, unless a file of the tables that it rests on has changed.
    fn unless_tables_changed(&self, result: Result<i64, Interrupt>) -> Result<i64, Interrupt> {
        if self.check_tables().is_err() { Err(Interrupt::TableDamaged) } else { result }
    }
}

impl<B: SearchBoard> Round<'_, B> {
    /// Runs one worker. It calls `poll` at least every
    /// [`NODES_PER_CLOCK_CHECK`](SearchBoard::NODES_PER_CLOCK_CHECK) nodes.
    fn run_worker(&self, poll: &dyn Fn()) -> Result<i64, Interrupt> {
        let context = SearchContext {
            rules: &self.solver.rules,
            transpositions: &self.solver.transpositions,
            tables: self.solver.tables.as_deref(),
            ordering: &self.solver.ordering,
            evaluator: self.solver.evaluator.as_ref(),
            state: &self.state,
            poll,
        };
        Worker::new(context, self.worker_bytes).run(self.tree)
    }

    /// Runs one worker, which maintains the search by itself: in a browser there is no other thread.
    fn run_alone(
        &self,
        control: &mut Control<'_>,
        checkpointer: Option<&mut Checkpointer>,
    ) -> Result<i64, Interrupt> {
        let shared = RefCell::new((control, checkpointer));
        self.run_worker(&|| {
            let (control, checkpointer) = &mut *shared.borrow_mut();
            if control.is_report_due() || self.state.exchange.is_some_and(Exchange::has_pending) {
                self.maintain(control, checkpointer.as_deref_mut());
            }
            self.state.apply_limits();
        })
    }

    /// Runs workers on threads, and maintains the search meanwhile. Returns the result that takes precedence: the
    /// thread with the result interrupts the others, which then know less.
    fn run_threads(
        &self,
        threads: usize,
        control: &mut Control<'_>,
        mut checkpointer: Option<&mut Checkpointer>,
    ) -> Result<i64, Interrupt> {
        let interval: Duration =
            REPORT_INTERVAL / if self.state.exchange.is_some() { 10 } else { 1 };
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(move || sender.send(self.run_worker(&|| self.state.apply_limits())));
            }
            drop(sender);
            let mut result = Err(Interrupt::Resolved);
            loop {
                match receiver.recv_timeout(interval) {
                    Ok(one) if precedence(&one) > precedence(&result) => result = one,
                    Ok(_) => {}
                    Err(RecvTimeoutError::Disconnected) => return result,
                    Err(RecvTimeoutError::Timeout) => {
                        self.maintain(control, checkpointer.as_deref_mut());
                    }
                }
            }
        })
    }

    /// Reports progress if that is due, imports the entries of other processes, and saves a checkpoint if that is
    /// due.
    fn maintain(&self, control: &mut Control<'_>, checkpointer: Option<&mut Checkpointer>) {
        let nodes = self.state.total_nodes();
        if control.is_report_due() {
            control.report(self.test.bounds, self.test.target, nodes);
            control.reset_timer();
        }
        self.import_pending();
        if let Some(checkpointer) = checkpointer
            && checkpointer.save_if_due(nodes, |max| self.solver.export(max)).is_err()
        {
            self.state.set_interrupt(Interrupt::TableDamaged);
        }
    }

    /// Imports the entries that other processes have published, and ends the round if they decide its test.
    fn import_pending(&self) {
        if let Some(exchange) = self.state.exchange.filter(|exchange| exchange.has_pending()) {
            if self.solver.transpositions.import(&exchange.take_pending()).is_err() {
                self.state.set_interrupt(Interrupt::BoundsCrossed);
            } else if self.solver.stored_result(self.test).is_some() {
                self.state.set_interrupt(Interrupt::Resolved);
            }
        }
    }
}
