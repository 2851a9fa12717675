//! The search on one kind of board: memory that grows with the work, threads, and the steps of
//! null windows that close in on a value.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use sowing::{Game, Law};

use crate::memory::Memory;
use crate::rank::Ranked;
use crate::search::{Halt, Search, Shared};
use crate::verdict::Bounds;

/// The law and the memory for one kind of board.
#[derive(Debug)]
pub(crate) struct Core<B: Ranked> {
    law: Law<B>,
    memory: Memory,
}

/// What a search may use, and whom it tells how it goes.
pub(crate) struct Means<'a> {
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) nodes: &'a mut u64,
    pub(crate) moves: &'a mut u64,
    pub(crate) progress: &'a mut dyn FnMut(Step),
}

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) bounds: Bounds,
    pub(crate) target: i64,
    pub(crate) nodes: u64,
}

/// The memory that a search starts with: it fits a processor's cache.
const FIRST_MEMORY: u64 = 1 << 18;

/// Memory grows by this factor when the work outgrows it.
const GROWTH: u64 = 8;

/// Below this much memory the work is too little for threads.
const THREADS_MEMORY: u64 = 1 << 21;

impl<B: Ranked> Core<B> {
    pub(crate) fn new(game: &Game) -> io::Result<Core<B>> {
        let law = Law::new(game);
        let memory = Memory::new(law.houses(), FIRST_MEMORY)?;
        Ok(Core { law, memory })
    }

    /// Narrows the bounds of a live board's value until they meet or `enough` says so. The bounds
    /// are true however it ends; the answer is whether it ended by itself.
    pub(crate) fn narrow(
        &mut self,
        board: B,
        bounds: &mut Bounds,
        guess: i64,
        enough: &dyn Fn(Bounds) -> bool,
        means: &mut Means<'_>,
    ) -> io::Result<bool> {
        // The seeds in houses are shared out in full, so the value is odd or even with their
        // number; unless seeds can be lost.
        let step = if self.law.rules().remaining_lost { 1 } else { 2 };
        let mut guess = guess;
        while bounds.low < bounds.high && !enough(*bounds) {
            // The lowest possible value from `guess` on.
            let steps = (guess - bounds.low + step - 1).div_euclid(step).max(1);
            let target = (bounds.low + steps * step).min(bounds.high);
            match self.bound(board, target, *bounds, means)? {
                Some(answer) if answer >= target => bounds.low = answer,
                Some(answer) => bounds.high = answer,
                None => return Ok(false),
            }
            guess = if bounds.low >= target { bounds.low + step } else { bounds.high };
        }
        Ok(true)
    }

    /// One null window: see [`Search::bound`]. `None` if it was stopped.
    pub(crate) fn bound(
        &mut self,
        board: B,
        target: i64,
        bounds: Bounds,
        means: &mut Means<'_>,
    ) -> io::Result<Option<i64>> {
        loop {
            let may_grow = self.memory.bytes() * GROWTH <= means.memory;
            let budget = if may_grow { self.memory.capacity() / 2 } else { u64::MAX };
            match self.run(board, target, bounds, budget, means) {
                Ok(answer) => return Ok(Some(answer)),
                Err(Halt::Budget) => {
                    self.memory = self.memory.grown(self.memory.bytes() * GROWTH)?
                }
                Err(Halt::Stop | Halt::Done) => return Ok(None),
            }
        }
    }

    fn run(
        &self,
        board: B,
        target: i64,
        bounds: Bounds,
        budget: u64,
        means: &mut Means<'_>,
    ) -> Result<i64, Halt> {
        let small = self.memory.bytes() < THREADS_MEMORY;
        let threads = if small { 1 } else { means.threads };
        let shared = Shared::new(threads, budget, means.deadline, means.stop);
        let search = || Search::new(&self.law, &self.memory, &shared).run(board, target);
        let (before, progress) = (*means.nodes, &mut means.progress);
        progress(Step { bounds, target, nodes: before });
        // A search that fits the cache is over before anybody could watch it.
        let answer = if small {
            search()
        } else {
            thread::scope(|scope| {
                let (sender, receiver) = channel();
                for _ in 0..threads {
                    let sender = sender.clone();
                    scope.spawn(move || sender.send(search()));
                }
                drop(sender);
                let mut answer = Err(Halt::Done);
                loop {
                    match receiver.recv_timeout(Duration::from_millis(100)) {
                        // The thread with the answer halts the others, which then know less.
                        Ok(found) if answer.is_err() && found != Err(Halt::Done) => answer = found,
                        Ok(_) => {}
                        Err(RecvTimeoutError::Disconnected) => return answer,
                        Err(RecvTimeoutError::Timeout) => {
                            let nodes = before + shared.nodes.load(Relaxed);
                            progress(Step { bounds, target, nodes });
                        }
                    }
                }
            })
        };
        *means.nodes += shared.nodes.load(Relaxed);
        *means.moves += shared.moves.load(Relaxed);
        answer
    }
}
