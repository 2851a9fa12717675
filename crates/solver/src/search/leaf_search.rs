//! Leaf search: a null-window test of one leaf, depth first, within the leaf budget of the [shared tree](SharedTree).

use super::context::SearchContext;
use super::effort_model::EffortModel;
use super::proof_numbers::ProofNumbers;
use super::proof_tree::{Leaf, Resolved};
use super::search_board::SearchBoard;
use super::shared_tree::SharedTree;
use super::state::Interrupt;
use super::static_bounds::static_bounds;
use super::transposition::Slot;
use super::turn_generator::{
    Generated, Intermediate, MIN_TURN_BOARDS, Successor, TurnGenerator, TurnLimit,
};
use sowing_rules::Bounds;

/// A task of a worker: it searches claimed leaves, one after the other, and pauses at every prefetch.
///
/// The stack of positions is explicit, since a game can be far longer than a thread's stack is deep.
#[derive(Debug)]
pub(crate) struct LeafSearch<B> {
    leaf: Option<Leaf<B>>,
    /// The generator's node count when the leaf was claimed, and that at which its budget is used up.
    start_nodes: u64,
    end_nodes: u64,
    generator: TurnGenerator<B>,
    stack: Vec<Frame<B>>,
    /// The successors and the boards within turns of all frames.
    successors: Vec<Successor<B>>,
    intermediates: Vec<Intermediate>,
    /// The bytes that these stacks may take.
    max_bytes: usize,
    /// Cutoffs, and those by the first turn tried, not yet added to the shared counts.
    cutoffs: u64,
    first_cutoffs: u64,
    /// Nodes and moves already added to the shared counts.
    counted_nodes: u64,
    counted_moves: u64,
    /// Buffers of [`return_and_claim`](LeafSearch::return_and_claim).
    numbers: Vec<ProofNumbers>,
    resolved: Vec<Resolved<B>>,
}

/// The end of a leaf search.
#[derive(Clone, Copy, Debug)]
enum LeafEnd {
    /// The result of the leaf's test.
    Result(i64),
    /// The budget or the memory is used up: the leaf is expanded with its untried successors.
    Expand,
}

/// Why a leaf search has no result.
#[derive(Clone, Copy, Debug)]
enum LeafStop {
    /// The leaf budget, or the memory of the stacks, is used up.
    Expand,
    /// The round is over.
    Round(Interrupt),
}

impl<T: Into<Interrupt>> From<T> for LeafStop {
    fn from(interrupt: T) -> LeafStop {
        LeafStop::Round(interrupt.into())
    }
}

/// A position whose turns are being tried.
#[derive(Debug)]
struct Frame<B> {
    board: B,
    layer: i64,
    target: i64,
    slot: Option<Slot>,
    /// The generator's node count before it.
    start_nodes: u64,
    /// The most boards that its turns may pass through.
    max_boards: usize,
    /// The first of its successors and intermediates.
    first_successor: usize,
    first_intermediate: usize,
    /// The best value among the turns tried so far: a fail-soft result.
    best: i64,
    /// The successor that is being tried; the first one before any is.
    current: usize,
    next: usize,
}

/// Expand a leaf at once if its expected effort exceeds e^3 times that of a position just above the tables:
/// nine seeds above them with six houses per row, where two in three leaves of Kalah(6,4) would exceed the leaf
/// budget.
const MAX_LOG_EFFORT: f64 = 3.0;

/// The nodes after which a leaf search adds to the shared counts.
const MAX_UNCOUNTED_NODES: u64 = 1 << 10;

/// The turns of one position may take this part of the memory left for turns. Wider ones are tried move by
/// move.
const MEMORY_PART: usize = 4;

/// The factor by which the limit on boards falls after each move of a turn that is tried move by move.
const NARROWING: usize = 8;

impl<B: SearchBoard> LeafSearch<B> {
    /// A leaf search whose stacks take about `max_bytes` bytes at most.
    pub(crate) fn new(max_bytes: usize) -> LeafSearch<B> {
        LeafSearch {
            leaf: None,
            start_nodes: 0,
            end_nodes: u64::MAX,
            generator: TurnGenerator::new(),
            stack: Vec::new(),
            successors: Vec::new(),
            intermediates: Vec::new(),
            max_bytes,
            cutoffs: 0,
            first_cutoffs: 0,
            counted_nodes: 0,
            counted_moves: 0,
            numbers: Vec::new(),
            resolved: Vec::new(),
        }
    }

    /// Whether it has a leaf.
    pub(crate) fn is_busy(&self) -> bool {
        self.leaf.is_some()
    }

    /// Continues its leaf up to the next prefetch. When the leaf is done, or there is none, claims the next one.
    /// Returns the result of the root test, once there is one.
    pub(crate) fn step(
        &mut self,
        context: &SearchContext<'_, B>,
        tree: &SharedTree<B>,
    ) -> Result<Option<i64>, Interrupt> {
        let mut found = match self.leaf {
            Some(_) => match self.resume(context) {
                Ok(None) => return Ok(None),
                Ok(Some(result)) => Some(LeafEnd::Result(result)),
                Err(LeafStop::Expand) => Some(LeafEnd::Expand),
                Err(LeafStop::Round(interrupt)) => return Err(interrupt),
            },
            None => None,
        };
        loop {
            if let Some(result) = self.return_and_claim(found.take(), context, tree)? {
                return Ok(Some(result));
            }
            let Some(leaf) = self.leaf else { return Ok(None) };
            match self.start(&leaf, context, tree)? {
                Some(result) => found = Some(LeafEnd::Result(result)),
                None => return Ok(None),
            }
        }
    }

    /// Gives the leaf back, resolved or expanded, and claims the next one, within one acquisition of the lock. Returns
    /// the result of the root test, once there is one.
    fn return_and_claim(
        &mut self,
        found: Option<LeafEnd>,
        context: &SearchContext<'_, B>,
        tree: &SharedTree<B>,
    ) -> Result<Option<i64>, Interrupt> {
        let (untried, best) = untried(&self.stack, &self.successors);
        // Computed before the lock is taken.
        self.numbers.clear();
        if let (Some(LeafEnd::Expand), Some(leaf)) = (found, self.leaf) {
            let numbers =
                |one: &Successor<B>| context.initial_numbers(&one.board, one.target(leaf.target));
            self.numbers.extend(untried.iter().map(numbers));
        }
        let work = self.generator.nodes - self.start_nodes;
        let mut proof = tree.lock();
        if let (Some(found), Some(leaf)) = (found, self.leaf.take()) {
            match found {
                LeafEnd::Result(result) => proof.resolve(leaf, result, work),
                LeafEnd::Expand => proof.expand(leaf, untried, &self.numbers, best, work),
            }
            tree.notify();
        }
        // The tree is consistent between any two calls.
        let result = proof.result();
        let interrupt = match result {
            Some(_) => None,
            None => {
                let is_full = tree.is_full(&proof);
                context.state.interrupt().or(is_full.then_some(Interrupt::TreeFull))
            }
        };
        if result.is_none() && interrupt.is_none() {
            let probe = |board: &B, target| context.imported_result(board, target);
            self.leaf = proof.select_most_proving(probe);
            self.start_nodes = self.generator.nodes;
        }
        // The selection may have resolved the root.
        let result = proof.result();
        self.resolved.extend(proof.drain_resolved());
        drop(proof);
        self.store_resolved(context)?;
        match interrupt {
            Some(interrupt) => Err(interrupt),
            None => Ok(result),
        }
    }

    /// Stores the results of resolved tests in the transposition table.
    fn store_resolved(&mut self, context: &SearchContext<'_, B>) -> Result<(), Interrupt> {
        for resolved in self.resolved.drain(..) {
            let Resolved { board, target, result, work } = resolved;
            let layer = board.layer();
            if let Some(slot) = context.transpositions.slot(&board, layer) {
                context.store(slot, layer as i64, target, result, work)?;
            }
        }
        Ok(())
    }

    /// Releases its leaf, if it has one, and adds to the shared counts.
    pub(crate) fn release(&mut self, context: &SearchContext<'_, B>, tree: &SharedTree<B>) {
        if let Some(leaf) = self.leaf.take() {
            tree.lock().release(leaf, self.generator.nodes - self.start_nodes);
        }
        self.add_counts(context);
    }

    /// Starts with a leaf, or returns its result at once.
    fn start(
        &mut self,
        leaf: &Leaf<B>,
        context: &SearchContext<'_, B>,
        tree: &SharedTree<B>,
    ) -> Result<Option<i64>, Interrupt> {
        self.stack.clear();
        self.successors.clear();
        self.intermediates.clear();
        let SearchContext { rules, transpositions, tables, .. } = *context;
        let layer = leaf.board.layer();
        let model = EffortModel::for_houses(rules.houses());
        let is_costly = tables.filter(|_| !rules.definition().relay).is_some_and(|tables| {
            model.log_effort_above(layer, tables.max_layer()) > MAX_LOG_EFFORT
        });
        self.end_nodes = self.start_nodes.saturating_add(tree.leaf_budget(is_costly));
        if let Some(value) = tables.and_then(|tables| leaf.board.probe(tables)) {
            return Ok(Some(value.into()));
        }
        let slot = transpositions.slot(&leaf.board, layer);
        let max_boards = tree.max_successors();
        match self.push_node(context, leaf.board, layer as i64, leaf.target, slot, max_boards) {
            Ok(result) => Ok(result),
            Err(LeafStop::Round(interrupt)) => Err(interrupt),
            Err(LeafStop::Expand) => unreachable!("the budgets of a leaf allow its first node"),
        }
    }

    /// Searches the leaf up to the next prefetch, or returns the [fail-soft result](super) of its test.
    fn resume(&mut self, context: &SearchContext<'_, B>) -> Result<Option<i64>, LeafStop> {
        let state = context.state;
        // The entries prefetched before the pause have arrived.
        let mut generated = self.generator.resolve_probes(context, &mut self.successors);
        loop {
            let (successors, intermediates) = (&mut self.successors, &mut self.intermediates);
            let generated = generated
                .take()
                .or_else(|| self.generator.generate(context, successors, intermediates));
            let Some(generated) = generated else { return Ok(None) };
            let frame = self.stack.last_mut().expect("its turns are generated");
            let best = match generated {
                Generated::Cutoff(value) => Some(value),
                Generated::Successors(best) => best,
                Generated::TableDamaged => return Err(Interrupt::TableDamaged.into()),
                Generated::Stopped => return Err(state.interrupt().expect("it is stopped").into()),
                Generated::TooWide => {
                    successors.truncate(frame.first_successor);
                    intermediates.truncate(frame.first_intermediate);
                    let Frame { board, target, .. } = *frame;
                    self.generator.start(board, target, TurnLimit::OneMove, successors);
                    continue;
                }
            };
            frame.best = best.unwrap_or(-frame.layer);
            while let Some(value) = self.next_child(context)? {
                let Some(frame) = self.stack.last_mut() else { return Ok(Some(value)) };
                let successor = &self.successors[frame.current];
                frame.best = frame.best.max(successor.to_mover(value));
                if frame.best >= frame.target {
                    self.cutoffs += 1;
                    self.first_cutoffs += u64::from(frame.current == frame.first_successor);
                }
            }
            if self.generator.nodes - self.counted_nodes
                >= B::NODES_PER_CLOCK_CHECK.min(MAX_UNCOUNTED_NODES)
            {
                self.add_counts(context);
                match state.interrupt() {
                    // The search goes on: the turns of the leaf, possibly millions, are kept.
                    Some(Interrupt::NodeBudget) => return Err(LeafStop::Expand),
                    Some(interrupt) => return Err(interrupt.into()),
                    None => {}
                }
            }
        }
    }

    /// Returns the result of a board's test at once, or pushes the board and starts to generate its turns.
    fn push_node(
        &mut self,
        context: &SearchContext<'_, B>,
        board: B,
        layer: i64,
        target: i64,
        slot: Option<Slot>,
        max_boards: usize,
    ) -> Result<Option<i64>, LeafStop> {
        let SearchContext { rules, transpositions, .. } = *context;
        if let Some(result) = static_bounds(rules, &board, layer).decide(target) {
            return Ok(Some(result));
        }
        let stored = slot.and_then(|slot| transpositions.probe(slot));
        if let Some(result) = stored.and_then(|bounds| bounds.decide(target)) {
            return Ok(Some(result));
        }
        if self.generator.nodes >= self.end_nodes {
            return Err(LeafStop::Expand);
        }
        let max_boards = self.fit_boards(max_boards)?;
        self.generator.start(board, target, TurnLimit::Boards(max_boards), &self.successors);
        let first_successor = self.successors.len();
        self.stack.push(Frame {
            board,
            layer,
            target,
            slot,
            start_nodes: self.generator.nodes,
            max_boards,
            first_successor,
            first_intermediate: self.intermediates.len(),
            best: -layer,
            current: first_successor,
            next: first_successor,
        });
        Ok(None)
    }

    /// The most boards that the turns of the next position may pass through, at most `max_boards`.
    fn fit_boards(&self, max_boards: usize) -> Result<usize, LeafStop> {
        // A list takes up to twice the bytes of its elements.
        let held = 2
            * (self.successors.len() * size_of::<Successor<B>>()
                + self.intermediates.len() * size_of::<Intermediate>()
                + self.stack.len() * size_of::<Frame<B>>());
        let room = self.max_bytes.checked_sub(held).ok_or(LeafStop::Expand)?;
        let fitting = room / MEMORY_PART / TurnGenerator::<B>::BYTES_PER_BOARD;
        Ok(max_boards.min(fitting).max(MIN_TURN_BOARDS))
    }

    /// Pushes the next successor of the topmost position; or, if there is none or the target is reached, pops the
    /// position and returns its result.
    fn next_child(&mut self, context: &SearchContext<'_, B>) -> Result<Option<i64>, LeafStop> {
        let frame = self.stack.last_mut().expect("a position is being searched");
        if frame.best >= frame.target || frame.next == self.successors.len() {
            return self.pop_node(context).map(Some);
        }
        frame.current = frame.next;
        frame.next += 1;
        let successor = self.successors[frame.current];
        let max_boards = if successor.again { frame.max_boards / NARROWING } else { usize::MAX };
        let (left, target) = (frame.layer - successor.gain, successor.target(frame.target));
        self.push_node(context, successor.board, left, target, successor.slot, max_boards)
    }

    /// Pops the topmost position, stores its result, and returns it.
    fn pop_node(&mut self, context: &SearchContext<'_, B>) -> Result<i64, LeafStop> {
        let frame = self.stack.pop().expect("a position is being searched");
        let Frame { layer, target, best, .. } = frame;
        self.successors.truncate(frame.first_successor);
        for Intermediate { slot, gain } in self.intermediates.drain(frame.first_intermediate..) {
            // If no turn reaches the target, none by way of this board does.
            if best < target {
                let bounds = Bounds { low: gain - layer, high: best - gain };
                context.transpositions.store(slot, bounds, 1)?;
            }
        }
        if let Some(slot) = frame.slot {
            let work = self.generator.nodes - frame.start_nodes;
            context.store(slot, layer, target, best, work)?;
        }
        Ok(best)
    }

    /// Adds to the shared counts, and checks the limits.
    fn add_counts(&mut self, context: &SearchContext<'_, B>) {
        let TurnGenerator { nodes, moves, .. } = self.generator;
        let (cutoffs, first_cutoffs) = (self.cutoffs, self.first_cutoffs);
        (self.cutoffs, self.first_cutoffs) = (0, 0);
        context.state.add_counts(
            nodes - self.counted_nodes,
            moves - self.counted_moves,
            cutoffs,
            first_cutoffs,
        );
        (self.counted_nodes, self.counted_moves) = (nodes, moves);
        (context.poll)();
    }
}

/// The successors of the leaf that are not yet tried, and the best value among the others. Without a leaf there are
/// none.
fn untried<'a, B>(stack: &[Frame<B>], successors: &'a [Successor<B>]) -> (&'a [Successor<B>], i64) {
    let Some(leaf) = stack.first() else { return (&[], i64::MIN) };
    let end = stack.get(1).map_or(successors.len(), |frame| frame.first_successor);
    (&successors[leaf.current..end], leaf.best)
}
