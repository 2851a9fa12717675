//! The thread of a client that thinks: positions in, moves and values out, better and better.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use sowing_analysis::{Analysis, AnalysisOptions, analyze};
use sowing_players::{ChooseError, Contender, Player, PlayerOptions};
use sowing_rules::{Move, Playthrough, Position};
use sowing_solver::{Solver, SolverOptions};
use tokio::sync::mpsc::UnboundedSender;

use crate::options::Aids;

/// What is to be thought about.
#[derive(Debug)]
pub(crate) struct Job {
    /// Comes back with the answer.
    pub(crate) id: u64,
    pub(crate) position: Position,
    /// Goal when it is to be thought about.
    pub(crate) due: Instant,
    /// A value is wanted, not a move.
    pub(crate) eval: bool,
}

impl Job {
    fn time_left(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }
}

/// What was thought.
#[derive(Debug)]
pub(crate) enum Thought {
    /// A move, and whether no better one will come.
    Move { id: u64, action: Move, sure: bool },
    /// A value or an estimate.
    Eval { id: u64, value: f64 },
    /// Nothing will come. An engine did not do as it should, and is started anew for the next position; or
    /// the player cannot play at all.
    Failed { why: String, engine: bool },
}

/// One position at a time; a new one takes the place of the one before.
#[derive(Debug)]
pub(crate) struct Thinker {
    jobs: Sender<Job>,
    stop: Arc<AtomicBool>,
}

impl Thinker {
    pub(crate) fn start(
        contender: Contender,
        options: PlayerOptions,
        aids: Aids,
        thoughts: UnboundedSender<Thought>,
    ) -> Thinker {
        let (jobs, waiting) = channel::<Job>();
        let stop = Arc::<AtomicBool>::default();
        let mut mind = Mind { contender, options, aids, player: None, stop: Arc::clone(&stop) };
        thread::spawn(move || {
            for job in waiting {
                mind.stop.store(false, SeqCst);
                let tell = |thought| {
                    // Nobody may listen any more.
                    let _ = thoughts.send(thought);
                };
                if job.eval { mind.evaluate(&job, tell) } else { mind.choose(&job, tell) }
            }
        });
        Thinker { jobs, stop }
    }

    pub(crate) fn ask(&self, job: Job) {
        self.stop();
        let _ = self.jobs.send(job);
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, SeqCst);
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn failed(error: &ChooseError) -> Thought {
    let engine = matches!(error, ChooseError::Engine(_));
    Thought::Failed { why: error.to_string(), engine }
}

struct Mind {
    contender: Contender,
    options: PlayerOptions,
    aids: Aids,
    /// A player at the game of the last position, with all it has found out.
    player: Option<(sowing_rules::Game, Player)>,
    stop: Arc<AtomicBool>,
}

impl Mind {
    fn choose(&mut self, job: &Job, mut tell: impl FnMut(Thought)) {
        let play = Playthrough::new(job.position);
        let id = job.id;
        let stop = Arc::clone(&self.stop);
        let player = match self.player_at(*job.position.game()) {
            Ok(player) => player,
            Err(error) => return tell(failed(&error)),
        };
        player.set_time(Some(job.time_left()));
        player.set_stop_switch(stop);
        let chosen =
            player.improve(&play, &mut |action| tell(Thought::Move { id, action, sure: false }));
        match chosen {
            Ok(action) => tell(Thought::Move { id, action, sure: true }),
            Err(ChooseError::Stopped) => {}
            Err(error) => tell(failed(&error)),
        }
    }

    fn player_at(&mut self, game: sowing_rules::Game) -> Result<&mut Player, ChooseError> {
        if self.player.as_ref().is_none_or(|(known, _)| *known != game) {
            // The memory of the one before must be free first.
            self.player = None;
            let (tables, book) = (self.aids)(&game);
            let options = PlayerOptions { tables, book, ..self.options.clone() };
            let player = Player::for_contender(&self.contender, game, options)?.for_the_outcome();
            self.player = Some((game, player));
        }
        Ok(&mut self.player.as_mut().expect("just made").1)
    }

    /// An estimate at once, then the value if it is found in time.
    fn evaluate(&mut self, job: &Job, mut tell: impl FnMut(Thought)) {
        let id = job.id;
        let (tables, book) = (self.aids)(job.position.game());
        let PlayerOptions { threads, memory, .. } = self.options;
        let options = SolverOptions { threads, memory, tables, book, ..SolverOptions::default() };
        let mut solver = match Solver::with_options(*job.position.game(), options) {
            Ok(solver) => solver,
            Err(error) => {
                return tell(Thought::Failed { why: error.to_string(), engine: false });
            }
        };
        solver.set_stop_switch(Arc::clone(&self.stop));
        let wants = AnalysisOptions {
            moves: false,
            time: Some(job.time_left() * 4 / 5),
            ..AnalysisOptions::default()
        };
        let mut last = None;
        let mut told = |found: &Analysis| {
            let value = found.known.value().or(found.estimate);
            if value != last
                && let Some(value) = value
            {
                last = Some(value);
                tell(Thought::Eval { id, value: value as f64 });
            }
        };
        // What was told before an error was right.
        let _ = analyze(&mut solver, &Playthrough::new(job.position), &wants, &mut told);
    }
}
