//! The worth of a position and of its moves, told while it is found out.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use axum::extract::State;
use axum::response::IntoResponse;
use lru::LruCache;
use sowing::{Move, Position};
use sowing_solver::{Bounds, Score, SolveError, Verdict};
use tokio::sync::watch;

use super::error::{ErrorBody, Refusal};
use super::findings::{DoneEvent, Effort, End, Findings};
use super::query::{Params, Played};
use super::slots::{Slot, Slots, Worker};
use super::state::Server;
use super::stream::events;

/// The most complete analyses that are kept: a few kilobytes each.
const MOST: NonZeroUsize = NonZeroUsize::new(1 << 12).unwrap();

/// The analyses under way and those that were completed last.
#[derive(Debug)]
pub(crate) struct Analyses {
    slots: Arc<Slots>,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    running: HashMap<Position, Running>,
    complete: LruCache<Position, Findings>,
}

/// An analysis under way. Everybody who asks about its position reads the same one.
#[derive(Debug)]
struct Running {
    findings: watch::Receiver<Findings>,
    stop: Arc<AtomicBool>,
    readers: usize,
}

/// Somebody who reads an analysis. When the last one goes, it is stopped.
struct Reader {
    analyses: Arc<Analyses>,
    position: Position,
    stop: Arc<AtomicBool>,
}

/// The value of the position after these moves and of every move there, as server-sent events
///
/// `bounds` (several), `value` (once it is known), `move` (each, several times if its bounds narrow
/// slowly), and in the end `done` with all of it, or `failed` with an error. Closing the connection
/// stops the work.
#[utoipa::path(
    get,
    path = "/api/v1/analysis",
    params(Played),
    responses(
        (status = 200, description = "the events; the data of the last one is described here",
         body = DoneEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all slots are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn analysis(
    State(server): State<Arc<Server>>,
    Params(played): Params<Played>,
) -> Result<impl IntoResponse, Refusal> {
    let played = played.playthrough()?;
    let (position, mover) = (*played.position(), played.side());
    let (findings, reader) = server.analyses.read(position).await?;
    let cached = reader.is_none();
    let ending = server.ending.subscribe();
    Ok(events(findings, reader, ending, move |told, now| now.news(told, mover, cached)))
}

impl Analyses {
    pub(crate) fn new(slots: Arc<Slots>) -> Analyses {
        let known = Known { running: HashMap::new(), complete: LruCache::new(MOST) };
        Analyses { slots, known: Mutex::new(known) }
    }

    /// The findings about a position, as they come. There is no reader where nothing is left to do.
    async fn read(
        self: &Arc<Self>,
        position: Position,
    ) -> Result<(watch::Receiver<Findings>, Option<Reader>), Refusal> {
        if position.is_finished() {
            return Ok((watch::channel(Findings::of_finished(position)).1, None));
        }
        if let Some(known) = self.join(position) {
            return Ok(known);
        }
        let slot = self.slots.take().await?;
        // Somebody may have begun meanwhile.
        match self.join(position) {
            Some(known) => Ok(known),
            None => self.begin(position, slot),
        }
    }

    fn join(
        self: &Arc<Self>,
        position: Position,
    ) -> Option<(watch::Receiver<Findings>, Option<Reader>)> {
        let mut known = self.lock();
        if let Some(findings) = known.complete.get(&position) {
            return Some((watch::channel(findings.clone()).1, None));
        }
        let running = known.running.get_mut(&position)?;
        running.readers += 1;
        let stop = Arc::clone(&running.stop);
        let reader = Reader { analyses: Arc::clone(self), position, stop };
        Some((running.findings.clone(), Some(reader)))
    }

    fn begin(
        self: &Arc<Self>,
        position: Position,
        slot: Slot,
    ) -> Result<(watch::Receiver<Findings>, Option<Reader>), Refusal> {
        let (sender, findings) = watch::channel(Findings::new(position));
        let stop = Arc::<AtomicBool>::default();
        let running = Running { findings: findings.clone(), stop: Arc::clone(&stop), readers: 1 };
        self.lock().running.insert(position, running);
        let reader = Reader { analyses: Arc::clone(self), position, stop: Arc::clone(&stop) };
        let teller = Teller { analyses: Arc::clone(self), sender, stop: Arc::clone(&stop) };
        slot.work(*position.game(), stop, move |worker| teller.tell_all(worker))?;
        Ok((findings, Some(reader)))
    }

    /// Forgets a running analysis if it is the one with this switch.
    fn forget(known: &mut Known, position: &Position, stop: &Arc<AtomicBool>) {
        if known.running.get(position).is_some_and(|running| Arc::ptr_eq(&running.stop, stop)) {
            known.running.remove(position);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("nobody panics with the lock")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut known = self.analyses.lock();
        let Some(running) = known.running.get_mut(&self.position) else { return };
        if !Arc::ptr_eq(&running.stop, &self.stop) {
            return;
        }
        running.readers -= 1;
        if running.readers == 0 {
            self.stop.store(true, Relaxed);
            known.running.remove(&self.position);
        }
    }
}

/// Finds out all about a position and tells it.
struct Teller {
    analyses: Arc<Analyses>,
    sender: watch::Sender<Findings>,
    stop: Arc<AtomicBool>,
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.sender.send_if_modified(|findings| {
            let broken = findings.end.is_none();
            findings.end.get_or_insert(Err(Refusal::broken()));
            broken
        });
        let findings = self.sender.borrow().clone();
        let mut known = self.analyses.lock();
        Analyses::forget(&mut known, &findings.position, &self.stop);
        if findings.is_exact() {
            known.complete.put(findings.position, findings);
        }
    }
}

impl Teller {
    fn tell_all(self, worker: Result<&mut Worker, Refusal>) {
        let end = worker.and_then(|worker| Ok(self.find_all(worker)?));
        self.sender.send_modify(|findings| findings.end = Some(end.map(Arc::new)));
    }

    fn find_all(&self, worker: &mut Worker) -> Result<End, SolveError> {
        let position = self.sender.borrow().position;
        let clock = Clock { start: Instant::now(), nodes: worker.solver().nodes() };
        self.on_progress(worker, clock, &position, |findings, bounds| findings.bounds = bounds);
        let verdict = worker.value(&position)?;
        let effort = clock.effort(worker.solver().nodes());
        self.sender.send_modify(|findings| {
            findings.bounds = verdict.bounds();
            findings.effort = effort;
            findings.valued = verdict.value().map(|_| effort);
        });
        let mut scores = Vec::new();
        for (index, action) in position.moves().enumerate() {
            let score = self.find_score(worker, clock, &position, index, action)?;
            scores.push(score);
        }
        let exact =
            verdict.value().is_some() && scores.iter().all(|score| score.verdict.value().is_some());
        Score::sort(&mut scores);
        self.on_progress(worker, clock, &position, |_, _| {});
        let (best_turn, line) = match verdict {
            Verdict::Exact(value) => best_play(worker, &position, value),
            Verdict::Within(_) => (None, None),
        };
        let effort = clock.effort(worker.solver().nodes());
        self.sender.send_modify(|findings| findings.effort = effort);
        Ok(End { scores, best_turn, line, exact })
    }

    fn find_score(
        &self,
        worker: &mut Worker,
        clock: Clock,
        position: &Position,
        index: usize,
        action: Move,
    ) -> Result<Score, SolveError> {
        let (next, report) = position.play(action).expect("the moves of a position are legal");
        let again = report.again;
        let score = move |verdict: Verdict| {
            let verdict = if again { verdict } else { verdict.negated() };
            Score { action, again, verdict }
        };
        self.on_progress(worker, clock, &next, move |findings, bounds| {
            findings.scores[index] = Some(score(bounds.into()));
        });
        let found = score(worker.value(&next)?);
        self.sender.send_modify(|findings| findings.scores[index] = Some(found.clone()));
        Ok(found)
    }

    /// Has progress with a position told. While the pie rule is open, the solver is busy with
    /// other positions, and its bounds are theirs.
    fn on_progress(
        &self,
        worker: &mut Worker,
        clock: Clock,
        position: &Position,
        note: impl Fn(&mut Findings, Bounds) + Send + 'static,
    ) {
        let (sender, own) = (self.sender.clone(), !position.pie_is_open());
        worker.solver().on_progress(move |progress| {
            sender.send_modify(|findings| {
                findings.effort = clock.effort(progress.nodes);
                if own {
                    note(findings, progress.bounds);
                }
            });
        });
    }
}

/// When an analysis began, and the nodes that its solver had behind it.
#[derive(Clone, Copy)]
struct Clock {
    start: Instant,
    nodes: u64,
}

impl Clock {
    fn effort(&self, nodes: u64) -> Effort {
        let seconds = self.start.elapsed().as_secs_f64();
        Effort { nodes: nodes.saturating_sub(self.nodes), seconds }
    }
}

/// A best turn and a perfect continuation, as far as the limits allow.
fn best_play(
    worker: &mut Worker,
    position: &Position,
    value: i64,
) -> (Option<Vec<Move>>, Option<Vec<Vec<Move>>>) {
    let (mut at, mut value, mut line) = (*position, value, Vec::new());
    while !at.is_finished() {
        match worker.best_turn(&at, value) {
            Ok((turn, next)) => {
                line.push(turn);
                at = next;
                value = -value;
            }
            Err(_) => return (line.into_iter().next(), None),
        }
        // Where positions repeat, moves that keep the value may lead round in circles.
        if position.game().rules().repeats() {
            return (line.into_iter().next(), None);
        }
    }
    (line.first().cloned(), Some(line))
}
