//! The turn generator: the successors of a position, one per distinct end of a turn.

use std::cmp::Reverse;

use sowing_rules::{Bounds, CompiledRules, Played};
use sowing_tables::ValueLocation;

use super::board_set::BoardSet;
use super::context::SearchContext;
use super::search_board::SearchBoard;
use super::static_bounds::static_bounds;
use super::transposition::Slot;

/// A board after a turn, or after a move if turns are generated move by move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor<B> {
    /// The board as the next mover sees it.
    pub(crate) board: B,
    /// The mover's gain.
    pub(crate) gain: i64,
    /// Whether the same player moves on. Never so after a whole turn.
    pub(crate) again: bool,
    /// The score of move ordering.
    score: i64,
    /// The board's slot in the transposition table, if it has one.
    pub(crate) slot: Option<Slot>,
}

impl<B> Successor<B> {
    #[cfg(test)]
    pub(crate) fn from_move(board: B, gain: i64, again: bool) -> Successor<B> {
        Successor { board, gain, again, score: 0, slot: None }
    }

    /// The mover's value if the next mover's is `value`.
    #[inline]
    pub(crate) fn to_mover(&self, value: i64) -> i64 {
        self.gain + if self.again { value } else { -value }
    }

    /// The target of the null-window test on this board that decides whether the mover reaches `target`:
    /// passing it means yes if the same player moves on, else no.
    #[inline]
    pub(crate) fn target(&self, target: i64) -> i64 {
        if self.again { target - self.gain } else { self.gain - target + 1 }
    }

    /// The mover's bounds if these are the next mover's.
    #[inline]
    fn bounds_to_mover(&self, bounds: Bounds) -> Bounds {
        bounds.to_mover(self.again).shifted(self.gain)
    }
}

/// A board within a turn, where the mover moves again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intermediate {
    pub(crate) slot: Slot,
    /// The mover's gain so far.
    pub(crate) gain: i64,
}

/// A board whose value is in the tables, to be read after the prefetch.
#[derive(Clone, Copy, Debug)]
struct PendingProbe {
    spot: ValueLocation,
    gain: i64,
    again: bool,
}

/// The result of generating turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generated {
    /// A turn reaches the target: the mover's value is at least this.
    Cutoff(i64),
    /// No turn reaches the target by itself. Every decided turn is worth at most this; `None` if none is decided.
    Successors(Option<i64>),
    /// The tables lack a board that they should have.
    TableDamaged,
    /// The turns pass through more boards than the limit.
    TooWide,
    /// The search is stopped.
    Stopped,
}

/// How far turns are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnLimit {
    /// To their ends, through at most this many boards.
    Boards(usize),
    /// One move: no position has too many of those.
    OneMove,
}

/// Generates the successors of one position after another.
///
/// Nearly all time would be spent waiting for memory: the entries of successors lie anywhere in the tables
/// and the transposition table. So [`generate`](TurnGenerator::generate) plays the moves of one board and
/// prefetches; [`resolve_probes`](TurnGenerator::resolve_probes) reads what was prefetched. Between the two, the
/// worker continues another leaf search.
#[derive(Debug)]
pub(crate) struct TurnGenerator<B> {
    seen: BoardSet<B>,
    /// Boards within the turn whose moves are still to be played, with the gain so far.
    pending: Vec<(B, i64, Option<Slot>)>,
    probes: Vec<PendingProbe>,
    request: Request,
    /// The first successor whose probe is unresolved.
    unresolved: usize,
    /// Moves played.
    pub(crate) moves: u64,
    /// Boards whose moves were generated.
    pub(crate) nodes: u64,
}

/// The position whose turns are generated, and the best value so far.
#[derive(Clone, Copy, Debug)]
struct Request {
    layer: i64,
    target: i64,
    limit: TurnLimit,
    /// The first of its successors on the stack.
    base: usize,
    /// The best value among turns known to fail.
    best: Option<i64>,
}

impl<B: SearchBoard> TurnGenerator<B> {
    /// The most bytes per board that turns pass through: while a set grows, its boards are there twice.
    pub(crate) const BYTES_PER_BOARD: usize = 6 * size_of::<(u32, B)>()
        + 2 * size_of::<(B, i64, Option<Slot>)>()
        + size_of::<Successor<B>>();

    pub(crate) fn new() -> TurnGenerator<B> {
        let (pending, probes) = (Vec::new(), Vec::new());
        let request =
            Request { layer: 0, target: 0, limit: TurnLimit::OneMove, base: 0, best: None };
        let seen = BoardSet::new();
        TurnGenerator { seen, pending, probes, request, unresolved: 0, moves: 0, nodes: 0 }
    }

    /// Starts with a live position. Its successors are pushed on top of `successors`.
    ///
    /// Then [`generate`](Self::generate) and [`resolve_probes`](Self::resolve_probes) are called in turn until
    /// one of them returns a result. The result [`Generated::Successors`] leaves on the stack every distinct
    /// board in which a turn passes to the opponent and that is not decided, best score first; with
    /// [`TurnLimit::OneMove`] the boards after each move, whichever player moves there. Boards in the tables are
    /// probed and not followed. A turn that reaches the target ends it with [`Generated::Cutoff`].
    pub(crate) fn start(
        &mut self,
        board: B,
        target: i64,
        limit: TurnLimit,
        successors: &[Successor<B>],
    ) {
        let (layer, base) = (board.layer() as i64, successors.len());
        self.request = Request { layer, target, limit, base, best: None };
        self.unresolved = base;
        self.seen.clear();
        self.pending.clear();
        self.probes.clear();
        self.pending.push((board, 0, None));
    }

    /// Plays the moves of the next board within the turn, and prefetches the entries of the boards after them.
    pub(crate) fn generate(
        &mut self,
        context: &SearchContext<'_, B>,
        successors: &mut Vec<Successor<B>>,
        intermediates: &mut Vec<Intermediate>,
    ) -> Option<Generated> {
        let (board, gain) = match self.next_board(context, intermediates) {
            Ok(Some(next)) => next,
            Ok(None) => return Some(self.finish(context, successors)),
            Err(cutoff) => return Some(cutoff),
        };
        self.nodes += 1;
        let held = self.seen.len() + successors.len() - self.request.base;
        if matches!(self.request.limit, TurnLimit::Boards(max) if held > max) {
            return Some(Generated::TooWide);
        }
        if self.nodes.is_multiple_of(B::NODES_PER_CLOCK_CHECK) {
            (context.poll)();
            if context.state.is_interrupted() {
                return Some(Generated::Stopped);
            }
        }
        self.unresolved = successors.len();
        let first_pending = self.pending.len();
        let table_layer = context.tables.map_or(0, |tables| i64::from(tables.max_layer()));
        for house in board.occupied_nearest_store_first(context.rules.houses()) {
            self.moves += 1;
            let played = context.rules.play_unchecked(board, house);
            if let Some(generated) = self.add_move(context, played, gain, table_layer, successors) {
                return Some(generated);
            }
        }
        // The board after the move nearest to the store comes next.
        self.pending[first_pending..].reverse();
        // All at once: the processor translates their addresses side by side.
        if let Some(tables) = context.tables {
            self.probes.iter().for_each(|probe| tables.prefetch(probe.spot));
        }
        None
    }

    /// The next board within the turn that its entry does not decide, with the gain so far; `None` if there is
    /// none. An entry that reaches the target is a cutoff, in place of an error.
    fn next_board(
        &mut self,
        context: &SearchContext<'_, B>,
        intermediates: &mut Vec<Intermediate>,
    ) -> Result<Option<(B, i64)>, Generated> {
        let target = self.request.target;
        while let Some((board, gain, slot)) = self.pending.pop() {
            let Some(slot) = slot else { return Ok(Some((board, gain))) };
            if let Some(Bounds { low, high }) = context.transpositions.probe(slot) {
                if gain + low >= target {
                    return Err(Generated::Cutoff(gain + low));
                }
                if gain + high < target {
                    self.record_fail_low(gain + high);
                    continue;
                }
            }
            intermediates.push(Intermediate { slot, gain });
            return Ok(Some((board, gain)));
        }
        Ok(None)
    }

    /// Adds the board after a move: as a successor, a board within the turn, a probe, or a decided turn.
    #[inline(always)]
    fn add_move(
        &mut self,
        context: &SearchContext<'_, B>,
        played: Played<B>,
        gain_before: i64,
        table_layer: i64,
        successors: &mut Vec<Successor<B>>,
    ) -> Option<Generated> {
        let SearchContext { rules, tables, .. } = *context;
        let Request { layer, target, limit, base, .. } = self.request;
        let Played { board, again, .. } = played;
        let gain = gain_before + played.gain as i64;
        let left = layer - gain;
        let bounds = static_bounds(rules, &board, left);
        let Bounds { low, high } = bounds.to_mover(again).shifted(gain);
        if low >= target {
            return Some(Generated::Cutoff(low));
        }
        if played.finished {
            let value = gain_before + played.to_mover(rules.remaining(&board));
            if value >= target {
                return Some(Generated::Cutoff(value));
            }
            self.record_fail_low(value);
        } else if high < target {
            self.record_fail_low(high);
        } else if let Some(tables) = tables.filter(|_| left <= table_layer) {
            let Some(spot) = board.locate(tables) else { return Some(Generated::TableDamaged) };
            self.probes.push(PendingProbe { spot, gain, again });
        } else if !again || limit == TurnLimit::OneMove {
            // The opponent's gain from which on the mover cannot reach the target.
            let refutation = (layer - target) / 2 + 1;
            if !again
                && refutation <= MAX_REFUTATION_GAIN
                && successors.len() - base >= MIN_SUCCESSORS_TO_REFUTE
                && let Some(lost) = find_refutation(rules, board, refutation, &mut self.moves)
            {
                self.record_fail_low(layer - 2 * lost);
                return None;
            }
            let slot = context.probes_early(left).then(|| context.slot(&board, left)).flatten();
            successors.push(Successor { board, gain, again, score: 0, slot });
        } else if self.seen.insert(board) {
            self.pending.push((board, gain, context.slot(&board, left)));
        }
        None
    }

    /// Reads the prefetched entries of the boards after the last moves.
    pub(crate) fn resolve_probes(
        &mut self,
        context: &SearchContext<'_, B>,
        successors: &mut Vec<Successor<B>>,
    ) -> Option<Generated> {
        let Request { target, mut best, .. } = self.request;
        for PendingProbe { spot, gain, again } in self.probes.drain(..) {
            let value = context.tables.and_then(|tables| tables.value_at(spot)).map(i64::from);
            let Some(value) = value else { return Some(Generated::TableDamaged) };
            let value = gain + if again { value } else { -value };
            if value >= target {
                return Some(Generated::Cutoff(value));
            }
            best = best.max(Some(value));
        }
        self.request.best = best;
        let mut index = self.unresolved;
        while let Some(successor) = successors.get(index) {
            let bounds = successor.slot.and_then(|slot| context.transpositions.probe(slot));
            match bounds.map(|bounds| successor.bounds_to_mover(bounds)) {
                Some(Bounds { low, .. }) if low >= target => return Some(Generated::Cutoff(low)),
                Some(Bounds { high, .. }) if high < target => {
                    self.record_fail_low(high);
                    successors.swap_remove(index);
                }
                _ => index += 1,
            }
        }
        None
    }

    /// Records a turn that is worth at most `value`, which is below the target.
    fn record_fail_low(&mut self, value: i64) {
        self.request.best = self.request.best.max(Some(value));
    }

    /// Sorts the successors by score and removes repeated boards.
    fn finish(
        &self,
        context: &SearchContext<'_, B>,
        successors: &mut Vec<Successor<B>>,
    ) -> Generated {
        let Request { layer, base, best, .. } = self.request;
        for successor in &mut successors[base..] {
            let Successor { board, gain, again, slot, .. } = *successor;
            successor.slot = slot.or_else(|| context.slot(&board, layer - gain));
            // To move again is better than to leave the same board to the opponent.
            let left_behind = if again { board.flip() } else { board };
            let bonus = if again { AGAIN_SCORE } else { 0 };
            successor.score = bonus + context.ordering.score(&left_behind, gain);
        }
        successors[base..].sort_unstable_by_key(|one| (Reverse(one.score), one.board));
        dedup_tail(successors, base);
        Generated::Successors(best)
    }
}

/// Turns through at most this many boards are generated whole, however little memory there is.
pub(crate) const MIN_TURN_BOARDS: usize = 1 << 6;

/// A refutation is looked for up to this gain, which one or two moves often bring.
const MAX_REFUTATION_GAIN: i64 = 3;

/// A refutation is looked for once there are this many successors: of few, the first one tried probably
/// suffices.
const MIN_SUCCESSORS_TO_REFUTE: usize = 3;

/// A gain of at least `min_gain` that the mover of a live board reaches in one or two moves, if there is one.
/// Most turns that must win nearly everything fail so.
fn find_refutation<B: SearchBoard>(
    rules: &CompiledRules<B>,
    board: B,
    min_gain: i64,
    moves: &mut u64,
) -> Option<i64> {
    let mut again = [(B::EMPTY, 0); 16];
    let mut count = 0;
    for house in board.occupied_nearest_store_first(rules.houses()) {
        *moves += 1;
        let played = rules.play_unchecked(board, house);
        let gain = played.gain as i64;
        if gain >= min_gain {
            return Some(gain);
        }
        if played.again && !played.finished && count < again.len() {
            again[count] = (played.board, gain);
            count += 1;
        }
    }
    for (board, before) in &again[..count] {
        for house in board.occupied_nearest_store_first(rules.houses()) {
            *moves += 1;
            let gain = before + rules.play_unchecked(*board, house).gain as i64;
            if gain >= min_gain {
                return Some(gain);
            }
        }
    }
    None
}

/// The score of moving again: about what two seeds score without an evaluator, less with one.
const AGAIN_SCORE: i64 = 64;

/// Removes repeated boards from the sorted part of a stack that starts at `base`.
fn dedup_tail<B: SearchBoard>(successors: &mut Vec<Successor<B>>, base: usize) {
    let mut kept = base;
    for index in base..successors.len() {
        let key = |one: &Successor<B>| (one.board, one.again);
        if kept == base || key(&successors[kept - 1]) != key(&successors[index]) {
            successors[kept] = successors[index];
            kept += 1;
        }
    }
    successors.truncate(kept);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::control::Limits;
    use crate::search::move_ordering::MoveOrdering;
    use crate::search::state::SearchState;
    use crate::search::transposition::TranspositionTable;
    use crate::search::turn_paths::TurnPaths;
    use sowing_rules::{Board, CompactBoard, Game, SeededRng};
    use sowing_tables::Tables;

    fn random_board(houses: u64, random: &mut SeededRng) -> CompactBoard {
        let mut row = || (0..houses).fold(0, |row, slot| row | random.below(6) << (8 * slot));
        CompactBoard::from_rows(row(), row())
    }

    /// Generates the turns of a board: the result, and the undecided turns.
    fn generate(
        rules: &CompiledRules<CompactBoard>,
        tables: Option<&Tables>,
        board: CompactBoard,
        target: i64,
    ) -> (Generated, Vec<Successor<CompactBoard>>) {
        let table = TranspositionTable::new(rules.houses(), 1 << 16).unwrap();
        let ordering = MoveOrdering::new(rules, None);
        let cancelled = AtomicBool::new(false);
        let limits = Limits { cancelled: &cancelled, deadline: None, max_nodes: u64::MAX };
        let state = SearchState::new(0, u64::MAX, limits, None);
        let context = SearchContext {
            rules,
            transpositions: &table,
            tables,
            ordering: &ordering,
            evaluator: None,
            state: &state,
            poll: &|| {},
        };
        let (mut generator, mut successors) = (TurnGenerator::new(), Vec::new());
        generator.start(board, target, TurnLimit::Boards(usize::MAX), &successors);
        loop {
            let generated = generator.generate(&context, &mut successors, &mut Vec::new());
            let generated =
                generated.or_else(|| generator.resolve_probes(&context, &mut successors));
            if let Some(generated) = generated {
                return (generated, successors);
            }
        }
    }

    /// Cutoffs, and the turns that are left out because static bounds, probes or refutations decide them, agree with
    /// the values, with tables and without, for every target.
    #[test]
    fn pruning_keeps_the_value() {
        let (mut random, mut cutoffs, mut open) = (SeededRng::new(12, 0), 0, 0);
        for name in
            ["kalah(3,3)", "kalah(3,3,remaining-lost)", "s-kalaha(3,3)", "kalah(3,3,empty-capture)"]
        {
            let game: Game = name.parse().unwrap();
            let rules = CompiledRules::new(&game);
            let all = sowing_tables::build_in_memory(&game, 30, &Default::default()).unwrap();
            let few = sowing_tables::build_in_memory(&game, 8, &Default::default()).unwrap();
            for _ in 0..100 {
                let board = random_board(3, &mut random);
                let Some(value) = all.probe(board).map(i64::from) else { continue };
                let layer = board.layer() as i64;
                for (target, tables) in
                    (1 - layer..=layer).flat_map(|at| [(at, None), (at, Some(&few))])
                {
                    if tables.is_some_and(|tables| layer <= tables.max_layer().into()) {
                        continue;
                    }
                    let (generated, successors) = generate(&rules, tables, board, target);
                    let after = |one: &Successor<CompactBoard>| {
                        one.to_mover(all.probe(one.board).expect("live").into())
                    };
                    let best = successors.iter().map(after).max();
                    match generated {
                        Generated::Cutoff(bound) => assert!(target <= bound && bound <= value),
                        Generated::Successors(decided) => {
                            let best = best.max(decided).expect("a live board has turns");
                            assert!(decided.is_none_or(|decided| decided < target));
                            if value >= target {
                                assert_eq!(best, value, "{name} {board:?} {target}");
                            } else {
                                assert!(
                                    value <= best && best < target,
                                    "{name} {board:?} {target}"
                                );
                            }
                        }
                        other => panic!("{other:?}"),
                    }
                    cutoffs += u64::from(matches!(generated, Generated::Cutoff(_)));
                    open += successors.len();
                }
            }
        }
        assert!(cutoffs > 1_000 && open > 1_000, "{cutoffs} {open}");
    }

    /// The generator and the walk over all paths find the same ends of turns, apart from those that static
    /// bounds decide.
    #[test]
    fn successors_are_the_ends_of_all_paths() {
        let (mut random, mut compared) = (SeededRng::new(11, 0), 0);
        for name in ["kalah(4,3)", "kalah(6,4)", "s-kalaha(4,3)", "kalah(5,2,empty-capture)"] {
            let game: Game = name.parse().unwrap();
            let rules = CompiledRules::new(&game);
            for _ in 0..300 {
                let board = random_board(game.houses().into(), &mut random);
                if board.is_finished() {
                    continue;
                }
                // Hard to reach, but not so hard that refutations are looked for.
                let layer = board.layer() as i64;
                let target = layer - 2 * MAX_REFUTATION_GAIN;
                let (Generated::Successors(_), successors) = generate(&rules, None, board, target)
                else {
                    continue;
                };
                let paths = TurnPaths::new(&rules, board, usize::MAX, &|| None).unwrap();
                let is_open = |gain: i64, board: &CompactBoard| {
                    let bounds = -static_bounds(&rules, board, layer - gain);
                    bounds.shifted(gain).high >= target
                };
                let ends = paths.ends.iter().filter(|end| end.value.is_none());
                let expected: BTreeSet<_> = ends
                    .filter(|end| is_open(end.gain, &end.board))
                    .map(|end| (end.board, end.gain))
                    .collect();
                let found: BTreeSet<_> =
                    successors.iter().map(|one| (one.board, one.gain)).collect();
                assert_eq!(found, expected, "{name} {board:?}");
                assert_eq!(found.len(), successors.len(), "{name}: each once");
                compared += found.len();
            }
        }
        assert!(compared > 1_000, "{compared}");
    }
}
