//! Games.

use pyo3::prelude::*;
use pyo3::types::PyString;
use sowing_rules::RuleOption;

use crate::errors::input;
use crate::position::Position;

/// A game: its rules and the size of its board, named as in ``kalah(6,4)``.
///
/// >>> game = Game("kalah(6,4)")
/// >>> game.houses, game.seeds, game.total
/// (6, 4, 48)
/// >>> Game("Mancala(6, 4, relay, no-capture)")
/// Game('s-kalaha(6,4)')
#[pyclass(frozen, eq, hash, str = "{0}", module = "sowing", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Game(pub(crate) sowing_rules::Game);

#[pymethods]
impl Game {
    #[new]
    fn new(name: &str) -> PyResult<Game> {
        name.parse().map(Game).map_err(input)
    }

    fn __repr__(&self) -> String {
        format!("Game('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }

    /// Houses a row.
    #[getter]
    fn houses(&self) -> u8 {
        self.0.houses()
    }

    /// Seeds a house at the start.
    #[getter]
    fn seeds(&self) -> u64 {
        self.0.seeds()
    }

    /// All seeds of the game.
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }

    /// The words that make these rules out of standard Kalah's.
    ///
    /// >>> Game("s-kalaha(6,3,pie)").options
    /// ('relay', 'no-capture', 'pie')
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        let names: Vec<&str> = self.0.rules().options().map(RuleOption::name).collect();
        pyo3::types::PyTuple::new(py, names)
    }

    /// Whether a position can come back: only where seeds are sown clockwise.
    #[getter]
    fn repeats(&self) -> bool {
        self.0.rules().repeats()
    }

    /// Whether the second player may swap sides after the first turn.
    #[getter]
    fn pie(&self) -> bool {
        self.0.rules().pie
    }

    /// The rules in plain words, a sentence each.
    #[getter]
    fn rules(&self) -> Vec<String> {
        sowing_analysis::rules_in_words(&self.0)
    }

    /// The position in which the game starts.
    ///
    /// >>> print(Game("kalah(3,2)").start())
    /// 2,2,2,0|2,2,2,0
    fn start(&self) -> Position {
        Position(sowing_rules::Position::start(self.0))
    }
}

/// A game, or the name of one.
pub(crate) struct GameLike(pub(crate) sowing_rules::Game);

impl<'a, 'py> FromPyObject<'a, 'py> for GameLike {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<GameLike> {
        if let Ok(game) = object.cast::<Game>() {
            return Ok(GameLike(game.get().0));
        }
        match object.cast::<PyString>() {
            Ok(name) => name.to_cow()?.parse().map(GameLike).map_err(input),
            Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(
                "a game is a Game or its name, as in \"kalah(6,4)\"",
            )),
        }
    }
}
