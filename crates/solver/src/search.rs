//! The search: is a position worth at least this much?

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use sowing_platform::Instant;

use crate::core::Usual;
use crate::exchange::Exchange;
use crate::kept;
use crate::memory::{Crossed, Place};
use crate::proof::{Answered, Cost, Leaf, Proof};
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
    /// The proof takes all the memory that there is for it.
    Full,
    /// What a position may cost before it is laid open is used up, or all the memory for positions
    /// under way.
    Slice,
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
        [Budget, Stop, Done, Full, Slice, Tables, Crossed]
            .into_iter()
            .find(|halt| *halt as u8 + 1 == code)
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
    /// Where other searches for the same are told of what was found.
    exchange: Option<&'a Exchange>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
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
            exchange,
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

    /// Ends the search for all threads. The first reason holds.
    pub(crate) fn halt(&self, halt: Halt) {
        let _ = self.halt.compare_exchange(0, halt as u8 + 1, Relaxed, Relaxed);
    }
}

/// A proof that threads work on together.
#[derive(Debug)]
pub(crate) struct Desk<B> {
    proof: Mutex<Proof<B>>,
    /// Something was given back, and how many wait for that.
    given_back: Condvar,
    waiting: AtomicUsize,
    /// What a leaf may cost before it is laid open, and the bytes that the proof may take.
    slice: u64,
    bytes: usize,
}

impl<B: Ranked> Desk<B> {
    /// At first no question is laid open.
    pub(crate) fn new(proof: Proof<B>, bytes: u64) -> Desk<B> {
        // While it is trimmed, what is kept is there twice.
        let bytes = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
        let bytes = bytes.max(FEWEST * Proof::<B>::BYTES);
        let (proof, given_back, waiting) = (Mutex::new(proof), Condvar::new(), AtomicUsize::new(0));
        Desk { proof, given_back, waiting, slice: u64::MAX, bytes }
    }

    /// The proof, for one thread at a time. It is held so briefly that going to sleep for it would take
    /// longer.
    fn lock(&self) -> MutexGuard<'_, Proof<B>> {
        for _ in 0..SPINS {
            match self.proof.try_lock() {
                Ok(proof) => return proof,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        }
        self.proof.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most turns of one leaf: however many leaves are laid open, the first ones can stay.
    fn widest(&self) -> usize {
        self.bytes / Proof::<B>::BYTES / 4
    }

    /// What a leaf with many seeds more than the tables may cost: nothing once questions are laid open,
    /// unless the proof has become too large.
    fn slice_far_above(&self) -> u64 {
        if self.slice == SLICE { 1 } else { self.slice }
    }

    /// Has questions that cost more than a little laid open from now on.
    pub(crate) fn lay_open(&mut self) {
        self.slice = self.slice.min(SLICE);
    }

    /// Makes room. Where the proof is too large for it, what is looked into may cost more from now on.
    pub(crate) fn tidy_up(&mut self) {
        let most = self.bytes / Proof::<B>::BYTES / 2;
        if self.proof.get_mut().unwrap_or_else(PoisonError::into_inner).trim(most) {
            self.slice = self.slice.saturating_mul(2);
        }
    }
}

/// However little memory there is, a proof of so many questions is held: one leaf never fills it.
const FEWEST: usize = 16 * LEAST_REACH;

/// What a leaf may cost before it is laid open: few nodes, since they are lost if another leaf
/// turns out better, but enough to be worth finding the leaf.
const SLICE: u64 = 1 << 6;

/// Leaves that usually take so many times what those just above the tables take, as a logarithm, are laid
/// open without being looked into: 15 seeds above the tables with six houses a row, where of Kalah(6,4)
/// more than four in five cost more than a slice.
const FAR_ABOVE: f64 = 5.3;

/// How often a thread tries to have the proof before it goes to sleep.
const SPINS: u32 = 1 << 10;

/// How long a thread waits for a leaf before it looks at the clock.
const PAUSE: Duration = Duration::from_millis(1);

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
    /// The end that is being tried, or the first one before any is.
    tried: usize,
    next: usize,
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
    /// The count of nodes at which a leaf has cost enough.
    enough: u64,
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
        let enough = u64::MAX;
        Search { known, shared, turns, frames, ends, ways, bytes, cuts, counted, enough }
    }

    /// The most boards that the turns of a position may pass through, and no more than `reach`.
    fn reach(&self, reach: usize) -> Result<usize, Halt> {
        // A list takes up to twice what is in it.
        let held = 2
            * (self.ends.len() * size_of::<End<B>>()
                + self.ways.len() * size_of::<Way>()
                + self.frames.len() * size_of::<Frame>());
        let room = self.bytes.checked_sub(held).ok_or(Halt::Slice)?;
        Ok(reach.min(room / PART / Turns::<B>::BYTES).max(LEAST_REACH))
    }

    /// Works on a proof until there is an answer, and halts the other threads then.
    pub(crate) fn run(&mut self, desk: &Desk<B>) -> Result<i64, Halt> {
        let answer = self.work(desk);
        self.shared.halt(answer.err().unwrap_or(Halt::Done));
        desk.given_back.notify_all();
        self.count();
        answer
    }

    fn work(&mut self, desk: &Desk<B>) -> Result<i64, Halt> {
        let memory = self.known.memory;
        // What is answered here is nearly always answered in the proof too: to look it up on the way
        // pays only where others tell what they know.
        let remembered = |board: &B, target: i64| {
            self.shared.exchange?;
            let place = memory.place(board, board.own_seeds() + board.other_seeds())?;
            memory.get(place)?.answer(target)
        };
        // What is on the desk is whole between any two calls.
        let mut proof = desk.lock();
        loop {
            if let Some(answer) = proof.answer() {
                return Ok(answer);
            }
            if let Some(halt) = self.shared.reason() {
                return Err(halt);
            }
            if proof.bytes() > desk.bytes {
                return Err(Halt::Full);
            }
            let leaf = proof.take(remembered);
            let answered: Vec<_> = proof.answered().collect();
            let Some(leaf) = leaf else {
                self.remember(answered)?;
                if proof.answer().is_none() {
                    desk.waiting.fetch_add(1, Relaxed);
                    let waited = desk.given_back.wait_timeout(proof, PAUSE);
                    desk.waiting.fetch_sub(1, Relaxed);
                    proof = waited.unwrap_or_else(PoisonError::into_inner).0;
                    self.shared.is_halted();
                }
                continue;
            };
            drop(proof);
            self.remember(answered)?;
            let before = self.turns.nodes;
            let found = self.look_into(&leaf, desk);
            let work = self.turns.nodes - before;
            let left = self.left_over().filter(|_| found == Err(Halt::Slice));
            // Counted before anybody has to wait for the desk.
            let costs: Vec<_> = (left.iter().flat_map(|(ends, _)| *ends))
                .map(|end| self.cost(&end.board, end.question(leaf.target)))
                .collect();
            proof = desk.lock();
            match (found, left) {
                (Ok(answer), _) => proof.answer_leaf(leaf, answer, work),
                (Err(_), Some((ends, settled))) => {
                    proof.open_leaf(leaf, ends, &costs, settled, work);
                }
                (Err(halt), _) => {
                    proof.put_back(leaf, work);
                    return Err(halt);
                }
            }
            let answered: Vec<_> = proof.answered().collect();
            if desk.waiting.load(Relaxed) > 0 {
                desk.given_back.notify_all();
            }
            self.remember(answered)?;
        }
    }

    /// Answers for a leaf; or, where that costs too much, leaves its turns on their stack.
    fn look_into(&mut self, leaf: &Leaf<B>, desk: &Desk<B>) -> Result<i64, Halt> {
        self.frames.clear();
        self.ends.clear();
        self.ways.clear();
        let layer = (leaf.board.own_seeds() + leaf.board.other_seeds()) as f64;
        let tables = self.known.tables.filter(|_| !self.known.law.rules().relay);
        let more = Usual::of(self.known.law.houses()).layer;
        let is_far =
            tables.is_some_and(|tables| more * (layer - f64::from(tables.max_layer())) > FAR_ABOVE);
        let slice = if is_far { desk.slice_far_above() } else { desk.slice };
        self.enough = self.turns.nodes.saturating_add(slice);
        self.bound(leaf.board, leaf.target, desk.widest())
    }

    /// The ends of a leaf's turns that are not yet tried, and the best of the others.
    fn left_over(&self) -> Option<(&[End<B>], i64)> {
        let leaf = self.frames.first()?;
        let stop = self.frames.get(1).map_or(self.ends.len(), |frame| frame.ends);
        Some((&self.ends[leaf.tried..stop], leaf.best))
    }

    /// What it may cost to answer a question.
    fn cost(&self, board: &B, target: i64) -> Cost {
        let layer = (board.own_seeds() + board.other_seeds()) as i64;
        let estimate = self.known.estimate.map_or(0.0, |estimate| estimate.seeds(board));
        let cost = Cost::guess(layer, estimate - target as f64);
        match self.shared.exchange {
            Some(exchange) => cost.times(exchange.whim(board.mix())),
            None => cost,
        }
    }

    /// Remembers what was answered in the proof.
    fn remember(&self, answered: Vec<Answered<B>>) -> Result<(), Halt> {
        answered.into_iter().try_for_each(|Answered { board, target, answer, work }| {
            let layer = board.own_seeds() + board.other_seeds();
            let place = self.known.memory.place(&board, layer);
            place.map_or(Ok(()), |place| self.put(place, layer as i64, target, answer, work))
        })
    }

    /// Remembers an answer, and tells others of it.
    fn put(
        &self,
        place: Place,
        layer: i64,
        target: i64,
        answer: i64,
        work: u64,
    ) -> Result<(), Halt> {
        let memory = self.known.memory;
        let bounds = if answer >= target {
            Bounds { low: answer, high: layer }
        } else {
            Bounds { low: -layer, high: answer }
        };
        memory.put(place, bounds, work)?;
        if let Some(exchange) = self.shared.exchange {
            exchange.offer(work, || memory.entry(place, bounds, work));
        }
        Ok(())
    }

    /// Bounds what the mover of a live board gets out of its houses.
    ///
    /// Let v be the true value and r the answer. If r >= target then v >= r; if r < target then
    /// v <= r. Its turns may pass through so many boards, or they are taken move by move.
    fn bound(&mut self, board: B, target: i64, reach: usize) -> Result<i64, Halt> {
        if let Some(value) = self.known.tables.and_then(|tables| board.look_up(tables)) {
            return Ok(value.into());
        }
        let layer = board.own_seeds() + board.other_seeds();
        let place = self.known.memory.place(&board, layer);
        let mut answer = self.open(board, layer as i64, target, place, reach)?;
        loop {
            if let Some(value) = answer {
                let Some(frame) = self.frames.last_mut() else { return Ok(value) };
                let end = &self.ends[frame.tried];
                frame.best = frame.best.max(end.to_mover(value));
                if frame.best >= frame.target {
                    self.cuts.0 += 1;
                    self.cuts.1 += u64::from(frame.tried == frame.ends);
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
        if let Some(answer) = kept::bounds(self.known.law, &board, layer).answer(target) {
            return Ok(Some(answer));
        }
        let known = place.and_then(|place| self.known.memory.get(place));
        if let Some(answer) = known.and_then(|bounds| bounds.answer(target)) {
            return Ok(Some(answer));
        }
        if self.turns.nodes >= self.enough {
            return Err(Halt::Slice);
        }
        let (nodes, ends, ways) = (self.turns.nodes, self.ends.len(), self.ways.len());
        let reach = self.reach(reach)?;
        let found = self.generate(board, target, reach)?;
        if self.turns.nodes - self.counted.0 >= B::PATIENCE.min(1 << 10) {
            self.count();
            if let Some(halt) = self.shared.reason() {
                return Err(halt);
            }
        }
        let settled = match found {
            Found::Enough(value) => Some(value),
            Found::Ends(settled) => settled,
            Found::Damage | Found::Halted | Found::Wide => unreachable!("these are errors"),
        };
        let best = settled.unwrap_or(-layer);
        let (tried, next) = (ends, ends);
        self.frames.push(Frame {
            layer,
            target,
            place,
            nodes,
            reach,
            ends,
            ways,
            best,
            tried,
            next,
        });
        Ok(None)
    }

    /// Puts the ends of a position's turns on their stack: of its moves, where the turns pass through
    /// more boards than they may.
    fn generate(&mut self, board: B, target: i64, reach: usize) -> Result<Found, Halt> {
        let (at, ways) = (self.ends.len(), self.ways.len());
        let mut reach = Reach::Turns(reach);
        loop {
            let lists = (&mut self.ends, &mut self.ways);
            match self.turns.generate(&self.known, board, target, reach, lists.0, lists.1) {
                Found::Damage => return Err(Halt::Tables),
                Found::Halted => return Err(self.shared.reason().unwrap_or(Halt::Stop)),
                Found::Wide => {
                    self.ends.truncate(at);
                    self.ways.truncate(ways);
                    reach = Reach::Moves;
                }
                found => return Ok(found),
            }
        }
    }

    /// Opens the next end of the topmost position, or, where there is none or no need, takes the
    /// position from the stack and answers for it.
    fn advance(&mut self) -> Result<Option<i64>, Halt> {
        let frame = self.frames.last_mut().expect("there is a position to go on with");
        if frame.best >= frame.target || frame.next == self.ends.len() {
            return self.close().map(Some);
        }
        frame.tried = frame.next;
        frame.next += 1;
        let end = self.ends[frame.tried];
        let reach = if end.again { frame.reach / NARROWER } else { usize::MAX };
        let (left, question) = (frame.layer - end.gain, end.question(frame.target));
        self.open(end.board, left, question, end.place, reach)
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
            self.put(place, layer, target, best, self.turns.nodes - frame.nodes)?;
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
