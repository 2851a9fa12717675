//! The value of a position and of its moves, as a stream of events.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::State;
use axum::http::Uri;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use lru::LruCache;
use sowing_analysis::{Analysis, analyze};
use sowing_api::{AnalysesStatus, AnalysisQuery};
use sowing_rules::{Playthrough, Position, Side};
use sowing_solver::SolveError;
use tokio::sync::watch;

use crate::error::HttpError;
use crate::handlers::query;
use crate::queue::Client;
use crate::state::Server;
use crate::stream::{Snapshot, event, events};
use crate::workers::{Lease, Worker, WorkerPool};

/// The most complete analyses that are kept: a few kilobytes each.
const MAX_COMPLETE: NonZeroUsize = NonZeroUsize::new(1 << 12).unwrap();

/// Everything that an analysis depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Subject {
    position: Position,
    side: Side,
    wanted: AnalysisQuery,
}

/// The analyses under way and the latest complete ones.
#[derive(Debug)]
pub(crate) struct Analyses {
    pool: Arc<WorkerPool>,
    known: Mutex<Shared>,
    /// Held during a look-up in the books.
    look_up: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Shared {
    running: HashMap<Subject, Running>,
    complete: LruCache<Subject, AnalysisState>,
}

/// An analysis under way. All clients that ask about its subject read it.
#[derive(Debug)]
struct Running {
    state: watch::Receiver<AnalysisState>,
    stop: Arc<AtomicBool>,
    readers: usize,
}

/// The state of an analysis.
#[derive(Clone, Debug, Default)]
struct AnalysisState {
    found: Option<Analysis>,
    end: Option<Result<(), HttpError>>,
}

/// A client that reads an analysis. When the last reader is dropped, the analysis is stopped.
struct Reader {
    analyses: Arc<Analyses>,
    subject: Subject,
    stop: Arc<AtomicBool>,
}

/// Streams an analysis.
pub(crate) async fn analysis(
    State(server): State<Arc<Server>>,
    client: Client,
    uri: Uri,
) -> Result<impl IntoResponse, HttpError> {
    let (played, wanted) = sowing_api::analysis(query(&uri))?;
    let (state, reader) = server.analyses.read(played, wanted, client).await?;
    Ok(events(state, reader, server.ending.subscribe()))
}

impl AnalysisState {
    /// Whether everything was found.
    fn is_complete(&self) -> bool {
        matches!((&self.end, &self.found), (Some(Ok(())), Some(found)) if found.complete)
    }
}

impl Snapshot for AnalysisState {
    fn events_since(&self, sent: Option<&AnalysisState>) -> Vec<Event> {
        let before = sent.and_then(|sent| sent.found.as_ref());
        let done = matches!(self.end, Some(Ok(())));
        let findings = self.found.iter().flat_map(|found| found.findings_since(before, done));
        let mut events: Vec<Event> =
            findings.map(|finding| event(finding.name(), &finding)).collect();
        if let Some(Err(error)) = &self.end {
            events.push(event("failed", &error.body()));
        }
        events
    }

    fn is_final(&self) -> bool {
        self.end.is_some()
    }
}

impl Analyses {
    pub(crate) fn new(pool: Arc<WorkerPool>) -> Analyses {
        let known = Shared { running: HashMap::new(), complete: LruCache::new(MAX_COMPLETE) };
        Analyses { pool, known: Mutex::new(known), look_up: tokio::sync::Mutex::default() }
    }

    pub(crate) fn status(&self) -> AnalysesStatus {
        let known = self.lock();
        let readers = known.running.values().map(|running| running.readers).sum();
        AnalysesStatus { running: known.running.len(), readers, kept: known.complete.len() }
    }

    /// The state of the analysis of a position. There is no reader if the analysis is complete.
    async fn read(
        self: &Arc<Self>,
        played: Playthrough,
        wanted: AnalysisQuery,
        client: Client,
    ) -> Result<(watch::Receiver<AnalysisState>, Option<Reader>), HttpError> {
        if let Some(found) = Analysis::for_finished(&played, &wanted.options(None)) {
            let state = AnalysisState { found: Some(found), end: Some(Ok(())) };
            return Ok((watch::channel(state).1, None));
        }
        let subject = Subject { position: *played.position(), side: played.side(), wanted };
        if let Some(known) = self.join(subject) {
            return Ok(known);
        }
        if let Some(known) = self.look_up(subject, &played).await {
            return Ok(known);
        }
        let lease = self.pool.acquire(client).await?;
        // Another client may have started it meanwhile.
        match self.join(subject) {
            Some(known) => Ok(known),
            None => self.start(subject, played, lease),
        }
    }

    /// The analysis from the books alone. One look-up runs at a time, since a class asks for the same position.
    async fn look_up(
        self: &Arc<Self>,
        subject: Subject,
        played: &Playthrough,
    ) -> Option<(watch::Receiver<AnalysisState>, Option<Reader>)> {
        let _look_up = self.look_up.lock().await;
        if let Some(known) = self.join(subject) {
            return Some(known);
        }
        let (analyses, played) = (Arc::clone(self), played.clone());
        let look = move || analyses.pool.look_up(&played, &subject.wanted.options(None));
        let found = tokio::task::spawn_blocking(look).await.ok()??;
        let state = AnalysisState { found: Some(found), end: Some(Ok(())) };
        self.lock().complete.put(subject, state.clone());
        Some((watch::channel(state).1, None))
    }

    fn join(
        self: &Arc<Self>,
        subject: Subject,
    ) -> Option<(watch::Receiver<AnalysisState>, Option<Reader>)> {
        let mut known = self.lock();
        if let Some(state) = known.complete.get(&subject) {
            return Some((watch::channel(state.clone()).1, None));
        }
        let running = known.running.get_mut(&subject)?;
        running.readers += 1;
        let stop = Arc::clone(&running.stop);
        let reader = Reader { analyses: Arc::clone(self), subject, stop };
        Some((running.state.clone(), Some(reader)))
    }

    fn start(
        self: &Arc<Self>,
        subject: Subject,
        played: Playthrough,
        lease: Lease,
    ) -> Result<(watch::Receiver<AnalysisState>, Option<Reader>), HttpError> {
        let (sender, state) = watch::channel(AnalysisState::default());
        let stop = Arc::<AtomicBool>::default();
        let running = Running { state: state.clone(), stop: Arc::clone(&stop), readers: 1 };
        self.lock().running.insert(subject, running);
        let reader = Reader { analyses: Arc::clone(self), subject, stop: Arc::clone(&stop) };
        let analyses = Arc::clone(self);
        let task = AnalysisTask { analyses, subject, played, sender, stop: Arc::clone(&stop) };
        let lease = lease.preemptible(&stop);
        lease.work(*subject.position.game(), stop, move |worker| task.run(worker))?;
        Ok((state, Some(reader)))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.known.lock().expect("no holder of the lock panics")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut known = self.analyses.lock();
        let Some(running) = known.running.get_mut(&self.subject) else { return };
        if !Arc::ptr_eq(&running.stop, &self.stop) {
            return;
        }
        running.readers -= 1;
        if running.readers == 0 {
            self.stop.store(true, Relaxed);
            known.running.remove(&self.subject);
        }
    }
}

/// An analysis that a worker performs.
struct AnalysisTask {
    analyses: Arc<Analyses>,
    subject: Subject,
    played: Playthrough,
    sender: watch::Sender<AnalysisState>,
    stop: Arc<AtomicBool>,
}

impl Drop for AnalysisTask {
    fn drop(&mut self) {
        if self.sender.borrow().end.is_none() {
            self.finish(Err(HttpError::broken()));
        }
    }
}

impl AnalysisTask {
    fn run(self, worker: Result<&mut Worker, HttpError>) {
        self.finish(worker.and_then(|worker| Ok(self.analyze(worker)?)));
    }

    /// Publishes the final state. If it is complete, it is kept for the next request before a client reads it.
    fn finish(&self, end: Result<Analysis, HttpError>) {
        let mut state = self.sender.borrow().clone();
        state.end = Some(end.map(|found| state.found = Some(found)));
        let mut known = self.analyses.lock();
        let running = known.running.get(&self.subject);
        if running.is_some_and(|running| Arc::ptr_eq(&running.stop, &self.stop)) {
            known.running.remove(&self.subject);
        }
        if state.is_complete() {
            known.complete.put(self.subject, state.clone());
        }
        drop(known);
        self.sender.send_replace(state);
    }

    fn analyze(&self, worker: &mut Worker) -> Result<Analysis, SolveError> {
        let options = self.subject.wanted.options(Some(self.analyses.pool.time()));
        let found = analyze(worker.solver(), &self.played, &options, &mut |found| {
            self.sender.send_modify(|state| state.found = Some(found.clone()));
        })?;
        let Analysis { game, position, complete, nodes, seconds, .. } = &found;
        tracing::info!(%game, %position, complete, nodes, seconds, "analysed");
        Ok(found)
    }
}
