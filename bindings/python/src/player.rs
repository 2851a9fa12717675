//! Opponents.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::prelude::*;
use sowing_players::{ChooseError, PlayerOptions};

use crate::errors::{self, IllegalMove, Stopped, input};
use crate::game::{Game, GameLike};
use crate::moves::PyMove;
use crate::playthrough::read_play;
use crate::work::{interruptible, time, whole};

/// An opponent at one game: ``random``, ``level:1`` to ``level:9``, ``pdp:4`` or ``perfect``, which may
/// think ``time`` seconds about a move.
///
/// >>> Player("perfect", "kalah(4,3)").choose(Position("kalah(4,3)"))
/// 2
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Player {
    name: String,
    game: sowing_rules::Game,
    player: Mutex<sowing_players::Player>,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (name, game, *, seed=0, time=None))]
    fn new(
        name: &str,
        game: GameLike,
        #[pyo3(from_py_with = whole)] seed: u64,
        time: Option<f64>,
    ) -> PyResult<Player> {
        let opponent: sowing_players::Opponent = name.parse().map_err(input)?;
        let options = PlayerOptions { seed, time: self::time(time)?, ..PlayerOptions::default() };
        let player = sowing_players::Player::new(opponent, game.0, options).map_err(wrong)?;
        Ok(Player { name: opponent.to_string(), game: game.0, player: Mutex::new(player) })
    }

    fn __repr__(&self) -> String {
        format!("Player('{}', '{}')", self.name, self.game)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    /// One move in a position, or in a game as it stands.
    fn choose(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<PyMove> {
        let play = read_play(position)?;
        let other = *play.start().game();
        if other != self.game {
            return Err(input(format!(
                "the player plays {}, the position is of {other}",
                self.game
            )));
        }
        // Most moves take less than it takes to start a thread.
        let quick = self.name == "random" || self.name.starts_with("level:");
        let stop = Arc::new(AtomicBool::new(false));
        let choose = || {
            let mut player = loop {
                if let Some(player) = self.player.try_lock_for(Duration::from_millis(20)) {
                    break player;
                }
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(ChooseError::Stopped);
                }
            };
            player.set_stop_switch(Arc::clone(&stop));
            player.choose(&play)
        };
        let chosen = if quick { py.detach(choose) } else { interruptible(py, &stop, choose)? };
        chosen.map(PyMove).map_err(wrong)
    }
}

fn wrong(error: ChooseError) -> PyErr {
    match error {
        ChooseError::Finished => IllegalMove::new_err(error.to_string()),
        ChooseError::Stopped => Stopped::new_err((error.to_string(), None::<(i64, i64)>)),
        ChooseError::Solve(error) => errors::solve(error),
        _ => errors::data(error),
    }
}
