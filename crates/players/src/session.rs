//! The engine side of the line protocol: requests in, answers out.

use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing_analysis::{Analysis, AnalysisOptions, Finding, analyze};
use sowing_platform::Instant;
use sowing_protocol::engine::{Answer, Evaluation, Go, Info, MAX_LINE_BYTES, Request};
use sowing_rules::{Bounds, Game, Move, Playthrough, Position};
use sowing_solver::{Book, SolveError, Solver, SolverOptions};
use sowing_tables::Tables;

use crate::error::ChooseError;
use crate::opponent::Opponent;
use crate::player::{Player, PlayerOptions, best_guess};

/// Gives the endgame tables and the book of a game, if there are any.
pub type EngineAids = Box<dyn Fn(&Game) -> (Option<Arc<Tables>>, Option<Arc<Book>>) + Send>;

/// The settings of the engine.
pub struct EngineOptions {
    /// The name that it reports.
    pub name: String,
    /// The opponent that chooses moves. Only `perfect` writes `info` lines.
    pub opponent: Opponent,
    /// Threads, memory and seed; the time is that of each request.
    pub player: PlayerOptions,
    /// Endgame tables and a book of a game, if there are any.
    pub aids: EngineAids,
}

/// The time of `eval` without a limit.
const EVAL_TIME: Duration = Duration::from_millis(100);

/// The game before the first `game` request.
const DEFAULT_GAME: &str = "kalah(6,4)";

/// A search for the worker thread.
struct Job {
    play: Playthrough,
    go: Go,
    eval: bool,
    /// The time of the request, from which the limit counts.
    requested: Instant,
}

impl Job {
    /// The time that is left.
    fn time_left(&self) -> Option<Duration> {
        let time = self.go.time.map(Duration::from_millis).or(self.eval.then_some(EVAL_TIME));
        time.map(|time| time.saturating_sub(self.requested.elapsed()))
    }
}

/// Answers requests until the input ends or `quit`. At the end of the input a running search is finished, unless
/// the output is closed; `quit` stops it.
pub fn serve_engine(
    input: impl BufRead,
    output: impl Write + Send,
    options: EngineOptions,
) -> io::Result<()> {
    let output = Mutex::new(output);
    let write = |answer: &Answer| -> io::Result<()> {
        let mut output = output.lock().expect("no thread panics while it writes");
        writeln!(output, "{answer}")?;
        output.flush()
    };
    let (busy, stop) = (AtomicBool::new(false), Arc::<AtomicBool>::default());
    std::thread::scope(|scope| {
        let (jobs, queue) = channel::<Job>();
        let name = options.name.clone();
        let mut thinker = Thinker { options, solver: None, stop: Arc::clone(&stop) };
        let (write, busy, stop) = (&write, &busy, &*stop);
        let worker = scope.spawn(move || -> io::Result<()> {
            for job in queue {
                let answer = thinker.run(&job, write)?;
                // The client may send its next request as soon as it has the answer.
                busy.store(false, SeqCst);
                write(&answer)?;
            }
            Ok(())
        });
        let play = Playthrough::new(Position::start(DEFAULT_GAME.parse().expect("a game")));
        let session = Session { name, write, jobs, busy, stop, play };
        let read = session.read_requests(input);
        worker.join().expect("the worker does not panic").and(read)
    })
}

type Writer<'a> = &'a (dyn Fn(&Answer) -> io::Result<()> + Sync);

/// The thread that reads requests.
struct Session<'a> {
    name: String,
    write: Writer<'a>,
    jobs: Sender<Job>,
    /// Whether the worker has a job.
    busy: &'a AtomicBool,
    stop: &'a AtomicBool,
    play: Playthrough,
}

impl Session<'_> {
    fn read_requests(mut self, mut input: impl BufRead) -> io::Result<()> {
        while let Some(line) = read_line(&mut input)? {
            let handled = match line.parse() {
                _ if line.trim().is_empty() => continue,
                Ok(Request::Quit) => {
                    self.stop.store(true, SeqCst);
                    return Ok(());
                }
                Ok(request) => self.handle(request),
                Err(error) => self.write_error(error),
            };
            if handled.is_err() {
                self.stop.store(true, SeqCst);
                return handled;
            }
        }
        Ok(())
    }

    fn handle(&mut self, request: Request) -> io::Result<()> {
        let busy = self.busy.load(SeqCst);
        match request {
            Request::Sow => {
                (self.write)(&Answer::Name(self.name.clone()))?;
                (self.write)(&Answer::SowOk)?;
            }
            Request::IsReady => (self.write)(&Answer::ReadyOk)?,
            Request::Stop | Request::Quit => self.stop.store(busy, SeqCst),
            _ if busy => self.write_error("a search is running: send stop first")?,
            Request::Game(game) => self.play = Playthrough::new(Position::start(game)),
            Request::Position { start, moves } => {
                match set_up(*self.play.start().game(), start, &moves) {
                    Ok(play) => self.play = play,
                    Err(error) => self.write_error(error)?,
                }
            }
            Request::Go(go) => self.start_job(go, false),
            Request::Eval(go) => self.start_job(go, true),
        }
        Ok(())
    }

    fn start_job(&self, go: Go, eval: bool) {
        self.stop.store(false, SeqCst);
        self.busy.store(true, SeqCst);
        let job = Job { play: self.play.clone(), go, eval, requested: Instant::now() };
        // The worker is gone only if the output is closed.
        let _ = self.jobs.send(job);
    }

    fn write_error(&self, error: impl Display) -> io::Result<()> {
        (self.write)(&Answer::Error(error.to_string()))
    }
}

/// The next line. Of a line that is too long for the protocol, only a prefix is kept, which does not parse.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let max = MAX_LINE_BYTES + 1;
    if input.by_ref().take(max).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == max && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The game after these moves, or why they are not legal.
fn set_up(
    game: Game,
    start: Option<sowing_rules::Setup>,
    moves: &[Move],
) -> Result<Playthrough, String> {
    let start = match start {
        Some(setup) => Position::free(game, &setup).map_err(|error| error.to_string())?,
        None => Position::start(game),
    };
    let mut play = Playthrough::new(start);
    for (action, number) in moves.iter().zip(1..) {
        play.try_play(*action).map_err(|error| format!("move {number}, {action}: {error}"))?;
    }
    Ok(play)
}

/// The worker: it runs one job at a time.
struct Thinker {
    options: EngineOptions,
    solver: Option<Solver>,
    stop: Arc<AtomicBool>,
}

impl Thinker {
    fn run(&mut self, job: &Job, write: Writer<'_>) -> io::Result<Answer> {
        if job.play.result().is_some() && !job.eval {
            return Ok(Answer::BestMove(None));
        }
        let analyzes = self.options.opponent == Opponent::Perfect || job.eval;
        let answer = if analyzes { self.analyze(job, write)? } else { self.choose(job) };
        Ok(match answer {
            Ok(answer) => answer,
            // A client that waits for an answer gets one.
            Err(error) => {
                write(&Answer::Error(error.to_string()))?;
                let first = job.play.position().moves().next();
                let bounds = Analysis::new(&job.play).known;
                if job.eval {
                    Answer::Eval(Evaluation::Proven(bounds))
                } else {
                    Answer::BestMove(first)
                }
            }
        })
    }

    /// The move of an opponent other than `perfect`.
    fn choose(&mut self, job: &Job) -> Result<Answer, ChooseError> {
        let game = *job.play.position().game();
        let options = PlayerOptions { time: job.time_left(), ..self.options.player.clone() };
        let player = Player::new(self.options.opponent, game, options)?;
        let mut player = player.moving_when_stopped();
        player.set_stop_switch(Arc::clone(&self.stop));
        player.choose(&job.play).map(|action| Answer::BestMove(Some(action)))
    }

    /// The solver of a game; the one of the last job if that was of the same game.
    fn solver(&mut self, game: &Game) -> Result<&mut Solver, SolveError> {
        if self.solver.as_ref().is_none_or(|solver| solver.game() != game) {
            // Free the memory of the old solver first.
            self.solver = None;
            let (tables, book) = (self.options.aids)(game);
            let PlayerOptions { threads, memory, .. } = self.options.player;
            let stop = Some(Arc::clone(&self.stop));
            let options =
                SolverOptions { threads, memory, tables, book, stop, ..SolverOptions::default() };
            self.solver = Some(Solver::with_options(*game, options)?);
        }
        Ok(self.solver.as_mut().expect("just made"))
    }

    /// Analyses a position, writes `info` lines, and gives the final answer.
    fn analyze(&mut self, job: &Job, write: Writer<'_>) -> io::Result<Result<Answer, ChooseError>> {
        let Job { play, go, eval, .. } = job;
        let stop = Arc::clone(&self.stop);
        let solver = match self.solver(play.position().game()) {
            Ok(solver) => solver,
            Err(error) => return Ok(Err(error.into())),
        };
        let limit = job.time_left();
        // The rest of the time is for a guess, if the value is not found.
        let options = AnalysisOptions {
            moves: !eval,
            time: limit.map(|time| time * 2 / 5),
            share: limit.map(|_| FIRST_SHARE),
            ..AnalysisOptions::default()
        };
        solver.set_time(None);
        let mut last: Option<Analysis> = None;
        let mut written = Ok(());
        let mut on_progress = |found: &Analysis| {
            for finding in found.findings_since(last.as_ref(), false) {
                if let (Some(info), false, Ok(())) = (info(&finding), *eval, &written) {
                    written = write(&Answer::Info(info));
                }
            }
            last = Some(found.clone());
            let enough = go.nodes.is_some_and(|nodes| found.nodes >= nodes);
            if enough || written.is_err() {
                stop.store(true, SeqCst);
            }
        };
        let found = analyze(solver, play, &options, &mut on_progress);
        written?;
        let found = match found {
            Ok(found) => found,
            Err(SolveError::TooLarge(_) | SolveError::TooManyTurns { .. }) => {
                last.unwrap_or_else(|| Analysis::new(play))
            }
            Err(error) => return Ok(Err(error.into())),
        };
        if *eval {
            return Ok(Ok(Answer::Eval(evaluation(found.known, found.estimate))));
        }
        let best = found.best.as_ref().and_then(|best| best.first().copied());
        Ok(Ok(Answer::BestMove(best.or_else(|| self.guess(job, &found, limit)))))
    }

    /// The most promising move of a position that is not solved.
    fn guess(&mut self, job: &Job, found: &Analysis, limit: Option<Duration>) -> Option<Move> {
        // A node limit has set the switch; the guess has a time limit of its own.
        let unstopped = AtomicBool::new(false);
        let stop = if job.go.nodes.is_some() { &unstopped } else { &*self.stop };
        let time = limit.unwrap_or(EVAL_TIME).min(Duration::from_secs(3600));
        let solver = self.solver.as_mut().expect("the analysis used it");
        solver.set_time(Some(Duration::ZERO));
        let guess = best_guess(solver, &job.play, time, stop).ok();
        // After a stop, the best move of the analysis so far.
        let likely = found.moves.iter().max_by_key(|found| (found.known.low, found.estimate));
        let guess = guess.or(likely.map(|found| found.action));
        guess.or_else(|| job.play.position().moves().next())
    }
}

/// The time per move in the first round.
const FIRST_SHARE: Duration = Duration::from_millis(20);

fn evaluation(known: Bounds, estimate: Option<i64>) -> Evaluation {
    match estimate.filter(|_| known.value().is_none()) {
        Some(estimate) => Evaluation::Estimate(estimate),
        None => Evaluation::Proven(known),
    }
}

/// The `info` line of a finding, if it has one.
fn info(finding: &Finding) -> Option<Info> {
    let milliseconds = |seconds: f64| Some((seconds * 1000.0) as u64);
    Some(match finding {
        Finding::Estimate { estimate, .. } => {
            Info { known: Some(Evaluation::Estimate(*estimate)), ..Info::default() }
        }
        Finding::Bounds { known, nodes, seconds, .. } => Info {
            known: Some(Evaluation::Proven(*known)),
            nodes: Some(*nodes),
            time: milliseconds(*seconds),
            ..Info::default()
        },
        Finding::Value { known, best, nodes, seconds, .. } => Info {
            action: None,
            known: Some(Evaluation::Proven(*known)),
            turn: best.clone(),
            nodes: Some(*nodes),
            time: milliseconds(*seconds),
        },
        Finding::Move(found) => Info {
            action: Some(found.action),
            known: Some(Evaluation::Proven(found.known)),
            ..Info::default()
        },
        Finding::Done(_) => return None,
    })
}
