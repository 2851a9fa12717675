//! The upper part of a search: a proof tree, expanded best first.

use super::proof_numbers::ProofNumbers;
use super::search_board::SearchBoard;
use super::turn_generator::Successor;

/// The proof tree of one null-window test: is the value of the root board at least the target?
///
/// This is proof-number search (Allis, van der Meulen and van den Herik, 1994) in the negamax form of df-pn (Nagai,
/// 2002). Each node is the test of one board for its mover. Its children are the tests of the boards after its turns.
/// All numbers are for the parent's mover, so every node takes the minimum of its children's proof numbers (one turn
/// suffices) and the sum of their disproof numbers (all turns must fail). [`select_most_proving`] descends to the
/// most-proving leaf. A leaf search claims that leaf, searches it within a leaf budget, and resolves, expands or
/// releases it. A claimed leaf is not selected again; its *virtual loss* (after Pawlewicz and Hayward, 2013), a factor
/// on both numbers, makes its ancestors look more expensive, so workers spread to other subtrees.
///
/// The structure is a tree, not a graph. Two equal tests (one in a hundred) are both searched; the
/// transposition table resolves the second. Children are contiguous, at most [`MAX_CHILDREN`]; larger sets
/// become a tree of group nodes.
///
/// [`select_most_proving`]: ProofTree::select_most_proving
#[derive(Debug)]
pub(crate) struct ProofTree<B> {
    /// The part of each node that a descent reads. The root comes first.
    nodes: Vec<Node>,
    /// The test of each node, in the same order.
    tests: Vec<Test<B>>,
    /// Tests resolved since [`drain_resolved`](ProofTree::drain_resolved) was last called.
    resolved: Vec<Resolved<B>>,
    /// Freed ranges of children: the first node of each, by the length of the range.
    free_ranges: [Vec<u32>; MAX_CHILDREN + 1],
    /// A buffer of [`free_subtree`](ProofTree::free_subtree).
    stack: Vec<u32>,
}

/// A node, as its parent sees it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The numbers of this turn for the parent's mover.
    numbers: ProofNumbers,
    /// The root is its own parent.
    parent: u32,
    first_child: u32,
    /// 0 for a leaf.
    child_count: u8,
    /// The cheapest child to prove among those with an unclaimed leaf.
    best_child: u8,
    /// Whether the node is an unclaimed leaf, or has one below it.
    has_unclaimed: bool,
    /// Whether the parent's mover also moves here.
    again: bool,
    /// Whether the node stands for some of its parent's turns instead of a board.
    is_group: bool,
    is_resolved: bool,
}

#[derive(Clone, Copy, Debug)]
struct Test<B> {
    board: B,
    target: i64,
    /// The best value among resolved turns, below the target if there is none. Once the node is resolved, its
    /// [fail-soft result](super).
    best: i64,
    /// The nodes searched for this test and for resolved tests below it.
    work: u64,
}

impl Node {
    /// An unclaimed leaf.
    fn leaf(parent: u32, again: bool, numbers: ProofNumbers) -> Node {
        Node {
            numbers: if again { numbers } else { numbers.swapped() },
            parent,
            first_child: 0,
            child_count: 0,
            best_child: 0,
            has_unclaimed: true,
            again,
            is_group: false,
            is_resolved: false,
        }
    }

    fn is_leaf(&self) -> bool {
        self.child_count == 0
    }

    fn is_claimed(&self) -> bool {
        self.is_leaf() && !self.has_unclaimed && !self.is_resolved
    }

    fn children(&self) -> std::ops::Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.child_count)
    }
}

/// The most children of a node: an update reads all of them, so larger sets are split into groups.
const MAX_CHILDREN: usize = 16;

/// A claimed leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<B> {
    pub(crate) board: B,
    pub(crate) target: i64,
    node: u32,
}

/// A resolved test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved<B> {
    pub(crate) board: B,
    pub(crate) target: i64,
    /// The [fail-soft result](super).
    pub(crate) result: i64,
    pub(crate) work: u64,
}

/// Virtual loss: the factor on a claimed leaf's numbers, so that other workers select other subtrees.
const VIRTUAL_LOSS: f32 = 4.0;

impl<B: SearchBoard> ProofTree<B> {
    /// The bytes per node, free ranges included.
    pub(crate) const NODE_BYTES: usize = size_of::<Node>() + size_of::<Test<B>>() + 8;

    pub(crate) fn new(board: B, target: i64) -> ProofTree<B> {
        let (nodes, tests, resolved) = (Vec::new(), Vec::new(), Vec::new());
        let (free_ranges, stack) = ([const { Vec::new() }; MAX_CHILDREN + 1], Vec::new());
        ProofTree { nodes, tests, resolved, free_ranges, stack }.reset(board, target)
    }

    /// A tree for another test in the same memory: fresh memory takes longer to clear than a small tree to
    /// search.
    pub(crate) fn reset(mut self, board: B, target: i64) -> ProofTree<B> {
        self.nodes.clear();
        self.tests.clear();
        self.resolved.clear();
        self.free_ranges.iter_mut().for_each(Vec::clear);
        let unit = ProofNumbers { proof: 1.0, disproof: 1.0 };
        self.nodes.push(Node::leaf(0, true, unit));
        self.tests.push(Test { board, target, best: i64::MIN, work: 0 });
        self
    }

    /// The approximate bytes of its memory.
    pub(crate) fn allocated_bytes(&self) -> usize {
        Self::NODE_BYTES * self.tests.capacity()
    }

    /// The approximate bytes of its nodes.
    pub(crate) fn bytes(&self) -> usize {
        Self::NODE_BYTES * self.nodes.len()
    }

    /// The result of the root test, once it is resolved.
    pub(crate) fn result(&self) -> Option<i64> {
        self.nodes[0].is_resolved.then_some(self.tests[0].best)
    }

    pub(crate) fn has_unclaimed(&self) -> bool {
        self.nodes[0].has_unclaimed
    }

    /// Descends to the most-proving leaf and claims it. The leaf stays claimed until [`resolve`](Self::resolve),
    /// [`expand`](Self::expand) or [`release`](Self::release). `None` if no unclaimed leaf is left, or the root is
    /// resolved. On the way, tests that `probe` decides are resolved.
    pub(crate) fn select_most_proving(
        &mut self,
        probe: impl Fn(&B, i64) -> Option<i64>,
    ) -> Option<Leaf<B>> {
        let mut at = 0;
        loop {
            let node = &mut self.nodes[at as usize];
            if !node.has_unclaimed {
                return None;
            }
            let Test { board, target, .. } = &self.tests[at as usize];
            if node.is_leaf() {
                node.has_unclaimed = false;
                node.numbers = node.numbers.scaled(VIRTUAL_LOSS);
                let leaf = Leaf { board: *board, target: *target, node: at };
                self.update_ancestors(at);
                return Some(leaf);
            }
            at = match probe(board, *target).filter(|_| !node.is_group) {
                Some(result) => {
                    self.propagate_result(at, result);
                    0
                }
                None => node.first_child + u32::from(node.best_child),
            };
        }
    }

    /// Gives a leaf back with its result, after `work` nodes.
    pub(crate) fn resolve(&mut self, leaf: Leaf<B>, result: i64, work: u64) {
        self.tests[leaf.node as usize].work += work;
        self.propagate_result(leaf.node, result);
    }

    /// Gives a leaf back as it was, after `work` nodes.
    pub(crate) fn release(&mut self, leaf: Leaf<B>, work: u64) {
        self.tests[leaf.node as usize].work += work;
        let node = &mut self.nodes[leaf.node as usize];
        if !node.is_resolved {
            node.has_unclaimed = true;
            node.numbers = node.numbers.scaled(1.0 / VIRTUAL_LOSS);
            self.update_ancestors(leaf.node);
        }
    }

    /// Gives a leaf back with its untried successors and their initial numbers. The best of its other turns is
    /// worth `best`, which is below the target if there is none.
    pub(crate) fn expand(
        &mut self,
        leaf: Leaf<B>,
        successors: &[Successor<B>],
        numbers: &[ProofNumbers],
        best: i64,
        work: u64,
    ) {
        assert_eq!(successors.len(), numbers.len(), "a missing turn would count as one that fails");
        let test = &mut self.tests[leaf.node as usize];
        test.work += work;
        if self.nodes[leaf.node as usize].is_resolved {
            return;
        }
        if best >= leaf.target || successors.is_empty() {
            return self.propagate_result(leaf.node, best);
        }
        test.best = best;
        self.add_children(leaf.node, successors, numbers);
        self.update_ancestors(leaf.node);
    }

    /// Adds one child per successor, of which there is at least one, or groups of them.
    fn add_children(&mut self, at: u32, successors: &[Successor<B>], numbers: &[ProofNumbers]) {
        let Test { board, target, best, .. } = self.tests[at as usize];
        let group_size = successors.len().div_ceil(MAX_CHILDREN);
        let child_count = successors.len().div_ceil(group_size);
        let first_child = self.allocate(child_count);
        let parent = &mut self.nodes[at as usize];
        (parent.first_child, parent.child_count) = (first_child, child_count as u8);
        let groups = successors.chunks(group_size).zip(numbers.chunks(group_size));
        for (child, (successors, numbers)) in (first_child..).zip(groups) {
            let (node, test) = match (successors, numbers) {
                ([successor], [numbers]) if group_size == 1 => (
                    Node::leaf(at, successor.again, *numbers),
                    Test {
                        board: successor.board,
                        target: successor.target(target),
                        best: i64::MIN,
                        work: 0,
                    },
                ),
                _ => (
                    Node { is_group: true, ..Node::leaf(at, true, ProofNumbers::DISPROVEN) },
                    Test { board, target, best, work: 0 },
                ),
            };
            self.nodes[child as usize] = node;
            self.tests[child as usize] = test;
            if node.is_group {
                self.add_children(child, successors, numbers);
            }
        }
        self.recompute(at);
    }

    /// Memory for `count` contiguous nodes: the first of them.
    fn allocate(&mut self, count: usize) -> u32 {
        self.free_ranges[count].pop().unwrap_or_else(|| {
            let first = self.nodes.len();
            self.nodes.resize(first + count, self.nodes[0]);
            self.tests.resize(first + count, self.tests[0]);
            first as u32
        })
    }

    /// Frees everything below a resolved node, except a range with a claimed leaf, which its worker still gives
    /// back.
    fn free_subtree(&mut self, at: u32) {
        self.stack.push(at);
        while let Some(at) = self.stack.pop() {
            let node = &mut self.nodes[at as usize];
            let (first, children) = (node.first_child, node.children());
            node.child_count = 0;
            let mut is_claimed = false;
            for (at, child) in (first..).zip(&mut self.nodes[children.clone()]) {
                is_claimed |= child.is_claimed();
                child.is_resolved = true;
                if !child.is_leaf() {
                    self.stack.push(at);
                }
            }
            if !is_claimed {
                self.free_ranges[children.len()].push(first);
            }
        }
    }

    /// The tests resolved since the last call.
    pub(crate) fn drain_resolved(&mut self) -> impl Iterator<Item = Resolved<B>> {
        self.resolved.drain(..)
    }

    /// Resolves a node, and its ancestors as far as that resolves them.
    fn propagate_result(&mut self, at: u32, result: i64) {
        let (mut at, mut result) = (at, result);
        loop {
            let (node, test) = (&mut self.nodes[at as usize], &mut self.tests[at as usize]);
            if node.is_resolved {
                return;
            }
            (node.is_resolved, node.has_unclaimed) = (true, false);
            // A resolved child that leaves its parent open has failed for the parent's mover.
            node.numbers = ProofNumbers::DISPROVEN;
            let Node { parent, again, is_group, .. } = *node;
            let Test { board, target, work, .. } = *test;
            if !is_group {
                self.resolved.push(Resolved { board, target, result, work });
            }
            test.best = result;
            if !node.is_leaf() {
                self.free_subtree(at);
            }
            // The root is its own parent.
            let above = &self.nodes[parent as usize];
            if above.is_resolved {
                return;
            }
            let is_last = self.nodes[above.children()].iter().all(|node| node.is_resolved);
            let above = &mut self.tests[parent as usize];
            // The result as the parent's mover counts it, relative to the parent's target.
            let excess = if again { result - target } else { target - 1 - result };
            above.work += work;
            above.best = above.best.max(above.target + excess);
            if above.best < above.target && !is_last {
                return self.update_ancestors(at);
            }
            (at, result) = (parent, above.best);
        }
    }

    /// Recomputes the ancestors of a changed node, as far as they change.
    fn update_ancestors(&mut self, at: u32) {
        let mut parent = self.nodes[at as usize].parent;
        while self.recompute(parent) && parent != 0 {
            parent = self.nodes[parent as usize].parent;
        }
    }

    /// Recomputes an inner node from its children. Returns whether the change must be propagated.
    fn recompute(&mut self, at: u32) -> bool {
        let node = self.nodes[at as usize];
        if node.is_resolved || node.is_leaf() {
            return false;
        }
        // Numbers are not negative, so their bits are in the same order. The cheapest child cannot be
        // predicted, hence no branches.
        let infinity = f32::INFINITY.to_bits();
        let (mut proof, mut disproof, mut best) = (infinity, 0.0, u64::MAX);
        for (child, index) in self.nodes[node.children()].iter().zip(0_u64..) {
            let bits = child.numbers.proof.to_bits();
            proof = proof.min(bits);
            disproof += child.numbers.disproof;
            let unclaimed = if child.has_unclaimed { bits } else { infinity };
            best = best.min(u64::from(unclaimed) << 32 | index);
        }
        let has_unclaimed = best >> 32 < u64::from(infinity);
        let numbers = ProofNumbers { proof: f32::from_bits(proof), disproof };
        let numbers = if node.again { numbers } else { numbers.swapped() };
        let is_changed = has_unclaimed != node.has_unclaimed || !numbers.is_close(node.numbers);
        let node = &mut self.nodes[at as usize];
        node.best_child = best as u8;
        if is_changed {
            (node.numbers, node.has_unclaimed) = (numbers, has_unclaimed);
        }
        is_changed
    }

    /// Compacts the tree. If more than `max_nodes` nodes remain, the subtrees with the least work become leaves again
    /// and keep their numbers; returns whether that was necessary. No leaf may be claimed.
    pub(crate) fn trim(&mut self, max_nodes: usize) -> bool {
        *self = self.rebuilt(0);
        let is_large = self.nodes.len() > max_nodes;
        let work = self.subtree_work().into_iter().zip(&self.nodes);
        let expanded = work.filter(|(_, node)| !node.is_leaf());
        let mut works: Vec<u64> = expanded.map(|(work, _)| work).collect();
        works.sort_unstable();
        let mut kept = works.len();
        // The children of the root stay in any case.
        while self.nodes.len() > max_nodes && kept > 0 {
            kept /= 2;
            let min_work = works.get(works.len() - kept).map_or(u64::MAX, |work| *work);
            *self = self.rebuilt(min_work);
        }
        is_large
    }

    /// The work of each node and its subtree.
    fn subtree_work(&self) -> Vec<u64> {
        let mut work: Vec<u64> = self.tests.iter().map(|test| test.work).collect();
        // Parents before children. The work of resolved nodes is in their parents already.
        let mut open = vec![0];
        let mut next = 0;
        while next < open.len() {
            let children = self.nodes[open[next]].children();
            open.extend(children.filter(|child| !self.nodes[*child].is_resolved));
            next += 1;
        }
        for at in open.into_iter().skip(1).rev() {
            work[self.nodes[at].parent as usize] += work[at];
        }
        work
    }

    /// The part of the tree that is reached from the root through nodes of at least `min_work`.
    fn rebuilt(&self, min_work: u64) -> ProofTree<B> {
        let work = self.subtree_work();
        let root = &self.tests[0];
        let mut tree = ProofTree::new(root.board, root.target);
        // The old node of each new one.
        let mut sources = vec![0];
        let mut at = 0;
        while at < sources.len() {
            let source = sources[at];
            let old = &self.nodes[source];
            (tree.nodes[at].numbers, tree.nodes[at].is_group) = (old.numbers, old.is_group);
            tree.tests[at] = self.tests[source];
            if !old.is_leaf() && (at == 0 || old.is_group || work[source] >= min_work) {
                let first_child = tree.nodes.len();
                for child in old.children().filter(|child| !self.nodes[*child].is_resolved) {
                    let Node { numbers, again, .. } = self.nodes[child];
                    tree.nodes.push(Node { numbers, ..Node::leaf(at as u32, again, numbers) });
                    tree.tests.push(self.tests[child]);
                    sources.push(child);
                }
                let child_count = tree.nodes.len() - first_child;
                tree.nodes[at].first_child = first_child as u32;
                tree.nodes[at].child_count = child_count as u8;
            } else {
                tree.tests[at].work = work[source];
            }
            at += 1;
        }
        for at in (0..tree.nodes.len()).rev() {
            tree.recompute(at as u32);
        }
        tree
    }
}

#[cfg(test)]
mod tests;
