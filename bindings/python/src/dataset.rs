//! Data sets: positions with the exact value of every move.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sowing_lab::{Dataset, DatasetError, DatasetSpec, Phase, Sample};
use sowing_rules::Move;

use crate::errors::{self, Stopped, data, input};
use crate::game::GameLike;
use crate::position::pits;
use crate::tables::Tables;
use crate::work::{Callback, interruptible, pool, whole, whole_or_none};

/// The most samples that are made between two looks whether to go on.
const STRETCH: u64 = 1 << 14;

/// How long it may take to the next look: games of a strong player are long in the making.
const LOOK: Duration = Duration::from_millis(100);

/// The columns of a data set, as arrays. ``sowing.dataset`` is what people use.
#[pyfunction]
#[pyo3(signature = (game, positions, tables, *, layers, source, even, seed, first, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn dataset_columns<'py>(
    py: Python<'py>,
    game: GameLike,
    #[pyo3(from_py_with = whole)] positions: u64,
    tables: &Tables,
    layers: (u32, u32),
    source: &str,
    even: bool,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] first: u64,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let GameLike(game) = game;
    let source = source.parse().map_err(input)?;
    let spec = DatasetSpec { game, source, layers: layers.0..=layers.1, even, seed };
    let dataset = Dataset::new(spec, tables.0.clone()).map_err(wrong)?;
    let end = first.checked_add(positions).filter(|_| positions <= 1 << 32).ok_or_else(|| {
        input(format!("a data set has at most {} positions, not {positions}", 1u64 << 32))
    })?;
    let (pool, stop, callback) = (pool(threads)?, AtomicBool::new(false), Callback::new(progress)?);
    let columns = interruptible(py, &stop, || {
        let mut columns = Columns::new(game);
        let (mut number, mut stretch) = (first, 32);
        while number < end && !stop.load(Relaxed) {
            let (until, started) = (end.min(number.saturating_add(stretch)), Instant::now());
            let samples = pool.install(|| dataset.samples(number..until))?;
            samples.iter().for_each(|sample| columns.add(sample));
            number = until;
            stretch = match started.elapsed() < LOOK {
                true => STRETCH.min(2 * stretch),
                false => (stretch / 2).max(1),
            };
            callback.tell(&stop, |py| {
                Ok((number - first, positions).into_pyobject(py)?.into_any().unbind())
            });
        }
        Ok(columns)
    })?;
    callback.check()?;
    let columns = columns.map_err(wrong)?;
    if stop.load(Relaxed) {
        return Err(Stopped::new_err(("the data set was stopped", None::<(i64, i64)>)));
    }
    columns.into_arrays(py)
}

fn wrong(error: DatasetError) -> PyErr {
    match error {
        DatasetError::Tables(error) => errors::tables(error),
        DatasetError::Contradiction(_) => data(error),
        _ => input(error),
    }
}

struct Columns {
    houses: usize,
    boards: Vec<i16>,
    values: Vec<i16>,
    move_values: Vec<i16>,
    legal: Vec<bool>,
    played: Vec<i32>,
    phases: Vec<u8>,
}

impl Columns {
    fn new(game: sowing_rules::Game) -> Columns {
        Columns {
            houses: game.houses().into(),
            boards: Vec::new(),
            values: Vec::new(),
            move_values: Vec::new(),
            legal: Vec::new(),
            played: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// All numbers are at most the seeds of the game, which are at most 255.
    fn add(&mut self, sample: &Sample) {
        self.boards.extend(pits(sample.position.board()).iter().map(|seeds| *seeds as i16));
        self.values.push(sample.value as i16);
        let at = self.legal.len();
        self.legal.resize(at + self.houses, false);
        self.move_values.resize(at + self.houses, 0);
        for (action, value) in &sample.moves {
            let Move::House(house) = action else { continue };
            self.legal[at + house.index()] = true;
            self.move_values[at + house.index()] = *value as i16;
        }
        self.played.push(sample.played.map_or(-1, |played| played as i32));
        let phase = Phase::of(&sample.position);
        self.phases.push(Phase::ALL.iter().position(|known| *known == phase).unwrap_or(0) as u8);
    }

    fn into_arrays(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let (rows, houses) = (self.values.len(), self.houses);
        let arrays = PyDict::new(py);
        arrays.set_item(
            "boards",
            PyArray1::from_vec(py, self.boards).reshape([rows, 2 * houses + 2])?,
        )?;
        arrays.set_item("values", PyArray1::from_vec(py, self.values))?;
        let move_values = PyArray1::from_vec(py, self.move_values).reshape([rows, houses])?;
        arrays.set_item("move_values", move_values)?;
        arrays.set_item("legal", PyArray1::from_vec(py, self.legal).reshape([rows, houses])?)?;
        arrays.set_item("played", PyArray1::from_vec(py, self.played))?;
        arrays.set_item("phases", PyArray1::from_vec(py, self.phases))?;
        Ok(arrays)
    }
}
