//! Looking into a leaf of a proof: is a position worth at least this much?

use std::sync::atomic::Ordering::Relaxed;

use crate::cost::Cost;
use crate::kept;
use crate::memory::Place;
use crate::proof::{Answered, Leaf};
use crate::rank::Ranked;
use crate::search::{Desk, Halt, Shared};
use crate::turn::{End, Found, Knowledge, Reach, Turns, Way};
use crate::usual::Usual;
use crate::verdict::Bounds;

/// What the hands of a thread have in common.
pub(crate) struct Common<'a, B: Ranked> {
    pub(crate) known: Knowledge<'a, B>,
    pub(crate) shared: &'a Shared<'a>,
}

/// One of the hands of a thread: it looks into a leaf, depth first, and pauses whenever it must wait for
/// memory.
///
/// It keeps its own stack of positions, since a game can be far longer than a thread's stack is
/// deep.
#[derive(Debug)]
pub(crate) struct Hand<B> {
    leaf: Option<Leaf<B>>,
    /// The count of nodes when it was begun with, and that at which it has cost enough.
    begun: u64,
    enough: u64,
    turns: Turns<B>,
    frames: Vec<Frame<B>>,
    ends: Vec<End<B>>,
    ways: Vec<Way>,
    /// How many bytes all of these may take.
    bytes: usize,
    /// Turns that were enough, and those of them that were tried first; not yet shared.
    cuts: (u64, u64),
    /// Nodes and moves already added to the shared counts.
    counted: (u64, u64),
    /// Used again and again.
    costs: Vec<Cost>,
    answered: Vec<Answered<B>>,
}

/// A position whose turns are being tried, one after the other.
#[derive(Debug)]
struct Frame<B> {
    board: B,
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
    /// The best that is known of the turns tried so far, as a bound in the sense of [`Hand::look`].
    best: i64,
    /// The end that is being tried, or the first one before any is.
    tried: usize,
    next: usize,
}

/// Leaves that usually take so many times what those just above the tables take, as a logarithm, are laid
/// open without being looked into: nine seeds above the tables with six houses a row, where of Kalah(6,4)
/// two in three would cost more than a slice.
const FAR_ABOVE: f64 = 3.0;

/// The turns of one position may take this part of the memory that is left for turns; if they would
/// take more, they are taken move by move.
const PART: usize = 4;

/// What is left of such turns after a move may pass through so many times fewer boards.
const NARROWER: usize = 8;

/// However little memory there is, turns through so few boards are followed to their ends.
pub(crate) const LEAST_REACH: usize = 1 << 6;

impl<B: Ranked> Common<'_, B> {
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

    /// What is remembered, if others tell what they know: what is answered here is nearly always answered
    /// in the proof too, and looking it up on the way would be for nothing.
    fn told(&self, board: &B, target: i64) -> Option<i64> {
        self.shared.exchange?;
        let memory = self.known.memory;
        let place = memory.place(board, board.own_seeds() + board.other_seeds())?;
        memory.get(place)?.answer(target)
    }

    /// Remembers an answer, and tells others of it.
    fn put(&self, place: Place, layer: i64, answered: &Answered<B>) -> Result<(), Halt> {
        let Answered { target, answer, work, .. } = *answered;
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
}

impl<B: Ranked> Hand<B> {
    /// A hand that holds about this many bytes at most.
    pub(crate) fn new(bytes: usize) -> Hand<B> {
        Hand {
            leaf: None,
            begun: 0,
            enough: u64::MAX,
            turns: Turns::new(),
            frames: Vec::new(),
            ends: Vec::new(),
            ways: Vec::new(),
            bytes,
            cuts: (0, 0),
            counted: (0, 0),
            costs: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Whether it has a leaf.
    pub(crate) fn is_busy(&self) -> bool {
        self.leaf.is_some()
    }

    /// Goes on with its leaf as far as it can without waiting; when it is done with it, or has none, takes
    /// another. The answer at the root, once there is one.
    pub(crate) fn work(
        &mut self,
        common: &Common<'_, B>,
        desk: &Desk<B>,
    ) -> Result<Option<i64>, Halt> {
        let mut found = match self.leaf {
            Some(_) => match self.look(common) {
                Ok(None) => return Ok(None),
                Ok(Some(answer)) => Some(Ok(answer)),
                Err(halt) => Some(Err(halt)),
            },
            None => None,
        };
        loop {
            if let Some(answer) = self.exchange(found.take(), common, desk)? {
                return Ok(Some(answer));
            }
            let Some(leaf) = self.leaf else { return Ok(None) };
            match self.begin(&leaf, common, desk)? {
                Some(answer) => found = Some(Ok(answer)),
                None => return Ok(None),
            }
        }
    }

    /// Gives a leaf back with what was found, and takes another.
    fn exchange(
        &mut self,
        found: Option<Result<i64, Halt>>,
        common: &Common<'_, B>,
        desk: &Desk<B>,
    ) -> Result<Option<i64>, Halt> {
        let left = left_over(&self.frames, &self.ends);
        let left = left.filter(|_| found == Some(Err(Halt::Slice)));
        // Counted before anybody has to wait for the desk.
        self.costs.clear();
        if let (Some((ends, _)), Some(leaf)) = (left, self.leaf) {
            let cost = |end: &End<B>| common.cost(&end.board, end.question(leaf.target));
            self.costs.extend(ends.iter().map(cost));
        }
        let work = self.turns.nodes - self.begun;
        let mut proof = desk.lock();
        if let (Some(found), Some(leaf)) = (found, self.leaf) {
            match (found, left) {
                (Ok(answer), _) => proof.answer_leaf(leaf, answer, work),
                (Err(_), Some((ends, settled))) => {
                    proof.open_leaf(leaf, ends, &self.costs, settled, work);
                }
                (Err(halt), None) => return Err(halt),
            }
            self.leaf = None;
            desk.tell();
        }
        // What is on the desk is whole between any two calls.
        let halt = match proof.answer() {
            Some(_) => None,
            None => common.shared.reason().or(desk.is_full(&proof).then_some(Halt::Full)),
        };
        if proof.answer().is_none() && halt.is_none() {
            self.leaf = proof.take(|board, target| common.told(board, target));
            self.begun = self.turns.nodes;
        }
        let answer = proof.answer();
        self.answered.extend(proof.answered());
        drop(proof);
        for answered in self.answered.drain(..) {
            let layer = answered.board.own_seeds() + answered.board.other_seeds();
            if let Some(place) = common.known.memory.place(&answered.board, layer) {
                common.put(place, layer as i64, &answered)?;
            }
        }
        if let Some(halt) = halt {
            return Err(halt);
        }
        Ok(answer)
    }

    /// Gives back its leaf as it was, if it has one.
    pub(crate) fn put_back(&mut self, common: &Common<'_, B>, desk: &Desk<B>) {
        if let Some(leaf) = self.leaf.take() {
            desk.lock().put_back(leaf, self.turns.nodes - self.begun);
        }
        self.count(common);
    }

    /// Begins with a leaf, or answers at once.
    fn begin(
        &mut self,
        leaf: &Leaf<B>,
        common: &Common<'_, B>,
        desk: &Desk<B>,
    ) -> Result<Option<i64>, Halt> {
        self.frames.clear();
        self.ends.clear();
        self.ways.clear();
        let Knowledge { law, memory, tables, .. } = common.known;
        let layer = leaf.board.own_seeds() + leaf.board.other_seeds();
        let usual = Usual::of(law.houses());
        let is_far = tables
            .filter(|_| !law.rules().relay)
            .is_some_and(|tables| usual.above(layer, tables.max_layer()) > FAR_ABOVE);
        self.enough = self.begun.saturating_add(desk.slice(is_far));
        if let Some(value) = tables.and_then(|tables| leaf.board.look_up(tables)) {
            return Ok(Some(value.into()));
        }
        let place = memory.place(&leaf.board, layer);
        self.open(common, leaf.board, layer as i64, leaf.target, place, desk.widest())
    }

    /// Looks into its leaf, until it must wait for memory or has bounded what the mover gets out of the
    /// houses.
    ///
    /// Let v be the true value and r the answer. If r >= target then v >= r; if r < target then
    /// v <= r.
    fn look(&mut self, common: &Common<'_, B>) -> Result<Option<i64>, Halt> {
        let Common { known, shared } = common;
        // What was asked for before the pause is there by now.
        let mut found = self.turns.read(known, &mut self.ends);
        loop {
            let found =
                found.take().or_else(|| self.turns.play(known, &mut self.ends, &mut self.ways));
            let Some(found) = found else { return Ok(None) };
            let frame = self.frames.last_mut().expect("its turns are generated");
            let settled = match found {
                Found::Enough(value) => Some(value),
                Found::Ends(settled) => settled,
                Found::Damage => return Err(Halt::Tables),
                Found::Halted => return Err(shared.reason().unwrap_or(Halt::Stop)),
                Found::Wide => {
                    self.ends.truncate(frame.ends);
                    self.ways.truncate(frame.ways);
                    self.turns.begin(frame.board, frame.target, Reach::Moves, &self.ends);
                    continue;
                }
            };
            frame.best = settled.unwrap_or(-frame.layer);
            while let Some(value) = self.advance(common)? {
                let Some(frame) = self.frames.last_mut() else { return Ok(Some(value)) };
                let end = &self.ends[frame.tried];
                frame.best = frame.best.max(end.to_mover(value));
                if frame.best >= frame.target {
                    self.cuts.0 += 1;
                    self.cuts.1 += u64::from(frame.tried == frame.ends);
                }
            }
            if self.turns.nodes - self.counted.0 >= B::PATIENCE.min(1 << 10) {
                self.count(common);
                match shared.reason() {
                    // It is not over: the turns of the leaf, which can be millions, are kept.
                    Some(Halt::Budget) => return Err(Halt::Slice),
                    Some(halt) => return Err(halt),
                    None => {}
                }
            }
        }
    }

    /// Answers for a board at once, or puts it on the stack and begins with its turns.
    fn open(
        &mut self,
        common: &Common<'_, B>,
        board: B,
        layer: i64,
        target: i64,
        place: Option<Place>,
        reach: usize,
    ) -> Result<Option<i64>, Halt> {
        let Knowledge { law, memory, .. } = common.known;
        if let Some(answer) = kept::bounds(law, &board, layer).answer(target) {
            return Ok(Some(answer));
        }
        let known = place.and_then(|place| memory.get(place));
        if let Some(answer) = known.and_then(|bounds| bounds.answer(target)) {
            return Ok(Some(answer));
        }
        if self.turns.nodes >= self.enough {
            return Err(Halt::Slice);
        }
        let reach = self.reach(reach)?;
        let (nodes, ends, ways) = (self.turns.nodes, self.ends.len(), self.ways.len());
        self.turns.begin(board, target, Reach::Turns(reach), &self.ends);
        let (best, tried, next) = (-layer, ends, ends);
        self.frames.push(Frame {
            board,
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

    /// The most boards that the turns of a position may pass through, and no more than `reach`.
    fn reach(&self, reach: usize) -> Result<usize, Halt> {
        // A list takes up to twice what is in it.
        let held = 2
            * (self.ends.len() * size_of::<End<B>>()
                + self.ways.len() * size_of::<Way>()
                + self.frames.len() * size_of::<Frame<B>>());
        let room = self.bytes.checked_sub(held).ok_or(Halt::Slice)?;
        Ok(reach.min(room / PART / Turns::<B>::BYTES).max(LEAST_REACH))
    }

    /// Opens the next end of the topmost position, or, where there is none or no need, takes the
    /// position from the stack and answers for it.
    fn advance(&mut self, common: &Common<'_, B>) -> Result<Option<i64>, Halt> {
        let frame = self.frames.last_mut().expect("there is a position to go on with");
        if frame.best >= frame.target || frame.next == self.ends.len() {
            return self.close(common).map(Some);
        }
        frame.tried = frame.next;
        frame.next += 1;
        let end = self.ends[frame.tried];
        let reach = if end.again { frame.reach / NARROWER } else { usize::MAX };
        let (left, question) = (frame.layer - end.gain, end.question(frame.target));
        self.open(common, end.board, left, question, end.place, reach)
    }

    /// Takes the topmost position from the stack, remembers what was found, and answers.
    fn close(&mut self, common: &Common<'_, B>) -> Result<i64, Halt> {
        let frame = self.frames.pop().expect("there is a position to close");
        let Frame { board, layer, target, best, .. } = frame;
        self.ends.truncate(frame.ends);
        for way in self.ways.drain(frame.ways..) {
            // All that can be had by way of this board is too little as well.
            if best < target {
                let bounds = Bounds { low: way.gain - layer, high: best - way.gain };
                common.known.memory.put(way.place, bounds, 1)?;
            }
        }
        if let Some(place) = frame.place {
            let work = self.turns.nodes - frame.nodes;
            common.put(place, layer, &Answered { board, target, answer: best, work })?;
        }
        Ok(best)
    }

    /// Adds what was done to the shared counts, and halts where a limit is reached.
    fn count(&mut self, common: &Common<'_, B>) {
        let shared = common.shared;
        let (nodes, moves) = (self.turns.nodes, self.turns.moves);
        let fresh = nodes - self.counted.0;
        let total = shared.nodes.fetch_add(fresh, Relaxed) + fresh;
        shared.moves.fetch_add(moves - self.counted.1, Relaxed);
        self.counted = (nodes, moves);
        let (cuts, first_cuts) = std::mem::take(&mut self.cuts);
        shared.cuts.fetch_add(cuts, Relaxed);
        shared.first_cuts.fetch_add(first_cuts, Relaxed);
        if total >= shared.budget {
            shared.halt(Halt::Budget);
        }
        (common.known.halted)();
    }
}

/// The ends of a leaf's turns that are not yet tried, and the best of the others.
fn left_over<'a, B>(frames: &[Frame<B>], ends: &'a [End<B>]) -> Option<(&'a [End<B>], i64)> {
    let leaf = frames.first()?;
    let stop = frames.get(1).map_or(ends.len(), |frame| frame.ends);
    Some((&ends[leaf.tried..stop], leaf.best))
}
