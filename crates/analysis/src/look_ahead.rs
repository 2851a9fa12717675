//! Looking a number of turns ahead, by the utility of the PDP-1's program: the seeds in the
//! stores, and once the game is over those in the rows too.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;
use sowing::{Board, Game, Law, Move, Position, Small, Wide};
use sowing_platform::SCRATCH;

/// When a search gives up.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Boards to look at. Long relays count for more.
    pub work: u64,
    /// Whether to give up now: the time is up, or the caller wants no more. The search asks again
    /// after at most [`BETWEEN_LOOKS`] boards.
    pub halted: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("work", &self.work).finish_non_exhaustive()
    }
}

/// The most boards that a search looks at between two calls of [`Limits::halted`]; on boards of
/// more than 8 houses or 255 seeds it calls it for each.
pub const BETWEEN_LOOKS: u64 = 1 << 10;

/// The most bytes that one search takes, until it is done.
pub const LOOK_AHEAD_MEMORY: u64 = SCRATCH as u64;

/// The search was given up.
#[derive(Debug)]
pub struct Halted;

/// A move and the mover's margin after it, as far as the search looked.
pub type Ranking = Vec<(Move, i64)>;

/// Every legal move with its value at this depth, in the order given by the caller. Moves that are
/// worth less than another have an upper bound that is less, too.
///
/// A move that lands in the store is no level of depth, any other is one.
pub fn rank(
    position: &Position,
    depth: u32,
    moves: &[Move],
    limits: &Limits<'_>,
) -> Result<Ranking, Halted> {
    fn run<B: Fit>(
        position: &Position,
        depth: u32,
        moves: &[Move],
        limits: &Limits<'_>,
    ) -> Result<Ranking, Halted> {
        let mut search = Search::<B>::new(position.game(), limits);
        // Shallow searches find the order of moves for the deep one.
        let mut ranking = Vec::new();
        for depth in 1..=depth {
            ranking = search.root(position, depth, moves)?;
        }
        Ok(ranking)
    }
    match Small::new(position.board()) {
        Ok(_) => run::<Small>(position, depth, moves, limits),
        Err(_) => run::<Wide>(position, depth, moves, limits),
    }
}

/// Like [`rank`] for depth 1, 2, ... to `depth`, as deep as the limits allow: the last depth that was
/// looked at in full, and its ranking. At 0 the values are what the moves bring at once. A game that
/// is over within less is not looked at any deeper: nothing would change.
pub fn deepen(position: &Position, depth: u32, limits: &Limits<'_>) -> (u32, Ranking) {
    as_deep(position, depth, limits, true)
}

/// What every legal move is worth as far as the limits allow to look ahead, each by itself: a guess
/// at the mover's margin.
pub fn estimates(position: &Position, depth: u32, limits: &Limits<'_>) -> Ranking {
    as_deep(position, depth, limits, false).1
}

/// Looks deeper and deeper; whether it is enough to know which moves are less than the best.
fn as_deep(position: &Position, depth: u32, limits: &Limits<'_>, compare: bool) -> (u32, Ranking) {
    fn run<B: Fit>(
        position: &Position,
        depth: u32,
        limits: &Limits<'_>,
        compare: bool,
    ) -> (u32, Ranking) {
        let moves: Vec<Move> = position.moves().collect();
        let gain = |action: &Move| {
            let (_, report) = position.play(*action).expect("legal");
            (*action, position.lead() + report.gain as i64)
        };
        let mut reached = (0, moves.iter().map(gain).collect());
        let mut search = Search::<B>::new(position.game(), limits);
        search.compare = compare;
        for depth in 1..=depth {
            search.open_ends = false;
            match search.root(position, depth, &moves) {
                Ok(ranking) => reached = (depth, ranking),
                Err(Halted) => break,
            }
            if !search.open_ends {
                break;
            }
        }
        reached
    }
    match Small::new(position.board()) {
        Ok(_) => run::<Small>(position, depth, limits, compare),
        Err(_) => run::<Wide>(position, depth, limits, compare),
    }
}

/// A board that the houses of a position go into.
trait Fit: Board {
    /// What a margin of such a board fits into.
    type Margin: Copy + Into<i64> + TryFrom<i64, Error: std::fmt::Debug>;

    /// How many boards are looked at between two looks at the clock.
    const PATIENCE: u64;

    fn of(board: &Wide) -> Self;

    /// Without the stores: boards that differ in them only are one.
    fn bare(self) -> Self;
}

impl Fit for Small {
    type Margin = i16;

    const PATIENCE: u64 = BETWEEN_LOOKS;

    fn of(board: &Wide) -> Small {
        Small::new(board).expect("the seeds in houses only become fewer")
    }

    fn bare(self) -> Small {
        self
    }
}

impl Fit for Wide {
    type Margin = i64;

    const PATIENCE: u64 = 1;

    fn of(board: &Wide) -> Wide {
        *board
    }

    fn bare(self) -> Wide {
        Wide::new(self.own(), 0, self.other(), 0)
    }
}

/// What is known of a board's value at some depth, and the best move found.
#[derive(Clone, Copy)]
struct Remembered<M> {
    low: M,
    high: M,
    depth: u16,
    best: u8,
    open: bool,
}

/// Whether a table would take more than this many bytes while it grows for its next entry: the smaller
/// one is there until all entries have moved.
fn is_full<K, V, S>(table: &HashMap<K, V, S>, bytes: usize) -> bool {
    let places = table.capacity() / 7 * 8;
    table.len() == table.capacity() && 3 * places * (size_of::<(K, V)>() + 1) > bytes
}

/// A depth as it is remembered. Lines have fewer moves than the largest.
fn short(depth: u32) -> u16 {
    u16::try_from(depth).unwrap_or(u16::MAX)
}

/// More than any margin, and far enough from the end of the numbers to add margins to.
const INFINITY: i64 = i64::MAX / 4;

/// So many pick-ups beyond the first of a move are as much work as one more board.
const PICK_UPS: u64 = 64;

/// No line is looked at for more moves than this, however many of them are no level of depth: what
/// comes then is left open. The search recurses, and a thread's stack holds this many calls.
const MOST_MOVES: u32 = 500;

struct Search<'a, B: Fit> {
    law: Law<B>,
    limits: &'a Limits<'a>,
    work: u64,
    /// Whether moves that are less than the best need no value of their own.
    compare: bool,
    /// Moves from the position that was asked about.
    ply: u32,
    /// Whether the last search came upon a game that was not over at its depth.
    open_ends: bool,
    known: HashMap<B, Remembered<B::Margin>, FixedState>,
}

impl<'a, B: Fit> Search<'a, B> {
    fn new(game: &Game, limits: &'a Limits<'a>) -> Search<'a, B> {
        let known = HashMap::default();
        Search {
            law: Law::new(game),
            limits,
            work: 0,
            compare: true,
            ply: 0,
            open_ends: false,
            known,
        }
    }

    fn root(&mut self, position: &Position, depth: u32, moves: &[Move]) -> Result<Ranking, Halted> {
        let mut pie = HashMap::new();
        let mut best = -INFINITY;
        let mut ranking = Vec::new();
        for action in moves {
            let floor = if self.compare { best - 1 } else { -INFINITY };
            let value = self.after(position, *action, depth, floor, &mut pie)?;
            best = best.max(value);
            ranking.push((*action, value));
        }
        Ok(ranking)
    }

    /// The mover's margin after a move, if it is more than `alpha`.
    fn after(
        &mut self,
        position: &Position,
        action: Move,
        depth: u32,
        alpha: i64,
        pie: &mut HashMap<(Position, u32), i64>,
    ) -> Result<i64, Halted> {
        let (next, report) = position.play(action).expect("legal");
        self.spend(1 + report.steps.len() as u64 / PICK_UPS)?;
        if report.again {
            self.value_of(&next, depth, alpha, INFINITY, pie)
        } else {
            Ok(-self.value_of(&next, depth - 1, -INFINITY, -alpha, pie)?)
        }
    }

    /// The mover's margin, if it lies between `alpha` and `beta`.
    fn value_of(
        &mut self,
        position: &Position,
        depth: u32,
        alpha: i64,
        beta: i64,
        pie: &mut HashMap<(Position, u32), i64>,
    ) -> Result<i64, Halted> {
        let lead = position.lead();
        if !position.pie_is_open() || depth == 0 || self.ply >= MOST_MOVES {
            let board = B::of(position.board());
            return Ok(lead + self.value(board, depth, alpha - lead, beta - lead)?);
        }
        if let Some(value) = pie.get(&(*position, depth)) {
            return Ok(*value);
        }
        let mut best = -INFINITY;
        self.ply += 1;
        for action in position.moves() {
            best = best.max(self.after(position, action, depth, best, pie)?);
        }
        self.ply -= 1;
        if is_full(pie, SCRATCH / 8) {
            pie.clear();
        }
        pie.insert((*position, depth), best);
        Ok(best)
    }

    /// Counts work, and asks from time to time whether to give up.
    fn spend(&mut self, work: u64) -> Result<(), Halted> {
        let before = self.work / B::PATIENCE;
        self.work += work;
        let look = self.work / B::PATIENCE > before;
        let over = self.work >= self.limits.work || look && (self.limits.halted)();
        if over { Err(Halted) } else { Ok(()) }
    }

    /// What the mover gets out of the houses. If the true value at this depth is at most `alpha`,
    /// the answer is an upper bound that is so too; if it is at least `beta`, a lower bound.
    fn value(&mut self, board: B, depth: u32, alpha: i64, beta: i64) -> Result<i64, Halted> {
        if board.is_finished() {
            return Ok(self.law.remaining(&board));
        }
        if depth == 0 || self.ply >= MOST_MOVES {
            self.open_ends = true;
            return Ok(0);
        }
        let board = board.bare();
        self.spend(1)?;
        let most = (board.own_seeds() + board.other_seeds()) as i64;
        let (mut low, mut high, mut first) = (-most, most, None);
        if let Some(known) = self.known.get(&board) {
            first = Some(usize::from(known.best));
            if known.depth == short(depth) {
                (low, high) = (known.low.into(), known.high.into());
                self.open_ends |= known.open;
            }
        }
        if low >= beta || low == high {
            return Ok(low);
        }
        if high <= alpha {
            return Ok(high);
        }
        let open_before = std::mem::replace(&mut self.open_ends, false);
        let slots = (0..self.law.houses()).filter(|slot| board.seeds(*slot) > 0);
        let mut pick_ups = 0;
        let mut moves: Vec<_> = slots
            .map(|slot| (slot, self.law.play_observed(board, slot, |_| pick_ups += 1)))
            .collect();
        self.spend(pick_ups / PICK_UPS)?;
        // Moving again costs no depth and gains: it comes early.
        moves.sort_by_key(|(slot, played)| {
            (first != Some(*slot), !played.again, Reverse(played.gain))
        });
        let mut best = (-INFINITY, 0);
        self.ply += 1;
        for (slot, played) in moves {
            let gain = played.gain as i64;
            let floor = alpha.max(best.0);
            let (floor, ceiling) = (floor - gain, beta - gain);
            let rest = if played.again {
                self.value(played.board, depth, floor, ceiling)?
            } else {
                -self.value(played.board, depth - 1, -ceiling, -floor)?
            };
            let value = gain + rest;
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
        // All are forgotten then.
        if is_full(&self.known, SCRATCH / 8 * 7) {
            self.known.clear();
        }
        let margin = |margin: i64| margin.try_into().expect("as many seeds as the board holds");
        let (low, high, open) = (margin(low), margin(high), self.open_ends);
        let (depth, best_slot) = (short(depth), best.1 as u8);
        self.known.insert(board, Remembered { low, high, depth, best: best_slot, open });
        self.open_ends |= open_before;
        Ok(best.0)
    }
}
