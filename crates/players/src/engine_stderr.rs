//! The standard error of an engine: read and dropped, except for its last line.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The most bytes of a line that are kept.
const MAX_LINE_BYTES: u64 = 1 << 12;

/// The time for the last line of a process that has ended.
const LAST_LINE_TIMEOUT: Duration = Duration::from_millis(200);

/// Reads the standard error of a process, so that the process is never blocked by it.
#[derive(Debug)]
pub(crate) struct Stderr {
    last: Arc<Mutex<Option<String>>>,
    /// Disconnected when the process has closed its standard error.
    end: Receiver<()>,
}

impl Stderr {
    pub(crate) fn read(stderr: impl Read + Send + 'static) -> Stderr {
        let last = Arc::<Mutex<Option<String>>>::default();
        let (alive, end) = channel();
        let newest = Arc::clone(&last);
        thread::spawn(move || keep_last(BufReader::new(stderr), &newest, &alive));
        Stderr { last, end }
    }

    /// The last line that is not blank. `has_ended` tells that the process writes no more: then wait for the line.
    pub(crate) fn last_line(&self, has_ended: bool) -> Option<String> {
        if has_ended {
            // A process that it started may hold the pipe open.
            let _ = self.end.recv_timeout(LAST_LINE_TIMEOUT);
        }
        self.last.lock().expect("no thread panics with it").clone()
    }
}

fn keep_last(mut stderr: impl BufRead, newest: &Mutex<Option<String>>, _alive: &Sender<()>) {
    let mut line = Vec::new();
    while let Ok(1..) = stderr.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            *newest.lock().expect("no thread panics with it") = Some(text.trim().to_string());
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_kept() {
        let last = |text: &'static str| Stderr::read(text.as_bytes()).last_line(true);
        assert_eq!(last(""), None);
        assert_eq!(last("one\ntwo\n\n  \n").as_deref(), Some("two"));
        assert_eq!(last("one\nunfinished").as_deref(), Some("unfinished"));
    }
}
