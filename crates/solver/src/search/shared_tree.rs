//! A proof tree that workers share, with its leaf budget and its memory limit.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::proof_tree::ProofTree;
use super::search_board::SearchBoard;
use super::turn_generator::MIN_TURN_BOARDS;

/// A proof tree behind a lock.
#[derive(Debug)]
pub(crate) struct SharedTree<B> {
    tree: Mutex<ProofTree<B>>,
    /// Signalled when a leaf is given back, if a worker waits.
    leaf_returned: Condvar,
    waiting: AtomicUsize,
    /// The nodes of a leaf search before its leaf is expanded.
    leaf_budget: u64,
    max_bytes: usize,
}

/// The tree holds at least this many nodes, however little memory there is: one leaf never fills it.
const MIN_TREE_NODES: usize = 16 * MIN_TURN_BOARDS;

/// The leaf budget, in nodes: small, since the work is lost if another leaf turns out better, but large
/// compared with the selection of a leaf.
const LEAF_BUDGET: u64 = 1 << 6;

/// Attempts at the lock before a thread sleeps.
const SPINS: u32 = 1 << 10;

/// The longest wait for a leaf before the limits are checked.
const MAX_WAIT: Duration = Duration::from_millis(1);

impl<B: SearchBoard> SharedTree<B> {
    /// At first the leaf budget is unlimited: the root is searched depth first.
    pub(crate) fn new(tree: ProofTree<B>, bytes: u64) -> SharedTree<B> {
        // While the tree is trimmed, the kept part is there twice.
        let max_bytes = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
        SharedTree {
            tree: Mutex::new(tree),
            leaf_returned: Condvar::new(),
            waiting: AtomicUsize::new(0),
            leaf_budget: u64::MAX,
            max_bytes: max_bytes.max(MIN_TREE_NODES * ProofTree::<B>::NODE_BYTES),
        }
    }

    /// Locks the tree. It is held so briefly that sleeping would take longer: the thread spins first.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ProofTree<B>> {
        for _ in 0..SPINS {
            match self.tree.try_lock() {
                Ok(tree) => return tree,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        }
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most successors of one leaf: the first expanded leaves always fit.
    pub(crate) fn max_successors(&self) -> usize {
        self.max_bytes / ProofTree::<B>::NODE_BYTES / 4
    }

    /// The leaf budget. A costly leaf is expanded at once, unless the budget was raised for lack of memory.
    pub(crate) fn leaf_budget(&self, is_costly: bool) -> u64 {
        if is_costly && self.leaf_budget == LEAF_BUDGET { 1 } else { self.leaf_budget }
    }

    /// Whether the tree takes all of its memory.
    pub(crate) fn is_full(&self, tree: &ProofTree<B>) -> bool {
        tree.bytes() > self.max_bytes
    }

    /// Wakes the workers that wait for a leaf.
    pub(crate) fn notify(&self) {
        if self.waiting.load(Relaxed) > 0 {
            self.leaf_returned.notify_all();
        }
    }

    /// Wakes all workers, at the end of a search.
    pub(crate) fn notify_all(&self) {
        self.leaf_returned.notify_all();
    }

    /// Waits until a leaf may be unclaimed, or it is time to check the limits.
    pub(crate) fn wait(&self) {
        let tree = self.lock();
        if !tree.has_unclaimed() {
            self.waiting.fetch_add(1, Relaxed);
            drop(self.leaf_returned.wait_timeout(tree, MAX_WAIT));
            self.waiting.fetch_sub(1, Relaxed);
        }
    }

    /// The tree, once all workers are done.
    pub(crate) fn into_tree(self) -> ProofTree<B> {
        self.tree.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits the leaf budget, if it is unlimited. A budget that was raised for lack of memory stays, or the same
    /// leaves would be expanded and trimmed for ever.
    pub(crate) fn limit_leaf_budget(&mut self) {
        if self.leaf_budget == u64::MAX {
            self.leaf_budget = LEAF_BUDGET;
        }
    }

    /// Trims the tree to half of its memory. If that takes more than resolved nodes, doubles the leaf budget.
    pub(crate) fn trim(&mut self) {
        let max_nodes = self.max_bytes / ProofTree::<B>::NODE_BYTES / 2;
        if self.tree.get_mut().unwrap_or_else(PoisonError::into_inner).trim(max_nodes) {
            // Never unlimited again.
            self.leaf_budget = self.leaf_budget.saturating_mul(2).min(1 << 62);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::proof_numbers::ProofNumbers;
    use crate::search::turn_generator::Successor;
    use sowing_rules::CompactBoard;

    #[test]
    fn a_budget_that_was_raised_for_lack_of_memory_stays() {
        let mut tree = ProofTree::new(CompactBoard::from_rows(200, 1), 1);
        let leaf = tree.select_most_proving(|_, _| None).unwrap();
        let successor =
            |seeds| Successor::from_move(CompactBoard::from_rows(seeds % 200 + 1, 1), 0, false);
        let successors: Vec<_> = (0..2 * MIN_TREE_NODES as u64).map(successor).collect();
        let numbers = vec![ProofNumbers::initial(9, 0.0); successors.len()];
        tree.expand(leaf, &successors, &numbers, -9, 1);
        let mut shared = SharedTree::new(tree, 0);
        assert_eq!(shared.leaf_budget(false), u64::MAX);
        for factor in [1, 2, 4] {
            shared.limit_leaf_budget();
            assert_eq!(shared.leaf_budget(false), factor * LEAF_BUDGET);
            let costly = if factor == 1 { 1 } else { factor * LEAF_BUDGET };
            assert_eq!(shared.leaf_budget(true), costly);
            shared.trim();
        }
        for _ in 0..u64::BITS {
            shared.trim();
            shared.limit_leaf_budget();
            assert!(shared.leaf_budget(false) > 4 * LEAF_BUDGET);
        }
    }
}
