//! Certificates.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use sowing_certificate::Claim;

use crate::errors::{self, Refuted, data, input};
use crate::position::Position;
use crate::solver::Solver;
use crate::work::interruptible;

/// A proof of a bound, written down, that can be checked with the rules alone.
///
/// >>> proof = Certificate.prove(Solver("s-kalaha(3,3)"), Position("s-kalaha(3,3)"), at_least=1)
/// >>> again = Certificate(str(proof))
/// >>> again.verify()
/// >>> again.claim
/// 'value >= 1'
#[pyclass(frozen, str = "{0}", module = "sowing")]
pub(crate) struct Certificate(sowing_certificate::Certificate);

#[pymethods]
impl Certificate {
    /// Reads a text. That it is one does not mean that it proves anything: see ``verify``.
    #[new]
    fn new(text: &str) -> PyResult<Certificate> {
        text.parse().map(Certificate).map_err(input)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }

    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Certificate> {
        py.detach(|| {
            let file =
                File::open(&path).map_err(|error| data(format!("{}: {error}", path.display())))?;
            sowing_certificate::Certificate::read(BufReader::new(file))
                .map_err(|error| data(format!("{}: {error}", path.display())))
        })
        .map(Certificate)
    }

    /// Proves that a position's value is at least, or at most, so much.
    #[staticmethod]
    #[pyo3(signature = (solver, position, *, at_least=None, at_most=None, time=None))]
    fn prove(
        py: Python<'_>,
        solver: &Solver,
        position: &Position,
        at_least: Option<i64>,
        at_most: Option<i64>,
        time: Option<f64>,
    ) -> PyResult<Certificate> {
        let claim = match (at_least, at_most) {
            (Some(margin), None) => Claim::AtLeast(margin),
            (None, Some(margin)) => Claim::AtMost(margin),
            _ => return Err(input("a claim is one bound: give at_least or at_most")),
        };
        solver.require(position.0.game())?;
        solver
            .with_errors(py, time, None, |solver, _| {
                solver.prove(&position.0, claim).map_err(errors::prove)
            })
            .map(Certificate)
    }

    /// Checks every lemma and the claim: what is not proven raises ``Refuted``.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let stop = AtomicBool::new(false);
        interruptible(py, &stop, || self.0.verify())?
            .map_err(|error| Refuted::new_err(error.to_string()))
    }

    /// Writes a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| sowing_files::write(&path, self.0.to_string().as_bytes()))
            .map_err(|error| data(format!("cannot write {}: {error}", path.display())))
    }

    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(*self.0.position())
    }

    /// What is claimed of its value, as in ``value >= 1``.
    #[getter]
    fn claim(&self) -> String {
        self.0.claim().to_string()
    }

    /// How many lemmas prove it.
    #[getter]
    fn lemmas(&self) -> usize {
        self.0.lemmas()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Certificate of {}: {}, {} lemmas>",
            self.0.position(),
            self.0.claim(),
            self.0.lemmas()
        )
    }
}
