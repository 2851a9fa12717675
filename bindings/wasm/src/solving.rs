//! Positions of a game, solved one after the other, as `sow solve GAME -` does with one thread.

use sowing_analysis::{AnalysisOptions, analyze};
use sowing_api::ApiError;
use sowing_platform::Instant;
use sowing_rules::{Game, Playthrough, Position, Setup};
use sowing_solver::{Solver, SolverOptions};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{CallError, json};

/// A solver of a game without a book and without a time limit: the same positions in the same order take the same
/// nodes here and on any machine.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Solving(Solver);

#[wasm_bindgen]
impl Solving {
    /// A solver of a game that uses at most `memory` bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(game: &str, memory: f64) -> Result<Solving, CallError> {
        let game: Game = game.parse().map_err(|error| ApiError::bad(error, "kalah(6,4)"))?;
        let memory = memory as u64;
        let options = SolverOptions { threads: 1, memory, ..SolverOptions::default() };
        Ok(Solving(Solver::with_options(game, options)?))
    }

    /// The analysis of a position, as `sow solve --json` prints it.
    pub fn solve(&mut self, position: &str) -> Result<String, CallError> {
        let example = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
        let setup: Setup = position.parse().map_err(|error| ApiError::bad(error, example))?;
        let position = Position::new(*self.0.game(), &setup);
        let position = position.map_err(|error| ApiError::bad(error, example))?;
        let played = Playthrough::new(position);
        Ok(json(&analyze(&mut self.0, &played, &AnalysisOptions::default(), &mut |_| {})?))
    }

    /// The value of the start, the nodes and the seconds that it took, as a JSON list.
    pub fn start(&mut self) -> Result<String, CallError> {
        let (started, before) = (Instant::now(), self.0.nodes());
        let value = self.0.value(&Position::start(*self.0.game()))?.value();
        Ok(json(&(value, self.0.nodes() - before, started.elapsed().as_secs_f64())))
    }
}
