//! The slots: how much is solved at a time, and the solvers that stay warm between requests.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use axum::http::StatusCode;
use sowing::{Game, Move, Position};
use sowing_solver::{Options, SolveError, Solver, Verdict};
use sowing_tables::Tables;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::Refusal;
use super::values::Values;
use crate::{failure, tables};

/// How long a request waits for a slot: about as long as a search needs to notice that its reader
/// has gone.
const PATIENCE: Duration = Duration::from_secs(1);

/// A limited number of solvers. One that is done stays, with all it has proven, for the next
/// request about its game.
#[derive(Debug)]
pub(crate) struct Slots {
    permits: Arc<Semaphore>,
    /// For work that needs no solver.
    light: Arc<Semaphore>,
    /// How long a job may take.
    time: Duration,
    /// The longest idle first.
    idle: Mutex<Vec<Idle>>,
    /// The switches of the jobs under way.
    stops: Mutex<Vec<Weak<AtomicBool>>>,
    options: Options,
    values: Arc<Values>,
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
    _permit: OwnedSemaphorePermit,
}

/// A solver at work in a slot. Exact values that it finds are remembered for everybody.
pub(crate) struct Worker {
    slot: Slot,
    solver: Option<Solver>,
    tables: Option<Arc<Tables>>,
}

impl Slots {
    /// So many slots, each with these means, and with this time for a job.
    pub(crate) fn new(count: usize, options: Options, time: Duration) -> Slots {
        Slots {
            permits: Arc::new(Semaphore::new(count)),
            light: Arc::new(Semaphore::new(count)),
            time,
            idle: Mutex::default(),
            stops: Mutex::default(),
            options,
            values: Arc::new(Values::new()),
        }
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
    pub(crate) async fn take(self: &Arc<Self>) -> Result<Slot, Refusal> {
        let permit = acquire(&self.permits).await?;
        Ok(Slot { slots: Arc::clone(self), _permit: permit })
    }

    /// A permit for work that needs no solver: there are as many as slots.
    pub(crate) async fn take_light(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        acquire(&self.light).await
    }

    /// An idle solver of the game. Where there is none, the longest idle ones make room: with the
    /// slots that are taken, those of the caller included, there are never more than all slots.
    fn warm(&self, game: Option<Game>) -> Option<Idle> {
        let mut idle = self.idle.lock().expect("nobody panics with the lock");
        // One whose tables were cut or written to answers nothing more; the next opens them anew.
        idle.retain(|idle| idle.tables.as_ref().is_none_or(|tables| tables.damage().is_none()));
        if let Some(index) = idle.iter().rposition(|idle| Some(*idle.solver.game()) == game) {
            return Some(idle.remove(index));
        }
        let surplus = idle.len().saturating_sub(self.permits.available_permits());
        drop(idle.drain(..surplus));
        None
    }
}

impl Slot {
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
        job: impl FnOnce(&Options) + Send + 'static,
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
                let tables = tables::of_data_directory(&game).unwrap_or_else(|failure| {
                    failure::say(&format!("{game} is solved without its tables: {failure}"));
                    None
                });
                let options = Options { tables: tables.clone(), ..self.slots.options.clone() };
                Idle { solver: Solver::with_options(game, options)?, tables }
            }
        };
        solver.set_stop_switch(stop);
        solver.set_time(None);
        Ok(Worker { slot: self, solver: Some(solver), tables })
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

    /// The values that everybody shares.
    pub(crate) fn values(&self) -> Arc<Values> {
        Arc::clone(&self.slot.slots.values)
    }

    /// What a position is worth, from memory where somebody has asked before.
    pub(crate) fn value(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        let values = self.values();
        if let Some(value) = values.get(position) {
            return Ok(Verdict::Exact(value));
        }
        let verdict = self.solver().value(position)?;
        if let Some(value) = verdict.value() {
            values.put(*position, value);
        }
        Ok(verdict)
    }

    /// A whole turn that keeps the value of a live position, move by move.
    pub(crate) fn best_turn(
        &mut self,
        position: &Position,
        value: i64,
    ) -> Result<(Vec<Move>, Position), SolveError> {
        let (mut at, mut turn) = (*position, Vec::new());
        loop {
            let (action, next, again) = self.best_move(&at, value)?;
            turn.push(action);
            at = next;
            if !again || at.is_finished() {
                return Ok((turn, at));
            }
        }
    }

    /// The first move that keeps the value of a live position, where it leads, and whether the
    /// mover then moves again.
    fn best_move(
        &mut self,
        position: &Position,
        value: i64,
    ) -> Result<(Move, Position, bool), SolveError> {
        for action in position.moves() {
            let (next, report) = position.play(action).expect("the moves of a position are legal");
            let keeps = if report.again {
                self.solver().at_least(&next, value)?
            } else {
                !self.solver().at_least(&next, 1 - value)?
            };
            if keeps {
                return Ok((action, next, report.again));
            }
        }
        unreachable!("some move of {position} keeps its value {value}")
    }
}

impl Drop for Worker {
    /// The solver is idle again, unless it broke.
    fn drop(&mut self) {
        if let Some(mut solver) = self.solver.take().filter(|_| !std::thread::panicking()) {
            solver.on_progress(|_| {});
            let idle = Idle { solver, tables: self.tables.take() };
            self.slot.slots.idle.lock().expect("nobody panics with the lock").push(idle);
        }
    }
}

async fn acquire(permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Refusal> {
    match tokio::time::timeout(PATIENCE, Arc::clone(permits).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(Refusal::busy()),
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
