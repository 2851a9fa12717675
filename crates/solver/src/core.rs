//! The search on one kind of board: memory that grows with the work, threads, and the steps of
//! null windows that close in on a value.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use sowing::{Game, Law, Small};
use sowing_platform::Instant;
use sowing_tables::{Error, Tables, live_positions_to, memory_to_build};

use crate::book::{Book, Entry};
use crate::error::SolveError;
use crate::estimate::Estimator;
use crate::exchange::Exchange;
use crate::kept;
use crate::means::{Means, Shares, Standing, is_halted};
use crate::memory::{Crossed, Memory};
use crate::order::Order;
use crate::paths::Paths;
use crate::proof::Proof;
use crate::rank::Ranked;
use crate::search::{Desk, Halt, Search, Shared};
use crate::solver::SolverOptions;
use crate::turn::Knowledge;
use crate::usual::Usual;
use crate::verdict::Bounds;

/// The law and the memory for one kind of board.
#[derive(Debug)]
pub(crate) struct Core<B: Ranked> {
    game: Game,
    law: Law<B>,
    memory: Memory,
    tables: Option<Arc<Tables>>,
    /// Whether the tables were built here, so that they may be given up for better ones.
    built: bool,
    /// The tables that the core was given. Bounds that rest on them stay in memory after better ones
    /// take their place, so that their files are watched as long as the core lives.
    given_tables: Option<Arc<Tables>>,
    order: Order,
    estimate: Option<Estimator>,
    /// The memory of the last proof, for the next one.
    proof: Option<Proof<B>>,
    /// How many boards it was asked about.
    asked: u64,
}

/// What a core starts with.
#[derive(Default)]
pub(crate) struct Given {
    tables: Option<Arc<Tables>>,
    book: Option<Arc<Book>>,
    /// The most bytes for what is remembered.
    memory: u64,
}

impl Given {
    pub(crate) fn of(options: &SolverOptions) -> Given {
        let memory = Shares::of(options.memory).memory;
        Given { tables: options.tables.clone(), book: options.book.clone(), memory }
    }
}

/// The memory that a search starts with: it fits a processor's cache.
const FIRST_MEMORY: u64 = 1 << 18;

/// Memory grows by this factor when the work outgrows it.
const GROWTH: u64 = 4;

/// A search is not taken to need more than so many times the nodes that it has needed so far.
const FORESIGHT: u64 = 32;

/// More boards than this are not taken to be still to come.
const MORE_TO_COME: u64 = 4;

/// More than so many bytes of a proof that is over are given back to the system.
const HELD: usize = 1 << 26;

/// More threads than this would hold more than they learn.
const LEARNERS: usize = 4;

/// So few nodes are too little work for threads: every question starts with one, which is given no
/// more than these.
const ALONE: u64 = 1 << 12;

/// What counts most of what threads come back with: that nothing can be trusted, then an answer, then
/// why there is none.
fn weight(found: &Result<i64, Halt>) -> u8 {
    match found {
        Err(Halt::Crossed | Halt::Tables) => 3,
        Ok(_) => 2,
        Err(Halt::Done) => 0,
        Err(_) => 1,
    }
}

/// How often it is told how a search goes.
const OFTEN: Duration = Duration::from_millis(100);

impl<B: Ranked> Core<B> {
    pub(crate) fn new(game: &Game, given: &Given) -> Result<Core<B>, SolveError> {
        let law = Law::new(game);
        let known = given.book.as_ref().map_or(&[][..], |book| book.entries());
        // Half of it is room for what is found. Where that is too much, what took most work stays.
        let wanted = (16 * known.len() as u64).min(given.memory);
        let memory = Memory::new(law.houses(), FIRST_MEMORY.max(wanted))?;
        memory.take_on(known).map_err(|Crossed| SolveError::Contradiction)?;
        let (tables, given_tables) = (given.tables.clone(), given.tables.clone());
        let order = Order::new(&law, None);
        let (game, built, estimate, proof, asked) = (*game, false, None, None, 0);
        Ok(Core { game, law, memory, tables, built, given_tables, order, estimate, proof, asked })
    }

    /// The highest layer that tables know.
    pub(crate) fn table_layer(&self) -> u32 {
        self.tables.as_ref().map_or(0, |tables| tables.max_layer())
    }

    /// The bytes that bounds and tables take which were made here.
    pub(crate) fn bytes(&self) -> u64 {
        let built = self.tables.as_ref().filter(|_| self.built);
        let tables = built.map_or(0, |tables| tables.info().iter().map(|layer| layer.bytes).sum());
        self.memory.bytes() + tables
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
    ) -> Result<bool, SolveError> {
        // The seeds in houses are shared out in full, so the value is odd or even with their
        // number; unless seeds can be lost.
        let step = if self.law.rules().remaining_lost { 1 } else { 2 };
        let mut guess = guess;
        self.asked += 1;
        let layer = (board.own_seeds() + board.other_seeds()) as i64;
        let known = kept::bounds(&self.law, &board, layer);
        *bounds = bounds.and(known).ok_or(SolveError::Contradiction)?;
        while bounds.low < bounds.high && !enough(*bounds) {
            // The lowest possible value from `guess` on.
            let steps = (guess - bounds.low + step - 1).div_euclid(step).max(1);
            let target = (bounds.low + steps * step).min(bounds.high);
            let answered = match self.bound(board, target, *bounds, means)? {
                Some(answer) if answer >= target => Bounds { low: answer, high: bounds.high },
                Some(answer) => Bounds { low: bounds.low, high: answer },
                None => return Ok(false),
            };
            *bounds = bounds.and(answered).ok_or(SolveError::Contradiction)?;
            guess = if bounds.low >= target { bounds.low + step } else { bounds.high };
        }
        Ok(true)
    }

    /// One null window: see [`Hand::look`](crate::hand::Hand). `None` if it was stopped.
    pub(crate) fn bound(
        &mut self,
        board: B,
        target: i64,
        bounds: Bounds,
        means: &mut Means<'_>,
    ) -> Result<Option<i64>, SolveError> {
        let proof = match self.proof.take() {
            Some(proof) => proof.about(board, target),
            None => Proof::new(board, target),
        };
        let mut desk = Desk::new(proof, means.shares.proof);
        let answer = self.prove(&mut desk, board, target, bounds, means);
        self.proof = Some(desk.into_proof()).filter(|proof| proof.held() <= HELD);
        answer
    }

    fn prove(
        &mut self,
        desk: &mut Desk<B>,
        board: B,
        target: i64,
        bounds: Bounds,
        means: &mut Means<'_>,
    ) -> Result<Option<i64>, SolveError> {
        // A search of many nodes gets more memory and tables, each time for as many nodes as the
        // memory has room for. So that threads are not started for little, the first time is short.
        let (mut budget, mut spent) = ((self.memory.capacity() / 2).min(ALONE), 0);
        loop {
            let before = means.work.nodes;
            let answer = self.run(desk, board, target, bounds, budget - spent, means);
            spent += means.work.nodes - before;
            desk.lay_open();
            match answer {
                Ok(answer) => return Ok(Some(answer)),
                Err(Halt::Stop | Halt::Done | Halt::Slice) => return Ok(None),
                Err(Halt::Crossed | Halt::Tables) => {
                    // A file that is damaged explains bounds that cross.
                    self.check_tables()?;
                    return Err(SolveError::Contradiction);
                }
                Err(Halt::Full) => desk.tidy_up(),
                Err(Halt::Budget) => {}
            }
            if spent < budget {
                continue;
            }
            // The work goes on: more memory and more tables pay now. Nothing proven is lost.
            self.build_tables(board, means)?;
            self.learn(means);
            // The turns of one position can be far more than a budget.
            let whole = self.memory.capacity() / 2;
            if spent < whole {
                budget = whole;
                continue;
            }
            let room = means.shares.memory.saturating_sub(self.memory.bytes());
            let wanted = (self.memory.bytes() * GROWTH).max(16 * spent);
            let bytes = wanted.min(room);
            if bytes >= 2 * self.memory.bytes() && self.memory.is_crowded() {
                let halted = || means.is_halted();
                if let Some(grown) = self.memory.grown(bytes, &halted)? {
                    self.memory = grown;
                }
                budget = self.memory.capacity() / 2;
            } else {
                // In any case there are more nodes the next time: a turn that takes more of them than there
                // are is begun anew, and would never end.
                budget = budget.max(whole).saturating_mul(2);
            }
            spent = 0;
        }
    }

    /// Builds tables as far as the work done so far and the memory justify.
    fn build_tables(&mut self, board: B, means: &mut Means<'_>) -> Result<(), SolveError> {
        let layer = board.own_seeds() + board.other_seeds();
        if !means.build || B::ROW > Small::MAX_HOUSES.into() {
            return Ok(());
        }
        // A position of a table costs far less than a node: about a 45th, the memory for it included,
        // or, where there are relays, a fourth.
        let (relay, houses) = (self.law.rules().relay, self.game.houses());
        let pays = |known: u32| {
            let nodes = means.work.nodes;
            let positions = if relay { 4 * nodes } else { 45 * self.foreseen(layer, known, means) };
            live_positions_to(houses, known) <= positions.into()
        };
        let memory = means.shares.tables;
        let fits = |known: &u32| {
            pays(*known)
                && memory_to_build(&self.game, *known, means.threads)
                    .is_ok_and(|need| need <= memory)
        };
        let most = (layer as u32).saturating_sub(4).min(60);
        let lacking = self.table_layer().max(1) + 1..=most;
        let Some(wanted) = lacking.take_while(fits).last() else { return Ok(()) };
        let (stop, deadline) = (means.stop, means.deadline);
        let options = sowing_tables::BuildOptions {
            threads: means.threads,
            memory,
            halted: &|| is_halted(stop, deadline),
            ..Default::default()
        };
        let own = self.tables.as_mut().filter(|_| self.built).and_then(Arc::get_mut);
        let built = match own {
            Some(tables) => tables.extend_with(wanted, &options, &mut means.workshop),
            None => Tables::empty(&self.game).and_then(|mut tables| {
                tables.extend_with(wanted, &options, &mut means.workshop)?;
                (self.tables, self.built) = (Some(Arc::new(tables)), true);
                Ok(())
            }),
        };
        match built {
            // The search can do without, or is over.
            Ok(()) | Err(Error::Memory { .. } | Error::Halted) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// How many nodes a search is taken to need still, which is about a board of this layer and not at
    /// its end, above tables of so many seeds.
    ///
    /// What every turn of a start takes was measured for some games, and is carried on from there; but
    /// that differs from game to game, so that it is believed only as far as what was seen makes it
    /// likely. Who has asked about several boards will ask about more.
    fn foreseen(&self, layer: u64, known: u32, means: &Means<'_>) -> u64 {
        let usual = Usual::of(self.law.houses()).nodes(layer, known);
        let boards = self.asked.max(means.expected).min(MORE_TO_COME);
        let usual = usual * boards as f64 / MORE_TO_COME as f64;
        // As much again as was needed so far may be to come; or the end may be near.
        let nodes = means.work.nodes;
        (nodes / 2).max((usual as u64).min(FORESIGHT * nodes))
    }

    /// Learns from tables that are there for the first time, or again from much better ones, or from
    /// many more boards of them: as many as the work done so far justifies.
    fn learn(&mut self, means: &Means<'_>) {
        // A relay runs on into houses far from where it started: there the estimate is no help.
        let Some(tables) = self.tables.as_ref().filter(|_| !self.law.rules().relay) else { return };
        let boards = Estimator::enough(means.work.nodes);
        let is_better = self.estimate.as_ref().is_none_or(|known| {
            tables.max_layer().min(Estimator::MOST_SEEDS) >= known.layer() + 4
                || boards >= 4 * known.boards()
        });
        if is_better {
            let (stop, deadline) = (means.stop, means.deadline);
            let halted = || is_halted(stop, deadline);
            let houses = self.law.houses();
            let fit = means.shares.tables / 8 / Estimator::bytes(houses);
            let threads = means.threads.min(fit as usize).clamp(1, LEARNERS);
            let learnt = Estimator::learn(houses, tables, boards, threads, &halted);
            self.estimate = learnt.or(self.estimate.take());
            self.order = Order::new(&self.law, self.estimate.as_ref());
        }
    }

    /// All turns of a live board, if they can be held and the time is enough.
    pub(crate) fn paths(&self, board: B, means: &Means<'_>) -> Result<Paths<B>, SolveError> {
        let most = (means.shares.turns / Paths::<B>::BYTES as u64).max(1 << 12) as usize;
        Paths::new(&self.law, board, most, &|| means.is_halted())
    }

    /// A whole turn that gets at least `target` out of a live board known to be worth it: the slots
    /// to play. What is remembered is asked first, so that the turn is one that the proof already
    /// uses, where there is one.
    pub(crate) fn turn(
        &mut self,
        board: B,
        target: i64,
        means: &mut Means<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let turn = self.find_turn(board, target, means);
        self.check_tables()?;
        turn
    }

    fn find_turn(
        &mut self,
        board: B,
        target: i64,
        means: &mut Means<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let turns = match self.paths(board, means) {
            Ok(turns) => turns,
            Err(SolveError::TooManyTurns { .. }) => {
                return self.turn_by_moves(board, target, means);
            }
            Err(error) => return Err(error),
        };
        let finished = turns.ends.iter().find(|end| match end.value {
            Some(value) => value >= target,
            None => 2 * end.gain - turns.layer >= target && !self.law.rules().remaining_lost,
        });
        if let Some(end) = finished {
            return Ok(turns.slots(end));
        }
        let mut open = Vec::new();
        for end in turns.ends.iter().filter(|end| end.value.is_none()) {
            let left = (turns.layer - end.gain) as u64;
            let known =
                self.memory.place(&end.board, left).and_then(|place| self.memory.get(place));
            match known {
                Some(bounds) if end.gain - bounds.high >= target => return Ok(turns.slots(end)),
                Some(bounds) if end.gain - bounds.low < target => {}
                _ => open.push(end),
            }
        }
        open.sort_by_key(|end| Reverse(self.order.promise(&end.board, end.gain)));
        for end in open {
            let bounds = Bounds::of_seeds(turns.layer - end.gain);
            let question = end.gain - target + 1;
            match self.bound(end.board, question, bounds, means)? {
                Some(answer) if answer < question => return Ok(turns.slots(end)),
                Some(_) => {}
                None => return Err(SolveError::Stopped),
            }
        }
        Err(SolveError::NoSuchTurn { margin: target })
    }

    /// The same, found move by move, where the turns are too many to be held.
    fn turn_by_moves(
        &mut self,
        board: B,
        target: i64,
        means: &mut Means<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let (mut board, mut left, mut slots) = (board, target, Vec::new());
        'turn: loop {
            for slot in (0..self.law.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = self.law.play(board, slot);
                let left_after = left - played.gain as i64;
                let rest = self.law.remaining(&played.board);
                let most = (played.board.own_seeds() + played.board.other_seeds()) as i64;
                let question = if played.again { left_after } else { 1 - left_after };
                let answer = match played.finished {
                    true => Some(rest),
                    false => self.bound(played.board, question, Bounds::of_seeds(most), means)?,
                };
                let answer = answer.ok_or(SolveError::Stopped)?;
                if (answer >= question) != played.again {
                    continue;
                }
                slots.push(slot);
                if !played.again || played.finished {
                    return Ok(slots);
                }
                (board, left) = (played.board, left_after);
                continue 'turn;
            }
            return Err(SolveError::NoSuchTurn { margin: target });
        }
    }

    /// The entries that took most nodes to prove, at most `most`, in order of rank.
    ///
    /// It fails if a table file has changed by the time that the entries are copied: any of them may
    /// rest on what was written to it.
    pub(crate) fn proven(&self, most: usize) -> Result<Vec<Entry>, SolveError> {
        let entries = self.memory.costly(most);
        self.check_tables()?;
        Ok(entries)
    }

    /// Fails if the files of the tables that the core was given are not what they were when they
    /// were opened.
    fn check_tables(&self) -> Result<(), SolveError> {
        match self.given_tables.as_ref().and_then(|tables| tables.damage()) {
            Some(damage) => Err(SolveError::Tables(damage)),
            None => Ok(()),
        }
    }

    /// An answer that takes no search.
    fn remembered(&self, board: B, target: i64) -> Option<i64> {
        if let Some(value) = self.tables.as_ref().and_then(|tables| board.look_up(tables)) {
            return Some(value.into());
        }
        let place = self.memory.place(&board, board.own_seeds() + board.other_seeds())?;
        self.memory.get(place)?.answer(target)
    }

    fn run(
        &self,
        desk: &Desk<B>,
        board: B,
        target: i64,
        bounds: Bounds,
        budget: u64,
        means: &mut Means<'_>,
    ) -> Result<i64, Halt> {
        if is_halted(means.stop, means.deadline) {
            return self.trusted(self.remembered(board, target).ok_or(Halt::Stop));
        }
        let threads = if budget <= ALONE { 1 } else { means.threads };
        let shared = Shared::new(budget, means.deadline, means.stop, means.exchange);
        let for_turns = means.shares.turns / threads as u64;
        let search = |halted: &dyn Fn() -> bool| {
            let known = Knowledge {
                law: &self.law,
                memory: &self.memory,
                tables: self.tables.as_deref(),
                order: &self.order,
                estimate: self.estimate.as_ref(),
                halted,
            };
            Search::new(known, &shared, for_turns).run(desk)
        };
        let (before, progress) = (means.work.nodes, &mut means.progress);
        let (keeper, exchange) = (&mut means.keeper, means.exchange);
        progress(Standing { bounds, target, nodes: before });
        let mut tell = || {
            let nodes = before + shared.nodes.load(Relaxed);
            progress(Standing { bounds, target, nodes });
            if let Some(exchange) = exchange.filter(|exchange| exchange.has_news()) {
                let taken = self.memory.take_on(&exchange.learnt());
                if taken.is_err() {
                    shared.halt(Halt::Crossed);
                } else if self.remembered(board, target).is_some() {
                    // Somebody else has the answer.
                    shared.halt(Halt::Done);
                }
            }
            if let Some(keeper) = keeper.as_deref_mut()
                && keeper.keep_if_due(nodes, |most| self.proven(most)).is_err()
            {
                shared.halt(Halt::Tables);
            }
        };
        // One thread tells by itself: where there are no threads, nobody else could.
        let answer = if threads == 1 {
            let teller = RefCell::new((&mut means.told, tell));
            search(&|| {
                let (last, tell) = &mut *teller.borrow_mut();
                if exchange.is_some_and(Exchange::has_news) || last.elapsed() >= OFTEN {
                    tell();
                    **last = Instant::now();
                }
                shared.is_halted()
            })
        } else {
            thread::scope(|scope| {
                let (sender, receiver) = channel();
                for _ in 0..threads {
                    let (sender, search, shared) = (sender.clone(), &search, &shared);
                    scope.spawn(move || sender.send(search(&|| shared.is_halted())));
                }
                drop(sender);
                let mut answer = Err(Halt::Done);
                let often = if exchange.is_some() { OFTEN / 10 } else { OFTEN };
                loop {
                    match receiver.recv_timeout(often) {
                        // The thread with the answer halts the others, which then know less.
                        Ok(found) if weight(&found) > weight(&answer) => answer = found,
                        Ok(_) => {}
                        Err(RecvTimeoutError::Disconnected) => return answer,
                        Err(RecvTimeoutError::Timeout) => tell(),
                    }
                }
            })
        };
        let answer = match (answer, exchange) {
            (Err(Halt::Done), Some(_)) => self.remembered(board, target).ok_or(Halt::Done),
            (answer, _) => answer,
        };
        means.work.nodes += shared.nodes.load(Relaxed);
        means.work.moves += shared.moves.load(Relaxed);
        means.work.cuts += shared.cuts.load(Relaxed);
        means.work.first_cuts += shared.first_cuts.load(Relaxed);
        self.trusted(answer)
    }

    /// An answer, unless the files of the tables that it rests on are not what they were.
    fn trusted(&self, answer: Result<i64, Halt>) -> Result<i64, Halt> {
        if self.check_tables().is_err() { Err(Halt::Tables) } else { answer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Work;
    use sowing::{Position, Wide};
    use sowing_tables::Workshop;
    use std::sync::atomic::AtomicBool;

    fn means<'a>(stop: &'a AtomicBool, work: &'a mut Work) -> Means<'a> {
        Means {
            threads: 1,
            shares: Shares::of(1 << 26),
            build: false,
            deadline: None,
            stop,
            work,
            workshop: Workshop::default(),
            expected: 1,
            progress: Box::new(|_| {}),
            told: Instant::now(),
            keeper: None,
            exchange: None,
        }
    }

    /// A false bound in the memory, as a faulty one might hold, ends the search where it comes to
    /// light: the value is 6, which all moves but the start's own entry tell.
    #[test]
    fn a_contradiction_is_an_error() {
        let game: Game = "kalah(4,3)".parse().unwrap();
        let start = Small::new(Position::start(game).board()).unwrap();
        let found = (7..=24).filter(|low| {
            let mut core = Core::<Small>::new(&game, &Given::default()).unwrap();
            let (stop, mut work) = (AtomicBool::new(false), Work::default());
            let mut means = means(&stop, &mut work);
            let place = core.memory.place(&start, game.total()).unwrap();
            core.memory.put(place, Bounds { low: *low, high: 24 }, 1).unwrap();
            let mut bounds = Bounds::of_seeds(game.total() as i64);
            let answer = core.narrow(start, &mut bounds, 1, &|_| false, &mut means);
            matches!(answer, Err(SolveError::Contradiction))
        });
        assert!(found.count() > 0);
    }

    /// A turn found move by move is worth just what the board is worth.
    #[test]
    fn turns_by_moves_keep_the_value() {
        for name in ["kalah(4,3)", "s-kalaha(3,3)", "kalah(3,3,remaining-lost)"] {
            let game: Game = name.parse().unwrap();
            let mut core = Core::<Wide>::new(&game, &Given::default()).unwrap();
            let stop = AtomicBool::new(false);
            let mut work = Work::default();
            let mut means = means(&stop, &mut work);
            let value = |core: &mut Core<Wide>, board, means: &mut Means<'_>| {
                let layer = game.total() as i64;
                let mut bounds = Bounds { low: -layer, high: layer };
                assert!(core.narrow(board, &mut bounds, 1, &|_| false, means).unwrap());
                bounds.low
            };
            let start = *Position::start(game).board();
            let worth = value(&mut core, start, &mut means);
            let slots = core.turn_by_moves(start, worth, &mut means).unwrap();
            let none = core.turn_by_moves(start, worth + 1, &mut means);
            assert!(matches!(none, Err(SolveError::NoSuchTurn { .. })));
            let none = core.turn(start, worth + 1, &mut means);
            assert!(matches!(none, Err(SolveError::NoSuchTurn { .. })));
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
