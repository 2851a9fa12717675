//! The search: is a position worth at least this much?

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use sowing_platform::Instant;

use crate::exchange::Exchange;
use crate::memory::{Crossed, Place};
use crate::rank::Ranked;
use crate::turn::{End, Found, Knowledge, Reach, Turns, Way};
use crate::verdict::Bounds;

/// Why a search ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The nodes that it was given are used up.
    Budget,
    /// The time is up, or the caller wants no more.
    Stop,
    /// Another thread has the answer.
    Done,
    /// The positions under way and their turns take all the memory that there is for them.
    Full,
    /// A table is damaged.
    Tables,
    /// Two bounds of one position cross.
    Crossed,
}

impl From<Crossed> for Halt {
    fn from(_: Crossed) -> Halt {
        Halt::Crossed
    }
}

impl Halt {
    fn of_code(code: u8) -> Option<Halt> {
        use Halt::*;
        [Budget, Stop, Done, Full, Tables, Crossed].into_iter().find(|halt| *halt as u8 + 1 == code)
    }
}

/// What the threads of one search share besides the memory.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    halt: AtomicU8,
    /// What the whole search has done.
    pub(crate) nodes: AtomicU64,
    pub(crate) moves: AtomicU64,
    pub(crate) cuts: AtomicU64,
    pub(crate) first_cuts: AtomicU64,
    budget: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Boards that some thread is at work on; `None` with one thread only.
    busy: Option<Busy>,
    /// Where other searches for the same are told of what was found.
    exchange: Option<&'a Exchange>,
    /// How often something was taken into the memory that others have told.
    pub(crate) heard: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        threads: usize,
        budget: u64,
        deadline: Option<Instant>,
        stop: &'a AtomicBool,
        exchange: Option<&'a Exchange>,
    ) -> Shared<'a> {
        Shared {
            halt: AtomicU8::new(0),
            nodes: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            cuts: AtomicU64::new(0),
            first_cuts: AtomicU64::new(0),
            budget,
            deadline,
            stop,
            busy: (threads > 1).then(Busy::new),
            exchange,
            heard: AtomicU64::new(0),
        }
    }

    /// Whether the search is to end; looks at the clock.
    pub(crate) fn is_halted(&self) -> bool {
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

    /// The mark of an end of a position of this layer, where threads are to know who is at work.
    #[inline]
    fn mark<B: Ranked>(&self, end: &End<B>, layer: i64) -> Option<(&Busy, u64)> {
        let busy = self.busy.as_ref().filter(|_| layer - end.gain >= BUSY_LAYER)?;
        Some((busy, end.board.mix() | 1))
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

/// Boards with so many seeds more than the tables have are large enough for searches that tell each
/// other what they find to go different ways.
const SPREAD: i64 = 6;

/// Below this layer a search is too short to be worth marking.
const BUSY_LAYER: i64 = 10;

/// The turns of one position may take this part of the memory that is left for turns; if they would
/// take more, they are taken move by move.
const PART: usize = 4;

/// What is left of such turns after a move may pass through so many times fewer boards.
const NARROWER: usize = 8;

/// However little memory there is, turns through so few boards are followed to their ends.
const LEAST_REACH: usize = 1 << 6;

/// A position whose turns are being tried, one after the other.
#[derive(Debug)]
struct Frame {
    layer: i64,
    target: i64,
    place: Option<Place>,
    /// The nodes counted before it.
    nodes: u64,
    /// The most boards that its turns may pass through.
    reach: usize,
    /// Where its ends and ways start on their stacks.
    ends: usize,
    ways: usize,
    /// The best that is known of the turns tried so far, as a bound in the sense of
    /// [`Search::bound`].
    best: i64,
    /// The end to be tried next, and where this round of tries stops.
    next: usize,
    stop: usize,
    /// Ends that another thread was at work on are put off to a second round, since their answers
    /// may be there by then; they are moved to the front, up to here.
    put_off: usize,
    second: bool,
    /// The end that is being tried.
    tried: usize,
    /// What it is taken to be, where there is a sign of it.
    kind: Option<Kind>,
}

/// What comes of trying the turns of a position, as far as its surroundings tell. Only searches that
/// tell each other what they find care: it says where they may part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The first turn will be enough: all had better try the same one.
    Cut,
    /// No turn will be: all must be tried, in whatever order.
    All,
}

impl Frame {
    /// What the position after the end that is being tried is taken to be. A position whose first turn
    /// was not enough is likely to have none that is; then every answer to its turns is one that is.
    fn below(&self, again: bool) -> Option<Kind> {
        let kind = if self.tried > self.ends { Some(Kind::All) } else { self.kind };
        match (kind?, again) {
            (kind, true) => Some(kind),
            (Kind::All, false) => Some(Kind::Cut),
            (Kind::Cut, false) => Some(Kind::All),
        }
    }
}

/// One thread's search.
///
/// It keeps its own stack of positions, since a game can be far longer than a thread's stack is
/// deep.
pub(crate) struct Search<'a, B: Ranked> {
    known: Knowledge<'a, B>,
    shared: &'a Shared<'a>,
    turns: Turns<B>,
    frames: Vec<Frame>,
    ends: Vec<End<B>>,
    ways: Vec<Way>,
    /// How many bytes all of these may take.
    bytes: usize,
    /// Turns that were enough, and those of them that were tried first; not yet shared.
    cuts: (u64, u64),
    /// Nodes and moves already added to the shared counts.
    counted: (u64, u64),
    /// What others had told when it was last looked for.
    heard: u64,
}

impl<'a, B: Ranked> Search<'a, B> {
    /// A search that holds about this many bytes at most (but never too little to work).
    pub(crate) fn new(
        known: Knowledge<'a, B>,
        shared: &'a Shared<'a>,
        bytes: u64,
    ) -> Search<'a, B> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1 << 20);
        let (frames, ends, ways) = (Vec::new(), Vec::new(), Vec::new());
        let (turns, cuts, counted) = (Turns::new(), (0, 0), (0, 0));
        let heard = shared.heard.load(Relaxed);
        Search { known, shared, turns, frames, ends, ways, bytes, cuts, counted, heard }
    }

    /// The most boards that the turns of a position may pass through, and no more than `reach`.
    fn reach(&self, reach: usize) -> Result<usize, Halt> {
        // A list takes up to twice what is in it.
        let held = 2
            * (self.ends.len() * size_of::<End<B>>()
                + self.ways.len() * size_of::<Way>()
                + self.frames.len() * size_of::<Frame>());
        let room = self.bytes.checked_sub(held).ok_or(Halt::Full)?;
        Ok(reach.min(room / PART / Turns::<B>::BYTES).max(LEAST_REACH))
    }

    /// Searches a live board, and halts the other threads when done.
    pub(crate) fn run(&mut self, board: B, target: i64) -> Result<i64, Halt> {
        let answer = match self.known.tables.and_then(|tables| board.look_up(tables)) {
            Some(value) => Ok(value.into()),
            None => self.bound(board, target),
        };
        self.shared.halt(answer.err().unwrap_or(Halt::Done));
        self.count();
        answer
    }

    /// Bounds what the mover of a live board gets out of its houses.
    ///
    /// Let v be the true value and r the answer. If r >= target then v >= r; if r < target then
    /// v <= r.
    fn bound(&mut self, board: B, target: i64) -> Result<i64, Halt> {
        let layer = board.own_seeds() + board.other_seeds();
        let place = self.known.memory.place(&board, layer);
        let mut answer = self.open(board, layer as i64, target, place, usize::MAX)?;
        loop {
            if let Some(value) = answer {
                let Some(frame) = self.frames.last_mut() else { return Ok(value) };
                let end = &self.ends[frame.tried];
                frame.best = frame.best.max(end.to_mover(value));
                if frame.best >= frame.target {
                    self.cuts.0 += 1;
                    self.cuts.1 += u64::from(frame.tried == frame.ends);
                }
                if let Some((busy, mark)) = self.shared.mark(end, frame.layer) {
                    busy.slot(mark).store(0, Relaxed);
                }
            }
            answer = self.advance()?;
        }
    }

    /// Answers for a board at once, or puts it on the stack with its turns.
    fn open(
        &mut self,
        board: B,
        layer: i64,
        target: i64,
        place: Option<Place>,
        reach: usize,
    ) -> Result<Option<i64>, Halt> {
        if target <= -layer {
            return Ok(Some(-layer));
        }
        if target > layer {
            return Ok(Some(layer));
        }
        if let Some(Bounds { low, high }) = place.and_then(|place| self.known.memory.get(place)) {
            if low >= target {
                return Ok(Some(low));
            }
            if high < target {
                return Ok(Some(high));
            }
        }
        let (nodes, ends, ways) = (self.turns.nodes, self.ends.len(), self.ways.len());
        let reach = self.reach(reach)?;
        let mut found = self.generate(board, target, Reach::Turns(reach));
        if found == Found::Wide {
            self.ends.truncate(ends);
            self.ways.truncate(ways);
            found = self.generate(board, target, Reach::Moves);
        }
        if self.turns.nodes - self.counted.0 >= B::PATIENCE.min(1 << 10) {
            self.count();
            if let Some(halt) = self.shared.reason() {
                return Err(halt);
            }
        }
        let settled = match found {
            Found::Ends(settled) => settled,
            Found::Enough(value) => Some(value),
            Found::Damage => return Err(Halt::Tables),
            Found::Halted => return Err(self.shared.reason().unwrap_or(Halt::Stop)),
            Found::Wide => unreachable!("moves are never too many"),
        };
        let best = settled.unwrap_or(-layer);
        let stop = self.ends.len();
        let above = self.frames.last().map(|frame| (frame, self.ends[frame.tried].again));
        let kind = above.and_then(|(frame, again)| frame.below(again));
        if let Some(exchange) = self.shared.exchange {
            self.part(exchange, board, layer, kind, ends);
        }
        let frame = Frame {
            layer,
            target,
            place,
            nodes,
            reach,
            ends,
            ways,
            best,
            next: ends,
            stop,
            put_off: ends,
            second: false,
            tried: ends,
            kind,
        };
        self.frames.push(frame);
        Ok(None)
    }

    /// Puts the ends of a position, from one on, into an order that other searches do not have.
    fn part(&mut self, exchange: &Exchange, board: B, layer: i64, kind: Option<Kind>, ends: usize) {
        let in_tables = self.known.tables.map_or(0, |tables| i64::from(tables.max_layer()));
        if layer < in_tables + SPREAD {
            return;
        }
        let kept = if kind == Some(Kind::All) { 0 } else { 1 };
        let first = (ends + kept).min(self.ends.len());
        let others = &mut self.ends[first..];
        let places = exchange.turn_by(board.mix(), others.len());
        others.rotate_left(places);
    }

    fn generate(&mut self, board: B, target: i64, reach: Reach) -> Found {
        let (ends, ways) = (&mut self.ends, &mut self.ways);
        self.turns.generate(&self.known, board, target, reach, ends, ways)
    }

    /// Opens the next end of the topmost position, or, where there is none or no need, takes the
    /// position from the stack and answers for it.
    fn advance(&mut self) -> Result<Option<i64>, Halt> {
        self.hear();
        let Some(index) = self.next_end() else { return self.close().map(Some) };
        let frame = self.frames.last_mut().expect("there is a position whose end this is");
        frame.tried = index;
        let end = self.ends[index];
        if let Some((busy, mark)) = self.shared.mark(&end, frame.layer) {
            busy.slot(mark).store(mark, Relaxed);
        }
        let reach = if end.again { frame.reach / NARROWER } else { usize::MAX };
        let (left, question) = (frame.layer - end.gain, end.question(frame.target));
        self.open(end.board, left, question, end.place, reach)
    }

    /// Asks the memory once more about all positions under way, if others have told something since,
    /// and goes back to one that is answered.
    fn hear(&mut self) {
        let heard = self.shared.heard.load(Relaxed);
        if heard == self.heard {
            return;
        }
        self.heard = heard;
        for depth in 0..self.frames.len() {
            let frame = &self.frames[depth];
            let known = frame.place.and_then(|place| self.known.memory.get(place));
            let answer = match known {
                Some(Bounds { low, .. }) if low >= frame.target => low,
                Some(Bounds { high, .. }) if high < frame.target => high,
                _ => continue,
            };
            for above in &self.frames[depth..] {
                // A position without ends tries none.
                let tried = self.ends.get(above.tried);
                if let Some((busy, mark)) = tried.and_then(|end| self.shared.mark(end, above.layer))
                {
                    busy.slot(mark).store(0, Relaxed);
                }
            }
            if let Some(above) = self.frames.get(depth + 1) {
                self.ends.truncate(above.ends);
                self.ways.truncate(above.ways);
            }
            self.frames.truncate(depth + 1);
            let frame = &mut self.frames[depth];
            // It is remembered, and no turn is left to be tried.
            (frame.place, frame.best) = (None, answer);
            (frame.next, frame.second) = (frame.stop, true);
            return;
        }
    }

    /// The next end to try, if the ends tried so far are not enough.
    fn next_end(&mut self) -> Option<usize> {
        let frame = self.frames.last_mut().expect("there is a position to go on with");
        if frame.best >= frame.target {
            return None;
        }
        loop {
            if frame.next == frame.stop {
                if frame.second || frame.put_off == frame.ends {
                    return None;
                }
                (frame.second, frame.next, frame.stop) = (true, frame.ends, frame.put_off);
            }
            let index = frame.next;
            frame.next += 1;
            let end = self.ends[index];
            let busy = |(busy, mark): (&Busy, u64)| busy.slot(mark).load(Relaxed) == mark;
            if frame.second
                || index == frame.ends
                || !self.shared.mark(&end, frame.layer).is_some_and(busy)
            {
                return Some(index);
            }
            self.ends[frame.put_off] = end;
            frame.put_off += 1;
        }
    }

    /// Takes the topmost position from the stack, remembers what was found, and answers.
    fn close(&mut self) -> Result<i64, Halt> {
        let frame = self.frames.pop().expect("there is a position to close");
        let Frame { layer, target, best, .. } = frame;
        let memory = self.known.memory;
        self.ends.truncate(frame.ends);
        for way in self.ways.drain(frame.ways..) {
            // All that can be had by way of this board is too little as well.
            if best < target {
                let bounds = Bounds { low: way.gain - layer, high: best - way.gain };
                memory.put(way.place, bounds, 1)?;
            }
        }
        if let Some(place) = frame.place {
            let bounds = if best >= target {
                Bounds { low: best, high: layer }
            } else {
                Bounds { low: -layer, high: best }
            };
            let work = self.turns.nodes - frame.nodes;
            memory.put(place, bounds, work)?;
            if let Some(exchange) = self.shared.exchange {
                exchange.offer(work, || memory.entry(place, bounds, work));
            }
        }
        Ok(best)
    }

    /// Adds what was done to the shared counts, and halts where a limit is reached.
    fn count(&mut self) {
        let (nodes, moves) = (self.turns.nodes, self.turns.moves);
        let fresh = nodes - self.counted.0;
        let total = self.shared.nodes.fetch_add(fresh, Relaxed) + fresh;
        self.shared.moves.fetch_add(moves - self.counted.1, Relaxed);
        self.counted = (nodes, moves);
        let (cuts, first_cuts) = std::mem::take(&mut self.cuts);
        self.shared.cuts.fetch_add(cuts, Relaxed);
        self.shared.first_cuts.fetch_add(first_cuts, Relaxed);
        if total >= self.shared.budget {
            self.shared.halt(Halt::Budget);
        }
        (self.known.halted)();
    }
}
