//! What was found out: the forms of the analysis, as attributes.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sowing_analysis::Source;
use sowing_rules::Bounds;
use sowing_solver::Answer;

use crate::game::Game;
use crate::moves::{PyMove, py_moves, side_name};
use crate::position::Position;

type Pair = (i64, i64);

fn bounds(known: &Bounds) -> Pair {
    let bounds = known;
    (bounds.low, bounds.high)
}

fn outcome(known: &Bounds) -> Option<String> {
    known.outcome().map(|outcome| outcome.to_string())
}

/// What is proven of a value.
pub(crate) fn verdict_bounds(verdict: Answer) -> Pair {
    (verdict.bounds.low, verdict.bounds.high)
}

/// What is known of a position. ``to_json()`` is what ``sow solve --json`` prints.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Analysis(pub(crate) sowing_analysis::Analysis);

#[pymethods]
impl Analysis {
    fn __repr__(&self) -> String {
        format!("<Analysis of {} {}: {}>", self.0.game, self.0.position, self.0.words)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.0.game)
    }

    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(self.0.position)
    }

    /// The row that is to move; ``None`` once the game is over.
    #[getter]
    fn to_move(&self) -> Option<&'static str> {
        self.0.to_move.map(side_name)
    }

    /// The mover's margin with perfect play; ``None`` if it is not known.
    #[getter]
    fn value(&self) -> Option<i64> {
        self.0.known.value()
    }

    /// What is proven of the value: at least the first, at most the second.
    #[getter]
    fn bounds(&self) -> Pair {
        bounds(&self.0.known)
    }

    /// ``"win"``, ``"draw"`` or ``"loss"`` for the mover; ``None`` if it is not known.
    #[getter]
    fn outcome(&self) -> Option<String> {
        outcome(&self.0.known)
    }

    /// The same in plain words.
    #[getter]
    fn words(&self) -> &str {
        &self.0.words
    }

    /// What a short look ahead makes of it: a guess, proven by nothing.
    #[getter]
    fn estimate(&self) -> Option<i64> {
        self.0.estimate
    }

    /// A whole turn that gets the value; ``None`` if it is not known.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.0.best.as_ref().map(|best| PyTuple::new(py, py_moves(best))).transpose()
    }

    /// What every move is worth, best first.
    #[getter]
    fn moves(&self) -> Vec<MoveFound> {
        self.0.moves.iter().copied().map(MoveFound).collect()
    }

    /// What every whole turn is worth, best first; ``None`` if it was not asked for or not found.
    #[getter]
    fn turns(&self) -> Option<Vec<TurnFound>> {
        let turns = self.0.turns.as_ref()?;
        Some(turns.iter().cloned().map(TurnFound).collect())
    }

    /// A perfect continuation, turn by turn; ``None`` if it was not asked for or not found.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
        let turns = |line: &Vec<Vec<sowing_rules::Move>>| {
            line.iter().map(|turn| PyTuple::new(py, py_moves(turn))).collect()
        };
        self.0.line.as_ref().map(turns).transpose()
    }

    /// Whether everything that was asked for was found. If not, a limit ended the search.
    #[getter]
    fn complete(&self) -> bool {
        self.0.complete
    }

    /// Positions looked at.
    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    /// Time taken.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// Where it comes from: ``"rules"``, ``"book"``, ``"table"`` or ``"search"``.
    #[getter]
    fn source(&self) -> &'static str {
        match self.0.source {
            Source::Rules => "rules",
            Source::Book => "book",
            Source::Table => "table",
            Source::Search => "search",
        }
    }

    /// The object that ``sow solve --json`` prints.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("an analysis is plain data")
    }
}

/// What is known of a move.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct MoveFound(pub(crate) sowing_analysis::MoveFound);

#[pymethods]
impl MoveFound {
    fn __repr__(&self) -> String {
        format!("<move {}: {}>", self.0.action, self.0.known)
    }

    /// The move.
    #[getter]
    fn r#move(&self) -> PyMove {
        PyMove(self.0.action)
    }

    /// What the mover gets after it; ``None`` if it is not known.
    #[getter]
    fn value(&self) -> Option<i64> {
        self.0.known.value()
    }

    /// What is proven of that.
    #[getter]
    fn bounds(&self) -> Pair {
        bounds(&self.0.known)
    }

    /// ``"win"``, ``"draw"`` or ``"loss"``; ``None`` if it is not known.
    #[getter]
    fn outcome(&self) -> Option<String> {
        outcome(&self.0.known)
    }

    /// Whether the mover moves again after it.
    #[getter]
    fn again(&self) -> bool {
        self.0.again
    }

    /// A guess, within what is proven.
    #[getter]
    fn estimate(&self) -> Option<i64> {
        self.0.estimate
    }
}

/// What is known of a whole turn.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct TurnFound(pub(crate) sowing_analysis::TurnFound);

#[pymethods]
impl TurnFound {
    fn __repr__(&self) -> String {
        format!("<turn {}: {}>", sowing_rules::turn_text(&self.0.moves), self.0.known)
    }

    /// The moves, a shortest way to its end.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, py_moves(&self.0.moves))
    }

    /// What the mover gets after it; ``None`` if it is not known.
    #[getter]
    fn value(&self) -> Option<i64> {
        self.0.known.value()
    }

    /// What is proven of that.
    #[getter]
    fn bounds(&self) -> Pair {
        bounds(&self.0.known)
    }

    /// ``"win"``, ``"draw"`` or ``"loss"``; ``None`` if it is not known.
    #[getter]
    fn outcome(&self) -> Option<String> {
        outcome(&self.0.known)
    }
}

/// What each turn of a game gave away. ``to_json()`` is what ``sow review --json`` prints.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Review(pub(crate) sowing_analysis::Review);

#[pymethods]
impl Review {
    fn __repr__(&self) -> String {
        let lost = self.0.lost;
        format!("<Review of {} turns: lost {} and {}>", self.0.turns.len(), lost.south, lost.north)
    }

    /// The turns in order.
    #[getter]
    fn turns(&self) -> Vec<ReviewedTurn> {
        self.0.turns.iter().cloned().map(ReviewedTurn).collect()
    }

    /// What the players gave away, in points of margin: who started at South, who at North.
    #[getter]
    fn lost(&self) -> Pair {
        (self.0.lost.south, self.0.lost.north)
    }

    /// The numbers of the turns that gave something away, the worst first.
    #[getter]
    fn worst(&self) -> Vec<usize> {
        self.0.worst.clone()
    }

    /// Whether the value of every turn was found.
    #[getter]
    fn complete(&self) -> bool {
        self.0.complete
    }

    /// The review as JSON.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("a review is plain data")
    }
}

/// A turn of a game, and what it was worth.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct ReviewedTurn(pub(crate) sowing_analysis::ReviewedTurn);

#[pymethods]
impl ReviewedTurn {
    fn __repr__(&self) -> String {
        let lost = self.0.lost.map_or("unknown".to_string(), |lost| lost.to_string());
        format!("<turn {}, {}: lost {lost}>", self.0.turn, sowing_rules::turn_text(&self.0.moves))
    }

    /// The number of the turn, from 1.
    #[getter]
    fn turn(&self) -> usize {
        self.0.turn
    }

    /// The moves of the game before it.
    #[getter]
    fn ply(&self) -> usize {
        self.0.ply
    }

    /// The row that moved.
    #[getter]
    fn side(&self) -> &'static str {
        side_name(self.0.side)
    }

    /// The row that the player who moved started with: another than ``side`` after a swap.
    #[getter]
    fn player(&self) -> &'static str {
        side_name(self.0.player)
    }

    /// The moves.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, py_moves(&self.0.moves))
    }

    /// The player's margin with perfect play before the turn; ``None`` if it is not known.
    #[getter]
    fn before(&self) -> Option<i64> {
        self.0.before.value()
    }

    /// The same after it.
    #[getter]
    fn after(&self) -> Option<i64> {
        self.0.after.value()
    }

    /// The value that the turn gave away; ``None`` if it was not found.
    #[getter]
    fn lost(&self) -> Option<i64> {
        self.0.lost
    }

    /// A turn that would have lost nothing; ``None`` if it was not found.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.0.best.as_ref().map(|best| PyTuple::new(py, py_moves(best))).transpose()
    }
}
