//! The solver, and the books that it can be given.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::ThreadId;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sowing_analysis::{AnalysisOptions, analyze, perfect_line, value_in_game};
use sowing_rules::{Bounds, Move, Playthrough};
use sowing_solver::{Answer, Goal, Query, SolveError, SolverOptions};

use crate::book::{Book, read_book};
use crate::errors::{self, Closed, input};
use crate::found::{Analysis, Review, verdict_bounds};
use crate::game::{Game, GameLike};
use crate::moves::py_moves;
use crate::playthrough::read_play;
use crate::tables::Tables;
use crate::work::{Callback, interruptible, memory, threads, time, whole, whole_or_none};

/// Solves positions of one game exactly, and remembers what it has proven.
///
/// ``threads`` are all cores, ``memory`` is 1 GiB and ``time`` without end unless given; the time,
/// in seconds, is that of one call. ``tables`` are endgame tables to look up in. ``book`` is
/// ``True`` for the one that is built in, ``False`` for none, or a ``Book``, which is used together
/// with the one that is built in. A search that a limit ends raises ``Stopped``; its ``bounds`` are
/// proven. A solver may be used from several threads, one after the other.
///
/// >>> with Solver("kalah(4,3)") as solver:
/// ...     solver.value(), solver.outcome(), solver.line()[0]
/// (6, 'win', (2, 4))
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Solver {
    game: sowing_rules::Game,
    time: Option<Duration>,
    solver: Mutex<Option<sowing_solver::Solver>>,
    /// The switch of the search that is under way.
    current: Mutex<Arc<AtomicBool>>,
    closed: AtomicBool,
    /// The thread that calls somebody back, who must not ask this solver.
    telling: Mutex<Option<ThreadId>>,
}

/// What a search may use, and whom it tells.
pub(crate) struct Means<'a> {
    pub(crate) stop: &'a AtomicBool,
    callback: &'a Callback,
    telling: &'a Mutex<Option<ThreadId>>,
}

impl Means<'_> {
    fn tell(&self, news: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        *self.telling.lock() = Some(std::thread::current().id());
        self.callback.tell(self.stop, news);
        *self.telling.lock() = None;
    }

    fn watch(&self) -> impl FnMut(sowing_solver::Progress) + '_ {
        |progress| {
            let sowing_solver::Progress { bounds, target, nodes, elapsed, .. } = progress;
            let Bounds { low, high } = bounds;
            self.tell(|py| {
                let told = Progress { low, high, target, nodes, seconds: elapsed.as_secs_f64() };
                Ok(Py::new(py, told)?.into_any())
            });
        }
    }
}

/// How a search goes.
#[pyclass(frozen, get_all, module = "sowing")]
pub(crate) struct Progress {
    /// The value is proven to be at least this.
    low: i64,
    /// The value is proven to be at most this.
    high: i64,
    /// The margin that is being asked for.
    target: i64,
    /// Positions looked at so far.
    nodes: u64,
    /// Time so far.
    seconds: f64,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        format!("<{} to {}, {} nodes, {:.1} s>", self.low, self.high, self.nodes, self.seconds)
    }
}

impl Solver {
    /// Has the solver do something, alone and without Python's lock.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        limit: Option<f64>,
        progress: Option<Py<PyAny>>,
        job: impl FnOnce(&mut sowing_solver::Solver, &Means<'_>) -> Result<T, SolveError> + Send,
    ) -> PyResult<T> {
        self.with_errors(py, limit, progress, |solver, means| {
            job(solver, means).map_err(errors::solve)
        })
    }

    pub(crate) fn with_errors<T: Send>(
        &self,
        py: Python<'_>,
        limit: Option<f64>,
        progress: Option<Py<PyAny>>,
        job: impl FnOnce(&mut sowing_solver::Solver, &Means<'_>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        if *self.telling.lock() == Some(std::thread::current().id()) {
            return Err(input("a progress function cannot ask the solver that calls it"));
        }
        let limit = time(limit)?.or(self.time);
        let callback = Callback::new(progress)?;
        let stop = Arc::new(AtomicBool::new(false));
        let done = interruptible(py, &stop, || {
            let mut held = loop {
                if let Some(held) = self.solver.try_lock_for(Duration::from_millis(20)) {
                    break held;
                }
                if stop.load(Relaxed) {
                    return Err(errors::solve(SolveError::Stopped(
                        sowing_solver::StopReason::Cancelled,
                    )));
                }
            };
            *self.current.lock() = Arc::clone(&stop);
            let Some(solver) = held.as_mut().filter(|_| !self.closed.load(Relaxed)) else {
                return Err(Closed::new_err("the solver is closed: make a new one"));
            };
            solver.set_stop_switch(Arc::clone(&stop));
            solver.set_time(limit);
            job(solver, &Means { stop: &stop, callback: &callback, telling: &self.telling })
        })?;
        callback.check()?;
        if self.closed.load(Relaxed) && (done.is_err() || stop.load(Relaxed)) {
            return Err(Closed::new_err("the solver was closed during the search"));
        }
        done
    }

    /// Refuses another game than its own.
    pub(crate) fn require(&self, game: &sowing_rules::Game) -> PyResult<()> {
        match *game == self.game {
            true => Ok(()),
            false => Err(input(format!("the solver is of {}, the position of {game}", self.game))),
        }
    }

    /// A game as it stands, if it is one of this solver's game; the start if none is given.
    fn read(&self, at: Option<&Bound<'_, PyAny>>) -> PyResult<Playthrough> {
        let Some(at) = at else {
            return Ok(Playthrough::new(sowing_rules::Position::start(self.game)));
        };
        let play = read_play(at)?;
        self.require(play.start().game())?;
        Ok(play)
    }

    fn known(verdict: Answer) -> PyResult<i64> {
        verdict.value().ok_or_else(|| errors::stopped(verdict.bounds))
    }
}

/// What a solver is to use.
pub(crate) fn options(
    game: &sowing_rules::Game,
    threads_asked: Option<usize>,
    memory_asked: Option<u64>,
    tables: Option<&Tables>,
    build_tables: bool,
    book: Option<&Bound<'_, PyAny>>,
) -> PyResult<SolverOptions> {
    let defaults = SolverOptions::default();
    Ok(SolverOptions {
        threads: threads(threads_asked)?,
        memory: memory(memory_asked, defaults.memory)?,
        tables: tables.map(|tables| tables.for_game(game)).transpose()?,
        build_tables,
        book: read_book(game, book)?,
        ..defaults
    })
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (game, *, threads=None, memory=None, time=None, tables=None, build_tables=true, book=None))]
    fn new(
        game: GameLike,
        #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
        #[pyo3(from_py_with = whole_or_none)] memory: Option<u64>,
        time: Option<f64>,
        tables: Option<&Tables>,
        build_tables: bool,
        book: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Solver> {
        let GameLike(game) = game;
        let options = options(&game, threads, memory, tables, build_tables, book)?;
        let solver = sowing_solver::Solver::with_options(game, options).map_err(errors::solve)?;
        Ok(Solver {
            game,
            time: crate::work::time(time)?,
            solver: Mutex::new(Some(solver)),
            current: Mutex::default(),
            closed: AtomicBool::new(false),
            telling: Mutex::new(None),
        })
    }

    fn __repr__(&self) -> String {
        let closed = if self.closed.load(Relaxed) { ", closed" } else { "" };
        format!("<Solver of {}{closed}>", self.game)
    }

    fn __enter__(slf: Py<Solver>) -> Py<Solver> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    /// Ends whatever it is at and gives its memory back; it cannot be used after that.
    fn close(&self, py: Python<'_>) {
        self.closed.store(true, Relaxed);
        if *self.telling.lock() == Some(std::thread::current().id()) {
            // Called back by the search itself, which ends when it can.
            self.stop();
            return;
        }
        py.detach(|| {
            let mut held = loop {
                self.stop();
                if let Some(held) = self.solver.try_lock_for(Duration::from_millis(5)) {
                    break held;
                }
            };
            held.take();
        });
    }

    /// Ends the search that is under way in another thread: it raises ``Stopped``.
    fn stop(&self) {
        self.current.lock().store(true, Relaxed);
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    /// The mover's margin with perfect play; of the start, if no position is given.
    ///
    /// ``progress`` is called a few times a second with what is known by then.
    #[pyo3(signature = (position=None, *, time=None, progress=None))]
    fn value(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<i64> {
        Solver::known(self.search(py, position, Goal::Value, time, progress)?)
    }

    /// What can be proven of the value in the time: at least the first, at most the second. This
    /// does not raise ``Stopped``.
    #[pyo3(signature = (position=None, *, time=None, progress=None))]
    fn bounds(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(i64, i64)> {
        self.search(py, position, Goal::Value, time, progress).map(verdict_bounds)
    }

    /// ``"win"``, ``"draw"`` or ``"loss"`` for the mover: less work than the value.
    #[pyo3(signature = (position=None, *, time=None, progress=None))]
    fn outcome(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let verdict = self.search(py, position, Goal::Outcome, time, progress)?;
        let outcome = verdict.outcome().ok_or_else(|| errors::stopped(verdict.bounds))?;
        Ok(outcome.to_string())
    }

    /// All that is asked for at once: the value of the position and of every move, the best turn, and
    /// on request every whole turn and a perfect line. A limit does not raise: see ``complete``.
    ///
    /// >>> found = Solver("kalah(4,3)").analyze()
    /// >>> found.words, found.moves[0].move, found.moves[0].value
    /// ('South wins by 6 with perfect play.', 2, 6)
    #[pyo3(signature = (position=None, *, moves=true, turns=false, line=false, outcome=false, time=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn analyze(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        moves: bool,
        turns: bool,
        line: bool,
        outcome: bool,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Analysis> {
        let play = self.read(position)?;
        let goal = if outcome { Goal::Outcome } else { Goal::Value };
        let limit = crate::work::time(time)?.or(self.time);
        let options = AnalysisOptions { goal, moves, turns, line, time: limit, share: None };
        self.with(py, time, progress, |solver, means| {
            let mut tell = |found: &sowing_analysis::Analysis| {
                means.tell(|py| Ok(Py::new(py, Analysis(found.clone()))?.into_any()));
            };
            analyze(solver, &play, &options, &mut tell)
        })
        .map(Analysis)
    }

    /// Every whole turn with its value, best first.
    ///
    /// >>> [turn.moves for turn in Solver("kalah(4,3)").turns()][:3]
    /// [(2, 3), (2, 4), (3,)]
    #[pyo3(signature = (position=None, *, time=None, progress=None))]
    fn turns(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<crate::found::TurnFound>> {
        let found = self.analyze(py, position, false, true, false, false, time, progress)?;
        match found.0.turns.filter(|_| found.0.complete) {
            Some(turns) => Ok(turns.into_iter().map(crate::found::TurnFound).collect()),
            None => Err(errors::stopped(found.0.known)),
        }
    }

    /// A perfect continuation to the end of the game, turn by turn.
    #[pyo3(signature = (position=None, *, time=None, progress=None))]
    fn line<'py>(
        &self,
        py: Python<'py>,
        position: Option<&Bound<'py, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let play = self.read(position)?;
        let line = self.with_errors(py, time, progress, |solver, means| {
            let first =
                solver.search(play.position(), &Query::new(Goal::Value), &mut means.watch());
            first.map_err(errors::solve)?;
            let known = Solver::known(value_in_game(solver, &play).map_err(errors::solve)?)?;
            perfect_line(solver, &play, known, None).map_err(errors::solve)
        })?;
        line.iter().map(|turn: &Vec<Move>| PyTuple::new(py, py_moves(turn))).collect()
    }

    /// What each turn of a game gave away: of a ``Playthrough`` or a ``Record``. The time is that of
    /// a turn.
    #[pyo3(signature = (game, *, time=None, progress=None))]
    fn review(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Review> {
        let play = self.read(Some(game))?;
        self.with(py, time, progress, |solver, means| {
            let review = sowing_analysis::Review::from_playthrough(&play, solver, |turn| {
                let turn = crate::found::ReviewedTurn(turn.clone());
                means.tell(|py| Ok(Py::new(py, turn)?.into_any()));
            })?;
            // A review that was told to end has bounds in place of values.
            if means.stop.load(Relaxed) {
                Err(SolveError::Stopped(sowing_solver::StopReason::Cancelled))
            } else {
                Ok(review)
            }
        })
        .map(Review)
    }

    /// What was proven so far at the highest cost, as a book of at most so many positions.
    #[pyo3(signature = (most=2_097_152))]
    fn proven(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] most: usize) -> PyResult<Book> {
        self.with(py, None, None, |solver, _| solver.export_book(most))
            .map(|book| Book(Arc::new(book)))
    }

    /// The positions looked at so far.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, None, None, |solver, _| Ok(solver.nodes()))
    }
}

/// What is found in this time needs no thread that waits for signals meanwhile.
const AT_ONCE: Duration = Duration::from_millis(2);

impl Solver {
    /// The answer to a question that is easy, if nobody else is asking.
    fn at_once(&self, py: Python<'_>, play: &Playthrough, until: Goal) -> Option<Answer> {
        if play.start().game().rules().repeats() || self.closed.load(Relaxed) {
            return None;
        }
        py.detach(|| {
            let mut held = self.solver.try_lock()?;
            let solver = held.as_mut()?;
            solver.set_stop_switch(Arc::default());
            solver.set_time(Some(AT_ONCE));
            let verdict = solver.search(play.position(), &Query::new(until), &mut |_| {}).ok()?;
            until.is_reached(verdict.bounds).then_some(verdict)
        })
    }

    fn search(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        until: Goal,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answer> {
        let play = self.read(position)?;
        crate::work::time(time)?;
        if progress.is_none()
            && let Some(verdict) = self.at_once(py, &play, until)
        {
            return Ok(verdict);
        }
        self.with(py, time, progress, |solver, means| {
            // What came before matters only where positions repeat.
            if play.plays().is_empty() || !play.start().game().rules().repeats() {
                return solver.search(play.position(), &Query::new(until), &mut means.watch());
            }
            value_in_game(solver, &play)
        })
    }
}
