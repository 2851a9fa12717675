//! What a connection waits for: the server, or its client.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Whether a connection waits for its client, and since when.
#[derive(Debug)]
pub(crate) struct Activity {
    state: Mutex<State>,
    close: Notify,
}

#[derive(Debug)]
struct State {
    /// Requests that are being answered.
    answering: usize,
    /// Whether the client does not read what is sent.
    blocked: bool,
    /// The end of the last answer, or the last byte that the client took. A byte that it sends does not
    /// count: the rest of a request may never come.
    since: Instant,
}

impl Activity {
    pub(crate) fn new() -> Arc<Activity> {
        let state = State { answering: 0, blocked: false, since: Instant::now() };
        Arc::new(Activity { state: Mutex::new(state), close: Notify::new() })
    }

    /// How long the connection has waited for its client to ask or to read; `None` while the client waits.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let state = self.lock();
        (state.answering == 0 || state.blocked).then(|| state.since.elapsed())
    }

    /// Has the connection closed.
    pub(crate) fn close(&self) {
        self.close.notify_one();
    }

    /// Waits until the connection is to be closed.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    /// A request has come; it is answered when what this returns is dropped.
    pub(crate) fn answer(self: &Arc<Self>) -> Answering {
        self.lock().answering += 1;
        Answering(Arc::clone(self))
    }

    fn wrote(&self, progress: bool) {
        let mut state = self.lock();
        if progress || !state.blocked {
            state.since = Instant::now();
        }
        state.blocked = !progress;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct Answering(Arc<Activity>);

impl Answering {
    /// The body of the answer. With its end the request is answered.
    pub(crate) fn with(self, body: Body) -> Answer {
        Answer { body, _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.answering -= 1;
        state.since = Instant::now();
    }
}

/// The body of an answer.
pub(crate) struct Answer {
    body: Body,
    _answering: Answering,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that notes whether its client reads.
pub(crate) struct Watched {
    stream: TcpStream,
    activity: Arc<Activity>,
}

impl Watched {
    pub(crate) fn new(stream: TcpStream, activity: Arc<Activity>) -> Watched {
        Watched { stream, activity }
    }

    fn noted<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.activity.wrote(written.is_ready());
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_idle_while_its_client_does_nothing() {
        let activity = Activity::new();
        assert!(activity.idle().is_some(), "no request has come");
        let answering = activity.answer();
        assert_eq!(activity.idle(), None);
        activity.wrote(true);
        assert_eq!(activity.idle(), None);
        activity.wrote(false);
        let first = activity.idle().expect("the client does not read");
        activity.wrote(false);
        assert!(activity.idle().unwrap() >= first, "a second attempt is no progress");
        activity.wrote(true);
        assert_eq!(activity.idle(), None);
        let body = answering.with(Body::empty());
        assert_eq!(activity.idle(), None);
        drop(body);
        assert!(activity.idle().is_some(), "it is answered");
    }
}
