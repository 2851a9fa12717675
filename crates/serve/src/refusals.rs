//! Connections that are refused, in a log that does not grow with their number.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::sleep;

/// How often refusals are summed up in the log.
const INTERVAL: Duration = Duration::from_secs(60);

/// Connections that were refused. The log has one line for the first, and one line per minute with the number of
/// those that follow.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<Count>);

#[derive(Debug, Default)]
struct Count {
    all: u64,
    /// Those since the last line of the log; `None` if there has been none for an interval.
    unlogged: Option<u64>,
}

impl Refusals {
    /// How many there were.
    pub(crate) fn all(&self) -> u64 {
        self.count(|count| count.all)
    }

    /// Counts a connection that was refused. `from` is its address, where it is known.
    pub(crate) fn note(self: &Arc<Self>, from: Option<IpAddr>, why: &dyn fmt::Display) {
        if !self.count(Count::add) {
            return;
        }
        let from = from.map(|from| from.to_string()).unwrap_or_default();
        tracing::warn!(from, %why, "a connection was refused; further refusals are counted and logged once a minute");
        let refusals = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                sleep(INTERVAL).await;
                let Some(number) = refusals.count(Count::take) else { break };
                tracing::warn!(number, "connections were refused in the last minute");
            }
        });
    }

    fn count<T>(&self, change: impl FnOnce(&mut Count) -> T) -> T {
        change(&mut self.0.lock().expect("no holder of the lock panics"))
    }
}

impl Count {
    /// Counts one more; whether it is the first of an interval.
    fn add(&mut self) -> bool {
        self.all += 1;
        let is_first = self.unlogged.is_none();
        self.unlogged = Some(self.unlogged.map_or(0, |number| number + 1));
        is_first
    }

    /// Those since the last line of the log, if there are any.
    fn take(&mut self) -> Option<u64> {
        let number = self.unlogged.take().filter(|number| *number > 0)?;
        self.unlogged = Some(0);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_an_interval() {
        let mut count = Count::default();
        let mut lines = 0;
        for _ in 0..3 {
            for _ in 0..1000 {
                lines += u32::from(count.add());
            }
            lines += u32::from(count.take().is_some());
        }
        assert_eq!((lines, count.all), (4, 3000));
        assert_eq!(count.take(), None, "a quiet interval has no line");
        assert!(count.add(), "and the next refusal is a first one");
        assert_eq!(count.take(), None);
    }
}
