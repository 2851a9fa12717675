//! The solitaires, exactly.

use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sowing_solitaire::{
    Board, DEFAULT_LIMIT, Fraction, Matrix, MatrixKind, SearchError, Sequence, Term, Variant,
    WinAnalysis, Winning,
};

use crate::errors::{LimitError, input};
use crate::work::{interruptible, whole};

// What the signatures say, so that Python's help shows it.
const _: () = assert!(DEFAULT_LIMIT == 10_000_000);

fn found<T>(outcome: Result<T, SearchError>) -> PyResult<T> {
    outcome.map_err(|error| match error {
        SearchError::Limit { .. } => LimitError::new_err(error.to_string()),
        SearchError::TooLarge { .. } => input(error),
    })
}

/// A board, as numbers or as a text.
fn board(board: &Bound<'_, PyAny>) -> PyResult<Board> {
    if let Ok(text) = board.extract::<String>() {
        return text.parse().map_err(input);
    }
    let bins: Vec<i128> = board.extract().map_err(|_| {
        input("a board is the stones of each bin, the nearest first, as in [0, 2, 2, 4]")
    })?;
    let bins: Option<Vec<u64>> = bins.iter().map(|stones| u64::try_from(*stones).ok()).collect();
    Board::new(bins.ok_or_else(|| input("a bin holds 0 stones or more, and fewer than 2^64"))?)
        .map_err(input)
}

fn fraction<'py>(py: Python<'py>, fraction: Fraction) -> PyResult<Bound<'py, PyAny>> {
    let of = py.import("fractions")?.getattr("Fraction")?;
    of.call1((fraction.numerator(), fraction.denominator()))
}

/// The one winning board of Tchoukaillon with so many stones, the nearest bin first, if it has no more
/// than ten million bins.
///
/// >>> winning_board(8)
/// (0, 2, 2, 4)
#[pyfunction]
pub(crate) fn winning_board<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = whole)] stones: u64,
) -> PyResult<Bound<'py, PyTuple>> {
    let winning = short(stones)?;
    let bins: Vec<u64> = py.detach(|| winning.bins().collect());
    PyTuple::new(py, bins)
}

/// How often each bin of the winning board is played, the nearest first.
///
/// >>> winning_moves(8)
/// (4, 2, 1, 1)
#[pyfunction]
pub(crate) fn winning_moves<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = whole)] stones: u64,
) -> PyResult<Bound<'py, PyTuple>> {
    let winning = short(stones)?;
    let moves: Vec<u64> = py.detach(|| winning.moves().collect());
    PyTuple::new(py, moves)
}

/// How many bins the winning board of Tchoukaillon has, however large.
///
/// >>> winning_length(10**18)
/// 1772453853
#[pyfunction]
pub(crate) fn winning_length(#[pyo3(from_py_with = whole)] stones: u64) -> PyResult<u64> {
    Ok(any(stones)?.length())
}

fn any(stones: u64) -> PyResult<Winning> {
    Winning::new(stones).ok_or_else(|| input("stones are 1 or more"))
}

fn short(stones: u64) -> PyResult<Winning> {
    let winning = any(stones)?;
    match winning.length() {
        ..=10_000_000 => Ok(winning),
        length => Err(LimitError::new_err(format!(
            "the board has {length} bins, and at most 10000000 are listed"
        ))),
    }
}

/// Why a board of Tchoukaillon cannot be won; ``None`` if it can.
///
/// >>> why_lost([0, 2, 2, 4])
/// >>> why_lost("2,0,3,1")
/// 'bin 1 is overfull: it holds 2 stones, and a play from it ends in the Ruma only with 1'
#[pyfunction]
pub(crate) fn why_lost(board: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(sowing_solitaire::check(&self::board(board)?).err().map(|reason| reason.to_string()))
}

/// One of the matrices for boards of so many bins, exactly, as rows of ``Fraction``: ``"unplay"``,
/// ``"inverse"``, ``"wrap"``, ``"chain"`` or ``"sowing"``.
///
/// >>> matrix("inverse", 3)[0]
/// (Fraction(1, 1), Fraction(1, 2), Fraction(1, 2))
#[pyfunction]
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    kind: &str,
    #[pyo3(from_py_with = whole)] length: usize,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let matrix = named(kind, length)?;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    if rows.saturating_mul(columns) > 4_000_000 {
        return Err(LimitError::new_err(format!(
            "a matrix of {rows} rows and {columns} columns is too large to list"
        )));
    }
    let row = |row: usize| {
        let entries = (0..columns).map(|column| fraction(py, matrix.entry(row, column)));
        PyTuple::new(py, entries.collect::<PyResult<Vec<_>>>()?)
    };
    (0..rows).map(row).collect()
}

fn named(kind: &str, length: usize) -> PyResult<Matrix> {
    let kind = match kind {
        "unplay" => MatrixKind::Unplay,
        "inverse" => MatrixKind::Inverse,
        "wrap" => MatrixKind::Wrap,
        "chain" => MatrixKind::Chain,
        "sowing" => MatrixKind::Sowing,
        other => {
            return Err(input(format!(
                "the matrices are unplay, inverse, wrap, chain and sowing, not {}",
                sowing_rules::quoted(other)
            )));
        }
    };
    Matrix::new(kind, length).map_err(input)
}

/// A matrix times a vector of whole numbers, exactly.
///
/// >>> product("inverse", [0, 2, 2, 4])
/// (Fraction(4, 1), Fraction(2, 1), Fraction(1, 1), Fraction(1, 1))
#[pyfunction]
#[pyo3(signature = (kind, vector, *, length=None))]
pub(crate) fn product<'py>(
    py: Python<'py>,
    kind: &str,
    vector: Vec<i64>,
    length: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let length = length.unwrap_or(vector.len());
    let entries = named(kind, length)?.product(&vector).map_err(input)?;
    PyTuple::new(
        py,
        entries.into_iter().map(|entry| fraction(py, entry)).collect::<PyResult<Vec<_>>>()?,
    )
}

/// What can be said of winning a board.
#[pyclass(frozen, get_all, module = "sowing.solitaire")]
pub(crate) struct Wins {
    /// Whether some play clears the board.
    winnable: bool,
    /// How many plays do; ``None`` if they are 2^128 or more.
    plays: Option<u128>,
    /// A play of the fewest moves; ``None`` if none wins.
    shortest: Option<Vec<usize>>,
    /// A play of the most moves; ``None`` if none wins.
    longest: Option<Vec<usize>>,
    /// The positions that were looked at.
    positions: usize,
}

#[pymethods]
impl Wins {
    fn __repr__(&self) -> String {
        match (self.winnable, self.plays) {
            (false, _) => "<no play wins>".to_string(),
            (true, Some(plays)) => format!("<{plays} plays win>"),
            (true, None) => "<2^128 plays or more win>".to_string(),
        }
    }
}

fn variant(name: &str) -> PyResult<Variant> {
    name.parse().map_err(input)
}

/// All wins of a board of ``"tchoukaillon"``, ``"wrapping"``, ``"chaining"`` or ``"tchuka-ruma"``: a
/// search of at most ``limit`` positions.
///
/// >>> wins("chaining", [0, 1, 2, 1]).shortest[0]
/// 4
#[pyfunction]
#[pyo3(signature = (variant, board, *, limit=10_000_000))]
pub(crate) fn wins(
    py: Python<'_>,
    variant: &str,
    board: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = whole)] limit: usize,
) -> PyResult<Wins> {
    let (variant, board) = (self::variant(variant)?, self::board(board)?);
    let stop = AtomicBool::new(false);
    found(interruptible(py, &stop, || {
        let wins = WinAnalysis::new(variant, board, limit)?;
        Ok(Wins {
            winnable: wins.winnable(),
            plays: wins.plays(),
            shortest: wins.shortest(),
            longest: wins.longest(),
            positions: wins.positions(),
        })
    })?)
}

/// A winning play of a board, not always a shortest one; ``None`` if there is none.
///
/// >>> win("tchuka-ruma", [2, 2, 2, 2])[:2]
/// [2, 1]
#[pyfunction]
#[pyo3(signature = (variant, board, *, limit=10_000_000))]
pub(crate) fn win(
    py: Python<'_>,
    variant: &str,
    board: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = whole)] limit: usize,
) -> PyResult<Option<Vec<usize>>> {
    let (variant, board) = (self::variant(variant)?, self::board(board)?);
    let stop = AtomicBool::new(false);
    found(interruptible(py, &stop, || sowing_solitaire::any_win(variant, &board, limit))?)
        .map(|found| found.win)
}

/// How many boards of so many bins can be won, for each number of stones from 0.
///
/// >>> winning_counts("wrapping", 1, 8)
/// [1, 1, 0, 1, 0, 0, 0, 1, 0]
#[pyfunction]
#[pyo3(signature = (variant, bins, stones, *, limit=10_000_000))]
pub(crate) fn winning_counts(
    py: Python<'_>,
    variant: &str,
    #[pyo3(from_py_with = whole)] bins: usize,
    #[pyo3(from_py_with = whole)] stones: u64,
    #[pyo3(from_py_with = whole)] limit: usize,
) -> PyResult<Vec<u64>> {
    let variant = self::variant(variant)?;
    if stones > 1 << 32 {
        return Err(input(format!("stones are at most {}, not {stones}", 1u64 << 32)));
    }
    let stop = AtomicBool::new(false);
    let counts = interruptible(py, &stop, || {
        sowing_solitaire::winning_boards(variant, bins, stones, limit)
    })?;
    found(counts).map(|found| found.counts)
}

/// The first terms of a sequence of the OEIS, by its name; strings of digits are strings.
///
/// >>> sequence("A002491", 5)
/// [1, 2, 4, 6, 10]
#[pyfunction]
pub(crate) fn sequence<'py>(
    py: Python<'py>,
    name: &str,
    #[pyo3(from_py_with = whole)] terms: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let sequence: Sequence = name.parse().map_err(input)?;
    if terms > 10_000_000 {
        return Err(LimitError::new_err(format!("at most 10000000 terms are listed, not {terms}")));
    }
    let terms: Vec<(u64, Term)> = py.detach(|| sequence.terms().take(terms).collect());
    let term = |(_, term): (u64, Term)| match term {
        Term::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
        other => Ok(other.to_string().into_pyobject(py)?.into_any()),
    };
    terms.into_iter().map(term).collect()
}
