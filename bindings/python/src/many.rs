//! Many positions at once, on all cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use numpy::PyArray1;
use parking_lot::Mutex;
use pyo3::prelude::*;
use sowing_solver::{Solver, SolverOptions, Verdict};

use crate::boards::{Boards, Job, Seeds, position};
use crate::errors;
use crate::game::GameLike;
use crate::solver::options;
use crate::tables::Tables;
use crate::work::{Callback, interruptible, time};

/// The values of many boards of a game: an array with a row a board, in the order of a position's
/// text, or positions. Boards may hold any number of seeds, and swaps are taken to be over.
///
/// Each of ``threads`` threads, all cores unless given, has a solver with its share of ``memory``,
/// 1 GiB in all. ``time``, in seconds, is for all boards together; what is not solved by then raises
/// ``Stopped``, unless ``missing`` says what stands for such values. ``progress`` is called with the
/// boards that are done and all boards.
///
/// >>> solve_many("kalah(4,3)", [Position("kalah(4,3)"), Position("kalah(4,3)").play(3)])
/// array([ 6, -2])
#[pyfunction]
#[pyo3(signature = (game, boards, *, threads=None, memory=None, time=None, tables=None, book=None, missing=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_many<'py>(
    py: Python<'py>,
    game: GameLike,
    boards: &Bound<'py, PyAny>,
    threads: Option<usize>,
    memory: Option<u64>,
    time: Option<f64>,
    tables: Option<&Tables>,
    book: Option<&Bound<'py, PyAny>>,
    missing: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let boards = Boards::read(boards, &game.0)?;
    let positions = boards.run(Positions(game.0))?;
    let game = game.0.without_pie();
    let options = options(&game, threads, memory, tables, true, book)?;
    let limit = self::time(time)?;
    let (stop, callback) = (Arc::new(AtomicBool::new(false)), Callback::new(progress)?);
    let found = interruptible(py, &stop, || solve(&positions, &options, limit, &stop, &callback))?;
    callback.check()?;
    let verdicts = found.map_err(errors::solve)?;
    let value = |verdict: &Verdict| {
        verdict.value().or(missing).ok_or_else(|| errors::stopped(verdict.bounds()))
    };
    let values: Vec<i64> = verdicts.iter().map(value).collect::<PyResult<_>>()?;
    Ok(PyArray1::from_vec(py, values))
}

struct Positions(sowing::Game);

impl Job for Positions {
    type Out = Vec<sowing::Position>;

    fn run<T: Seeds>(self, rows: &[T]) -> PyResult<Vec<sowing::Position>> {
        let columns = 2 * usize::from(self.0.houses()) + 2;
        rows.chunks_exact(columns)
            .enumerate()
            .map(|(index, row)| position(self.0, row, index))
            .collect()
    }
}

/// Positions that a thread takes at a time.
const SHARE: usize = 16;

fn solve(
    positions: &[sowing::Position],
    options: &SolverOptions,
    limit: Option<Duration>,
    stop: &Arc<AtomicBool>,
    callback: &Callback,
) -> Result<Vec<Verdict>, sowing_solver::SolveError> {
    let Some(game) = positions.first().map(|position| *position.game()) else {
        return Ok(Vec::new());
    };
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    let workers = options.threads.clamp(1, positions.len().div_ceil(SHARE));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let own = SolverOptions {
        // Few positions are searched by all threads together.
        threads: options.threads / workers,
        memory: options.memory / workers as u64,
        ..options.clone()
    };
    let told = Mutex::new(Instant::now());
    let found: Mutex<Vec<Option<Verdict>>> = Mutex::new(vec![None; positions.len()]);
    let work = || -> Result<(), sowing_solver::SolveError> {
        let mut solver = Solver::with_options(game, own.clone())?;
        solver.set_stop_switch(Arc::clone(stop));
        loop {
            let first = next.fetch_add(SHARE, Relaxed);
            let share = positions.get(first..(first + SHARE).min(positions.len())).unwrap_or(&[]);
            if share.is_empty() {
                return Ok(());
            }
            let mut verdicts = Vec::with_capacity(share.len());
            for position in share {
                solver.set_time(end.map(|end| end.saturating_duration_since(Instant::now())));
                verdicts.push(Some(solver.value(position)?));
            }
            found.lock()[first..first + share.len()].copy_from_slice(&verdicts);
            let done = done.fetch_add(share.len(), Relaxed) + share.len();
            let mut told = told.lock();
            if told.elapsed() > Duration::from_millis(200) || done == positions.len() {
                callback.tell(stop, |py| {
                    Ok((done, positions.len()).into_pyobject(py)?.into_any().unbind())
                });
                *told = Instant::now();
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            let done: Result<(), sowing_solver::SolveError> =
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if done.is_err() {
                stop.store(true, Relaxed);
            }
            done?;
        }
        Ok::<(), sowing_solver::SolveError>(())
    })?;
    Ok(found
        .into_inner()
        .into_iter()
        .map(|verdict| verdict.expect("all shares were taken"))
        .collect())
}
