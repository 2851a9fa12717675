//! Games in progress, and games written down.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sowing_rules::{Ending, Numbering, Side};

use crate::errors::input;
use crate::game::{Game, GameLike};
use crate::moves::{PyMove, read_side, side_name};
use crate::position::{Position, illegal};

/// A game in progress or over, with all that led there: whose move it is, repetitions, swaps.
///
/// >>> game = Playthrough("kalah(6,4)")
/// >>> game.play(3, 5, 1)
/// >>> game.side, game.moves
/// ('south', (3, 5, 1))
/// >>> print(game.position)
/// 4,4,0,5,0,6,2|0,6,6,5,5,5,0
#[pyclass(str = "{0}", module = "sowing")]
pub(crate) struct Playthrough(pub(crate) Shown);

/// A playthrough that prints as its record.
#[derive(Clone)]
pub(crate) struct Shown(pub(crate) sowing_rules::Playthrough);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        sowing_rules::Record::from_playthrough(&self.0).fmt(f)
    }
}

/// What a playthrough is made of again: its start, the row that moved first, the moves.
type Restored<'py> = (Position, &'static str, Bound<'py, PyTuple>);

impl Playthrough {
    pub(crate) fn of(play: sowing_rules::Playthrough) -> Playthrough {
        Playthrough(Shown(play))
    }

    fn play_ref(&self) -> &sowing_rules::Playthrough {
        &self.0.0
    }
}

#[pymethods]
impl Playthrough {
    #[new]
    #[pyo3(signature = (start, *, first="south"))]
    fn new(start: &Bound<'_, PyAny>, first: &str) -> PyResult<Playthrough> {
        let start = match start.cast::<Position>() {
            Ok(position) => position.get().0,
            Err(_) => sowing_rules::Position::start(start.extract::<GameLike>()?.0),
        };
        Ok(Playthrough::of(sowing_rules::Playthrough::with_first(start, read_side(first)?)))
    }

    fn __repr__(&self) -> String {
        let play = self.play_ref();
        format!("<Playthrough of {}, {} moves>", play.start().game(), play.plays().len())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Playthrough>,
    ) -> PyResult<(Bound<'py, PyAny>, Restored<'py>)> {
        let this = slf.borrow();
        let first =
            this.play_ref().plays().first().map_or(this.play_ref().side(), |play| play.side);
        let of = slf.get_type().getattr("_restore")?;
        Ok((of, (this.start(), side_name(first), this.moves(slf.py())?)))
    }

    #[staticmethod]
    fn _restore(start: &Position, first: &str, moves: Vec<PyMove>) -> PyResult<Playthrough> {
        let play = sowing_rules::Playthrough::with_first(start.0, read_side(first)?);
        let mut restored = Playthrough::of(play);
        restored.play(moves)?;
        Ok(restored)
    }

    fn __copy__(&self) -> Playthrough {
        Playthrough(self.0.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Playthrough {
        Playthrough(self.0.clone())
    }

    /// Another one that goes its own way from here.
    fn copy(&self) -> Playthrough {
        Playthrough(self.0.clone())
    }

    /// Plays one or more moves: all of them, or none if one is illegal.
    #[pyo3(signature = (*moves))]
    fn play(&mut self, moves: Vec<PyMove>) -> PyResult<()> {
        let before = self.play_ref().plays().len();
        for PyMove(action) in moves {
            if let Err(error) = self.0.0.try_play(action) {
                while self.play_ref().plays().len() > before {
                    self.0.0.undo();
                }
                return Err(illegal(error));
            }
        }
        Ok(())
    }

    /// Takes the last move back and says which it was; ``None`` at the start.
    fn undo(&mut self) -> Option<PyMove> {
        self.0.0.undo().map(|play| PyMove(play.action))
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(*self.play_ref().start().game())
    }

    /// Where it started.
    #[getter]
    fn start(&self) -> Position {
        Position(*self.play_ref().start())
    }

    /// Where it stands.
    #[getter]
    fn position(&self) -> Position {
        Position(*self.play_ref().position())
    }

    /// The row that is to move: ``"south"`` or ``"north"``.
    #[getter]
    fn side(&self) -> &'static str {
        side_name(self.play_ref().side())
    }

    /// The player who is to move: 0 for the one who started, 1 for the other.
    #[getter]
    fn player(&self) -> u8 {
        let play = self.play_ref();
        let first = play.plays().first().map_or(play.side(), |play| play.side);
        u8::from((play.side() == first) == play.swapped())
    }

    /// Whether the players have changed rows.
    #[getter]
    fn swapped(&self) -> bool {
        self.play_ref().swapped()
    }

    /// The moves so far.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            self.play_ref().plays().iter().map(|play| PyMove(play.action)).collect::<Vec<_>>(),
        )
    }

    /// Whether the game is over: by its rules, or because a position came up for the third time.
    #[getter]
    fn is_over(&self) -> bool {
        self.play_ref().result().is_some()
    }

    /// Whether a position came up for the third time, as only clockwise games can have it.
    #[getter]
    fn is_endless(&self) -> bool {
        self.play_ref().is_endless()
    }

    /// How it ended, by row: ``"South wins by 8"`` or ``"draw"``; ``None`` while it goes on.
    #[getter]
    fn result(&self) -> Option<String> {
        self.play_ref().result().map(|ending| ending.to_string())
    }

    /// The margin of the player who started; ``None`` while it goes on.
    #[getter]
    fn margin(&self) -> Option<i64> {
        let play = self.play_ref();
        let first = play.plays().first().map_or(Side::South, |play| play.side);
        let own = if play.swapped() { !first } else { first };
        Some(match play.result()? {
            Ending::Draw => 0,
            Ending::Win(side, margin) if side == own => margin as i64,
            Ending::Win(_, margin) => -(margin as i64),
        })
    }

    /// The game written down.
    fn record(&self) -> Record {
        Record(sowing_rules::Record::from_playthrough(self.play_ref()))
    }
}

/// A game written down: headers, and moves in the PDP-1's punctuation.
///
/// >>> record = Record("# game: s-kalaha(2,1)\n1,2\n2.")
/// >>> record.replay().result
/// 'draw'
/// >>> record.moves
/// (1, 2, 2)
#[pyclass(frozen, eq, str = "{0}", module = "sowing")]
#[derive(PartialEq)]
pub(crate) struct Record(pub(crate) sowing_rules::Record);

#[pymethods]
impl Record {
    #[new]
    #[pyo3(signature = (text, *, game=None, numbering="houses"))]
    fn new(text: &str, game: Option<GameLike>, numbering: &str) -> PyResult<Record> {
        let numbering: Numbering = numbering.parse().map_err(input)?;
        sowing_rules::Record::read(text, game.map(|game| game.0), numbering)
            .map(Record)
            .map_err(input)
    }

    fn __repr__(&self) -> String {
        format!("<Record of {}, {} moves>", self.0.game(), self.0.moves().len())
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(*self.0.game())
    }

    /// The moves, not yet known to be legal.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            self.0.moves().iter().map(|recorded| PyMove(recorded.action)).collect::<Vec<_>>(),
        )
    }

    /// What a header says; ``None`` if it is not there.
    fn header(&self, key: &str) -> Option<String> {
        self.0.header(key).map(str::to_string)
    }

    /// The same record with a header set.
    fn with_header(&self, key: &str, value: &str) -> PyResult<Record> {
        if matches!(key, "game" | "start" | "numbering")
            || key.trim().is_empty()
            || key.contains([':', '\n', '\r'])
            || value.contains(['\n', '\r'])
        {
            return Err(input(format!(
                "a header is one line # key: value, and game, start and numbering are the record's own, not {key:?}"
            )));
        }
        Ok(Record(self.0.clone().with_header(key, value)))
    }

    /// The same record in another numbering: ``"houses"``, ``"bins"`` or ``"pdp"``.
    fn with_numbering(&self, numbering: &str) -> PyResult<Record> {
        let numbering = numbering.parse().map_err(input)?;
        Ok(Record(self.0.clone().with_numbering(numbering)))
    }

    /// Plays the record: every move must be legal, every mark and the result true.
    fn replay(&self) -> PyResult<Playthrough> {
        self.0.replay().map(Playthrough::of).map_err(input)
    }
}

/// A game as it stands: a playthrough, or a position that nothing is known to lead to.
pub(crate) fn read_play(object: &Bound<'_, PyAny>) -> PyResult<sowing_rules::Playthrough> {
    if let Ok(position) = object.cast::<Position>() {
        return Ok(sowing_rules::Playthrough::new(position.get().0));
    }
    if let Ok(play) = object.cast::<Playthrough>() {
        return Ok(play.try_borrow()?.play_ref().clone());
    }
    if let Ok(record) = object.cast::<Record>() {
        return record.get().0.replay().map_err(input);
    }
    Err(pyo3::exceptions::PyTypeError::new_err("a Position, a Playthrough or a Record is needed"))
}
