//! Server-sent events out of something that changes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::error::Refusal;
use super::state::Ending;

/// How often a silent stream says that it is still there, which also finds out if the reader is.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The least time between two looks at what is new: more often than that nobody can read it.
const PACE: Duration = Duration::from_millis(50);

/// An event with its data.
pub(crate) fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).expect("plain data can be written as JSON")
}

/// Tells what is new each time something has changed, until its sender is gone. A slow reader
/// misses what happened in between and gets the latest, so nothing piles up. The guard is dropped
/// with the stream: when all is told or when the reader has gone. Where the server ends before all
/// is told, that is the last event.
pub(crate) fn events<S: Clone + Send + Sync + 'static>(
    receiver: watch::Receiver<S>,
    guard: impl Send + 'static,
    ending: watch::Receiver<Ending>,
    news: impl Fn(Option<&S>, &S) -> Vec<Event> + Send + 'static,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let (queue, last) = (VecDeque::new(), Instant::now());
    let telling =
        Telling { receiver, ending, told: None, last, queue, news, over: false, _guard: guard };
    let stream = unfold(telling, |mut telling| async move {
        let event = telling.next().await?;
        Some((Ok(event), telling))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

struct Telling<S, N, G> {
    receiver: watch::Receiver<S>,
    ending: watch::Receiver<Ending>,
    told: Option<S>,
    last: Instant,
    queue: VecDeque<Event>,
    news: N,
    /// Whether the last event is told.
    over: bool,
    _guard: G,
}

impl<S: Clone, N: Fn(Option<&S>, &S) -> Vec<Event>, G> Telling<S, N, G> {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            if self.told.is_some() {
                tokio::select! {
                    biased;
                    changed = self.receiver.changed() => changed.ok()?,
                    _ = self.ending.wait_for(|ending| *ending == Ending::Over) => {
                        self.over = true;
                        return Some(event("failed", &Refusal::ending().body()));
                    }
                }
                sleep_until(self.last + PACE).await;
            }
            self.last = Instant::now();
            let now = self.receiver.borrow_and_update().clone();
            self.queue.extend((self.news)(self.told.as_ref(), &now));
            self.told = Some(now);
        }
    }
}
