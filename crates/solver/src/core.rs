//! The search on one kind of board: memory that grows with the work, threads, and the steps of
//! null windows that close in on a value.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use sowing::{Game, Law, Small};
use sowing_tables::{Error, Tables, build_in_memory, live_positions_to, memory_to_build};

use crate::estimate::Estimate;
use crate::memory::Memory;
use crate::rank::Ranked;
use crate::search::{Halt, Search, Shared};
use crate::turn::{Knowledge, Paths, promise};
use crate::verdict::Bounds;

/// The law and the memory for one kind of board.
#[derive(Debug)]
pub(crate) struct Core<B: Ranked> {
    game: Game,
    law: Law<B>,
    memory: Memory,
    tables: Option<Arc<Tables>>,
    estimate: Option<Estimate>,
}

/// What a search may use, and whom it tells how it goes.
pub(crate) struct Means<'a> {
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    /// Whether tables may be built.
    pub(crate) build: bool,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) nodes: &'a mut u64,
    pub(crate) moves: &'a mut u64,
    pub(crate) progress: Box<dyn FnMut(Step) + 'a>,
}

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) bounds: Bounds,
    pub(crate) target: i64,
    pub(crate) nodes: u64,
}

/// Whether a search is to end.
pub(crate) fn is_halted(stop: &AtomicBool, deadline: Option<Instant>) -> bool {
    stop.load(Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// The memory that a search starts with: it fits a processor's cache.
const FIRST_MEMORY: u64 = 1 << 18;

/// Memory grows by this factor when the work outgrows it.
const GROWTH: u64 = 8;

/// Below this much memory the work is too little for threads.
const THREADS_MEMORY: u64 = 1 << 21;

impl<B: Ranked> Core<B> {
    pub(crate) fn new(game: &Game, tables: Option<Arc<Tables>>) -> io::Result<Core<B>> {
        let law = Law::new(game);
        let memory = Memory::new(law.houses(), FIRST_MEMORY)?;
        Ok(Core { game: *game, law, memory, tables, estimate: None })
    }

    /// The highest level that tables know.
    pub(crate) fn table_level(&self) -> u32 {
        self.tables.as_ref().map_or(0, |tables| tables.max_level())
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
        let mut budget = self.memory.capacity() / 2;
        loop {
            match self.run(board, target, bounds, budget, means) {
                Ok(answer) => return Ok(Some(answer)),
                Err(Halt::Stop | Halt::Done) => return Ok(None),
                Err(Halt::Tables) => return Err(io::Error::other("an endgame table is damaged")),
                Err(Halt::Budget) => {}
            }
            // The work goes on: more memory and more tables pay now. Nothing proven is lost.
            self.build_tables(board, means)?;
            self.learn();
            let bytes = (self.memory.bytes() * GROWTH).min(means.memory / 2);
            if bytes >= 2 * self.memory.bytes() {
                self.memory = self.memory.grown(bytes)?;
                budget = self.memory.capacity() / 2;
            } else {
                budget = budget.saturating_mul(GROWTH);
            }
        }
    }

    /// Builds tables as far as the work done so far and the memory justify.
    fn build_tables(&mut self, board: B, means: &mut Means<'_>) -> io::Result<()> {
        let level = board.own_seeds() + board.other_seeds();
        if !means.build || B::ROW > Small::MAX_HOUSES.into() {
            return Ok(());
        }
        // A position of a table costs far less than a node, unless it follows a relay.
        let worth = if self.law.rules().relay { 4 } else { 400 };
        let allowed = (means.memory / 2).min(worth * *means.nodes);
        let houses = self.game.houses();
        let fits = |level: &u32| {
            memory_to_build(&self.game, *level, means.threads)
                .is_ok_and(|need| need <= means.memory / 2)
                && live_positions_to(houses, *level) <= allowed.into()
        };
        let most = (level as u32).saturating_sub(4).min(60);
        let Some(wanted) = (2..=most).rev().find(fits) else { return Ok(()) };
        if wanted < self.table_level() + 2 {
            return Ok(());
        }
        let (stop, deadline) = (means.stop, means.deadline);
        let options = sowing_tables::Options {
            threads: means.threads,
            memory: means.memory / 2,
            halted: &|| is_halted(stop, deadline),
            ..Default::default()
        };
        match build_in_memory(&self.game, wanted, &options) {
            Ok(built) => self.tables = Some(Arc::new(built)),
            // The search can do without, or is over.
            Err(Error::Memory { .. } | Error::Halted) => {}
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    /// Learns from tables that are there for the first time, or again from much better ones.
    fn learn(&mut self) {
        let learnt = self.estimate.as_ref().map_or(0, Estimate::level);
        // A relay runs on into houses far from where it started: there the estimate is no help.
        if let Some(tables) = &self.tables
            && !self.law.rules().relay
            && tables.max_level().min(Estimate::MOST_SEEDS) >= learnt + 4
        {
            self.estimate = Some(Estimate::learn(self.law.houses(), tables));
        }
    }

    /// A whole turn that gets at least `target` out of a live board known to be worth it: the slots
    /// to play. `None` if the search was stopped. What is remembered is asked first, so that the
    /// turn is one that the proof already uses, where there is one.
    pub(crate) fn turn(
        &mut self,
        board: B,
        target: i64,
        means: &mut Means<'_>,
    ) -> io::Result<Option<Vec<usize>>> {
        let most = means.memory / 8 / (4 * size_of::<B>() as u64 + 64);
        let Some(turns) = Paths::new(&self.law, board, most.max(1 << 16) as usize) else {
            return self.turn_by_moves(board, target, means);
        };
        let finished = turns.ends.iter().find(|end| match end.value {
            Some(value) => value >= target,
            None => 2 * end.gain - turns.level >= target && !self.law.rules().remaining_lost,
        });
        if let Some(end) = finished {
            return Ok(Some(turns.slots(end)));
        }
        let mut open = Vec::new();
        for end in turns.ends.iter().filter(|end| end.value.is_none()) {
            let left = (turns.level - end.gain) as u64;
            let known =
                self.memory.place(&end.board, left).and_then(|place| self.memory.get(place));
            match known {
                Some(span) if end.gain - span.high >= target => return Ok(Some(turns.slots(end))),
                Some(span) if end.gain - span.low < target => {}
                _ => open.push(end),
            }
        }
        open.sort_by_key(|end| {
            Reverse(promise(&self.law, self.estimate.as_ref(), &end.board, end.gain))
        });
        for end in open {
            let most = turns.level - end.gain;
            let bounds = Bounds { low: -most, high: most };
            let question = end.gain - target + 1;
            match self.bound(end.board, question, bounds, means)? {
                Some(answer) if answer < question => return Ok(Some(turns.slots(end))),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        unreachable!("some turn is worth {target}")
    }

    /// The same, found move by move, where the turns are too many to be held.
    fn turn_by_moves(
        &mut self,
        board: B,
        target: i64,
        means: &mut Means<'_>,
    ) -> io::Result<Option<Vec<usize>>> {
        let (mut board, mut target, mut slots) = (board, target, Vec::new());
        'turn: loop {
            for slot in (0..self.law.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = self.law.play(board, slot);
                let left = target - played.gain as i64;
                let rest = self.law.remaining(&played.board);
                let most = (played.board.own_seeds() + played.board.other_seeds()) as i64;
                let bounds = Bounds { low: -most, high: most };
                let question = if played.again { left } else { 1 - left };
                let answer = match played.finished {
                    true => Some(rest),
                    false => self.bound(played.board, question, bounds, means)?,
                };
                let Some(answer) = answer else { return Ok(None) };
                if (answer >= question) != played.again {
                    continue;
                }
                slots.push(slot);
                if !played.again || played.finished {
                    return Ok(Some(slots));
                }
                (board, target) = (played.board, left);
                continue 'turn;
            }
            unreachable!("some move is worth {target}")
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
        let for_turns = means.memory / 4 / threads as u64;
        let search = || {
            let known = Knowledge {
                law: &self.law,
                memory: &self.memory,
                tables: self.tables.as_deref(),
                estimate: self.estimate.as_ref(),
            };
            Search::new(known, &shared, for_turns).run(board, target)
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use sowing::{Position, Wide};

    /// A turn found move by move is worth just what the board is worth.
    #[test]
    fn turns_by_moves_keep_the_value() {
        for name in ["kalah(4,3)", "s-kalaha(3,3)", "kalah(3,3,remaining-lost)"] {
            let game: Game = name.parse().unwrap();
            let mut core = Core::<Wide>::new(&game, None).unwrap();
            let stop = AtomicBool::new(false);
            let mut means = Means {
                threads: 1,
                memory: 1 << 24,
                build: false,
                deadline: None,
                stop: &stop,
                nodes: &mut 0,
                moves: &mut 0,
                progress: Box::new(|_| {}),
            };
            let value = |core: &mut Core<Wide>, board, means: &mut Means<'_>| {
                let level = game.total() as i64;
                let mut bounds = Bounds { low: -level, high: level };
                assert!(core.narrow(board, &mut bounds, 1, &|_| false, means).unwrap());
                bounds.low
            };
            let start = *Position::start(game).board();
            let worth = value(&mut core, start, &mut means);
            let slots = core.turn_by_moves(start, worth, &mut means).unwrap().unwrap();
            let (mut board, mut gain) = (start, 0);
            for slot in &slots {
                let played = core.law.play(board, *slot);
                assert!(!played.finished, "{name} is not over after one turn");
                gain += played.gain as i64;
                board = played.board;
            }
            assert_eq!(gain - value(&mut core, board, &mut means), worth, "{name}: {slots:?}");
        }
    }
}
