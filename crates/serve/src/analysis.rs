//! The worth of a position and of its moves, told while it is found out.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use lru::LruCache;
use serde::{Deserialize, Serialize};
use sowing_analysis::{Analysis, AnalysisOptions, Finding, analyze};
use sowing_answers::{ErrorBody, GameQuery};
use sowing_rules::{Playthrough, Position, Side};
use sowing_solver::SolveError;
use tokio::sync::watch;
use utoipa::{IntoParams, ToSchema};

use crate::error::Refusal;
use crate::params::Params;
use crate::queue::Client;
use crate::slots::{Slot, Slots, Worker};
use crate::state::Server;
use crate::status::AnalysesStatus;
use crate::stream::{Story, event, events};

/// The most complete analyses that are kept: a few kilobytes each.
const MOST: NonZeroUsize = NonZeroUsize::new(1 << 12).unwrap();

/// How long each move is looked at first before the next has its turn.
const SHARE: Duration = Duration::from_millis(100);

/// What is to be found beside the value and the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// What every whole turn is worth, too.
    #[serde(default)]
    turns: bool,
    /// A perfect continuation, too.
    #[serde(default)]
    line: bool,
}

/// What an analysis is about: nothing else makes a difference to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Subject {
    position: Position,
    side: Side,
    wanted: Wanted,
}

/// The analyses under way and those that were completed last.
#[derive(Debug)]
pub(crate) struct Analyses {
    slots: Arc<Slots>,
    known: Mutex<Shared>,
    looking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Shared {
    running: HashMap<Subject, Running>,
    complete: LruCache<Subject, Told>,
}

/// An analysis under way. Everybody who asks about its subject reads the same one.
#[derive(Debug)]
struct Running {
    told: watch::Receiver<Told>,
    stop: Arc<AtomicBool>,
    readers: usize,
}

/// Where an analysis stands.
#[derive(Clone, Debug, Default)]
struct Told {
    found: Option<Analysis>,
    end: Option<Result<(), Refusal>>,
}

/// Somebody who reads an analysis. When the last one goes, it is stopped.
struct Reader {
    analyses: Arc<Analyses>,
    subject: Subject,
    stop: Arc<AtomicBool>,
}

/// The data of an event of an analysis. Findings are named by their field `finding`; an error is
/// named `failed`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a description: findings and errors are sent as they are")]
pub(crate) enum AnalysisEvent {
    Finding(Finding),
    Failed(ErrorBody),
}

/// The value of the position after these moves and of every move there, as server-sent events
///
/// `estimate` (at once), `bounds` (several), `value` with the turn that proves it, `move` (each,
/// several times if its bounds narrow slowly), and in the end `done` with all of it, or `failed`
/// with an error. Nothing that is proven is taken back. Closing the connection stops the work.
#[utoipa::path(
    get,
    path = "/api/v1/analysis",
    params(GameQuery, Wanted),
    responses(
        (status = 200, description = "the events, each with such data",
         body = AnalysisEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all slots are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn analysis(
    State(server): State<Arc<Server>>,
    client: Client,
    Params(played): Params<GameQuery>,
    Params(wanted): Params<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let played = played.playthrough()?;
    let (told, reader) = server.analyses.read(played, wanted, client).await?;
    Ok(events(told, reader, server.ending.subscribe()))
}

impl Wanted {
    fn wants(self, time: Option<Duration>) -> AnalysisOptions {
        let Wanted { turns, line } = self;
        AnalysisOptions { turns, line, time, share: Some(SHARE), ..AnalysisOptions::default() }
    }
}

impl Told {
    /// Whether everything was found.
    fn is_complete(&self) -> bool {
        matches!((&self.end, &self.found), (Some(Ok(())), Some(found)) if found.complete)
    }
}

impl Story for Told {
    fn news(&self, told: Option<&Told>) -> Vec<Event> {
        let before = told.and_then(|told| told.found.as_ref());
        let done = matches!(self.end, Some(Ok(())));
        let findings = self.found.iter().flat_map(|found| found.findings_since(before, done));
        let mut news: Vec<Event> =
            findings.map(|finding| event(finding.name(), &finding)).collect();
        if let Some(Err(refusal)) = &self.end {
            news.push(event("failed", &refusal.body()));
        }
        news
    }

    fn is_over(&self) -> bool {
        self.end.is_some()
    }
}

impl Analyses {
    pub(crate) fn new(slots: Arc<Slots>) -> Analyses {
        let known = Shared { running: HashMap::new(), complete: LruCache::new(MOST) };
        Analyses { slots, known: Mutex::new(known), looking: tokio::sync::Mutex::default() }
    }

    pub(crate) fn status(&self) -> AnalysesStatus {
        let known = self.lock();
        let readers = known.running.values().map(|running| running.readers).sum();
        AnalysesStatus { running: known.running.len(), readers, kept: known.complete.len() }
    }

    /// What is found of a position, as it comes. There is no reader where nothing is left to do.
    async fn read(
        self: &Arc<Self>,
        played: Playthrough,
        wanted: Wanted,
        client: Client,
    ) -> Result<(watch::Receiver<Told>, Option<Reader>), Refusal> {
        if let Some(found) = Analysis::for_finished(&played, &wanted.wants(None)) {
            let told = Told { found: Some(found), end: Some(Ok(())) };
            return Ok((watch::channel(told).1, None));
        }
        let subject = Subject { position: *played.position(), side: played.side(), wanted };
        if let Some(known) = self.join(subject) {
            return Ok(known);
        }
        if let Some(known) = self.look_up(subject, &played).await {
            return Ok(known);
        }
        let slot = self.slots.take(client).await?;
        // Somebody may have begun meanwhile.
        match self.join(subject) {
            Some(known) => Ok(known),
            None => self.begin(subject, played, slot),
        }
    }

    /// What the books alone tell. One looks at a time, since all of a class ask the same.
    async fn look_up(
        self: &Arc<Self>,
        subject: Subject,
        played: &Playthrough,
    ) -> Option<(watch::Receiver<Told>, Option<Reader>)> {
        let _looking = self.looking.lock().await;
        if let Some(known) = self.join(subject) {
            return Some(known);
        }
        let (analyses, played) = (Arc::clone(self), played.clone());
        let look = move || analyses.slots.look_up(&played, &subject.wanted.wants(None));
        let found = tokio::task::spawn_blocking(look).await.ok()??;
        let told = Told { found: Some(found), end: Some(Ok(())) };
        self.lock().complete.put(subject, told.clone());
        Some((watch::channel(told).1, None))
    }

    fn join(self: &Arc<Self>, subject: Subject) -> Option<(watch::Receiver<Told>, Option<Reader>)> {
        let mut known = self.lock();
        if let Some(told) = known.complete.get(&subject) {
            return Some((watch::channel(told.clone()).1, None));
        }
        let running = known.running.get_mut(&subject)?;
        running.readers += 1;
        let stop = Arc::clone(&running.stop);
        let reader = Reader { analyses: Arc::clone(self), subject, stop };
        Some((running.told.clone(), Some(reader)))
    }

    fn begin(
        self: &Arc<Self>,
        subject: Subject,
        played: Playthrough,
        slot: Slot,
    ) -> Result<(watch::Receiver<Told>, Option<Reader>), Refusal> {
        let (sender, told) = watch::channel(Told::default());
        let stop = Arc::<AtomicBool>::default();
        let running = Running { told: told.clone(), stop: Arc::clone(&stop), readers: 1 };
        self.lock().running.insert(subject, running);
        let reader = Reader { analyses: Arc::clone(self), subject, stop: Arc::clone(&stop) };
        let analyses = Arc::clone(self);
        let teller = Teller { analyses, subject, played, sender, stop: Arc::clone(&stop) };
        let slot = slot.giving_way(&stop);
        slot.work(*subject.position.game(), stop, move |worker| teller.tell_all(worker))?;
        Ok((told, Some(reader)))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.known.lock().expect("nobody panics with the lock")
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

/// Finds out all about a position and tells it.
struct Teller {
    analyses: Arc<Analyses>,
    subject: Subject,
    played: Playthrough,
    sender: watch::Sender<Told>,
    stop: Arc<AtomicBool>,
}

impl Drop for Teller {
    fn drop(&mut self) {
        if self.sender.borrow().end.is_none() {
            self.close(Err(Refusal::broken()));
        }
    }
}

impl Teller {
    fn tell_all(self, worker: Result<&mut Worker, Refusal>) {
        self.close(worker.and_then(|worker| Ok(self.find_all(worker)?)));
    }

    /// Tells the end. Whoever has heard it and asks again is answered from memory.
    fn close(&self, end: Result<Analysis, Refusal>) {
        let mut told = self.sender.borrow().clone();
        told.end = Some(end.map(|found| told.found = Some(found)));
        let mut known = self.analyses.lock();
        let running = known.running.get(&self.subject);
        if running.is_some_and(|running| Arc::ptr_eq(&running.stop, &self.stop)) {
            known.running.remove(&self.subject);
        }
        if told.is_complete() {
            known.complete.put(self.subject, told.clone());
        }
        drop(known);
        self.sender.send_replace(told);
    }

    fn find_all(&self, worker: &mut Worker) -> Result<Analysis, SolveError> {
        let wants = self.subject.wanted.wants(Some(self.analyses.slots.time()));
        let found = analyze(worker.solver(), &self.played, &wants, &mut |found| {
            self.sender.send_modify(|told| told.found = Some(found.clone()));
        })?;
        let Analysis { game, position, complete, nodes, seconds, .. } = &found;
        tracing::info!(%game, %position, complete, nodes, seconds, "analysed");
        Ok(found)
    }
}
