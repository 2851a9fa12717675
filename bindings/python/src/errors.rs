//! Errors of the libraries as exceptions: the same one line.

use sowing_rules::Bounds;
use std::fmt::Display;

use pyo3::prelude::*;
use sowing_solver::{ProveError, SolveError};

pyo3::import_exception!(sowing.errors, Closed);
pyo3::import_exception!(sowing.errors, DataError);
pyo3::import_exception!(sowing.errors, IllegalMove);
pyo3::import_exception!(sowing.errors, InputError);
pyo3::import_exception!(sowing.errors, LimitError);
pyo3::import_exception!(sowing.errors, Refuted);
pyo3::import_exception!(sowing.errors, Stopped);

/// What somebody gave is wrong.
pub(crate) fn input(error: impl Display) -> PyErr {
    InputError::new_err(error.to_string())
}

/// A file, a table or a book is.
pub(crate) fn data(error: impl Display) -> PyErr {
    DataError::new_err(error.to_string())
}

/// A limit ended the work, and this much is proven.
pub(crate) fn stopped(bounds: Bounds) -> PyErr {
    let Bounds { low, high } = bounds;
    let words = format!("the search was stopped: the value is proven to lie in {low} to {high}");
    Stopped::new_err((words, (low, high)))
}

pub(crate) fn solve(error: SolveError) -> PyErr {
    let line = error.to_string();
    match error {
        SolveError::Stopped(_) => Stopped::new_err((line, None::<(i64, i64)>)),
        SolveError::TooLarge(_) | SolveError::TooManyTurns { .. } | SolveError::System(_) => {
            LimitError::new_err(line)
        }
        SolveError::NoSuchTurn { .. }
        | SolveError::OtherGame { .. }
        | SolveError::ImpossibleBounds(_)
        | SolveError::Family(_) => InputError::new_err(line),
        SolveError::Tables(error) => tables(error),
        _ => DataError::new_err(line),
    }
}

pub(crate) fn tables(error: sowing_tables::Error) -> PyErr {
    use sowing_tables::Error::{Disk, Family, Layer, Map, Memory, NoFamily};
    let line = error.to_string();
    match error {
        sowing_tables::Error::Stopped => Stopped::new_err((line, None::<(i64, i64)>)),
        NoFamily(_) | Layer { .. } | Family { .. } => InputError::new_err(line),
        Memory { .. } | Disk { .. } | Map(_) => LimitError::new_err(line),
        _ => DataError::new_err(line),
    }
}

pub(crate) fn prove(error: ProveError) -> PyErr {
    match error {
        ProveError::Solve(error) => solve(error),
        other => Refuted::new_err(other.to_string()),
    }
}
