//! The counters and the interrupt of a round, shared by its threads.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use super::transposition::BoundsCrossed;
use crate::book::Exchange;
use crate::control::{Limits, StopReason};
use crate::query::Work;

/// Why a round ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// A limit of the caller is reached.
    Stopped(StopReason),
    /// The nodes before the next growth of memory and tables are used up.
    NodeBudget,
    /// The test is decided elsewhere: by another thread, or by an entry that another process published. Such an entry
    /// may be replaced before it is read.
    Resolved,
    /// The proof tree takes all of its memory.
    TreeFull,
    /// A table is damaged.
    TableDamaged,
    /// Two bounds of one board cross.
    BoundsCrossed,
}

impl From<BoundsCrossed> for Interrupt {
    fn from(_: BoundsCrossed) -> Interrupt {
        Interrupt::BoundsCrossed
    }
}

impl Interrupt {
    const ALL: [Interrupt; 9] = [
        Interrupt::Stopped(StopReason::Time),
        Interrupt::Stopped(StopReason::Nodes),
        Interrupt::Stopped(StopReason::Memory),
        Interrupt::Stopped(StopReason::Cancelled),
        Interrupt::NodeBudget,
        Interrupt::Resolved,
        Interrupt::TreeFull,
        Interrupt::TableDamaged,
        Interrupt::BoundsCrossed,
    ];

    /// The index in [`ALL`](Self::ALL).
    fn code(self) -> u8 {
        match self {
            Interrupt::Stopped(StopReason::Time) => 0,
            Interrupt::Stopped(StopReason::Nodes) => 1,
            Interrupt::Stopped(StopReason::Memory) => 2,
            Interrupt::Stopped(StopReason::Cancelled) => 3,
            Interrupt::NodeBudget => 4,
            Interrupt::Resolved => 5,
            Interrupt::TreeFull => 6,
            Interrupt::TableDamaged => 7,
            Interrupt::BoundsCrossed => 8,
        }
    }
}

/// The shared state of one round of a search.
#[derive(Debug)]
pub(crate) struct SearchState<'a> {
    /// 0 while the round runs, else one more than the code of the interrupt.
    interrupt: AtomicU8,
    nodes: AtomicU64,
    moves: AtomicU64,
    cutoffs: AtomicU64,
    first_cutoffs: AtomicU64,
    /// The nodes that the solver has searched before.
    nodes_before: u64,
    /// The nodes of the round.
    node_budget: u64,
    limits: Limits<'a>,
    pub(crate) exchange: Option<&'a Exchange>,
}

impl<'a> SearchState<'a> {
    pub(crate) fn new(
        nodes_before: u64,
        node_budget: u64,
        limits: Limits<'a>,
        exchange: Option<&'a Exchange>,
    ) -> SearchState<'a> {
        SearchState {
            interrupt: AtomicU8::new(0),
            nodes: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            cutoffs: AtomicU64::new(0),
            first_cutoffs: AtomicU64::new(0),
            nodes_before,
            node_budget,
            limits,
            exchange,
        }
    }

    /// The nodes of the solver so far, those of this round included.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes_before + self.nodes.load(Relaxed)
    }

    /// Why the round is over, if it is.
    pub(crate) fn interrupt(&self) -> Option<Interrupt> {
        let code = self.interrupt.load(Relaxed);
        code.checked_sub(1).map(|index| Interrupt::ALL[usize::from(index)])
    }

    /// Whether the round is over.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Relaxed) != 0
    }

    /// Ends the round for all threads. The first reason holds.
    pub(crate) fn set_interrupt(&self, interrupt: Interrupt) {
        let _ = self.interrupt.compare_exchange(0, interrupt.code() + 1, Relaxed, Relaxed);
    }

    /// Ends the round if a limit of the caller is reached. Reads the clock.
    pub(crate) fn apply_limits(&self) {
        if let Some(reason) = self.limits.stop_reason(self.total_nodes()) {
            self.set_interrupt(Interrupt::Stopped(reason));
        }
    }

    /// Adds to the counts, and ends the round if the node budget is used up.
    pub(crate) fn add_counts(&self, nodes: u64, moves: u64, cutoffs: u64, first_cutoffs: u64) {
        let total = self.nodes.fetch_add(nodes, Relaxed) + nodes;
        self.moves.fetch_add(moves, Relaxed);
        self.cutoffs.fetch_add(cutoffs, Relaxed);
        self.first_cutoffs.fetch_add(first_cutoffs, Relaxed);
        if total >= self.node_budget {
            self.set_interrupt(Interrupt::NodeBudget);
        }
    }

    /// Adds the counts of this round to those of the solver.
    pub(crate) fn add_to(&self, work: &mut Work) {
        work.nodes += self.nodes.load(Relaxed);
        work.moves += self.moves.load(Relaxed);
        work.cutoffs += self.cutoffs.load(Relaxed);
        work.first_cutoffs += self.first_cutoffs.load(Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Every interrupt survives its code, and the first one holds.
    #[test]
    fn the_first_interrupt_holds() {
        let cancelled = AtomicBool::new(false);
        let limits = Limits { cancelled: &cancelled, deadline: None, max_nodes: 100 };
        for interrupt in Interrupt::ALL {
            let state = SearchState::new(90, 1_000, limits, None);
            state.apply_limits();
            assert!(!state.is_interrupted());
            state.set_interrupt(interrupt);
            state.set_interrupt(Interrupt::Resolved);
            assert_eq!(state.interrupt(), Some(interrupt));
        }
        let state = SearchState::new(90, 1_000, limits, None);
        state.add_counts(10, 0, 0, 0);
        state.apply_limits();
        assert_eq!(state.interrupt(), Some(Interrupt::Stopped(StopReason::Nodes)));
    }
}
