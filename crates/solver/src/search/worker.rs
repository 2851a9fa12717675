//! A worker: one thread of a search.

use super::context::SearchContext;
use super::leaf_search::LeafSearch;
use super::search_board::SearchBoard;
use super::shared_tree::SharedTree;
use super::state::Interrupt;

/// The leaf searches of a worker, interleaved: while one waits for a cache miss, the others run. A relay move takes
/// longer than a miss, so one suffices there.
const LEAF_SEARCHES: usize = 3;

/// One thread of a search: it claims leaves of a shared tree and searches them.
pub(crate) struct Worker<'a, B: SearchBoard> {
    context: SearchContext<'a, B>,
    leaf_searches: Vec<LeafSearch<B>>,
}

impl<'a, B: SearchBoard> Worker<'a, B> {
    /// A worker whose stacks take about `bytes` bytes at most, but at least a mebibyte.
    pub(crate) fn new(context: SearchContext<'a, B>, bytes: u64) -> Worker<'a, B> {
        let count = if context.rules.definition().relay { 1 } else { LEAF_SEARCHES };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1 << 20) / count;
        let leaf_searches = (0..count).map(|_| LeafSearch::new(bytes)).collect();
        Worker { context, leaf_searches }
    }

    /// Searches leaves until the root is resolved or the search is interrupted, then interrupts the others.
    pub(crate) fn run(&mut self, tree: &SharedTree<B>) -> Result<i64, Interrupt> {
        let result = self.search(tree);
        self.context.state.set_interrupt(result.err().unwrap_or(Interrupt::Resolved));
        self.leaf_searches.iter_mut().for_each(|search| search.release(&self.context, tree));
        tree.notify_all();
        result
    }

    fn search(&mut self, tree: &SharedTree<B>) -> Result<i64, Interrupt> {
        loop {
            for leaf_search in &mut self.leaf_searches {
                if let Some(result) = leaf_search.step(&self.context, tree)? {
                    return Ok(result);
                }
            }
            if !self.leaf_searches.iter().any(LeafSearch::is_busy) {
                tree.wait();
                self.context.state.apply_limits();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::control::Limits;
    use crate::search::move_ordering::MoveOrdering;
    use crate::search::proof_tree::ProofTree;
    use crate::search::state::SearchState;
    use crate::search::transposition::TranspositionTable;
    use sowing_plain::{Negamax, Plain};
    use sowing_rules::BoardIndex;
    use sowing_rules::{Bounds, CompactBoard, CompiledRules, Game, Position};
    use sowing_tables::{Tables, build_in_memory};

    /// Results are fail-soft and stored bounds are true, for every target: depth first, expanded leaf by leaf, and with
    /// two workers.
    #[test]
    fn results_bound_the_value() {
        for name in ["kalah(3,2)", "kalah(2,3,empty-capture)", "s-kalaha(3,2)", "kalah(4,1,relay)"]
        {
            let game: Game = name.parse().unwrap();
            let value = Negamax::default().value(&Plain::start(&game));
            let rules = CompiledRules::new(&game);
            let values = build_in_memory(&game, game.total() as u32, &Default::default()).unwrap();
            let board = CompactBoard::new(Position::start(game).board()).unwrap();
            let layer = game.total() as i64;
            for target in 1 - layer..=layer {
                for (expands, workers) in [(false, 1), (true, 1), (true, 2)] {
                    let result = test(&rules, &values, board, target, expands, workers);
                    let (low, high) =
                        if result >= target { (result, layer) } else { (-layer, result) };
                    assert!(
                        low <= value && value <= high,
                        "{name} {target}: {result}, not {value}"
                    );
                }
            }
        }
    }

    fn test(
        rules: &CompiledRules<CompactBoard>,
        values: &Tables,
        board: CompactBoard,
        target: i64,
        expands: bool,
        workers: usize,
    ) -> i64 {
        let table = TranspositionTable::new(rules.houses(), 1 << 16).unwrap();
        let ordering = MoveOrdering::new(rules, None);
        let cancelled = AtomicBool::new(false);
        let limits = Limits { cancelled: &cancelled, deadline: None, max_nodes: u64::MAX };
        let state = SearchState::new(0, u64::MAX, limits, None);
        let mut tree = SharedTree::new(ProofTree::new(board, target), 1 << 20);
        if expands {
            tree.limit_leaf_budget();
        }
        let run = || {
            let context = SearchContext {
                rules,
                transpositions: &table,
                tables: None,
                ordering: &ordering,
                evaluator: None,
                state: &state,
                poll: &|| {},
            };
            Worker::new(context, 1 << 20).run(&tree)
        };
        let result = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(run)).collect();
            let results = threads.into_iter().map(|thread| thread.join().unwrap());
            let results: Vec<_> = results.collect();
            results.into_iter().find_map(Result::ok).expect("one worker has the result")
        });
        let indices = BoardIndex::new(rules.houses());
        for entry in table.export(usize::MAX) {
            let (board, Bounds { low, high }) = (indices.board(entry.index), entry.bounds());
            let value = values.probe(board).map_or(rules.remaining(&board), i64::from);
            assert!(low <= value && value <= high, "{board:?}: {low} to {high}, not {value}");
        }
        result
    }
}
