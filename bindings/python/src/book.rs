//! Books.

use sowing_rules::Bounds;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use sowing_solver::BookFile;

use crate::errors::{data, input};
use crate::game::GameLike;
use crate::position::Position;

/// Proven bounds of positions of a family of games: same rules, same houses, any seeds.
///
/// >>> book = Book.built_in("kalah(6,4)")
/// >>> book.probe(Position("kalah(6,4)"))
/// (8, 8)
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Book(pub(crate) Arc<sowing_solver::Book>);

#[pymethods]
impl Book {
    /// The book of a game that the package has, if it has one; ``None`` otherwise.
    #[staticmethod]
    fn built_in(game: GameLike) -> Option<Book> {
        sowing_books::book_for(&game.0).map(Book)
    }

    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Book> {
        let book = py.detach(|| sowing_solver::Book::open(&path)).map_err(data)?;
        Ok(Book(Arc::new(book)))
    }

    /// Writes a file, whole or not at all; what it had is kept.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let (file, before) = BookFile::for_game(&path, &self.0.family().game())?;
            let mut all = before;
            all.merge(&self.0)?;
            file.write(&all)
        })
        .map_err(data)
    }

    /// What is proven of a position's value: at least the first, at most the second; ``None`` if it
    /// is not in the book.
    fn probe(&self, position: &Position) -> Option<(i64, i64)> {
        self.0.probe(&position.0).map(|Bounds { low, high }| (low, high))
    }

    /// The games it is of, as in ``kalah(6,.)``.
    #[getter]
    fn family(&self) -> String {
        self.0.family().to_string()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Book of {}, {} positions>", self.0.family(), self.0.len())
    }
}

/// The book that a solver is to use: the one that is built in unless it is told otherwise.
pub(crate) fn read_book(
    game: &sowing_rules::Game,
    book: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Arc<sowing_solver::Book>>> {
    let built_in = sowing_books::book_for(game);
    let Some(book) = book else { return Ok(built_in) };
    if let Ok(yes) = book.cast::<PyBool>() {
        return Ok(built_in.filter(|_| yes.is_true()));
    }
    let Ok(own) = book.cast::<Book>() else {
        return Err(pyo3::exceptions::PyTypeError::new_err("book must be True, False or a Book"));
    };
    let own = &own.get().0;
    own.require(game).map_err(input)?;
    let Some(built_in) = built_in else { return Ok(Some(Arc::clone(own))) };
    let mut both = sowing_solver::Book::clone(own);
    both.merge(&built_in).map_err(data)?;
    Ok(Some(Arc::new(both)))
}
