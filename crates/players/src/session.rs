//! Our own engine: requests come in on one side, answers go out on the other.

use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing::{Game, Move, Playthrough, Position};
use sowing_analysis::{Analysis, Finding, Known, Wants, analyze};
use sowing_platform::Instant;
use sowing_protocol::engine::{Answer, Evaluation, Go, Info, MAX_LINE, Request};
use sowing_solver::{Book, SolveError, Solver, SolverOptions};
use sowing_tables::Tables;

use crate::opponent::Opponent;
use crate::player::{ChooseError, Player, PlayerOptions, best_guess};

/// Gives the endgame tables and the book of a game, where there are any.
pub type EngineAids = Box<dyn Fn(&Game) -> (Option<Arc<Tables>>, Option<Arc<Book>>) + Send>;

/// What our engine is.
pub struct EngineOptions {
    /// What it says that it is called.
    pub name: String,
    /// Who plays. `perfect` tells what it finds, the others only move.
    pub opponent: Opponent,
    /// Threads, memory and seed; the time is that of each request.
    pub player: PlayerOptions,
    /// Endgame tables and a book of a game, where there are any.
    pub aids: EngineAids,
}

/// How long `eval` takes unless it is told otherwise.
const EVAL: Duration = Duration::from_millis(100);

/// The game before anybody names one.
const FIRST: &str = "kalah(6,4)";

/// What the thread that thinks is to do.
struct Job {
    play: Playthrough,
    go: Go,
    eval: bool,
    /// When it was asked for. Its time counts from then on, whatever has to be made ready first.
    asked: Instant,
}

impl Job {
    fn new(play: &Playthrough, go: Go, eval: bool) -> Job {
        Job { play: play.clone(), go, eval, asked: Instant::now() }
    }

    /// What is left of its time.
    fn time_left(&self) -> Option<Duration> {
        let time = self.go.time.map(Duration::from_millis).or(self.eval.then_some(EVAL));
        time.map(|time| time.saturating_sub(self.asked.elapsed()))
    }
}

/// Answers requests until they end or say quit. A search that is under way when they end is finished,
/// as long as somebody reads; `quit` stops it.
pub fn serve_engine(
    input: impl BufRead,
    output: impl Write + Send,
    options: EngineOptions,
) -> io::Result<()> {
    let output = Mutex::new(output);
    let (busy, stop) = (AtomicBool::new(false), Arc::<AtomicBool>::default());
    let say = |answer: &Answer| say(&output, answer);
    std::thread::scope(|scope| {
        let (jobs, waiting) = channel::<Job>();
        let name = options.name.clone();
        let mut thinker = Thinker { options, solver: None, stop: Arc::clone(&stop) };
        let (say, busy, stop) = (&say, &busy, &stop);
        let work = scope.spawn(move || -> io::Result<()> {
            for job in waiting {
                let answer = thinker.work(&job, say)?;
                // Whoever reads the answer may ask again at once.
                busy.store(false, SeqCst);
                say(&answer)?;
            }
            Ok(())
        });
        let mut play = Playthrough::new(Position::start(FIRST.parse().expect("a game")));
        let mut input = input;
        let mut done = Ok(());
        while let Some(line) = line(&mut input)? {
            if line.trim().is_empty() {
                continue;
            }
            let request = line.parse::<Request>();
            let thinking = busy.load(SeqCst);
            let answered = match request {
                Err(error) => say(&Answer::Error(error.to_string())),
                Ok(Request::Sow) => {
                    say(&Answer::Name(name.clone())).and_then(|()| say(&Answer::SowOk))
                }
                Ok(Request::IsReady) => say(&Answer::ReadyOk),
                Ok(Request::Stop) => {
                    stop.store(thinking, SeqCst);
                    Ok(())
                }
                Ok(Request::Quit) => {
                    stop.store(true, SeqCst);
                    break;
                }
                Ok(_) if thinking => say(&Answer::Error("still thinking: stop comes first".into())),
                Ok(Request::Game(game)) => {
                    play = Playthrough::new(Position::start(game));
                    Ok(())
                }
                Ok(Request::Position { start, moves }) => {
                    match set_up(*play.start().game(), start, &moves) {
                        Ok(found) => play = found,
                        Err(why) => say(&Answer::Error(why))?,
                    }
                    Ok(())
                }
                Ok(Request::Go(go)) => {
                    start(busy, stop);
                    let _ = jobs.send(Job::new(&play, go, false));
                    Ok(())
                }
                Ok(Request::Eval(go)) => {
                    start(busy, stop);
                    let _ = jobs.send(Job::new(&play, go, true));
                    Ok(())
                }
            };
            if answered.is_err() {
                stop.store(true, SeqCst);
                done = answered;
                break;
            }
        }
        drop(jobs);
        work.join().expect("the thinker does not panic").and(done)
    })
}

fn start(busy: &AtomicBool, stop: &AtomicBool) {
    stop.store(false, SeqCst);
    busy.store(true, SeqCst);
}

fn say(output: &Mutex<impl Write>, answer: &Answer) -> io::Result<()> {
    let mut output = output.lock().expect("nobody panics while writing");
    writeln!(output, "{answer}")?;
    output.flush()
}

/// The next line, as far as it is read at all: what is too long is refused when it is understood.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let most = 4 * MAX_LINE as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == most && bytes.last() != Some(&b'\n') {
        // The rest of it is no line of its own.
        loop {
            let buffer = input.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            let over = end.is_some() || taken == 0;
            input.consume(taken);
            if over {
                break;
            }
        }
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// A game as it stands, or why it cannot.
fn set_up(game: Game, start: Option<sowing::Setup>, moves: &[Move]) -> Result<Playthrough, String> {
    let start = match start {
        Some(setup) => Position::free(game, &setup).map_err(|error| error.to_string())?,
        None => Position::start(game),
    };
    let mut play = Playthrough::new(start);
    for (action, number) in moves.iter().zip(1..) {
        play.play(*action).map_err(|error| format!("move {number}, {action}: {error}"))?;
    }
    Ok(play)
}

struct Thinker {
    options: EngineOptions,
    solver: Option<Solver>,
    stop: Arc<AtomicBool>,
}

type Say<'a> = &'a (dyn Fn(&Answer) -> io::Result<()> + Sync);

impl Thinker {
    fn work(&mut self, job: &Job, say: Say<'_>) -> io::Result<Answer> {
        if job.play.result().is_some() && !job.eval {
            return Ok(Answer::BestMove(None));
        }
        let plays = self.options.opponent == Opponent::Perfect || job.eval;
        let done = if plays { self.think(job, say)? } else { self.choose(job) };
        Ok(match done {
            Ok(answer) => answer,
            // Whoever asked for a move must not wait for ever.
            Err(error) => {
                say(&Answer::Error(error.to_string()))?;
                let first = job.play.position().moves().next();
                if job.eval { Answer::Eval(at_once(&job.play)) } else { Answer::BestMove(first) }
            }
        })
    }

    /// What an opponent other than `perfect` plays.
    fn choose(&mut self, job: &Job) -> Result<Answer, ChooseError> {
        let game = *job.play.position().game();
        let options = PlayerOptions { time: job.time_left(), ..self.options.player.clone() };
        let player = Player::new(self.options.opponent, game, options)?;
        let mut player = player.moving_when_stopped();
        player.set_stop_switch(Arc::clone(&self.stop));
        player.choose(&job.play).map(|action| Answer::BestMove(Some(action)))
    }

    /// A solver for a game, with all it has proven if it was asked about the game before.
    fn solver(&mut self, game: &Game) -> Result<&mut Solver, SolveError> {
        if self.solver.as_ref().is_none_or(|solver| solver.game() != game) {
            // The memory of the one before must be free first.
            self.solver = None;
            let (tables, book) = (self.options.aids)(game);
            let PlayerOptions { threads, memory, .. } = self.options.player;
            let options =
                SolverOptions { threads, memory, time: None, tables, book, build_tables: true };
            let mut solver = Solver::with_options(*game, options)?;
            solver.set_stop_switch(Arc::clone(&self.stop));
            self.solver = Some(solver);
        }
        Ok(self.solver.as_mut().expect("just made"))
    }

    /// Tells what is found of a position, and then the best of it.
    fn think(&mut self, job: &Job, say: Say<'_>) -> io::Result<Result<Answer, ChooseError>> {
        let Job { play, go, eval, .. } = job;
        let stop = Arc::clone(&self.stop);
        let solver = match self.solver(play.position().game()) {
            Ok(solver) => solver,
            Err(error) => return Ok(Err(error.into())),
        };
        let limit = job.time_left();
        // A part of the time is left for a guess where the value is not found.
        let wants =
            Wants { moves: !eval, time: limit.map(|time| time * 2 / 5), ..Wants::default() };
        let wants = if limit.is_none() { wants } else { Wants { share: Some(SHARE), ..wants } };
        solver.set_time(None);
        let mut told: Option<Analysis> = None;
        let mut written = Ok(());
        let mut tell = |found: &Analysis| {
            let enough = go.nodes.is_some_and(|nodes| found.nodes >= nodes);
            for finding in found.since(told.as_ref(), false) {
                if let (Some(info), false) = (info(&finding), *eval) {
                    let said = say(&Answer::Info(info));
                    written = std::mem::replace(&mut written, Ok(())).and(said);
                }
            }
            told = Some(found.clone());
            if enough || written.is_err() {
                stop.store(true, SeqCst);
            }
        };
        let found = analyze(solver, play, &wants, &mut tell);
        written?;
        let found = match found {
            Ok(found) => found,
            Err(SolveError::TooLarge(_) | SolveError::TooManyTurns { .. }) => {
                told.unwrap_or_else(|| Analysis::new(play))
            }
            Err(error) => return Ok(Err(error.into())),
        };
        if *eval {
            return Ok(Ok(Answer::Eval(evaluation(found.known, found.estimate))));
        }
        if let Some(first) = found.best.as_ref().and_then(|best| best.first()) {
            return Ok(Ok(Answer::BestMove(Some(*first))));
        }
        let unstopped = AtomicBool::new(false);
        let stop = if go.nodes.is_some() { &unstopped } else { &*self.stop };
        let time = limit.unwrap_or(EVAL).min(Duration::from_secs(3600));
        let solver = self.solver.as_mut().expect("it was there");
        solver.set_time(Some(Duration::ZERO));
        let guess = best_guess(solver, play, time, stop).ok();
        // Stopped, what looked best by then is the answer.
        let likely =
            found.moves.iter().max_by_key(|found| (found.known.bounds().low, found.estimate));
        let guess = guess.or(likely.map(|found| found.action));
        Ok(Ok(Answer::BestMove(guess.or_else(|| play.position().moves().next()))))
    }
}

/// The first share of the time for every move.
const SHARE: Duration = Duration::from_millis(20);

/// What the board alone says.
fn at_once(play: &Playthrough) -> Evaluation {
    evaluation(Analysis::new(play).known, None)
}

fn evaluation(known: Known, estimate: Option<i64>) -> Evaluation {
    match (known.value, estimate, known.bounds()) {
        (Some(value), ..) => Evaluation::Value(value),
        (None, Some(estimate), _) => Evaluation::Estimate(estimate),
        (None, None, bounds) => Evaluation::Bounds(bounds.low, bounds.high),
    }
}

fn proven(known: Known) -> Evaluation {
    evaluation(known, None)
}

/// A finding as a line.
fn info(finding: &Finding) -> Option<Info> {
    let milliseconds = |seconds: f64| Some((seconds * 1000.0) as u64);
    Some(match finding {
        Finding::Estimate { estimate, .. } => {
            Info { known: Some(Evaluation::Estimate(*estimate)), ..Info::default() }
        }
        Finding::Bounds { known, nodes, seconds, .. } => Info {
            known: Some(proven(*known)),
            nodes: Some(*nodes),
            time: milliseconds(*seconds),
            ..Info::default()
        },
        Finding::Value { known, best, nodes, seconds, .. } => Info {
            action: None,
            known: Some(proven(*known)),
            turn: best.clone(),
            nodes: Some(*nodes),
            time: milliseconds(*seconds),
        },
        Finding::Move(found) => {
            Info { action: Some(found.action), known: Some(proven(found.known)), ..Info::default() }
        }
        Finding::Done(_) => return None,
    })
}
