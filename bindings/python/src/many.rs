//! Many positions at once, on all cores.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use numpy::PyArray1;
use pyo3::prelude::*;
use sowing_solver::{Answer, SolveError, Solver, SolverOptions};

use crate::boards::{Boards, Job, Seeds, position};
use crate::errors;
use crate::game::GameLike;
use crate::solver::options;
use crate::tables::Tables;
use crate::work::{Callback, interruptible, time, whole_or_none};

/// The values of many boards of a game: an array with a row a board, in the order of a position's
/// text, or positions. Boards may hold any number of seeds, and swaps are taken to be over.
///
/// ``threads``, all cores unless given, work together in 1 GiB unless ``memory`` says otherwise, and
/// what is proven of a board serves those that follow. ``time``, in seconds, is for all boards
/// together; what is not solved by then raises ``Stopped``, unless ``missing`` says what stands for
/// such values. ``progress`` is called with the boards that are done and all boards.
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
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    #[pyo3(from_py_with = whole_or_none)] memory: Option<u64>,
    time: Option<f64>,
    tables: Option<&Tables>,
    book: Option<&Bound<'py, PyAny>>,
    missing: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let boards = Boards::read(boards, &game.0, |other| match *other == game.0 {
        true => Ok(()),
        false => Err(errors::input(format!("a position is of {other}, not of {}", game.0))),
    })?;
    let positions = boards.run(Positions(game.0))?;
    let game = game.0.without_pie();
    let options = options(&game, threads, memory, tables, true, book)?;
    let limit = self::time(time)?;
    let (stop, callback) = (Arc::new(AtomicBool::new(false)), Callback::new(progress)?);
    let found = interruptible(py, &stop, || solve(&positions, &options, limit, &stop, &callback))?;
    callback.check()?;
    let verdicts = found.map_err(errors::solve)?;
    let value = |verdict: &Answer| {
        verdict.value().or(missing).ok_or_else(|| errors::stopped(verdict.bounds))
    };
    let values: Vec<i64> = verdicts.iter().map(value).collect::<PyResult<_>>()?;
    Ok(PyArray1::from_vec(py, values))
}

/// How often somebody is told how far it is.
const EVERY: Duration = Duration::from_millis(200);

struct Positions(sowing_rules::Game);

impl Job for Positions {
    type Out = Vec<sowing_rules::Position>;

    fn run<T: Seeds>(self, rows: &[T]) -> PyResult<Vec<sowing_rules::Position>> {
        let columns = 2 * usize::from(self.0.houses()) + 2;
        rows.chunks_exact(columns)
            .enumerate()
            .map(|(index, row)| position(self.0, row, index))
            .collect()
    }
}

/// One solver with all threads: what it proves of a board, and the tables that it builds, serve the
/// boards that follow. Solvers side by side would each build tables of their own.
fn solve(
    positions: &[sowing_rules::Position],
    options: &SolverOptions,
    limit: Option<Duration>,
    stop: &Arc<AtomicBool>,
    callback: &Callback,
) -> Result<Vec<Answer>, SolveError> {
    let Some(first) = positions.first() else { return Ok(Vec::new()) };
    let mut solver = Solver::with_options(*first.game(), options.clone())?;
    solver.set_stop_switch(Arc::clone(stop));
    solver.set_time(limit);
    let (mut verdicts, mut told) = (Vec::with_capacity(positions.len()), Instant::now());
    for position in positions {
        verdicts.push(solver.value(position)?);
        if told.elapsed() > EVERY || verdicts.len() == positions.len() {
            let news = (verdicts.len(), positions.len());
            callback.tell(stop, |py| Ok(news.into_pyobject(py)?.into_any().unbind()));
            told = Instant::now();
        }
    }
    Ok(verdicts)
}
