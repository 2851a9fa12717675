//! A program that answers a line for each line: a position in, a move out.

use std::error::Error as StdError;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use sowing_lab::Chooser;
use sowing_rules::{Move, Position};

use crate::failure::Failure;
use crate::{input, sanitize};

/// A program, started anew for the next position when it ended or was late.
pub(super) struct Program {
    command: String,
    patience: Duration,
    running: Option<Running>,
}

/// A program at the other end of two pipes. It is ended when this is dropped.
struct Running {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Result<String, String>>,
}

/// How long a program may take to end by itself once nobody asks any more.
const FAREWELL: Duration = Duration::from_millis(500);

impl Program {
    /// Starts a command as a shell would.
    pub(super) fn start(command: &str, patience: Duration) -> Result<Program, Failure> {
        let running = Some(Running::start(command)?);
        Ok(Program { command: command.to_string(), patience, running })
    }
}

impl Running {
    fn start(command: &str) -> Result<Running, Failure> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let cannot =
            |error| Failure::Input(format!("cannot start {:?}: {error}", sanitize::word(command)));
        let mut child = Command::new(shell)
            .args([flag, command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(cannot)?;
        let (to, answers) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut answers = BufReader::new(answers);
            while let Ok(Some(line)) = input::next_line(&mut answers) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Running { child, to, from })
    }
}

impl Chooser for Program {
    fn choose(
        &mut self,
        position: &Position,
        _number: u64,
    ) -> Result<Move, Box<dyn StdError + Send + Sync>> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.command).map_err(|failure| failure.to_string())?,
        };
        // One that does not answer in time is gone with this: its answer would be taken for another's.
        let line = running.answer(position, self.patience)?;
        self.running = Some(running);
        Ok(line?.parse().map_err(|error: sowing_rules::ParseMoveError| {
            format!("{error}; a program that speaks as sow engine does is --player engine:COMMAND")
        })?)
    }
}

impl Running {
    /// A line, or that it cannot be read as one.
    fn answer(
        &mut self,
        position: &Position,
        patience: Duration,
    ) -> Result<Result<String, String>, String> {
        let to = self.to.as_mut().expect("open until it is dropped");
        let asked = writeln!(to, "{position}").and_then(|()| to.flush());
        if asked.is_err() {
            return Err("the program has ended".to_string());
        }
        self.from.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!(
                "no answer within {patience:?}: a program must flush its output, and one that speaks as sow engine \
                 does is --player engine:COMMAND"
            ),
            RecvTimeoutError::Disconnected => "the program has ended".to_string(),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without more lines to read a program ends by itself; else it is made to.
        drop(self.to.take());
        let last = Instant::now() + FAREWELL;
        while Instant::now() < last {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
