//! Moves as Python has them: a house's number, or the word "swap".

use std::convert::Infallible;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use sowing_rules::{House, Move, Side};

use crate::errors::{IllegalMove, input};

/// A move on its way from or to Python.
#[derive(Clone, Copy)]
pub(crate) struct PyMove(pub(crate) Move);

impl<'py> IntoPyObject<'py> for PyMove {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(match self.0 {
            Move::House(house) => PyInt::new(py, house.number()).into_any(),
            Move::Swap => PyString::new(py, "swap").into_any(),
        })
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for PyMove {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<PyMove> {
        if let Ok(text) = object.extract::<String>() {
            return text.parse().map(PyMove).map_err(input);
        }
        let wrong = || PyTypeError::new_err("a move is a house's number from 1, or \"swap\"");
        if object.is_instance_of::<PyBool>() {
            return Err(wrong());
        }
        // Whatever has __index__, as numpy's numbers do.
        let number = object.call_method0("__index__").map_err(|_| wrong())?;
        let house = number.extract::<u8>().ok().and_then(House::new);
        house.map(|house| PyMove(Move::House(house))).ok_or_else(|| {
            IllegalMove::new_err(format!(
                "a move is a house's number from 1, or \"swap\", not {number}"
            ))
        })
    }
}

pub(crate) fn py_moves(moves: &[Move]) -> Vec<PyMove> {
    moves.iter().copied().map(PyMove).collect()
}

pub(crate) fn side_name(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}

pub(crate) fn read_side(name: &str) -> PyResult<Side> {
    match name {
        "south" => Ok(Side::South),
        "north" => Ok(Side::North),
        other => Err(input(format!("a side is \"south\" or \"north\", not {other:?}"))),
    }
}
