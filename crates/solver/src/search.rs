//! Threads that work on one proof together.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use sowing_platform::Instant;

use crate::exchange::Exchange;
use crate::hand::{Common, Hand, LEAST_REACH};
use crate::memory::Crossed;
use crate::proof::Proof;
use crate::rank::Ranked;
use crate::turn::Knowledge;

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
    pub(crate) budget: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Where other searches for the same are told of what was found.
    pub(crate) exchange: Option<&'a Exchange>,
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
    pub(crate) fn reason(&self) -> Option<Halt> {
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
    pub(crate) fn lock(&self) -> MutexGuard<'_, Proof<B>> {
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
    pub(crate) fn widest(&self) -> usize {
        self.bytes / Proof::<B>::BYTES / 4
    }

    /// What a leaf may cost; nothing if it has many seeds more than the tables, once questions are laid
    /// open, unless the proof has become too large.
    pub(crate) fn slice(&self, is_far: bool) -> u64 {
        if is_far && self.slice == SLICE { 1 } else { self.slice }
    }

    /// Whether the proof takes all that it may.
    pub(crate) fn is_full(&self, proof: &Proof<B>) -> bool {
        proof.bytes() > self.bytes
    }

    /// Lets those know who wait for a leaf that there may be some.
    pub(crate) fn tell(&self) {
        if self.waiting.load(Relaxed) > 0 {
            self.given_back.notify_all();
        }
    }

    /// Waits until there may be leaves again, or it is time to look at the clock.
    fn wait(&self) {
        let proof = self.lock();
        if !proof.is_free() {
            self.waiting.fetch_add(1, Relaxed);
            drop(self.given_back.wait_timeout(proof, PAUSE));
            self.waiting.fetch_sub(1, Relaxed);
        }
    }

    /// The proof, when nobody works on it any more.
    pub(crate) fn into_proof(self) -> Proof<B> {
        self.proof.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has questions that cost more than a little laid open from now on. What they may cost more where the
    /// proof was too large stays, or the same leaves would be laid open and forgotten for ever.
    pub(crate) fn lay_open(&mut self) {
        if self.slice == u64::MAX {
            self.slice = SLICE;
        }
    }

    /// Makes room. Where the proof is too large for it, what is looked into may cost more from now on.
    pub(crate) fn tidy_up(&mut self) {
        let most = self.bytes / Proof::<B>::BYTES / 2;
        if self.proof.get_mut().unwrap_or_else(PoisonError::into_inner).trim(most) {
            // Never all there is: that is what it is before anything is laid open.
            self.slice = self.slice.saturating_mul(2).min(1 << 62);
        }
    }
}

/// However little memory there is, a proof of so many questions is held: one leaf never fills it.
const FEWEST: usize = 16 * LEAST_REACH;

/// What a leaf may cost before it is laid open: few nodes, since they are lost if another leaf
/// turns out better, but enough to be worth finding the leaf.
const SLICE: u64 = 1 << 6;

/// How often a thread tries to have the proof before it goes to sleep.
const SPINS: u32 = 1 << 10;

/// How long a thread waits for a leaf before it looks at the clock.
const PAUSE: Duration = Duration::from_millis(1);

/// How many leaves a thread looks into in turn: while one waits for memory, the others go on. Relays play
/// on longer than memory takes.
const HANDS: usize = 3;

/// One thread's search.
pub(crate) struct Search<'a, B: Ranked> {
    common: Common<'a, B>,
    hands: Vec<Hand<B>>,
}

impl<'a, B: Ranked> Search<'a, B> {
    /// A search that holds about this many bytes at most (but never too little to work).
    pub(crate) fn new(
        known: Knowledge<'a, B>,
        shared: &'a Shared<'a>,
        bytes: u64,
    ) -> Search<'a, B> {
        let hands = if known.law.rules().relay { 1 } else { HANDS };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1 << 20) / hands;
        let hands = (0..hands).map(|_| Hand::new(bytes)).collect();
        Search { common: Common { known, shared }, hands }
    }

    /// Works on a proof until there is an answer, and halts the other threads then.
    pub(crate) fn run(&mut self, desk: &Desk<B>) -> Result<i64, Halt> {
        let answer = self.work(desk);
        self.common.shared.halt(answer.err().unwrap_or(Halt::Done));
        self.hands.iter_mut().for_each(|hand| hand.put_back(&self.common, desk));
        desk.given_back.notify_all();
        answer
    }

    fn work(&mut self, desk: &Desk<B>) -> Result<i64, Halt> {
        loop {
            for hand in &mut self.hands {
                if let Some(answer) = hand.work(&self.common, desk)? {
                    return Ok(answer);
                }
            }
            if !self.hands.iter().any(Hand::is_busy) {
                desk.wait();
                self.common.shared.is_halted();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;
    use crate::turn::End;
    use sowing::Small;

    /// What leaves may cost where a proof was too large is not taken back, or the search could lay open and
    /// forget the same ones for ever.
    #[test]
    fn leaves_of_a_proof_that_was_too_large_may_cost_more() {
        let mut proof = Proof::new(Small::from_rows(200, 1), 1);
        let leaf = proof.take(|_, _| None).unwrap();
        let end = |seeds| End::of_move(Small::from_rows(seeds % 200 + 1, 1), 0, false);
        let ends: Vec<_> = (0..2 * FEWEST as u64).map(end).collect();
        proof.open_leaf(leaf, &ends, &vec![Cost::guess(9, 0.0); ends.len()], -9, 1);
        let mut desk = Desk::new(proof, 0);
        assert_eq!(desk.slice(false), u64::MAX);
        for times in [1, 2, 4] {
            desk.lay_open();
            assert_eq!(desk.slice(false), times * SLICE);
            assert_eq!(desk.slice(true), if times == 1 { 1 } else { times * SLICE });
            desk.tidy_up();
        }
        for _ in 0..u64::BITS {
            desk.tidy_up();
            desk.lay_open();
            assert!(desk.slice(false) > 4 * SLICE);
        }
    }
}
