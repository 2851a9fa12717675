//! Server-sent events out of something that changes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::error::Refusal;
use crate::state::Ending;

/// How often a silent stream says that it is still there, which also finds out if the reader is.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The least time between two looks at what is new: more often than that nobody can read it.
const PACE: Duration = Duration::from_millis(50);

/// Something that is told bit by bit.
pub(crate) trait Story: Clone + Send + Sync + 'static {
    /// What somebody does not know yet who was told an earlier state.
    fn news(&self, told: Option<&Self>) -> Vec<Event>;

    /// Whether nothing more comes.
    fn is_over(&self) -> bool;
}

/// An event with its data.
pub(crate) fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).expect("plain data can be written as JSON")
}

/// Tells what is new each time something has changed, until the story or its teller is gone. A slow
/// reader misses what happened in between and gets the latest, so nothing piles up; the first news
/// and the end are told at once. The guard is dropped with the stream: when all is told or when the
/// reader has gone. Where the server ends before all is told, that is the last event.
pub(crate) fn events<S: Story>(
    receiver: watch::Receiver<S>,
    guard: impl Send + 'static,
    ending: watch::Receiver<Ending>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let queue = VecDeque::new();
    let telling =
        Telling { receiver, ending, told: None, last: None, queue, over: false, _guard: guard };
    let stream = unfold(telling, |mut telling| async move {
        let event = telling.next().await?;
        Some((Ok(event), telling))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

struct Telling<S, G> {
    receiver: watch::Receiver<S>,
    ending: watch::Receiver<Ending>,
    told: Option<S>,
    /// When there were news last.
    last: Option<Instant>,
    queue: VecDeque<Event>,
    /// Whether the last event is told.
    over: bool,
    _guard: G,
}

impl<S: Story, G> Telling<S, G> {
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
                if let Some(last) = self.last {
                    let _ = timeout_at(last + PACE, self.receiver.wait_for(S::is_over)).await;
                }
            }
            let now = self.receiver.borrow_and_update().clone();
            self.queue.extend(now.news(self.told.as_ref()));
            if !self.queue.is_empty() {
                self.last = Some(Instant::now());
            }
            self.over = now.is_over();
            self.told = Some(now);
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

    impl Story for Count {
        fn news(&self, told: Option<&Count>) -> Vec<Event> {
            let first = told.map_or(0, |told| told.reached + 1);
            (first..=self.reached).map(|number| event("count", &number)).collect()
        }

        fn is_over(&self) -> bool {
            self.reached == self.last
        }
    }

    /// The clock is virtual: it moves only while everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn the_first_news_and_the_end_are_sent_at_once() {
        let (sender, receiver) = watch::channel(Count { reached: 0, last: 2 });
        let (_open, ending) = watch::channel(Ending::Open);
        let (told, last, queue, over) = (None, None, VecDeque::new(), false);
        let mut telling = Telling { receiver, ending, told, last, queue, over, _guard: () };
        let start = Instant::now();
        assert!(telling.next().await.is_some());
        assert_eq!(start.elapsed(), Duration::ZERO);
        sender.send_modify(|count| count.reached = 1);
        assert!(telling.next().await.is_some());
        assert_eq!(start.elapsed(), PACE);
        sender.send_modify(|count| count.reached = 2);
        assert!(telling.next().await.is_some());
        assert_eq!(start.elapsed(), PACE);
        assert!(telling.next().await.is_none());
    }
}
