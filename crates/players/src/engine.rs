//! Another program as a player: a process that is asked for moves, and judged.
//!
//! It is trusted with nothing: it may hang, crash, flood, answer nonsense or answer late, and the
//! only thing that comes of it is a fault that names what it did.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use sowing::{Move, Playthrough, Position, quoted};
use sowing_protocol::engine::{Answer, Go, MAX_LINE, Request};

use crate::contender::EngineCommand;
use crate::player::ChooseError;

/// What an engine did that loses it the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// It cannot be started.
    #[error("cannot start {what}: {why}", what = quoted(.command))]
    Start {
        /// The command.
        command: String,
        /// What the system says.
        why: String,
    },
    /// It did not say that it is an engine.
    #[error("{what} did not answer sow with sowok: it is no engine", what = quoted(.command))]
    NoEngine {
        /// The command.
        command: String,
    },
    /// It ended.
    #[error("the engine ended in the middle of a game")]
    Crashed,
    /// It wrote a line without an end.
    #[error("the engine wrote a line of more than {MAX} characters", MAX = LONGEST)]
    Flooded,
    /// It took too long.
    #[error("the engine had no move after {after} ms, with {allowed} ms allowed")]
    Late {
        /// How long was waited, in milliseconds.
        after: u64,
        /// How long it was told to think.
        allowed: u64,
    },
    /// It named a move that is none.
    #[error("the engine played {what}, which is not legal in {position}", what = quoted(.answer))]
    Illegal {
        /// Its answer.
        answer: String,
        /// Where.
        position: String,
    },
}

/// The most characters of a line.
const LONGEST: u64 = 4 * MAX_LINE as u64;

/// How long an engine may take to say who it is.
const START: Duration = Duration::from_secs(10);

/// How much longer than it was told an engine may take: a process is not always awake at once.
const GRACE: Duration = Duration::from_secs(1);

/// How often a stop is looked for.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long an engine may take to end by itself.
const LEAVE: Duration = Duration::from_millis(200);

/// The most lines that wait to be read. An engine that writes more has to wait itself.
const LINES: usize = 256;

/// A program at work.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    requests: Option<Sender<String>>,
    lines: Receiver<Said>,
    game_was_told: bool,
}

/// What an engine wrote: a line, or one that has no end.
type Said = Result<String, EngineFault>;

impl Engine {
    /// Starts a program, and asks it whether it is an engine.
    pub(crate) fn start(command: &EngineCommand) -> Result<Engine, EngineFault> {
        let mut process = Command::new(command.program());
        process.args(command.arguments());
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Whatever it starts itself is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn().map_err(|error| EngineFault::Start {
            command: command.to_string(),
            why: error.to_string(),
        })?;
        let mut input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        // Neither a program that does not read nor one that does not stop writing holds us up.
        let (requests, waiting) = channel::<String>();
        thread::spawn(move || {
            for line in waiting {
                if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        });
        let (sender, lines) = sync_channel(LINES);
        thread::spawn(move || read(output, &sender));
        let engine = Engine { child, requests: Some(requests), lines, game_was_told: false };
        engine.say(&Request::Sow);
        let started = Instant::now();
        let no_engine = || EngineFault::NoEngine { command: command.to_string() };
        loop {
            let left = START.saturating_sub(started.elapsed());
            let line = engine.lines.recv_timeout(left).map_err(|_| no_engine())??;
            match line.parse() {
                Ok(Answer::SowOk) => return Ok(engine),
                _ if left.is_zero() => return Err(no_engine()),
                _ => {}
            }
        }
    }

    fn say(&self, request: &Request) {
        // One that is gone is noticed by its silence.
        if let Some(requests) = &self.requests {
            let _ = requests.send(format!("{request}\n"));
        }
    }

    /// A legal move of a game that is not over.
    pub(crate) fn choose(
        &mut self,
        play: &Playthrough,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Move, ChooseError> {
        let game = *play.position().game();
        if !std::mem::replace(&mut self.game_was_told, true) {
            self.say(&Request::Game(game));
        }
        let start = (*play.start() != Position::start(game)).then(|| play.start().setup());
        let moves = play.plays().iter().map(|play| play.action).collect();
        self.say(&Request::Position { start, moves });
        let allowed = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // What it said before it was asked answers nothing.
        for _ in 0..LINES {
            if self.lines.try_recv().is_err() {
                break;
            }
        }
        self.say(&Request::Go(Go { time: Some(allowed), ..Go::default() }));
        let asked = Instant::now();
        let mut most = time.saturating_add(GRACE);
        let mut stopped = false;
        loop {
            if !stopped && stop.load(Relaxed) {
                self.say(&Request::Stop);
                (stopped, most) = (true, most.min(asked.elapsed() + GRACE));
            }
            let waited = asked.elapsed();
            if waited > most {
                let after = waited.as_millis() as u64;
                let late = EngineFault::Late { after, allowed };
                return Err(if stopped { ChooseError::Stopped } else { late.into() });
            }
            let line = match self.lines.recv_timeout(PATIENCE.min(most - waited)) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(EngineFault::Crashed.into()),
            };
            // What it says besides is its own affair.
            let Some(answer) = line.trim_start().strip_prefix("bestmove") else { continue };
            let legal = match line.parse() {
                Ok(Answer::BestMove(action)) => {
                    play.position().moves().find(|legal| Some(*legal) == action)
                }
                _ => None,
            };
            return match legal {
                Some(_) if stopped => Err(ChooseError::Stopped),
                Some(action) => Ok(action),
                None => {
                    let answer = answer.trim().to_string();
                    let position = play.position().to_string();
                    Err(EngineFault::Illegal { answer, position }.into())
                }
            };
        }
    }
}

/// Passes on what a program writes, line by line, as long as somebody listens and lines have an end.
fn read(output: ChildStdout, lines: &SyncSender<Said>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(length) if length as u64 >= LONGEST => {
                let _ = lines.send(Err(EngineFault::Flooded));
                return;
            }
            Ok(length) if length > 0 => {}
            _ => return,
        }
        if lines.send(Ok(String::from_utf8_lossy(&line).into_owned())).is_err() {
            return;
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.say(&Request::Quit);
        self.requests = None;
        let asked = Instant::now();
        while asked.elapsed() < LEAVE {
            // What it still writes must not keep it from ending.
            while self.lines.try_recv().is_ok() {}
            if self.has_ended() {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        // Whatever it started itself may still be there when it is gone.
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Engine {
    /// Whether the process has ended. Its number stays its own until it is waited for, so that no
    /// other process can be taken for it.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}
