//! The search: is a position worth at least this much?

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::memory::{Place, Span};
use crate::rank::Ranked;
use crate::turn::{End, Found, Knowledge, Turns, Way};

/// Why a search ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The nodes that it was given are used up.
    Budget,
    /// The time is up, or the caller wants no more.
    Stop,
    /// Another thread has the answer.
    Done,
    /// A table is damaged.
    Tables,
}

impl Halt {
    fn of_code(code: u8) -> Option<Halt> {
        [Halt::Budget, Halt::Stop, Halt::Done, Halt::Tables]
            .into_iter()
            .find(|halt| *halt as u8 + 1 == code)
    }
}

/// What the threads of one search share besides the memory.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    halt: AtomicU8,
    /// Nodes and moves of the whole search.
    pub(crate) nodes: AtomicU64,
    pub(crate) moves: AtomicU64,
    budget: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Boards that some thread is at work on; `None` with one thread only.
    busy: Option<Busy>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        threads: usize,
        budget: u64,
        deadline: Option<Instant>,
        stop: &'a AtomicBool,
    ) -> Shared<'a> {
        Shared {
            halt: AtomicU8::new(0),
            nodes: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            budget,
            deadline,
            stop,
            busy: (threads > 1).then(Busy::new),
        }
    }

    /// Whether the search is to end; looks at the clock.
    fn is_halted(&self) -> bool {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.stop.load(Relaxed) {
            self.halt(Halt::Stop);
        }
        self.halt.load(Relaxed) != 0
    }

    /// Why the search is over, if it is.
    fn reason(&self) -> Option<Halt> {
        Halt::of_code(self.halt.load(Relaxed))
    }

    /// Ends the search for all threads. The first reason holds.
    pub(crate) fn halt(&self, halt: Halt) {
        let _ = self.halt.compare_exchange(0, halt as u8 + 1, Relaxed, Relaxed);
    }
}

/// Which boards are being searched, so that threads spread out over a tree they all walk.
///
/// It is a hint: an entry may be lost or belong to another board, and then work is done twice or
/// in another order, but what is proven stays proven.
#[derive(Debug)]
struct Busy(Box<[AtomicU64]>);

impl Busy {
    fn new() -> Busy {
        Busy((0..1 << 12).map(|_| AtomicU64::new(0)).collect())
    }

    fn slot(&self, mark: u64) -> &AtomicU64 {
        &self.0[(mark >> 40) as usize & (self.0.len() - 1)]
    }
}

/// Below this level a search is too short to be worth marking.
const BUSY_LEVEL: u64 = 10;

/// One thread's search.
pub(crate) struct Search<'a, B: Ranked> {
    known: Knowledge<'a, B>,
    shared: &'a Shared<'a>,
    turns: Turns<B>,
    ends: Vec<End<B>>,
    ways: Vec<Way>,
    /// Nodes and moves already added to the shared counts.
    counted: (u64, u64),
}

impl<'a, B: Ranked> Search<'a, B> {
    pub(crate) fn new(
        known: Knowledge<'a, B>,
        shared: &'a Shared<'a>,
        memory_for_turns: u64,
    ) -> Search<'a, B> {
        Search {
            known,
            shared,
            turns: Turns::new(memory_for_turns),
            ends: Vec::new(),
            ways: Vec::new(),
            counted: (0, 0),
        }
    }

    /// Searches a live board, and halts the other threads when done.
    pub(crate) fn run(&mut self, board: B, target: i64) -> Result<i64, Halt> {
        let level = board.own_seeds() + board.other_seeds();
        if let Some(value) = self.known.tables.and_then(|tables| board.look_up(tables)) {
            self.shared.halt(Halt::Done);
            return Ok(value.into());
        }
        let answer = self.bound(board, level, target);
        match answer {
            Ok(_) => self.shared.halt(Halt::Done),
            Err(halt) => self.shared.halt(halt),
        }
        self.count();
        answer
    }

    /// Bounds what the mover of a live board of this level gets out of its houses.
    ///
    /// Let v be the true value and r the answer. If r >= target then v >= r; if r < target then
    /// v <= r.
    fn bound(&mut self, board: B, level: u64, target: i64) -> Result<i64, Halt> {
        let place = self.known.memory.place(&board, level);
        self.bound_at(board, level, target, place)
    }

    /// The same, for a board whose place in memory is known.
    fn bound_at(
        &mut self,
        board: B,
        level: u64,
        target: i64,
        place: Option<Place>,
    ) -> Result<i64, Halt> {
        let most = level as i64;
        if target <= -most {
            return Ok(-most);
        }
        if target > most {
            return Ok(most);
        }
        if let Some(span) = place.and_then(|place| self.known.memory.get(place)) {
            if span.low >= target {
                return Ok(span.low);
            }
            if span.high < target {
                return Ok(span.high);
            }
        }
        let nodes = self.turns.nodes;
        let base = self.ends.len();
        let ways = self.ways.len();
        let answer = self.expand(board, level, target, base);
        self.ends.truncate(base);
        let failed = answer.ok().filter(|answer| *answer < target);
        for way in self.ways.drain(ways..) {
            // All that can be had by way of this board is too little as well.
            if let Some(answer) = failed {
                let span = Span { low: way.gain - most, high: answer - way.gain };
                self.known.memory.put(way.place, span, 1);
            }
        }
        let answer = answer?;
        if let Some(place) = place {
            let span = if answer >= target {
                Span { low: answer, high: most }
            } else {
                Span { low: -most, high: answer }
            };
            self.known.memory.put(place, span, self.turns.nodes - nodes);
        }
        Ok(answer)
    }

    fn expand(&mut self, board: B, level: u64, target: i64, base: usize) -> Result<i64, Halt> {
        let halted = || self.shared.is_halted();
        let (ends, ways) = (&mut self.ends, &mut self.ways);
        let found = self.turns.generate(&self.known, board, target, ends, ways, &halted);
        if self.turns.nodes - self.counted.0 >= 1 << 10 {
            self.count();
            if let Some(halt) = self.shared.reason() {
                return Err(halt);
            }
        }
        let mut best = match found {
            Found::Enough(value) => return Ok(value),
            Found::Ends(settled) => settled.unwrap_or(-(level as i64)),
            Found::Damage => return Err(Halt::Tables),
            // Too many turns end the search, unless it was at its end for another reason.
            Found::Broken => {
                self.shared.halt(Halt::Stop);
                return Err(self.shared.reason().unwrap_or(Halt::Stop));
            }
        };
        // Some ends are known to be too little.
        let mut open = base;
        for index in base..self.ends.len() {
            let end = self.ends[index];
            if end.gain - end.span.low < target {
                best = best.max(end.gain - end.span.low);
            } else {
                self.ends[open] = end;
                open += 1;
            }
        }
        self.ends.truncate(open);
        // Ends that another thread is at work on are put off: their answer may be there by then.
        let mut put_off = base;
        for index in base..open {
            let end = self.ends[index];
            if index > base && self.is_busy(&end, level) {
                self.ends[put_off] = end;
                put_off += 1;
                continue;
            }
            best = best.max(self.try_end(&end, level, target)?);
            if best >= target {
                return Ok(best);
            }
        }
        for index in base..put_off {
            let end = self.ends[index];
            best = best.max(self.try_end(&end, level, target)?);
            if best >= target {
                break;
            }
        }
        Ok(best)
    }

    /// What a turn with this end is worth, as a bound in the sense of [`bound`](Search::bound).
    fn try_end(&mut self, end: &End<B>, level: u64, target: i64) -> Result<i64, Halt> {
        let left = level - end.gain as u64;
        let busy = self.shared.busy.as_ref().filter(|_| left >= BUSY_LEVEL);
        let mark = busy.map(|busy| (busy, end.board.mix() | 1));
        if let Some((busy, mark)) = mark {
            busy.slot(mark).store(mark, Relaxed);
        }
        let answer = self.bound_at(end.board, left, end.gain - target + 1, end.place);
        if let Some((busy, mark)) = mark {
            busy.slot(mark).store(0, Relaxed);
        }
        Ok(end.gain - answer?)
    }

    fn is_busy(&self, end: &End<B>, level: u64) -> bool {
        let Some(busy) = &self.shared.busy else { return false };
        let mark = end.board.mix() | 1;
        level - end.gain as u64 >= BUSY_LEVEL && busy.slot(mark).load(Relaxed) == mark
    }

    /// Adds what was done to the shared counts, and halts where a limit is reached.
    fn count(&mut self) {
        let (nodes, moves) = (self.turns.nodes, self.turns.moves);
        let fresh = nodes - self.counted.0;
        let total = self.shared.nodes.fetch_add(fresh, Relaxed) + fresh;
        self.shared.moves.fetch_add(moves - self.counted.1, Relaxed);
        self.counted = (nodes, moves);
        if total >= self.shared.budget {
            self.shared.halt(Halt::Budget);
        }
        self.shared.is_halted();
    }
}
