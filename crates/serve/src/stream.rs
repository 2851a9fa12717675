//! Server-sent events from a state that changes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::error::HttpError;
use crate::state::Ending;

/// How often a silent stream says that it is still there, which also finds out if the reader is.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The least time between two looks at the state: no reader is faster.
const PACE: Duration = Duration::from_millis(50);

/// A state whose changes are sent as events.
pub(crate) trait Snapshot: Clone + Send + Sync + 'static {
    /// The events that bring a client from an earlier snapshot to this one.
    fn events_since(&self, sent: Option<&Self>) -> Vec<Event>;

    /// Whether no change follows.
    fn is_final(&self) -> bool;
}

/// An event with its data.
pub(crate) fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).expect("plain data can be written as JSON")
}

/// Sends the changes of a state until it is final or its sender is dropped. A slow client skips snapshots and
/// gets the latest, so that nothing piles up; the first snapshot and the final one are sent at once. The guard is
/// dropped with the stream: after the last event, or when the client has gone. If the server ends before, an event
/// `failed` is the last.
pub(crate) fn events<S: Snapshot>(
    receiver: watch::Receiver<S>,
    guard: impl Send + 'static,
    ending: watch::Receiver<Ending>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let stream = unfold(EventStream::new(receiver, guard, ending), |mut stream| async move {
        let event = stream.next().await?;
        Some((Ok(event), stream))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

struct EventStream<S, G> {
    receiver: watch::Receiver<S>,
    ending: watch::Receiver<Ending>,
    /// The last snapshot that was sent, and when.
    sent: Option<S>,
    sent_at: Option<Instant>,
    queue: VecDeque<Event>,
    /// Whether the queue has the last event.
    is_over: bool,
    _guard: G,
}

impl<S: Snapshot, G> EventStream<S, G> {
    fn new(
        receiver: watch::Receiver<S>,
        guard: G,
        ending: watch::Receiver<Ending>,
    ) -> EventStream<S, G> {
        let queue = VecDeque::new();
        EventStream {
            receiver,
            ending,
            sent: None,
            sent_at: None,
            queue,
            is_over: false,
            _guard: guard,
        }
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            if self.sent.is_some() {
                tokio::select! {
                    biased;
                    changed = self.receiver.changed() => changed.ok()?,
                    _ = self.ending.wait_for(|ending| *ending == Ending::Over) => {
                        self.is_over = true;
                        return Some(event("failed", &HttpError::ending().body()));
                    }
                }
                if let Some(sent_at) = self.sent_at {
                    let _ = timeout_at(sent_at + PACE, self.receiver.wait_for(S::is_final)).await;
                }
            }
            let now = self.receiver.borrow_and_update().clone();
            self.queue.extend(now.events_since(self.sent.as_ref()));
            if !self.queue.is_empty() {
                self.sent_at = Some(Instant::now());
            }
            self.is_over = now.is_final();
            self.sent = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Count {
        reached: u32,
        last: u32,
    }

    impl Snapshot for Count {
        fn events_since(&self, sent: Option<&Count>) -> Vec<Event> {
            let first = sent.map_or(0, |sent| sent.reached + 1);
            (first..=self.reached).map(|number| event("count", &number)).collect()
        }

        fn is_final(&self) -> bool {
            self.reached == self.last
        }
    }

    /// The clock is virtual: it moves only while everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn the_first_snapshot_and_the_last_are_sent_at_once() {
        let (sender, receiver) = watch::channel(Count { reached: 0, last: 2 });
        let (_open, ending) = watch::channel(Ending::Open);
        let mut stream = EventStream::new(receiver, (), ending);
        let start = Instant::now();
        assert!(stream.next().await.is_some());
        assert_eq!(start.elapsed(), Duration::ZERO);
        sender.send_modify(|count| count.reached = 1);
        assert!(stream.next().await.is_some());
        assert_eq!(start.elapsed(), PACE);
        sender.send_modify(|count| count.reached = 2);
        assert!(stream.next().await.is_some());
        assert_eq!(start.elapsed(), PACE);
        assert!(stream.next().await.is_none());
    }
}
