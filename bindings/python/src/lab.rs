//! Random games, counts and studies.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sowing_lab::study::{Cell, StudyKind, StudyOptions, StudyReport, all, find};
use sowing_lab::{CensusError, CensusOptions, LogEstimate};

use crate::errors::{LimitError, Stopped, data, input};
use crate::game::{Game, GameLike};
use crate::work::{Callback, give_up_if, interruptible, memory, pool, time, whole, whole_or_none};

/// What random games looked like: every legal move is equally likely, every time.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Playouts {
    game: sowing_rules::Game,
    played: sowing_lab::Playouts,
}

/// Plays random games. The figures depend on the seed and the number of games alone.
///
/// >>> played = playouts("kalah(6,4)", 1000, seed=7)
/// >>> played.games, played.wins + played.draws + played.losses
/// (1000, 1000)
#[pyfunction]
#[pyo3(signature = (game, games=1_000_000, *, seed=1, threads=None, progress=None))]
pub(crate) fn playouts(
    py: Python<'_>,
    game: GameLike,
    #[pyo3(from_py_with = whole)] games: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Playouts> {
    if !(1..=1_000_000_000_000).contains(&games) {
        return Err(input(format!("games are 1 to 1000000000000, not {games}")));
    }
    let (pool, stop, callback) = (pool(threads)?, AtomicBool::new(false), Callback::new(progress)?);
    let GameLike(game) = game;
    let played = interruptible(py, &stop, || {
        let go_on = |done: u64| {
            callback.tell(&stop, |py| Ok(done.into_pyobject(py)?.into_any().unbind()));
            !stop.load(Relaxed)
        };
        pool.install(|| sowing_lab::Playouts::play_while(game, games, seed, go_on))
    })?;
    callback.check()?;
    let played =
        played.ok_or_else(|| Stopped::new_err(("the games were stopped", None::<(i64, i64)>)))?;
    Ok(Playouts { game, played })
}

type Interval = (f64, f64, f64);

fn log10(estimate: LogEstimate) -> Interval {
    let LogEstimate { ln, ln_low, ln_high } = estimate;
    let ten = std::f64::consts::LN_10;
    (ln / ten, ln_low / ten, ln_high / ten)
}

#[pymethods]
impl Playouts {
    fn __repr__(&self) -> String {
        let sowing_lab::Playouts { games, wins, draws, losses, .. } = self.played;
        format!("<{games} random games of {}: {wins} won, {draws} drawn, {losses} lost>", self.game)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    /// How many games were played.
    #[getter]
    fn games(&self) -> u64 {
        self.played.games
    }

    /// Games that the first player won.
    #[getter]
    fn wins(&self) -> u64 {
        self.played.wins
    }

    /// Games that nobody won.
    #[getter]
    fn draws(&self) -> u64 {
        self.played.draws
    }

    /// Games that the first player lost.
    #[getter]
    fn losses(&self) -> u64 {
        self.played.losses
    }

    /// Games of rules that repeat positions that were given up after 100,000 moves.
    #[getter]
    fn endless(&self) -> u64 {
        self.played.endless
    }

    /// All moves of all games.
    #[getter]
    fn moves(&self) -> u128 {
        self.played.moves()
    }

    /// How many games took so many moves.
    #[getter]
    fn depths(&self) -> BTreeMap<u32, u64> {
        self.played.depths.clone()
    }

    /// The mean number of moves of a game, an estimate with half the width of its 95 % interval.
    #[getter]
    fn depth(&self) -> (f64, f64) {
        (self.played.depth(), self.played.depth_error())
    }

    /// The mean number of legal moves, an estimate with half the width of its 95 % interval.
    #[getter]
    fn branching(&self) -> (f64, f64) {
        (self.played.branching(), self.played.branching_error())
    }

    /// The size of the game tree, as a power of ten: an estimate with its 95 % interval.
    #[getter]
    fn complexity(&self) -> Interval {
        log10(self.played.complexity())
    }
}

/// The number of positions that play can reach.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Census {
    game: sowing_rules::Game,
    census: sowing_lab::Census,
}

/// Counts the positions that play from the start can reach, exactly, in so many bytes of memory, 1 GiB
/// unless given; in a folder, a count that was ended goes on. ``progress`` is called with the layer
/// and the positions counted.
///
/// >>> counted = count("s-kalaha(3,1)")
/// >>> counted.total, counted.layers[0]
/// (45, (6, 1, 0))
#[pyfunction]
#[pyo3(signature = (game, *, memory=None, dir=None, threads=None, progress=None))]
pub(crate) fn count(
    py: Python<'_>,
    game: GameLike,
    #[pyo3(from_py_with = whole_or_none)] memory: Option<u64>,
    dir: Option<PathBuf>,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Census> {
    let memory = self::memory(memory, 1 << 30)?;
    let (pool, stop, callback) = (pool(threads)?, AtomicBool::new(false), Callback::new(progress)?);
    let GameLike(game) = game;
    let counted = interruptible(py, &stop, || {
        let options = CensusOptions {
            memory,
            folder: dir.as_deref(),
            time: None,
            progress: &|progress| {
                callback.tell(&stop, |py| {
                    let told = (progress.layer, progress.positions);
                    Ok(told.into_pyobject(py)?.into_any().unbind())
                });
                give_up_if(&stop);
            },
        };
        pool.install(|| sowing_lab::Census::with_options(&game, &options))
    });
    callback.check()?;
    let census = counted?.map_err(|error| match error {
        CensusError::MemoryFull { .. } | CensusError::TooLittleMemory { .. } => {
            LimitError::new_err(error.to_string())
        }
        CensusError::Folder(..) => data(error),
        _ => input(error),
    })?;
    Ok(Census { game, census })
}

#[pymethods]
impl Census {
    fn __repr__(&self) -> String {
        format!("<Census of {}: {} positions>", self.game, self.census.total())
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    /// All positions.
    #[getter]
    fn total(&self) -> u64 {
        self.census.total()
    }

    /// Live positions.
    #[getter]
    fn live(&self) -> u64 {
        self.census.live()
    }

    /// Finished boards.
    #[getter]
    fn finished(&self) -> u64 {
        self.census.finished()
    }

    /// For every number of seeds in houses: the seeds, the live positions, the finished boards.
    #[getter]
    fn layers(&self) -> Vec<(u32, u64, u64)> {
        self.census.layers.iter().map(|layer| (layer.seeds, layer.live, layer.finished)).collect()
    }
}

/// The published tables that can be computed again: names and titles.
///
/// >>> studies()["thesis-1"]
/// 'Table 1: state-space complexity of S-Kalaha(h,s)'
#[pyfunction]
pub(crate) fn studies() -> BTreeMap<&'static str, &'static str> {
    all().iter().map(|study| (study.name, study.title)).collect()
}

/// A published table beside what was computed.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Study(StudyReport);

/// Computes a published table, as far as the time goes, in seconds: see ``studies``. ``progress`` is
/// called with each row, column and figure.
#[pyfunction]
#[pyo3(signature = (name, *, time=60.0, games=None, seed=None, threads=None, memory=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn study(
    py: Python<'_>,
    name: &str,
    time: f64,
    #[pyo3(from_py_with = whole_or_none)] games: Option<u64>,
    #[pyo3(from_py_with = whole_or_none)] seed: Option<u64>,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
    #[pyo3(from_py_with = whole_or_none)] memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let Some(study) = find(name) else {
        return Err(input(format!(
            "no study is called {}: studies() lists them",
            sowing_rules::quoted(name)
        )));
    };
    if study.kind != StudyKind::Estimates && (games.is_some() || seed.is_some()) {
        return Err(input(format!(
            "games and seed are for random games, as in thesis-3: {} plays none",
            study.name
        )));
    }
    let defaults = StudyOptions::default();
    let (pool, stop, callback) = (pool(threads)?, AtomicBool::new(false), Callback::new(progress)?);
    let options = StudyOptions {
        time: self::time(Some(time))?.unwrap_or(Duration::ZERO),
        games: games.unwrap_or(defaults.games),
        seed: seed.unwrap_or(defaults.seed),
        threads: pool.current_num_threads(),
        memory: self::memory(memory, defaults.memory)?,
    };
    let report = interruptible(py, &stop, || {
        pool.install(|| {
            study.run_observed(&options, &|cell| {
                callback.tell(&stop, |py| {
                    let told = (&cell.row, &cell.column, cell.computed.to_string());
                    Ok(told.into_pyobject(py)?.into_any().unbind())
                });
                give_up_if(&stop);
            })
        })
    });
    callback.check()?;
    report.map(Study)
}

#[pymethods]
impl Study {
    fn __repr__(&self) -> String {
        format!("<Study {}: {} figures>", self.0.name, self.0.cells.len())
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What the table shows.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Where it was printed.
    #[getter]
    fn citation(&self) -> &str {
        &self.0.citation
    }

    /// Whether no figure differs from the print, known misprints aside.
    #[getter]
    fn agrees(&self) -> bool {
        self.0.agrees()
    }

    /// How many figures the time did not reach.
    #[getter]
    fn unreached(&self) -> usize {
        self.0.unreached()
    }

    /// One dictionary a figure, with the columns of ``sow study --csv``; what is missing is ``None``.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let row = |cell: &Cell| {
            let row = PyDict::new(py);
            row.set_item("row", &cell.row)?;
            row.set_item("column", &cell.column)?;
            row.set_item("printed", &cell.printed)?;
            let computed = Some(cell.computed.to_string()).filter(|text| !text.is_empty());
            row.set_item("computed", computed)?;
            row.set_item("source", cell.source().to_string())?;
            row.set_item("file", cell.file())?;
            row.set_item("verdict", cell.verdict.to_string())?;
            row.set_item("note", &cell.note)?;
            Ok(row)
        };
        PyList::new(py, self.0.cells.iter().map(row).collect::<PyResult<Vec<_>>>()?)
    }

    /// The table as text, print and computation side by side.
    fn text(&self) -> String {
        sowing_draw::study::text(&self.0)
    }

    /// The table as a LaTeX table.
    fn latex(&self) -> String {
        sowing_draw::study::latex(&self.0, BY)
    }

    /// The table as a picture.
    fn svg(&self) -> String {
        sowing_draw::study::picture(&self.0, BY).to_string()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    /// The object that ``sow study --json`` prints.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("a report is plain data")
    }
}

/// Who computes, as pictures and tables say.
const BY: &str = concat!("sowing ", env!("CARGO_PKG_VERSION"), " for Python");
