//! The engine of a worker: responses, replies, reviews, and tasks of analyses.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sowing_analysis::{Plan, Review, Task};
use sowing_api::{ANALYSIS_TIME, ApiError, Choices, REPLY_TIME, Reply, ReplyRequest, Route};
use sowing_platform::Instant;
use sowing_players::{Opponent, Player, PlayerOptions};
use sowing_rules::{Game, Playthrough, Position};
use sowing_solver::{Book, PROCESS_OVERHEAD, Solver, SolverOptions};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::error::{CallError, garbled, json};
use crate::heap;
use crate::planner::Planner;

/// A solver that stays warm between calls, a book, and a limit of memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    memory: u64,
    solver: Option<Solver>,
    book: Option<Arc<Book>>,
}

#[wasm_bindgen]
impl Engine {
    /// An engine that uses at most `memory` bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(memory: f64) -> Engine {
        let memory = memory as u64;
        heap::limit(memory);
        Engine { memory, solver: None, book: None }
    }

    /// Uses a book in place of the one before.
    pub fn add_book(&mut self, bytes: &[u8]) -> Result<(), CallError> {
        let book = Book::parse(bytes).map_err(|error| ApiError::new(500, error))?;
        self.solver = None;
        self.book = Some(Arc::new(book));
        Ok(())
    }

    /// The plan of the analysis that a query asks for.
    pub fn plan(&self, query: &str) -> Result<Planner, CallError> {
        let (played, wanted) = sowing_api::analysis(query)?;
        let options = wanted.options(Some(ANALYSIS_TIME));
        let book = self.book.as_ref().filter(|book| book.require(played.position().game()).is_ok());
        let in_book = |position: &Position| book?.probe(position);
        Ok(Planner::new(Plan::new(&played, &options, &in_book, 0)))
    }

    /// The body of the response of a route that gives one: JSON or a picture.
    pub fn answer(&mut self, path: &str, query: &str) -> Result<String, CallError> {
        match Route::find(path) {
            Some(Route::Direct(answer)) => Ok(answer(query)?.into_body()),
            Some(Route::Reply) => Ok(json(&self.reply(query)?)),
            Some(Route::Choices) => {
                let played = sowing_api::choices(query)?;
                Ok(json(&Choices::compute(&played, &AtomicBool::new(false))?))
            }
            Some(
                Route::Analysis
                | Route::Review
                | Route::Studies
                | Route::Study
                | Route::StudyTable
                | Route::Status,
            )
            | None => {
                Err(ApiError::new(404, format!("a worker has no response for {path}")).into())
            }
        }
    }

    /// Reviews a game: calls `tell` with the JSON of each turn and returns all of them.
    pub fn review(&mut self, query: &str, tell: &JsValue) -> Result<String, CallError> {
        let played = sowing_api::review(query)?;
        let solver = self.solver(*played.position().game())?;
        solver.set_time(Some(ANALYSIS_TIME));
        let review = Review::from_playthrough(&played, solver, |turn| call(tell, turn))
            .map_err(ApiError::from)?;
        Ok(json(&review))
    }

    /// Performs a task of an analysis: calls `tell` with the reports on the way and returns the last.
    pub fn perform(
        &mut self,
        query: &str,
        task: &str,
        tell: &JsValue,
    ) -> Result<String, CallError> {
        let (played, _) = sowing_api::analysis(query)?;
        let task: Task = serde_json::from_str(task).map_err(garbled)?;
        let solver = self.solver(*played.position().game())?;
        let report = task.perform(solver, &played, &mut |report| call(tell, &report));
        Ok(json(&report.map_err(ApiError::from)?))
    }
}

impl Engine {
    /// A solver of the game, warm if the last one was of it.
    fn solver(&mut self, game: Game) -> Result<&mut Solver, ApiError> {
        if self.solver.as_ref().is_none_or(|solver| *solver.game() != game) {
            // There is memory for one at a time.
            self.solver = None;
            let book = self.book.clone().filter(|book| book.require(&game).is_ok());
            // A quarter is left for the responses and for the unused parts of the heap. There is no process overhead.
            let memory = self.memory / 4 * 3 + PROCESS_OVERHEAD;
            let options = SolverOptions { threads: 1, memory, book, ..SolverOptions::default() };
            self.solver = Some(Solver::with_options(game, options)?);
        }
        Ok(self.solver.as_mut().expect("just made"))
    }

    fn reply(&mut self, query: &str) -> Result<Reply, ApiError> {
        let started = Instant::now();
        let ReplyRequest { played, opponent, seed } = sowing_api::reply(query)?;
        let options = PlayerOptions { seed, time: Some(REPLY_TIME), ..PlayerOptions::default() };
        let action = if opponent == Opponent::Perfect {
            self.perfect(options, &played)?
        } else {
            Player::new(opponent, *played.position().game(), options)?.choose(&played)?
        };
        Ok(Reply::new(action, started.elapsed().as_secs_f64()))
    }

    fn perfect(
        &mut self,
        options: PlayerOptions,
        played: &Playthrough,
    ) -> Result<sowing_rules::Move, ApiError> {
        self.solver(*played.position().game())?;
        let solver = self.solver.take().expect("just made");
        let mut player = Player::with_solver(solver, options);
        let choice = player.choose(played);
        self.solver = player.into_solver();
        Ok(choice?)
    }
}

/// Calls a function of the script with JSON. An exception there is ignored.
fn call(tell: &JsValue, what: &impl Serialize) {
    if let Some(tell) = tell.dyn_ref::<js_sys::Function>() {
        let _ = tell.call1(&JsValue::NULL, &JsValue::from_str(&json(what)));
    }
}
