//! The slots: how much is solved at a time, and the solvers that stay warm between requests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use axum::http::StatusCode;
use sowing_analysis::{Analysis, AnalysisOptions, analyze};
use sowing_rules::{Game, Playthrough};
use sowing_solver::{Solver, SolverOptions};
use sowing_tables::Tables;

use crate::books::Books;
use crate::config::Config;
use crate::error::Refusal;
use crate::queue::{Client, Queue, Turn};

/// Memory and time for looking something up in a book.
const LOOK_UP: u64 = 64 << 20;
const LOOK_UP_TIME: Duration = Duration::from_millis(250);

/// A job of fewer nodes is done again sooner than its book is written.
const WORTH_KEEPING: u64 = 1 << 14;

/// A limited number of solvers. One that is done stays, with all it has proven, for the next
/// request about its game.
#[derive(Debug)]
pub(crate) struct Slots {
    queue: Arc<Queue>,
    /// For work that needs no solver.
    light: Arc<Queue>,
    /// How long a job may take.
    time: Duration,
    /// The longest idle first.
    idle: Mutex<Vec<Idle>>,
    /// The switches of the jobs under way.
    stops: Mutex<Vec<Weak<AtomicBool>>>,
    options: SolverOptions,
    /// Bytes that a slot may use in all.
    memory: u64,
    /// The folder of the endgame tables.
    tables: Option<PathBuf>,
    books: Books,
}

/// A solver that waits for the next request, and the tables that it was given.
#[derive(Debug)]
struct Idle {
    solver: Solver,
    tables: Option<Arc<Tables>>,
}

/// The right to solve something.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    turn: Turn,
}

/// A solver at work in a slot.
pub(crate) struct Worker {
    slot: Slot,
    solver: Option<Solver>,
    tables: Option<Arc<Tables>>,
    /// The solver's nodes when it began.
    nodes: u64,
}

impl Slots {
    /// Slots with these means.
    pub(crate) fn new(config: &Config) -> Slots {
        Slots {
            queue: Queue::new(config.slots),
            light: Queue::new(config.light()),
            time: config.time,
            idle: Mutex::default(),
            stops: Mutex::default(),
            options: config.options(),
            memory: config.memory,
            tables: config.tables.clone(),
            books: Books::new(config),
        }
    }

    /// How many there are.
    pub(crate) fn all(&self) -> usize {
        self.queue.all()
    }

    /// How many are at work.
    pub(crate) fn busy(&self) -> usize {
        self.queue.busy()
    }

    /// How many solvers wait for a request.
    pub(crate) fn idle(&self) -> usize {
        self.idle.lock().expect("nobody panics with the lock").len()
    }

    /// Bytes that all of them together may use.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.saturating_mul(self.all() as u64)
    }

    /// How long a job may take.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Ends the searches of all jobs; what is proven by now is their answer.
    pub(crate) fn stop(&self) {
        let stops = self.stops.lock().expect("nobody panics with the lock");
        stops.iter().filter_map(Weak::upgrade).for_each(|stop| stop.store(true, Relaxed));
    }

    fn remember(&self, stop: &Arc<AtomicBool>) {
        let mut stops = self.stops.lock().expect("nobody panics with the lock");
        stops.retain(|stop| stop.strong_count() > 0);
        stops.push(Arc::downgrade(stop));
    }

    /// A slot, if one is free or becomes free soon.
    pub(crate) async fn take(self: &Arc<Self>, client: Client) -> Result<Slot, Refusal> {
        let turn = self.queue.take(client).await?;
        Ok(Slot { slots: Arc::clone(self), turn })
    }

    /// What the books alone tell of a game as it stands, if that is all of it: no slot is needed to
    /// look it up.
    pub(crate) fn look_up(
        &self,
        played: &Playthrough,
        wants: &AnalysisOptions,
    ) -> Option<Analysis> {
        let game = *played.position().game();
        let book = self.books.of(&game)?;
        let known = book.probe(played.position())?;
        // Whole turns, a line, and a move that the book does not know would have to be searched for.
        let is_known = |action| {
            let (next, _) = played.position().play(action);
            next.is_finished() || book.probe(&next).is_some_and(|known| known.low == known.high)
        };
        if known.low < known.high || wants.turns || wants.line {
            return None;
        }
        if wants.moves && !played.position().moves().all(is_known) {
            return None;
        }
        let options = SolverOptions {
            threads: 1,
            memory: LOOK_UP,
            book: Some(book),
            build_tables: false,
            ..SolverOptions::default()
        };
        let mut solver = Solver::with_options(game, options).ok()?;
        let wants = AnalysisOptions { time: Some(LOOK_UP_TIME), share: None, ..*wants };
        let found = analyze(&mut solver, played, &wants, &mut |_| {}).ok()?;
        found.complete.then_some(found)
    }

    /// A permit for work that needs no solver: there are no more than slots.
    ///
    /// The switch ends the job when it has had its share and others wait.
    pub(crate) async fn take_light(
        &self,
        client: Client,
        stop: &Arc<AtomicBool>,
    ) -> Result<Turn, Refusal> {
        let turn = self.light.take(client).await?;
        turn.can_stop(stop);
        Ok(turn)
    }

    /// An idle solver of the game. Where there is none, the longest idle ones make room: with the
    /// slots that are taken, those of the caller included, there are never more than all slots.
    fn warm(&self, game: Option<Game>) -> Option<Idle> {
        let mut idle = self.idle.lock().expect("nobody panics with the lock");
        // One whose tables were cut or written to answers nothing more; the next opens them anew.
        idle.retain(|idle| idle.solver.is_sound());
        if let Some(index) = idle.iter().rposition(|idle| Some(*idle.solver.game()) == game) {
            return Some(idle.remove(index));
        }
        let surplus = idle.len().saturating_sub(self.all().saturating_sub(self.busy()));
        drop(idle.drain(..surplus));
        None
    }
}

impl Slot {
    /// Lets the job give way to others who wait, once it has had its share.
    pub(crate) fn giving_way(self, stop: &Arc<AtomicBool>) -> Slot {
        self.turn.can_stop(stop);
        self
    }

    /// Does a job with a solver of the game, on a thread of its own that leaves the processor to
    /// requests that are quickly answered. The switch ends the job's searches; so does the time.
    pub(crate) fn work(
        self,
        game: Game,
        stop: Arc<AtomicBool>,
        job: impl FnOnce(Result<&mut Worker, Refusal>) + Send + 'static,
    ) -> Result<(), Refusal> {
        self.slots.remember(&stop);
        let (time, switch) = (self.slots.time, Arc::clone(&stop));
        let limit = tokio::spawn(async move {
            tokio::time::sleep(time).await;
            switch.store(true, Relaxed);
        });
        spawn_nice(move || {
            match self.worker(game, stop) {
                Ok(mut worker) => job(Ok(&mut worker)),
                Err(refusal) => job(Err(refusal)),
            }
            limit.abort();
        })
    }

    /// Does a job that needs the means of a slot but no solver of ours, on threads of its own that
    /// leave the processor to others.
    pub(crate) fn compute(
        self,
        job: impl FnOnce(&SolverOptions) + Send + 'static,
    ) -> Result<(), Refusal> {
        spawn_nice(move || {
            self.slots.warm(None);
            let means = &self.slots.options;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(means.threads);
            // Without a pool the job's sender is dropped, and its receiver knows.
            if let Ok(pool) = pool.start_handler(|_| be_nice()).build() {
                pool.install(|| job(means));
            }
        })
    }

    fn worker(self, game: Game, stop: Arc<AtomicBool>) -> Result<Worker, Refusal> {
        let Idle { mut solver, tables } = match self.slots.warm(Some(game)) {
            Some(idle) => idle,
            None => {
                // Tables that cannot be read are no reason not to search.
                let tables = self.slots.tables.as_ref().and_then(|dir| {
                    Tables::open_if_any(dir, &game).unwrap_or_else(|error| {
                        tracing::warn!(%game, %error, "solved without its tables");
                        None
                    })
                });
                let tables = tables.map(Arc::new);
                let book = self.slots.books.of(&game);
                let options =
                    SolverOptions { tables: tables.clone(), book, ..self.slots.options.clone() };
                Idle { solver: Solver::with_options(game, options)?, tables }
            }
        };
        solver.set_stop_switch(stop);
        solver.set_time(None);
        let nodes = solver.nodes();
        Ok(Worker { slot: self, solver: Some(solver), tables, nodes })
    }
}

impl Worker {
    /// The solver.
    pub(crate) fn solver(&mut self) -> &mut Solver {
        self.solver.as_mut().expect("it is there unless it is lent")
    }

    /// The solver, for somebody who gives it back.
    pub(crate) fn lend(&mut self) -> Solver {
        self.solver.take().expect("it is there unless it is lent")
    }

    /// Takes the solver back.
    pub(crate) fn give_back(&mut self, solver: Option<Solver>) {
        self.solver = solver;
    }
}

impl Drop for Worker {
    /// The solver is idle again, unless it broke.
    fn drop(&mut self) {
        let sound = |solver: &Solver| !std::thread::panicking() && solver.is_sound();
        if let Some(solver) = self.solver.take().filter(sound) {
            if solver.nodes() - self.nodes >= WORTH_KEEPING {
                self.slot.slots.books.keep(&solver);
            }
            let idle = Idle { solver, tables: self.tables.take() };
            self.slot.slots.idle.lock().expect("nobody panics with the lock").push(idle);
        }
    }
}

/// Does something on a thread of its own that leaves the processor to others.
pub(crate) fn spawn_nice(job: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    let run = move || {
        be_nice();
        job();
    };
    let started = std::thread::Builder::new().name("analysis".to_string()).spawn(run);
    started.map(drop).map_err(|error| {
        let message = format!("cannot start a thread: {error}");
        Refusal::of(StatusCode::INTERNAL_SERVER_ERROR, message)
    })
}

/// Lets every other thread go first. Where this would slow the whole process down, nothing is done.
fn be_nice() {
    #[cfg(target_os = "linux")]
    // A system that refuses is served all the same.
    let _ = rustix::process::nice(19);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::Position;

    /// The starts that everybody opens are looked up; what no book holds is not.
    #[test]
    fn starts_are_in_the_book() {
        let slots = Slots::new(&Config::default());
        for (game, value) in [("kalah(6,4)", 8), ("kalah(6,4,empty-capture)", 10)] {
            let played = Playthrough::new(Position::start(game.parse().unwrap()));
            let found = slots.look_up(&played, &AnalysisOptions::default()).expect(game);
            assert_eq!((found.known.value(), found.nodes, found.moves.len()), (Some(value), 0, 6));
        }
        let played = Playthrough::new(Position::start("kalah(5,4)".parse().unwrap()));
        assert!(slots.look_up(&played, &AnalysisOptions::default()).is_none());
    }
}
