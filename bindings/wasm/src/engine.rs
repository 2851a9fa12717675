//! What a worker does: answers, replies, reviews, and tasks of analyses.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sowing_analysis::{AnalysisOptions, Plan, Review, Task};
use sowing_answers::{
    Asked, Choices, Fair, GameQuery, Games, Pasted, Plays, Puzzles, Refusal, Replier, Reply, Said,
    Seen, View, picture, read,
};
use sowing_platform::Instant;
use sowing_players::{ChooseError, Opponent, Player, PlayerOptions};
use sowing_rules::{Game, Playthrough, Position};
use sowing_solver::{Book, PROCESS_OVERHEAD, Solver, SolverOptions};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::fault::{Refused, garbled, json};
use crate::heap;
use crate::planner::Planner;

/// How long an analysis may take, and a reply: as in the server.
const TIME: Duration = Duration::from_secs(120);
const THINK: Duration = Duration::from_secs(5);

/// How long each move is looked at first before the next has its turn.
const SHARE: Duration = Duration::from_millis(100);

/// What is to be found beside the value and the moves.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Wanted {
    #[serde(default)]
    turns: bool,
    #[serde(default)]
    line: bool,
}

impl Wanted {
    fn wants(self) -> AnalysisOptions {
        let Wanted { turns, line } = self;
        AnalysisOptions {
            turns,
            line,
            time: Some(TIME),
            share: Some(SHARE),
            ..AnalysisOptions::default()
        }
    }
}

/// A worker's means: a solver that stays warm, a book, and a limit of memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    memory: u64,
    solver: Option<Solver>,
    book: Option<Arc<Book>>,
}

#[wasm_bindgen]
impl Engine {
    /// An engine that keeps within so many bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(memory: f64) -> Engine {
        let memory = memory as u64;
        heap::limit(memory);
        Engine { memory, solver: None, book: None }
    }

    /// Takes a book on; the one before it goes.
    pub fn add_book(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let book = Book::parse(bytes).map_err(|error| Refusal::of(500, error))?;
        self.solver = None;
        self.book = Some(Arc::new(book));
        Ok(())
    }

    /// A plan for the analysis that a query asks for.
    pub fn plan(&self, query: &str) -> Result<Planner, Refused> {
        let played = read::<GameQuery>(query)?.playthrough()?;
        let wants = read::<Wanted>(query)?.wants();
        let book = self.book.as_ref().filter(|book| book.require(played.position().game()).is_ok());
        let in_book = |position: &Position| book?.probe(position);
        Ok(Planner::new(Plan::new(&played, &wants, &in_book, 0)))
    }

    /// The answer of a path that needs one and no more; JSON or a picture.
    pub fn answer(&mut self, path: &str, query: &str) -> Result<String, Refused> {
        let answer = match path {
            "games" => json(&Games::all()),
            "rules" => json(&read::<Asked>(query)?.rules()?),
            "position" => json(&View::new(&read::<GameQuery>(query)?.playthrough()?)),
            "board.svg" => {
                picture(&read::<GameQuery>(query)?.playthrough()?, &read::<Seen>(query)?)
            }
            "import" => json(&read::<Pasted>(query)?.import()?),
            "puzzles" => json(&Puzzles::all()),
            "fair" => json(&read::<Fair>(query)?.start()?),
            "qr.svg" => read::<Said>(query)?.as_qr()?,
            "solitaire" => json(&read::<Plays>(query)?.view()?),
            "choices" => {
                let played = read::<GameQuery>(query)?.playthrough()?;
                json(&Choices::of(&played, &AtomicBool::new(false))?)
            }
            "reply" => json(&self.reply(query)?),
            _ => return Err(Refusal::of(404, format!("nobody answers to {path}")).into()),
        };
        Ok(answer)
    }

    /// Reviews a game: `tell` is called with each turn's JSON, and the answer is all of them.
    pub fn review(&mut self, query: &str, tell: &JsValue) -> Result<String, Refused> {
        let played = read::<GameQuery>(query)?.playthrough()?;
        let solver = self.solver(*played.position().game())?;
        solver.set_time(Some(TIME));
        let review = Review::from_playthrough(&played, solver, |turn| call(tell, turn))
            .map_err(Refusal::from)?;
        Ok(json(&review))
    }

    /// Does a task of an analysis: `tell` is called with reports on the way, and the answer is the
    /// last.
    pub fn perform(&mut self, query: &str, task: &str, tell: &JsValue) -> Result<String, Refused> {
        let played = read::<GameQuery>(query)?.playthrough()?;
        let task: Task = serde_json::from_str(task).map_err(garbled)?;
        let solver = self.solver(*played.position().game())?;
        let report = task.perform(solver, &played, &mut |report| call(tell, &report));
        Ok(json(&report.map_err(Refusal::from)?))
    }
}

impl Engine {
    /// A solver of the game, warm if the last one was of it.
    fn solver(&mut self, game: Game) -> Result<&mut Solver, Refusal> {
        if self.solver.as_ref().is_none_or(|solver| *solver.game() != game) {
            // Two at a time would not fit.
            self.solver = None;
            let book = self.book.clone().filter(|book| book.require(&game).is_ok());
            // Beside a search there are its answers, and what the heap leaves unused; but nothing
            // of what a process takes.
            let memory = self.memory / 4 * 3 + PROCESS_OVERHEAD;
            let options = SolverOptions { threads: 1, memory, book, ..SolverOptions::default() };
            self.solver = Some(Solver::with_options(game, options)?);
        }
        Ok(self.solver.as_mut().expect("just made"))
    }

    fn reply(&mut self, query: &str) -> Result<Reply, Refusal> {
        let started = Instant::now();
        let played = read::<GameQuery>(query)?.playthrough()?;
        let (opponent, seed) = read::<Replier>(query)?.opponent()?;
        if played.result().is_some() {
            return Err(ChooseError::Finished.into());
        }
        let options = PlayerOptions { seed, time: Some(THINK), ..PlayerOptions::default() };
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
    ) -> Result<sowing_rules::Move, Refusal> {
        self.solver(*played.position().game())?;
        let solver = self.solver.take().expect("just made");
        let mut player = Player::with_solver(solver, options);
        let choice = player.choose(played);
        self.solver = player.into_solver();
        Ok(choice?)
    }
}

/// Tells a script something. What it does with it is its own business.
fn call(tell: &JsValue, what: &impl Serialize) {
    if let Some(tell) = tell.dyn_ref::<js_sys::Function>() {
        let _ = tell.call1(&JsValue::NULL, &JsValue::from_str(&json(what)));
    }
}
