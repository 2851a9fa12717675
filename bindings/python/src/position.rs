//! Positions.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use sowing_lab::{Graph, Shape};
use sowing_rules::{Setup, Side, WideBoard};

use crate::errors::{IllegalMove, LimitError, input};
use crate::game::{Game, GameLike};
use crate::moves::{PyMove, py_moves};
use crate::work::{interruptible, whole};

/// A position of a game, as the player to move sees it. It never changes; ``play`` gives another.
///
/// Its text has the mover's houses from the left and the mover's store, a bar, and the same for
/// the opponent; the literal of the Kalah Game Protocol is read too, and so are the numbers alone,
/// in the order of the text. A position has all seeds of its game; with ``free=True`` it may have
/// any number.
///
/// >>> position = Position("kalah(6,4)").play(3)
/// >>> print(position)
/// 4,4,0,5,5,5,1|4,4,4,4,4,4,0
/// >>> position.legal_moves
/// (1, 2, 4, 5, 6)
/// >>> position == Position("kalah(6,4)", position.kgp)
/// True
#[pyclass(frozen, eq, hash, str = "{0}", module = "sowing", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) sowing_rules::Position);

/// What a move does.
#[pyclass(frozen, get_all, eq, hash, module = "sowing")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct MoveReport {
    /// The seeds that the mover's store gains.
    gain: u64,
    /// How many of them are captured, the last one of the move among them.
    captured: u64,
    /// Whether the last seed falls into the mover's store: the same player moves again, unless the
    /// game is finished.
    again: bool,
    /// Whether the game is over after it.
    finished: bool,
}

#[pymethods]
impl MoveReport {
    fn __repr__(&self) -> String {
        let word = |yes| if yes { "True" } else { "False" };
        format!(
            "MoveReport(gain={}, captured={}, again={}, finished={})",
            self.gain,
            self.captured,
            word(self.again),
            word(self.finished)
        )
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (game, board=None, *, free=false))]
    fn new(game: GameLike, board: Option<&Bound<'_, PyAny>>, free: bool) -> PyResult<Position> {
        let GameLike(game) = game;
        let Some(board) = board else { return Ok(Position(sowing_rules::Position::start(game))) };
        let setup = read_board(board)?;
        let made = match free {
            true => sowing_rules::Position::free(game, &setup),
            false => sowing_rules::Position::new(game, &setup),
        };
        made.map(Position).map_err(input)
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', '{}')", self.0.game(), self.0)
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((String, String), Bound<'py, PyDict>)> {
        let again = sowing_rules::Position::free(*self.0.game(), &self.0.setup());
        if again != Ok(self.0) {
            return Err(input(
                "a position in which a swap is still to be decided has no text: pickle the record of the game",
            ));
        }
        let free = PyDict::new(py);
        free.set_item("free", true)?;
        Ok(((self.0.game().to_string(), self.0.to_string()), free))
    }

    fn __copy__(slf: Py<Position>) -> Py<Position> {
        slf
    }

    fn __deepcopy__(slf: Py<Position>, _memo: &Bound<'_, PyAny>) -> Py<Position> {
        slf
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(*self.0.game())
    }

    /// All seeds, in the order of the text: the mover's houses and store, the opponent's houses and
    /// store. ``numpy.array`` makes an array of it.
    ///
    /// >>> Position("kalah(3,2)").play(2).board
    /// (2, 0, 3, 1, 2, 2, 2, 0)
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, pits(self.0.board()))
    }

    /// The mover's houses from the left.
    #[getter]
    fn houses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.board().own())
    }

    /// The mover's store.
    #[getter]
    fn store(&self) -> u64 {
        self.0.board().store()
    }

    /// The opponent's houses, from the opponent's left.
    #[getter]
    fn other_houses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.board().other())
    }

    /// The opponent's store.
    #[getter]
    fn other_store(&self) -> u64 {
        self.0.board().other_store()
    }

    /// The seeds in houses, both rows together.
    #[getter]
    fn layer(&self) -> u64 {
        self.0.layer()
    }

    /// All seeds, stores included.
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }

    /// The mover's store less the opponent's.
    #[getter]
    fn lead(&self) -> i64 {
        self.0.lead()
    }

    /// Whether the game is over: a row is empty.
    #[getter]
    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// The mover's final seeds less the opponent's; ``None`` while the game goes on.
    #[getter]
    fn margin(&self) -> Option<i64> {
        self.0.margin()
    }

    /// Whether the mover may swap sides instead of playing a house.
    #[getter]
    fn may_swap(&self) -> bool {
        self.0.may_swap()
    }

    /// Every legal move: houses from the mover's left, then ``"swap"`` where it is offered.
    #[getter]
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.moves().map(PyMove).collect::<Vec<_>>())
    }

    /// The position after one or more moves, as whoever is to move then sees it.
    ///
    /// >>> start = Position("kalah(6,4)")
    /// >>> print(start.play(3, 5))
    /// 5,5,5,4,4,4,0|4,4,0,5,0,6,2
    /// >>> start.play(3, 3)
    /// Traceback (most recent call last):
    /// sowing.errors.IllegalMove: house 3 is empty
    #[pyo3(signature = (*moves))]
    fn play(&self, moves: Vec<PyMove>) -> PyResult<Position> {
        let play = |at: sowing_rules::Position, PyMove(action): PyMove| {
            at.try_play(action).map(|(next, _)| next).map_err(illegal)
        };
        moves.into_iter().try_fold(self.0, play).map(Position)
    }

    /// What a move does.
    ///
    /// >>> Position("kalah(6,4)").report(3)
    /// MoveReport(gain=1, captured=0, again=True, finished=False)
    fn report(&self, action: PyMove) -> PyResult<MoveReport> {
        let (_, report) = self.0.try_play(action.0).map_err(illegal)?;
        let captured = report.captured();
        let sowing_rules::MoveReport { gain, again, finished, .. } = report;
        Ok(MoveReport { gain, captured, again, finished })
    }

    /// All whole turns, each as the moves of a shortest way and the position after it, one for each
    /// end; at most ``limit`` of them.
    ///
    /// >>> [moves for moves, _ in Position("kalah(3,2)").turns()]
    /// [(1,), (3,), (2, 1), (2, 3)]
    #[pyo3(signature = (*, limit=100_000))]
    fn turns<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] limit: usize,
    ) -> PyResult<Vec<(Bound<'py, PyTuple>, Position)>> {
        let shape = Shape { turns: true, merge: true, depth: Some(1), limit };
        let graph = py
            .detach(|| Graph::of(self.0, &shape))
            .map_err(|error| LimitError::new_err(error.to_string()))?;
        let turn = |edge: &sowing_lab::Edge| {
            let after = Position(graph.nodes[edge.to].position);
            Ok((PyTuple::new(py, py_moves(&edge.moves))?, after))
        };
        graph.edges.iter().map(turn).collect()
    }

    /// How many leaves the tree of moves has at a depth: a finished game is one, however early.
    ///
    /// >>> Position("kalah(6,4)").perft(2)
    /// 35
    fn perft(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] depth: u32) -> PyResult<u64> {
        if depth <= AT_ONCE {
            return Ok(py.detach(|| sowing_rules::perft(&self.0, depth).leaves));
        }
        let stop = AtomicBool::new(false);
        interruptible(py, &stop, || leaves(&self.0, depth, &stop))
    }

    /// The same board as the opponent sees it, the opponent to move; the pie rule is over there.
    fn flip(&self) -> Position {
        Position(self.0.flip())
    }

    /// The literal of the Kalah Game Protocol.
    ///
    /// >>> Position("kalah(3,2)").kgp
    /// '<3,0,0,2,2,2,2,2,2>'
    #[getter]
    fn kgp(&self) -> String {
        self.0.setup().kgp().to_string()
    }

    /// A drawing in lines. The mover sits below, unless ``mover`` is ``"north"``.
    #[pyo3(signature = (*, mover="south"))]
    fn text(&self, mover: &str) -> PyResult<String> {
        let mover = crate::moves::read_side(mover)?;
        Ok(sowing_draw::board::text(&self.0, mover, &sowing_draw::board::ASCII))
    }

    /// A picture, as SVG.
    #[pyo3(signature = (*, mover="south"))]
    fn svg(&self, mover: &str) -> PyResult<String> {
        let mover = crate::moves::read_side(mover)?;
        Ok(sowing_draw::board::picture(&self.0, mover, Side::South).to_string())
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg("south")
    }
}

/// Moves deep that leaves are counted between two looks whether to go on.
const AT_ONCE: u32 = 6;

/// The leaves of the tree of moves; anything once it was told to stop.
fn leaves(position: &sowing_rules::Position, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= AT_ONCE || position.is_finished() {
        return sowing_rules::perft(position, depth).leaves;
    }
    let next = position.moves().take_while(|_| !stop.load(Relaxed));
    next.filter_map(|action| position.try_play(action).ok())
        .map(|(after, _)| leaves(&after, depth - 1, stop))
        .sum()
}

pub(crate) fn illegal(error: sowing_rules::PlayError) -> PyErr {
    IllegalMove::new_err(error.to_string())
}

/// All seeds in the order of the text.
pub(crate) fn pits(board: &WideBoard) -> Vec<u64> {
    let row = |row: &[u64], store: u64| row.iter().copied().chain([store]).collect::<Vec<_>>();
    let mut pits = row(board.own(), board.store());
    pits.extend(row(board.other(), board.other_store()));
    pits
}

/// A board as a text, or as numbers in the order of the text.
fn read_board(board: &Bound<'_, PyAny>) -> PyResult<Setup> {
    if let Ok(text) = board.cast::<PyString>() {
        return text.to_cow()?.parse().map_err(input);
    }
    // As text, so that what is wrong is said in the same words.
    let numbers: Vec<Bound<'_, PyAny>> = board
        .try_iter()
        .map_err(|_| {
            input("a board is a text or numbers, as in \"2,2,0|2,2,0\" or [2, 2, 0, 2, 2, 0]")
        })?
        .collect::<PyResult<_>>()?;
    let words: Vec<String> =
        numbers.iter().map(|number| Ok(number.str()?.to_string())).collect::<PyResult<_>>()?;
    let (own, other) = words.split_at(words.len() / 2);
    format!("{}|{}", own.join(","), other.join(",")).parse().map_err(input)
}
