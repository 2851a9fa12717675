//! An external engine: a process that is asked for moves over the line protocol.
//!
//! The engine is not trusted: it may hang, crash, flood, or answer late or wrongly. Each of these becomes an
//! [`EngineFault`].

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use sowing_protocol::engine::{Answer, Go, MAX_LINE_BYTES, Request};
use sowing_rules::{Move, Playthrough, Position};

use crate::contender::EngineCommand;
use crate::engine_stderr::Stderr;
use crate::error::{ChooseError, EngineFault, NoHandshake};

/// The time limit of the handshake.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time past its limit before an engine is late, for the latency of processes.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// The interval between checks of the stop switch.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The time from `quit` until the process is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(200);

/// The most unread lines; an engine that writes more is blocked.
const MAX_UNREAD_LINES: usize = 256;

/// A running engine process.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    requests: Option<Sender<String>>,
    lines: Receiver<EngineLine>,
    stderr: Stderr,
    game_sent: bool,
}

/// A line of an engine, or the fault of a line that is too long.
type EngineLine = Result<String, EngineFault>;

impl Engine {
    /// Starts a process, and waits for its `sowok`.
    pub(crate) fn start(command: &EngineCommand) -> Result<Engine, EngineFault> {
        let mut process = Command::new(command.program());
        process.args(command.arguments());
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Its own child processes are killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn().map_err(|error| EngineFault::Start {
            command: command.to_string(),
            why: error.to_string(),
        })?;
        let mut input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let stderr = Stderr::read(child.stderr.take().expect("it is piped"));
        // Threads, so that an engine that does not read or floods its output does not block the caller.
        let (requests, waiting) = channel::<String>();
        thread::spawn(move || {
            for line in waiting {
                if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        });
        let (sender, lines) = sync_channel(MAX_UNREAD_LINES);
        thread::spawn(move || forward_lines(output, &sender));
        let engine = Engine { child, requests: Some(requests), lines, stderr, game_sent: false };
        engine.shake_hands(command)?;
        Ok(engine)
    }

    /// Sends `sow`, and waits for `sowok`.
    fn shake_hands(&self, command: &EngineCommand) -> Result<(), EngineFault> {
        self.send(&Request::Sow);
        let started = Instant::now();
        let mut last = None;
        let ended = loop {
            let left = HANDSHAKE_TIMEOUT.saturating_sub(started.elapsed());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line?,
                Err(error) => break error == RecvTimeoutError::Disconnected,
            };
            match line.parse() {
                Ok(Answer::SowOk) => return Ok(()),
                _ if left.is_zero() => break false,
                _ => last = Some(line.trim_end().to_string()),
            }
        };
        let instead = match last {
            Some(line) => NoHandshake::Line(line),
            None if ended => NoHandshake::Ended,
            None => NoHandshake::Silent,
        };
        let (command, stderr) = (command.to_string(), self.stderr.last_line(ended));
        Err(EngineFault::NoEngine { command, instead, stderr })
    }

    fn send(&self, request: &Request) {
        // An engine that has ended is detected when its output ends.
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
        if !std::mem::replace(&mut self.game_sent, true) {
            self.send(&Request::Game(game));
        }
        let start = (*play.start() != Position::start(game)).then(|| play.start().setup());
        let moves = play.plays().iter().map(|play| play.action).collect();
        self.send(&Request::Position { start, moves });
        let allowed = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // Discard lines from before the request.
        for _ in 0..MAX_UNREAD_LINES {
            if self.lines.try_recv().is_err() {
                break;
            }
        }
        self.send(&Request::Go(Go { time: Some(allowed), ..Go::default() }));
        let asked = Instant::now();
        let mut limit = time.saturating_add(GRACE_PERIOD);
        let mut stopped = false;
        loop {
            if !stopped && stop.load(Relaxed) {
                self.send(&Request::Stop);
                (stopped, limit) = (true, limit.min(asked.elapsed() + GRACE_PERIOD));
            }
            let waited = asked.elapsed();
            if waited > limit {
                let after = waited.as_millis() as u64;
                let late = EngineFault::Late { after, allowed };
                return Err(if stopped { ChooseError::Stopped } else { late.into() });
            }
            let line = match self.lines.recv_timeout(STOP_CHECK_INTERVAL.min(limit - waited)) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    let stderr = self.stderr.last_line(true);
                    return Err(EngineFault::Crashed { stderr }.into());
                }
            };
            // Other lines are ignored.
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

/// Sends each line of the output to `lines`, until the output or the receiver ends or a line is too long.
fn forward_lines(output: ChildStdout, lines: &SyncSender<EngineLine>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(length) if length as u64 >= MAX_LINE_BYTES => {
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
        self.send(&Request::Quit);
        self.requests = None;
        let asked = Instant::now();
        while asked.elapsed() < QUIT_TIMEOUT {
            // Drain its output, so that it is not blocked.
            while self.lines.try_recv().is_ok() {}
            if self.has_ended() {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        // Its own child processes may outlive it.
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
    /// Whether the process has ended. It is not reaped, so that its id is not reused before the kill.
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
