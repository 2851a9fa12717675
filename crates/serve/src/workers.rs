//! The pool of workers, whose solvers stay warm between requests.

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
use crate::error::HttpError;
use crate::queue::{Client, Permit, Queue};

/// The limits of a look-up in a book.
const LOOK_UP_MEMORY: u64 = 64 << 20;
const LOOK_UP_TIME: Duration = Duration::from_millis(250);

/// A job of fewer nodes takes less time than writing its book.
const MIN_BOOK_NODES: u64 = 1 << 14;

/// A limited number of workers. When a job ends, its solver stays, with all it has proven, for the next request
/// about its game.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    queue: Arc<Queue>,
    /// For jobs without a solver.
    light: Arc<Queue>,
    /// How long a job may take.
    time: Duration,
    /// The longest idle first.
    idle: Mutex<Vec<Idle>>,
    /// The switches of the jobs under way.
    stops: Mutex<Vec<Weak<AtomicBool>>>,
    options: SolverOptions,
    /// Bytes of memory for each worker.
    memory: u64,
    /// The folder of the endgame tables.
    tables: Option<PathBuf>,
    books: Books,
}

/// A solver between two jobs, and its tables.
#[derive(Debug)]
struct Idle {
    solver: Solver,
    tables: Option<Arc<Tables>>,
}

/// A worker of the pool that is reserved for a job.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<WorkerPool>,
    permit: Permit,
}

/// A worker with its solver.
pub(crate) struct Worker {
    lease: Lease,
    solver: Option<Solver>,
    tables: Option<Arc<Tables>>,
    /// The solver's nodes at the start of the job.
    nodes: u64,
}

impl WorkerPool {
    pub(crate) fn new(config: &Config) -> WorkerPool {
        WorkerPool {
            queue: Queue::new(config.workers),
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

    /// The number of workers.
    pub(crate) fn size(&self) -> usize {
        self.queue.size()
    }

    /// The number of workers that have a job.
    pub(crate) fn busy(&self) -> usize {
        self.queue.busy()
    }

    /// The number of solvers between two jobs.
    pub(crate) fn idle(&self) -> usize {
        self.idle.lock().expect("no holder of the lock panics").len()
    }

    /// Bytes that all workers together may use.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.saturating_mul(self.size() as u64)
    }

    /// How long a job may take.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Stops the searches of all jobs. Their answer is what is proven so far.
    pub(crate) fn stop(&self) {
        let stops = self.stops.lock().expect("no holder of the lock panics");
        stops.iter().filter_map(Weak::upgrade).for_each(|stop| stop.store(true, Relaxed));
    }

    fn remember(&self, stop: &Arc<AtomicBool>) {
        let mut stops = self.stops.lock().expect("no holder of the lock panics");
        stops.retain(|stop| stop.strong_count() > 0);
        stops.push(Arc::downgrade(stop));
    }

    /// Waits for a worker.
    pub(crate) async fn acquire(self: &Arc<Self>, client: Client) -> Result<Lease, HttpError> {
        let permit = self.queue.acquire(client).await?;
        Ok(Lease { pool: Arc::clone(self), permit })
    }

    /// The analysis from the books alone, if they have all of it. It takes no worker.
    pub(crate) fn look_up(
        &self,
        played: &Playthrough,
        options: &AnalysisOptions,
    ) -> Option<Analysis> {
        let game = *played.position().game();
        let book = self.books.of(&game)?;
        let known = book.probe(played.position())?;
        // Whole turns, a line, and a move that the book does not know take a search.
        let is_known = |action| {
            let (next, _) = played.position().play(action);
            next.is_finished() || book.probe(&next).is_some_and(|known| known.low == known.high)
        };
        if known.low < known.high || options.turns || options.line {
            return None;
        }
        if options.moves && !played.position().moves().all(is_known) {
            return None;
        }
        let solver_options = SolverOptions {
            threads: 1,
            memory: LOOK_UP_MEMORY,
            book: Some(book),
            build_tables: false,
            ..SolverOptions::default()
        };
        let mut solver = Solver::with_options(game, solver_options).ok()?;
        let options = AnalysisOptions { time: Some(LOOK_UP_TIME), share: None, ..*options };
        let found = analyze(&mut solver, played, &options, &mut |_| {}).ok()?;
        found.complete.then_some(found)
    }

    /// Waits for a permit for a job without a solver. The switch preempts the job.
    pub(crate) async fn acquire_light(
        &self,
        client: Client,
        stop: &Arc<AtomicBool>,
    ) -> Result<Permit, HttpError> {
        let permit = self.light.acquire(client).await?;
        permit.preemptible(stop);
        Ok(permit)
    }

    /// An idle solver of the game. If there is none, the longest idle solvers are dropped, so that solvers and busy
    /// workers, the caller's included, are never more than all workers.
    fn warm(&self, game: Option<Game>) -> Option<Idle> {
        let mut idle = self.idle.lock().expect("no holder of the lock panics");
        // A solver whose tables were cut or written to answers nothing more; the next one opens them anew.
        idle.retain(|idle| idle.solver.is_sound());
        if let Some(index) = idle.iter().rposition(|idle| Some(*idle.solver.game()) == game) {
            return Some(idle.remove(index));
        }
        let surplus = idle.len().saturating_sub(self.size().saturating_sub(self.busy()));
        drop(idle.drain(..surplus));
        None
    }
}

impl Lease {
    /// Lets the job be preempted by this switch.
    pub(crate) fn preemptible(self, stop: &Arc<AtomicBool>) -> Lease {
        self.permit.preemptible(stop);
        self
    }

    /// Runs a job with a solver of the game, on its own thread of the lowest priority. The switch stops the job's
    /// searches, and so does the time limit.
    pub(crate) fn work(
        self,
        game: Game,
        stop: Arc<AtomicBool>,
        job: impl FnOnce(Result<&mut Worker, HttpError>) + Send + 'static,
    ) -> Result<(), HttpError> {
        self.pool.remember(&stop);
        let (time, switch) = (self.pool.time, Arc::clone(&stop));
        let limit = tokio::spawn(async move {
            tokio::time::sleep(time).await;
            switch.store(true, Relaxed);
        });
        spawn_nice(move || {
            match self.worker(game, stop) {
                Ok(mut worker) => job(Ok(&mut worker)),
                Err(error) => job(Err(error)),
            }
            limit.abort();
        })
    }

    /// Runs a job with the threads and memory of a worker but without its solver, at the lowest priority.
    pub(crate) fn compute(
        self,
        job: impl FnOnce(&SolverOptions) + Send + 'static,
    ) -> Result<(), HttpError> {
        spawn_nice(move || {
            self.pool.warm(None);
            let options = &self.pool.options;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
            // Without a pool the job's sender is dropped, and its receiver knows.
            if let Ok(pool) = pool.start_handler(|_| be_nice()).build() {
                pool.install(|| job(options));
            }
        })
    }

    fn worker(self, game: Game, stop: Arc<AtomicBool>) -> Result<Worker, HttpError> {
        let Idle { mut solver, tables } = match self.pool.warm(Some(game)) {
            Some(idle) => idle,
            None => {
                // If tables cannot be read, the search does without them.
                let tables = self.pool.tables.as_ref().and_then(|dir| {
                    Tables::open_if_any(dir, &game).unwrap_or_else(|error| {
                        tracing::warn!(%game, %error, "solved without its tables");
                        None
                    })
                });
                let tables = tables.map(Arc::new);
                let book = self.pool.books.of(&game);
                let options =
                    SolverOptions { tables: tables.clone(), book, ..self.pool.options.clone() };
                Idle { solver: Solver::with_options(game, options)?, tables }
            }
        };
        solver.set_stop_switch(stop);
        solver.set_time(None);
        let nodes = solver.nodes();
        Ok(Worker { lease: self, solver: Some(solver), tables, nodes })
    }
}

impl Worker {
    /// The solver.
    pub(crate) fn solver(&mut self) -> &mut Solver {
        self.solver.as_mut().expect("it is there unless it is lent")
    }

    /// The solver, for a caller that gives it back.
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
            if solver.nodes() - self.nodes >= MIN_BOOK_NODES {
                self.lease.pool.books.keep(&solver);
            }
            let idle = Idle { solver, tables: self.tables.take() };
            self.lease.pool.idle.lock().expect("no holder of the lock panics").push(idle);
        }
    }
}

/// Runs a job on its own thread of the lowest priority.
pub(crate) fn spawn_nice(job: impl FnOnce() + Send + 'static) -> Result<(), HttpError> {
    let run = move || {
        be_nice();
        job();
    };
    let started = std::thread::Builder::new().name("analysis".to_string()).spawn(run);
    started.map(drop).map_err(|error| {
        let message = format!("cannot start a thread: {error}");
        HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    })
}

/// Gives the thread the lowest priority, on systems where that concerns the thread alone.
fn be_nice() {
    #[cfg(target_os = "linux")]
    // If the system refuses, the thread runs all the same.
    let _ = rustix::process::nice(19);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::Position;

    /// The usual starts are in a book; others are not.
    #[test]
    fn starts_are_in_the_book() {
        let pool = WorkerPool::new(&Config::default());
        for (game, value) in [("kalah(6,4)", 8), ("kalah(6,4,empty-capture)", 10)] {
            let played = Playthrough::new(Position::start(game.parse().unwrap()));
            let found = pool.look_up(&played, &AnalysisOptions::default()).expect(game);
            assert_eq!((found.known.value(), found.nodes, found.moves.len()), (Some(value), 0, 6));
        }
        let played = Playthrough::new(Position::start("kalah(5,4)".parse().unwrap()));
        assert!(pool.look_up(&played, &AnalysisOptions::default()).is_none());
    }
}
