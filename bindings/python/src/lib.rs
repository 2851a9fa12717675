//! The Python package `sowing`: the libraries of the project as Python has them.
//!
//! Nothing here knows a game or an analysis of its own. Each file turns what Python gives into what
//! a library takes, lets Python's lock go while the library works, and turns what comes out into
//! attributes and arrays.

mod boards;
mod book;
mod certificate;
mod dataset;
mod errors;
mod found;
mod game;
mod lab;
mod many;
mod moves;
mod player;
mod playthrough;
mod position;
mod solitaire;
mod solver;
mod tables;
mod tree;
mod vector;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `sow` with these arguments, its name first. What it gives is the exit code.
#[pyfunction]
fn command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    py.detach(|| sowing_cli::main_of(line.into_iter()))
}

#[pymodule]
fn _sowing(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<book::Book>()?;
    module.add_class::<certificate::Certificate>()?;
    module.add_class::<found::Analysis>()?;
    module.add_class::<found::MoveFound>()?;
    module.add_class::<found::Review>()?;
    module.add_class::<found::ReviewedTurn>()?;
    module.add_class::<found::TurnFound>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<lab::Census>()?;
    module.add_class::<lab::Playouts>()?;
    module.add_class::<lab::Study>()?;
    module.add_class::<player::Player>()?;
    module.add_class::<playthrough::Playthrough>()?;
    module.add_class::<playthrough::Record>()?;
    module.add_class::<position::MoveReport>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<solitaire::Wins>()?;
    module.add_class::<solver::Progress>()?;
    module.add_class::<solver::Solver>()?;
    module.add_class::<tables::Tables>()?;
    module.add_class::<tree::Tree>()?;
    module.add_class::<tree::TreeNode>()?;
    module.add_class::<vector::Batch>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(dataset::dataset_columns, module)?)?;
    module.add_function(wrap_pyfunction!(lab::count, module)?)?;
    module.add_function(wrap_pyfunction!(lab::playouts, module)?)?;
    module.add_function(wrap_pyfunction!(lab::studies, module)?)?;
    module.add_function(wrap_pyfunction!(lab::study, module)?)?;
    module.add_function(wrap_pyfunction!(many::solve_many, module)?)?;
    module.add_function(wrap_pyfunction!(tree::tree, module)?)?;
    for function in [
        wrap_pyfunction!(solitaire::matrix, module)?,
        wrap_pyfunction!(solitaire::product, module)?,
        wrap_pyfunction!(solitaire::sequence, module)?,
        wrap_pyfunction!(solitaire::why_lost, module)?,
        wrap_pyfunction!(solitaire::win, module)?,
        wrap_pyfunction!(solitaire::winning_board, module)?,
        wrap_pyfunction!(solitaire::winning_counts, module)?,
        wrap_pyfunction!(solitaire::winning_length, module)?,
        wrap_pyfunction!(solitaire::winning_moves, module)?,
        wrap_pyfunction!(solitaire::wins, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
