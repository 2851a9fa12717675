//! Worker threads: choosing moves, exact values, reviews.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use sowing_analysis::{Analysis, AnalysisOptions, Review, ReviewedTurn, analyze};
use sowing_players::{Advice, ChooseError, Contender, Opponent, Player, PlayerOptions};
use sowing_rules::{Game, Move, Playthrough};
use sowing_solver::Solver;

use crate::seat::Seat;
use sowing_command::failure::Failure;

/// Work for the workers. Their events carry the id of the request.
#[derive(Debug)]
pub(crate) enum Request {
    /// A move of one of the two players.
    Choose { request_id: u64, player: usize, play: Playthrough },
    /// A move that a perfect player would make.
    Hint { request_id: u64, play: Playthrough },
    /// What the position and its moves are worth, better and better.
    Values { request_id: u64, play: Playthrough },
    /// What each turn lost.
    Review { request_id: u64, play: Playthrough },
    /// Drops all requests.
    Cancel,
    /// Drops the request for values.
    StopValues,
    /// A record to be written to a new file, and how to call it.
    Write { name: String, text: String },
    /// The record of a game as it stands, for the file that keeps it; the games of a sitting have
    /// numbers, from 1.
    Keep { number: usize, text: String },
}

/// A worker's answer, or a part of it.
#[derive(Debug)]
pub(crate) enum WorkerEvent {
    Chose {
        request_id: u64,
        action: Move,
    },
    Hint {
        request_id: u64,
        advice: Advice,
    },
    /// More is known of what the position and its moves are worth.
    Found {
        request_id: u64,
        found: Box<Analysis>,
    },
    /// No more values will come.
    Valued {
        request_id: u64,
    },
    Reviewed {
        request_id: u64,
        turn: ReviewedTurn,
    },
    /// The review is complete.
    ReviewOver {
        request_id: u64,
    },
    /// Something cannot be done.
    Failed {
        request_id: u64,
        why: String,
    },
    /// The file of the record cannot be written.
    Unkept(String),
    /// A record was written, or not.
    Wrote(Result<PathBuf, String>),
}

/// A thread that does one job at a time and can be told to drop it.
struct Worker<J> {
    jobs: Sender<(u64, J)>,
    wanted: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl<J: Send + 'static> Worker<J> {
    fn start(stop: Arc<AtomicBool>, mut work: impl FnMut(J) + Send + 'static) -> Worker<J> {
        let (jobs, waiting) = channel::<(u64, J)>();
        let wanted = Arc::new(AtomicU64::new(0));
        let worker = Worker { jobs, wanted: Arc::clone(&wanted), stop: Arc::clone(&stop) };
        thread::spawn(move || {
            for (number, job) in waiting {
                stop.store(false, SeqCst);
                // `cancel` counts up first and then stops: no job is missed.
                if number == wanted.load(SeqCst) {
                    work(job);
                }
            }
        });
        worker
    }

    fn cancel(&self) -> u64 {
        let number = self.wanted.fetch_add(1, SeqCst) + 1;
        self.stop.store(true, SeqCst);
        number
    }

    fn ask(&self, job: J) {
        // A worker that is gone has panicked, and the screen is about to close.
        let _ = self.jobs.send((self.cancel(), job));
    }
}

enum Job {
    Values(u64, Playthrough),
    Review(u64, Playthrough),
}

/// The workers of one sitting.
pub(crate) struct Workers {
    players: [Option<Worker<(u64, Playthrough)>>; 2],
    adviser: Worker<(u64, Playthrough)>,
    analyst: Worker<Job>,
    keeper: Option<RecordKeeper>,
    sender: Sender<WorkerEvent>,
    pub(crate) events: Receiver<WorkerEvent>,
}

impl Workers {
    /// Starts the workers. They share the memory of the options.
    pub(crate) fn new(
        game: Game,
        seats: &[Seat; 2],
        options: &PlayerOptions,
        record: Option<PathBuf>,
    ) -> Result<Workers, Failure> {
        let (sender, events) = channel();
        let quarter = PlayerOptions { memory: options.memory / 4, ..options.clone() };
        let worker = |contender: &Contender, seed, hint| -> Result<_, Failure> {
            let player =
                Player::for_contender(contender, game, PlayerOptions { seed, ..quarter.clone() })?;
            Ok(advise(player, sender.clone(), hint))
        };
        let seat = |index: usize| match &seats[index] {
            Seat::Human => Ok(None),
            Seat::Other(contender) => {
                worker(contender, options.seed.wrapping_add(index as u64), false).map(Some)
            }
        };
        let solver = sowing_solver::SolverOptions {
            threads: options.threads,
            memory: options.memory / 4,
            time: options.time,
            tables: options.tables.clone(),
            book: options.book.clone(),
            ..Default::default()
        };
        let solver = Solver::with_options(game, solver)?;
        Ok(Workers {
            players: [seat(0)?, seat(1)?],
            adviser: worker(&Opponent::Perfect.into(), options.seed, true)?,
            analyst: analyst(solver, options.time, sender.clone()),
            keeper: record.map(RecordKeeper::new),
            sender,
            events,
        })
    }

    /// Takes a request on. Never waits.
    pub(crate) fn submit(&self, request: Request) {
        match request {
            Request::Choose { request_id, player, play } => {
                if let Some(worker) = &self.players[player] {
                    worker.ask((request_id, play));
                }
            }
            Request::Hint { request_id, play } => self.adviser.ask((request_id, play)),
            Request::Values { request_id, play } => self.analyst.ask(Job::Values(request_id, play)),
            Request::Review { request_id, play } => self.analyst.ask(Job::Review(request_id, play)),
            Request::Cancel => {
                for worker in self.players.iter().flatten().chain([&self.adviser]) {
                    worker.cancel();
                }
                self.analyst.cancel();
            }
            Request::StopValues => {
                self.analyst.cancel();
            }
            Request::Write { name, text } => {
                let paths = (1..).map(|number| PathBuf::from(format!("{name}-{number}.txt")));
                let _ = self.sender.send(WorkerEvent::Wrote(write_new(paths, &text)));
            }
            Request::Keep { number, text } => {
                if let Some(Err(why)) =
                    self.keeper.as_ref().map(|keeper| keeper.keep(number, &text))
                {
                    let _ = self.sender.send(WorkerEvent::Unkept(why));
                }
            }
        }
    }
}

fn advise(
    mut player: Player,
    events: Sender<WorkerEvent>,
    hint: bool,
) -> Worker<(u64, Playthrough)> {
    Worker::start(player.stop_switch(), move |(request_id, play)| {
        let answer = match player.advise(&play) {
            Ok(advice) if hint => WorkerEvent::Hint { request_id, advice },
            Ok(Advice { action, .. }) => WorkerEvent::Chose { request_id, action },
            Err(ChooseError::Stopped) => return,
            Err(error) => WorkerEvent::Failed { request_id, why: error.to_string() },
        };
        let _ = events.send(answer);
    })
}

fn analyst(mut solver: Solver, time: Option<Duration>, events: Sender<WorkerEvent>) -> Worker<Job> {
    let stop = solver.stop_switch();
    let stopped = Arc::clone(&stop);
    Worker::start(stop, move |job| {
        let (request_id, done) = match job {
            Job::Values(request_id, play) => {
                solver.set_time(None);
                // A first share of time for every move, so that each has a value to show.
                let wants =
                    AnalysisOptions { share: Some(FIRST_SHARE), ..AnalysisOptions::default() };
                let mut tell = |found: &Analysis| {
                    let _ = events
                        .send(WorkerEvent::Found { request_id, found: Box::new(found.clone()) });
                };
                let over = analyze(&mut solver, &play, &wants, &mut tell);
                (request_id, over.map(|_| WorkerEvent::Valued { request_id }))
            }
            Job::Review(request_id, play) => {
                solver.set_time(time);
                let tell = |turn: &ReviewedTurn| {
                    let _ = events.send(WorkerEvent::Reviewed { request_id, turn: turn.clone() });
                };
                let over = Review::from_playthrough(&play, &mut solver, tell);
                (request_id, over.map(|_| WorkerEvent::ReviewOver { request_id }))
            }
        };
        if stopped.load(SeqCst) {
            return;
        }
        let _ =
            events.send(done.unwrap_or_else(|error| WorkerEvent::Failed {
                request_id,
                why: error.to_string(),
            }));
    })
}

/// How long the first look at each move takes.
const FIRST_SHARE: Duration = Duration::from_millis(100);

/// The file that a game is kept in as it goes, and those of later games beside it.
#[derive(Debug)]
struct RecordKeeper {
    first: PathBuf,
    /// The game that is kept, and where.
    now: RefCell<(usize, PathBuf)>,
}

impl RecordKeeper {
    fn new(first: PathBuf) -> RecordKeeper {
        RecordKeeper { now: RefCell::new((1, first.clone())), first }
    }

    fn keep(&self, number: usize, text: &str) -> Result<(), String> {
        let mut now = self.now.borrow_mut();
        if now.0 == number {
            return sowing_files::write(&now.1, text.as_bytes())
                .map_err(|error| format!("{}: {error}", now.1.display()));
        }
        let part = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let name = part(self.first.file_stem()).unwrap_or_default();
        let kind = part(self.first.extension()).map_or(String::new(), |kind| format!(".{kind}"));
        let path = |next| self.first.with_file_name(format!("{name}-{next}{kind}"));
        *now = (number, write_new((number..).map(path), text)?);
        Ok(())
    }
}

/// Writes to the first of some files that is not there yet.
fn write_new(paths: impl Iterator<Item = PathBuf>, text: &str) -> Result<PathBuf, String> {
    for path in paths {
        match sowing_files::write_new(&path, text.as_bytes()) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
    }
    unreachable!("numbers do not end")
}
