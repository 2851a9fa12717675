//! A program that answers a line for each line: a position in, a move out.

use std::error::Error as StdError;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use sowing::{Move, Position};
use sowing_lab::Chooser;

use crate::failure::Failure;
use crate::{input, said};

/// A program at the other end of two pipes. It is ended when this is dropped.
pub(super) struct Program {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Result<String, String>>,
    patience: Duration,
}

/// How long a program may take to end by itself once nobody asks any more.
const FAREWELL: Duration = Duration::from_millis(500);

impl Program {
    /// Starts a command as a shell would.
    pub(super) fn start(command: &str, patience: Duration) -> Result<Program, Failure> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let cannot =
            |error| Failure::Input(format!("cannot start {:?}: {error}", said::word(command)));
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
        Ok(Program { child, to, from, patience })
    }
}

impl Chooser for Program {
    fn choose(
        &mut self,
        position: &Position,
        _number: u64,
    ) -> Result<Move, Box<dyn StdError + Send + Sync>> {
        let to = self.to.as_mut().expect("open until it is dropped");
        let asked = writeln!(to, "{position}").and_then(|()| to.flush());
        if asked.is_err() {
            return Err("the program has ended".into());
        }
        let line = match self.from.recv_timeout(self.patience) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no answer within {:?}", self.patience).into());
            }
            Err(RecvTimeoutError::Disconnected) => return Err("the program has ended".into()),
        };
        Ok(line.parse()?)
    }
}

impl Drop for Program {
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
