//! Look-ahead to a fixed depth: alpha-beta with iterative deepening. The evaluation is that of the PDP-1's
//! program: the seeds in the stores, and those in the rows once the game is over.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;
use sowing_platform::SCRATCH;
use sowing_rules::{
    Board, Bounds, CompactBoard, CompiledRules, Game, Move, Played, Position, WideBoard,
};

/// The limits of a look-ahead.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most boards to search. A long relay counts as several.
    pub max_work: u64,
    /// Whether to stop now. It is called again after at most [`NODES_BETWEEN_CHECKS`] boards.
    pub should_stop: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("max_work", &self.max_work).finish_non_exhaustive()
    }
}

/// The most boards searched between two calls of [`Limits::should_stop`]. Boards of more than 8 houses per row or
/// 255 seeds call it every time.
pub const NODES_BETWEEN_CHECKS: u64 = 1 << 10;

/// The most bytes that one look-ahead uses.
pub const MAX_LOOK_AHEAD_BYTES: u64 = SCRATCH as u64;

/// The search reached one of its [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search reached its limit")]
pub struct LimitReached;

/// The moves, each with the mover's margin after it at the depth of the search.
pub type Ranking = Vec<(Move, i64)>;

/// The value of each of `moves` at this depth, in the given order. A move that is worth less than another may have
/// an upper bound in place of its value, which is less than the other's value too.
///
/// Depth counts turns: a move that ends in the store does not use a level.
pub fn search_to_depth(
    position: &Position,
    depth: u32,
    moves: &[Move],
    limits: &Limits<'_>,
) -> Result<Ranking, LimitReached> {
    fn run<B: LookAheadBoard>(
        position: &Position,
        depth: u32,
        moves: &[Move],
        limits: &Limits<'_>,
    ) -> Result<Ranking, LimitReached> {
        let mut search = Search::<B>::new(position.game(), limits);
        // Shallow searches order the moves of the deeper ones.
        let mut ranking = Vec::new();
        for depth in 1..=depth {
            ranking = search.search_root(position, depth, moves)?;
        }
        Ok(ranking)
    }
    match CompactBoard::new(position.board()) {
        Ok(_) => run::<CompactBoard>(position, depth, moves, limits),
        Err(_) => run::<WideBoard>(position, depth, moves, limits),
    }
}

/// [`search_to_depth`] for depth 1, 2, ... up to `depth`, as deep as the limits allow: the last completed depth and
/// its ranking. At depth 0 a value is the lead after the move's own gain. The search stops early once every line
/// ends within the depth.
pub fn iterative_deepening(position: &Position, depth: u32, limits: &Limits<'_>) -> (u32, Ranking) {
    deepen(position, depth, limits, true)
}

/// An estimate of the mover's margin after each legal move, as deep as the limits allow. Unlike the values of
/// [`iterative_deepening`], none is an upper bound in place of a value.
pub fn estimates(position: &Position, depth: u32, limits: &Limits<'_>) -> Ranking {
    deepen(position, depth, limits, false).1
}

/// Iterative deepening. With `prune_root`, moves below the best have upper bounds in place of values.
fn deepen(
    position: &Position,
    depth: u32,
    limits: &Limits<'_>,
    prune_root: bool,
) -> (u32, Ranking) {
    fn run<B: LookAheadBoard>(
        position: &Position,
        depth: u32,
        limits: &Limits<'_>,
        prune_root: bool,
    ) -> (u32, Ranking) {
        let moves: Vec<Move> = position.moves().collect();
        let gain = |action: &Move| {
            let (_, report) = position.play(*action);
            (*action, position.lead() + report.gain as i64)
        };
        let mut reached = (0, moves.iter().map(gain).collect());
        let mut search = Search::<B>::new(position.game(), limits);
        search.prune_root = prune_root;
        for depth in 1..=depth {
            search.horizon_reached = false;
            match search.search_root(position, depth, &moves) {
                Ok(ranking) => reached = (depth, ranking),
                Err(LimitReached) => break,
            }
            if !search.horizon_reached {
                break;
            }
        }
        reached
    }
    match CompactBoard::new(position.board()) {
        Ok(_) => run::<CompactBoard>(position, depth, limits, prune_root),
        Err(_) => run::<WideBoard>(position, depth, limits, prune_root),
    }
}

/// A board type of the look-ahead.
trait LookAheadBoard: Board {
    /// An integer that holds every margin of such a board.
    type Margin: Copy + Into<i64> + TryFrom<i64, Error: std::fmt::Debug>;

    /// The number of boards between two calls of [`Limits::should_stop`].
    const NODES_PER_CLOCK_CHECK: u64;

    fn from_wide(board: &WideBoard) -> Self;

    /// The board with empty stores: the key of the table.
    fn without_stores(self) -> Self;
}

impl LookAheadBoard for CompactBoard {
    type Margin = i16;

    const NODES_PER_CLOCK_CHECK: u64 = NODES_BETWEEN_CHECKS;

    fn from_wide(board: &WideBoard) -> CompactBoard {
        CompactBoard::new(board).expect("the seeds in houses only become fewer")
    }

    fn without_stores(self) -> CompactBoard {
        self
    }
}

impl LookAheadBoard for WideBoard {
    type Margin = i64;

    const NODES_PER_CLOCK_CHECK: u64 = 1;

    fn from_wide(board: &WideBoard) -> WideBoard {
        *board
    }

    fn without_stores(self) -> WideBoard {
        WideBoard::new(self.own(), 0, self.other(), 0)
    }
}

/// A table entry: the bounds of a board's value at one depth, and the best move.
#[derive(Clone, Copy)]
struct TableEntry<M> {
    low: M,
    high: M,
    depth: u16,
    best: u8,
    /// Whether a line below reached the horizon.
    horizon_reached: bool,
}

/// Whether growing the table for its next entry would exceed `max_bytes`, the old allocation included.
fn is_full<K, V, S>(table: &HashMap<K, V, S>, max_bytes: usize) -> bool {
    let slots = table.capacity() / 7 * 8;
    table.len() == table.capacity() && 3 * slots * (size_of::<(K, V)>() + 1) > max_bytes
}

/// A depth as it is stored. No line is as long as the largest.
fn stored_depth(depth: u32) -> u16 {
    u16::try_from(depth).unwrap_or(u16::MAX)
}

/// Above every margin, with room to add margins.
const INFINITY: i64 = i64::MAX / 4;

/// The number of pick-ups of a relay that count as the work of one board.
const PICK_UPS_PER_BOARD: u64 = 64;

/// The horizon in moves, of which many may belong to one turn. The search recurses once per move, and a thread's
/// stack holds this many calls.
const MAX_PLY: u32 = 500;

struct Search<'a, B: LookAheadBoard> {
    rules: CompiledRules<B>,
    limits: &'a Limits<'a>,
    work: u64,
    /// Whether root moves below the best may have upper bounds in place of values.
    prune_root: bool,
    /// Moves from the root.
    ply: u32,
    /// Whether a line of the current search was cut off at its depth.
    horizon_reached: bool,
    table: HashMap<B, TableEntry<B::Margin>, FixedState>,
}

impl<'a, B: LookAheadBoard> Search<'a, B> {
    fn new(game: &Game, limits: &'a Limits<'a>) -> Search<'a, B> {
        Search {
            rules: CompiledRules::new(game),
            limits,
            work: 0,
            prune_root: true,
            ply: 0,
            horizon_reached: false,
            table: HashMap::default(),
        }
    }

    fn search_root(
        &mut self,
        position: &Position,
        depth: u32,
        moves: &[Move],
    ) -> Result<Ranking, LimitReached> {
        let mut pie = HashMap::new();
        let mut best = -INFINITY;
        let mut ranking = Vec::new();
        for action in moves {
            let floor = if self.prune_root { best - 1 } else { -INFINITY };
            let value = self.search_move(position, *action, depth, floor, &mut pie)?;
            best = best.max(value);
            ranking.push((*action, value));
        }
        Ok(ranking)
    }

    /// The mover's margin after a move if it exceeds `alpha`, else an upper bound that does not.
    fn search_move(
        &mut self,
        position: &Position,
        action: Move,
        depth: u32,
        alpha: i64,
        pie: &mut HashMap<(Position, u32), i64>,
    ) -> Result<i64, LimitReached> {
        let (next, report) = position.play(action);
        self.count_work(1 + report.steps.len() as u64 / PICK_UPS_PER_BOARD)?;
        if report.again {
            self.search_position(&next, depth, alpha, INFINITY, pie)
        } else {
            Ok(-self.search_position(&next, depth - 1, -INFINITY, -alpha, pie)?)
        }
    }

    /// The mover's margin with stores; between `alpha` and `beta` exact, as for
    /// [`search_board`](Self::search_board). `pie` stores positions in which the pie rule is open.
    fn search_position(
        &mut self,
        position: &Position,
        depth: u32,
        alpha: i64,
        beta: i64,
        pie: &mut HashMap<(Position, u32), i64>,
    ) -> Result<i64, LimitReached> {
        let lead = position.lead();
        if !position.pie_is_open() || depth == 0 || self.ply >= MAX_PLY {
            let board = B::from_wide(position.board());
            return Ok(lead + self.search_board(board, depth, alpha - lead, beta - lead)?);
        }
        if let Some(value) = pie.get(&(*position, depth)) {
            return Ok(*value);
        }
        let mut best = -INFINITY;
        self.ply += 1;
        for action in position.moves() {
            best = best.max(self.search_move(position, action, depth, best, pie)?);
        }
        self.ply -= 1;
        if is_full(pie, SCRATCH / 8) {
            pie.clear();
        }
        pie.insert((*position, depth), best);
        Ok(best)
    }

    /// Counts work, and fails if a limit is reached.
    fn count_work(&mut self, work: u64) -> Result<(), LimitReached> {
        let before = self.work / B::NODES_PER_CLOCK_CHECK;
        self.work += work;
        let check = self.work / B::NODES_PER_CLOCK_CHECK > before;
        let stop = self.work >= self.limits.max_work || check && (self.limits.should_stop)();
        if stop { Err(LimitReached) } else { Ok(()) }
    }

    /// The bounds of the table at this depth, else those of the layer; and the best move of the table.
    fn probe(&mut self, board: &B, depth: u32) -> (Bounds, Option<usize>) {
        let layer = Bounds::from_layer(board.layer() as i64);
        let Some(entry) = self.table.get(board) else { return (layer, None) };
        let best = Some(usize::from(entry.best));
        if entry.depth != stored_depth(depth) {
            return (layer, best);
        }
        self.horizon_reached |= entry.horizon_reached;
        (Bounds { low: entry.low.into(), high: entry.high.into() }, best)
    }

    fn store(&mut self, board: B, depth: u32, bounds: Bounds, best: usize) {
        if is_full(&self.table, SCRATCH / 8 * 7) {
            self.table.clear();
        }
        let margin = |margin: i64| margin.try_into().expect("at most the seeds of the board");
        let (low, high, horizon_reached) =
            (margin(bounds.low), margin(bounds.high), self.horizon_reached);
        let (depth, best) = (stored_depth(depth), best as u8);
        self.table.insert(board, TableEntry { low, high, depth, best, horizon_reached });
    }

    /// The moves by slot: `first`, then moves that end in the store, then large gains.
    fn ordered_moves(
        &mut self,
        board: B,
        first: Option<usize>,
    ) -> Result<Vec<(usize, Played<B>)>, LimitReached> {
        let slots = (0..self.rules.houses()).filter(|slot| board.seeds(*slot) > 0);
        let mut pick_ups = 0;
        let mut moves: Vec<_> = slots
            .map(|slot| (slot, self.rules.play_observed(board, slot, |_| pick_ups += 1)))
            .collect();
        self.count_work(pick_ups / PICK_UPS_PER_BOARD)?;
        moves.sort_by_key(|(slot, played)| {
            (first != Some(*slot), !played.again, Reverse(played.gain))
        });
        Ok(moves)
    }

    /// The mover's margin from the houses. If the value at this depth is at most `alpha`, the result is an upper
    /// bound that is at most `alpha` too; if it is at least `beta`, a lower bound that is at least `beta`.
    fn search_board(
        &mut self,
        board: B,
        depth: u32,
        alpha: i64,
        beta: i64,
    ) -> Result<i64, LimitReached> {
        if board.is_finished() {
            return Ok(self.rules.remaining(&board));
        }
        if depth == 0 || self.ply >= MAX_PLY {
            self.horizon_reached = true;
            return Ok(0);
        }
        let board = board.without_stores();
        self.count_work(1)?;
        let (Bounds { mut low, mut high }, first) = self.probe(&board, depth);
        if low >= beta || low == high {
            return Ok(low);
        }
        if high <= alpha {
            return Ok(high);
        }
        let reached_before = std::mem::replace(&mut self.horizon_reached, false);
        let moves = self.ordered_moves(board, first)?;
        let mut best = (-INFINITY, 0);
        self.ply += 1;
        for (slot, played) in moves {
            let gain = played.gain as i64;
            let (floor, ceiling) = (alpha.max(best.0) - gain, beta - gain);
            let next = if played.again {
                self.search_board(played.board, depth, floor, ceiling)?
            } else {
                self.search_board(played.board, depth - 1, -ceiling, -floor)?
            };
            let value = played.to_mover(next);
            if value > best.0 {
                best = (value, slot);
            }
            if value >= beta {
                break;
            }
        }
        self.ply -= 1;
        if best.0 > alpha {
            low = low.max(best.0);
        }
        if best.0 < beta {
            high = high.min(best.0);
        }
        self.store(board, depth, Bounds { low, high }, best.1);
        self.horizon_reached |= reached_before;
        Ok(best.0)
    }
}
