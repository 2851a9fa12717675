//! Endgame tables.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use sowing_rules::{Board, CompactBoard, CompiledRules};
use sowing_tables::{BuildOptions, build_in_directory, build_in_memory, default_directory};

use crate::boards::{BadRow, Boards, Job, Row, Seeds, bad_row, finished, small};
use crate::errors::{self, LimitError, data};
use crate::game::GameLike;
use crate::position::Position;
use crate::work::{Callback, interruptible, memory, threads, whole, whole_or_none};

/// Endgame tables: the exact value of every position of a family of games with few seeds in houses.
///
/// >>> tables = Tables.build("kalah(3,3)", 8)
/// >>> tables.family, tables.seeds
/// ('kalah(3,.)', 8)
/// >>> tables.probe(Position("kalah(3,3)", "0,0,1,9|2,0,0,6"))
/// 2
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Tables(pub(crate) Arc<sowing_tables::Tables>);

impl Tables {
    /// The tables, if they are for this game.
    pub(crate) fn for_game(
        &self,
        game: &sowing_rules::Game,
    ) -> PyResult<Arc<sowing_tables::Tables>> {
        self.0.require(game).map_err(errors::tables)?;
        Ok(Arc::clone(&self.0))
    }

    fn game(&self) -> sowing_rules::Game {
        self.0.family().game()
    }

    /// Boards of any game of the family.
    fn boards<'py>(&self, boards: &Bound<'py, PyAny>) -> PyResult<Boards<'py>> {
        Boards::read(boards, &self.game(), |game| self.0.require(game).map_err(errors::tables))
    }

    /// What was looked up, if the files are sound.
    fn sound<T>(&self, found: T) -> PyResult<T> {
        self.0.integrity_error().map_or(Ok(found), |damage| Err(data(damage)))
    }
}

/// The folder that tables lie in unless another is named.
fn directory(dir: Option<PathBuf>) -> PyResult<PathBuf> {
    dir.or_else(default_directory)
        .ok_or_else(|| data("there is no data folder: name one, as in dir=\"tables\""))
}

#[pymethods]
impl Tables {
    /// Builds tables of a game to so many seeds in houses: in memory, or in the folder ``dir``, where
    /// layers that are there are used, and what is finished stays. ``progress`` is called with the
    /// layer, the positions done and all positions.
    #[staticmethod]
    #[pyo3(signature = (game, seeds, *, dir=None, threads=None, memory=None, progress=None))]
    fn build(
        py: Python<'_>,
        game: GameLike,
        #[pyo3(from_py_with = whole)] seeds: u32,
        dir: Option<PathBuf>,
        #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
        #[pyo3(from_py_with = whole_or_none)] memory: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Tables> {
        let threads = self::threads(threads)?;
        let memory = self::memory(memory, u64::MAX >> 14)?;
        let (stop, callback) = (AtomicBool::new(false), Callback::new(progress)?);
        let built = interruptible(py, &stop, || {
            let options = BuildOptions {
                threads,
                memory,
                progress: &|progress| {
                    callback.tell(&stop, |py| {
                        let told = (progress.layer, progress.done, progress.total);
                        Ok(told.into_pyobject(py)?.into_any().unbind())
                    });
                },
                should_stop: &|| stop.load(Relaxed),
                ..BuildOptions::default()
            };
            match &dir {
                Some(dir) => build_in_directory(dir, &game.0, seeds, &options),
                None => build_in_memory(&game.0, seeds, &options),
            }
        })?;
        callback.check()?;
        built.map(|tables| Tables(Arc::new(tables))).map_err(errors::tables)
    }

    /// Opens the tables of a game in a folder, or in the data folder of the command ``sow``.
    #[staticmethod]
    #[pyo3(signature = (game, dir=None))]
    fn open(py: Python<'_>, game: GameLike, dir: Option<PathBuf>) -> PyResult<Tables> {
        let dir = directory(dir)?;
        let tables = py.detach(|| sowing_tables::Tables::open(&dir, &game.0));
        tables.map(|tables| Tables(Arc::new(tables))).map_err(errors::tables)
    }

    /// The games they are for, as in ``kalah(6,.)``.
    #[getter]
    fn family(&self) -> String {
        self.0.family().to_string()
    }

    /// The most seeds in houses that they know everything about.
    #[getter]
    fn seeds(&self) -> u32 {
        self.0.max_layer()
    }

    /// How many positions they have.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.info().iter().map(|layer| layer.positions).sum()
    }

    fn __repr__(&self) -> String {
        format!("<Tables of {} to {} seeds>", self.0.family(), self.0.max_layer())
    }

    /// The value of a position: the mover's margin with perfect play, stores included; ``None`` if
    /// more seeds lie in houses than the tables have.
    fn probe(&self, position: &Position) -> PyResult<Option<i64>> {
        self.0.value(&position.0).map_err(errors::tables)
    }

    /// The values of many boards at once: an array with a row a board, in the order of a position's
    /// text, or positions. Boards with more seeds in houses than the tables have raise
    /// ``LimitError``, unless ``missing`` says what stands for their value. Swaps are taken to be
    /// over.
    ///
    /// >>> import numpy as np
    /// >>> tables = Tables.build("kalah(3,3)", 8)
    /// >>> tables.probe_many(np.array([[0, 0, 1, 9, 2, 0, 0, 6], [1, 0, 0, 0, 0, 0, 1, 0]]))
    /// array([2, 0])
    #[pyo3(signature = (boards, *, missing=None, threads=None))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        missing: Option<i64>,
        #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let boards = self.boards(boards)?;
        let values = boards.run(Probe { py, tables: &self.0, missing, threads })?;
        self.sound(PyArray1::from_vec(py, values))
    }

    /// The mover's margin after each move of many boards, with perfect play from there on: an array
    /// with a column a house, and one that says which moves are legal. What stands for an illegal
    /// move means nothing. Boards that the tables do not reach raise ``LimitError``.
    #[pyo3(signature = (boards, *, threads=None))]
    #[allow(clippy::type_complexity)]
    fn moves_many<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<bool>>)> {
        let boards = self.boards(boards)?;
        let (values, legal) = boards.run(EachMove { py, tables: &self.0, threads })?;
        let houses = usize::from(self.game().houses());
        let shape = [values.len() / houses, houses];
        let values = PyArray1::from_vec(py, values).reshape(shape)?;
        self.sound((values, PyArray1::from_vec(py, legal).reshape(shape)?))
    }
}

/// Boards that are looked up together, so that what they lead to is fetched ahead.
const BATCH: usize = 64;

struct Probe<'a, 'py> {
    py: Python<'py>,
    tables: &'a sowing_tables::Tables,
    missing: Option<i64>,
    threads: Option<usize>,
}

/// Why a board has no value.
enum Fault {
    Row(BadRow),
    /// The board has more seeds than the tables.
    Beyond(usize),
}

impl Fault {
    fn at(&self) -> usize {
        match self {
            Fault::Row(BadRow(row)) | Fault::Beyond(row) => *row,
        }
    }

    fn error<T: Seeds>(self, rows: &[T], columns: usize, tables: &sowing_tables::Tables) -> PyErr {
        match self {
            Fault::Row(row) => bad_row(rows, columns, row),
            Fault::Beyond(row) => LimitError::new_err(format!(
                "board {row} has more seeds in houses than the tables, which have up to {}",
                tables.max_layer()
            )),
        }
    }
}

/// Goes through batches of rows, on several threads if they are many. Of several faults, the first
/// board's is told.
fn in_batches<T: Seeds, O: Send>(
    py: Python<'_>,
    asked: Option<usize>,
    rows: &[T],
    columns: usize,
    out: &mut [O],
    each: usize,
    job: impl Fn(usize, &[T], &mut [O]) -> Result<(), Fault> + Sync,
) -> PyResult<Option<Fault>> {
    if asked.is_some() {
        self::threads(asked)?;
    }
    let stop = AtomicBool::new(false);
    let batch = |(index, (rows, out)): (usize, (&[T], &mut [O]))| match stop.load(Relaxed) {
        true => Ok(()),
        false => job(index * BATCH, rows, out),
    };
    let many = rows.len() / columns > 16 * BATCH && asked != Some(1);
    if !many {
        let mut batches =
            rows.chunks(BATCH * columns).zip(out.chunks_mut(BATCH * each)).enumerate();
        return Ok(py.detach(|| batches.try_for_each(batch)).err());
    }
    let pool = crate::work::pool(asked)?;
    let first = parking_lot::Mutex::new(None::<Fault>);
    let least = AtomicUsize::new(usize::MAX);
    interruptible(py, &stop, || {
        pool.install(|| {
            let batches = rows.par_chunks(BATCH * columns).zip(out.par_chunks_mut(BATCH * each));
            batches.enumerate().with_min_len(64).for_each(|work| {
                if work.0 * BATCH > least.load(Relaxed) {
                    return;
                }
                if let Err(fault) = batch(work) {
                    least.fetch_min(fault.at(), Relaxed);
                    let mut first = first.lock();
                    if first.as_ref().is_none_or(|known| fault.at() < known.at()) {
                        *first = Some(fault);
                    }
                }
            });
        });
    })?;
    Ok(first.into_inner())
}

impl Job for Probe<'_, '_> {
    type Out = Vec<i64>;

    fn run<T: Seeds>(self, rows: &[T]) -> PyResult<Vec<i64>> {
        let Probe { py, tables, missing, threads } = self;
        let houses = usize::from(tables.family().houses());
        let (columns, rules) =
            (2 * houses + 2, CompiledRules::<CompactBoard>::new(&tables.family().game()));
        let mut values = vec![0i64; rows.len() / columns];
        let job = |first: usize, rows: &[T], out: &mut [i64]| {
            let mut spots = [const { None }; BATCH];
            for ((index, row), spot) in rows.chunks_exact(columns).enumerate().zip(&mut spots) {
                let Row { board, lead } =
                    small(row, houses).ok_or(Fault::Row(BadRow(first + index)))?;
                *spot = tables.locate(board);
                match spot {
                    Some(spot) => {
                        tables.prefetch(*spot);
                        out[index] = lead;
                    }
                    None => {
                        let value = finished(&rules, Row { board, lead }).or(missing);
                        out[index] = value.ok_or(Fault::Beyond(first + index))?;
                    }
                }
            }
            for ((index, value), spot) in out.iter_mut().enumerate().zip(&spots) {
                let Some(spot) = spot else { continue };
                // Only a damaged file has no value there, which is told in the end.
                *value += i64::from(tables.value_at(*spot).ok_or(Fault::Beyond(first + index))?);
            }
            Ok(())
        };
        let fault = in_batches(py, threads, rows, columns, &mut values, 1, job)?;
        match (fault, tables.integrity_error()) {
            (None, _) => Ok(values),
            (Some(_), Some(damage)) => Err(data(damage)),
            (Some(fault), None) => Err(fault.error(rows, columns, tables)),
        }
    }
}

struct EachMove<'a, 'py> {
    py: Python<'py>,
    tables: &'a sowing_tables::Tables,
    threads: Option<usize>,
}

impl Job for EachMove<'_, '_> {
    type Out = (Vec<i64>, Vec<bool>);

    fn run<T: Seeds>(self, rows: &[T]) -> PyResult<(Vec<i64>, Vec<bool>)> {
        let EachMove { py, tables, threads } = self;
        let houses = usize::from(tables.family().houses());
        let (columns, rules) =
            (2 * houses + 2, CompiledRules::<CompactBoard>::new(&tables.family().game()));
        let mut found = vec![(0i64, false); rows.len() / columns * houses];
        let job = |first: usize, rows: &[T], out: &mut [(i64, bool)]| {
            let boards = rows.chunks_exact(columns).zip(out.chunks_exact_mut(houses));
            for (index, (row, out)) in boards.enumerate() {
                let Row { board, lead } =
                    small(row, houses).ok_or(Fault::Row(BadRow(first + index)))?;
                if board.is_finished() {
                    continue;
                }
                for slot in board.occupied() {
                    let gain = tables
                        .probe_move(&rules, board, slot)
                        .ok_or(Fault::Beyond(first + index))?;
                    out[slot] = (lead + gain, true);
                }
            }
            Ok(())
        };
        let fault = in_batches(py, threads, rows, columns, &mut found, houses, job)?;
        match (fault, tables.integrity_error()) {
            (None, _) => Ok(found.into_iter().unzip()),
            (Some(_), Some(damage)) => Err(data(damage)),
            (Some(fault), None) => Err(fault.error(rows, columns, tables)),
        }
    }
}
