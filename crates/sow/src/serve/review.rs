//! What each turn of a game cost, told while it is found out.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use serde::Serialize;
use sowing::{Move, Playthrough};
use sowing_players::{Review, ReviewedTurn};
use tokio::sync::watch;
use utoipa::ToSchema;

use super::error::{ErrorBody, Refusal};
use super::position::Row;
use super::query::{Params, Played, move_text};
use super::reply::StopOnDrop;
use super::slots::Worker;
use super::state::Server;
use super::stream::{event, events};

/// What a turn was worth.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TurnEvent {
    /// Turns are numbered from 1.
    turn: usize,
    /// The moves before it.
    ply: usize,
    side: Row,
    moves: Vec<String>,
    /// The side's margin with perfect play before the turn; `null` if it was not found in time.
    before: Option<i64>,
    /// The same after it.
    after: Option<i64>,
    /// The seeds that it lost against perfect play.
    lost: Option<i64>,
    /// A turn that loses nothing: the one played, if it is one.
    best: Option<Vec<String>>,
}

/// The sums.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedEvent {
    lost: LostByRow,
    /// The numbers of the turns that lost something, the worst first.
    worst: Vec<usize>,
    /// Whether every turn's value was found.
    exact: bool,
}

/// The seeds that the turns of each row are known to have lost.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct LostByRow {
    south: i64,
    north: i64,
}

/// Where a review stands: the turns that are done, the last one first.
#[derive(Clone, Debug, Default)]
struct Reviewed {
    turns: Vec<TurnEvent>,
    end: Option<Result<(), Refusal>>,
}

/// What each turn of a game lost against perfect play, as server-sent events
///
/// `turn` for each turn, the last one first, and in the end `done` with the sums, or `failed` with
/// an error. Closing the connection stops the work.
#[utoipa::path(
    get,
    path = "/api/v1/review",
    params(Played),
    responses(
        (status = 200, description = "the events; the data of the last one is described here",
         body = ReviewedEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all slots are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn review(
    State(server): State<Arc<Server>>,
    Params(played): Params<Played>,
) -> Result<impl IntoResponse, Refusal> {
    let played = played.playthrough()?;
    let slot = server.slots.take().await?;
    let (sender, reviewed) = watch::channel(Reviewed::default());
    let stop = Arc::<AtomicBool>::default();
    let guard = StopOnDrop(Arc::clone(&stop));
    slot.work(*played.position().game(), stop, move |worker| {
        let end = worker.and_then(|worker| find_all(worker, &played, &sender));
        sender.send_modify(|reviewed| reviewed.end = Some(end));
    })?;
    Ok(events(reviewed, guard, server.ending.subscribe(), |told, now| now.news(told)))
}

fn find_all(
    worker: &mut Worker,
    played: &Playthrough,
    sender: &watch::Sender<Reviewed>,
) -> Result<(), Refusal> {
    let values = worker.values();
    Review::of(played, worker.solver(), |turn| {
        let (earlier, _) = played.plays().split_at(turn.first);
        let before = earlier.last().map_or(played.start(), |play| &play.after);
        if let Some(value) = turn.before.value() {
            values.put(*before, value);
        }
        let number = 1 + earlier.iter().filter(|play| !play.report.again).count();
        sender.send_modify(|reviewed| reviewed.turns.push(TurnEvent::new(number, turn)));
    })?;
    Ok(())
}

impl TurnEvent {
    fn new(number: usize, turn: &ReviewedTurn) -> TurnEvent {
        let texts = |moves: &Vec<Move>| moves.iter().copied().map(move_text).collect();
        let best = match turn.loss() {
            Some(0) => Some(&turn.moves),
            _ => turn.better.as_ref(),
        };
        TurnEvent {
            turn: number,
            ply: turn.first,
            side: turn.side.into(),
            moves: texts(&turn.moves),
            before: turn.before.value(),
            after: turn.after.value(),
            lost: turn.loss(),
            best: best.map(texts),
        }
    }
}

impl Reviewed {
    fn news(&self, told: Option<&Reviewed>) -> Vec<Event> {
        let known = told.map_or(0, |told| told.turns.len());
        let mut news: Vec<Event> =
            self.turns[known..].iter().map(|turn| event("turn", turn)).collect();
        match &self.end {
            None => {}
            Some(Err(refusal)) => news.push(event("failed", &refusal.body())),
            Some(Ok(())) => news.push(event("done", &self.sums())),
        }
        news
    }

    fn sums(&self) -> ReviewedEvent {
        let lost = |row| {
            let turns = self.turns.iter().filter(|turn| turn.side == row);
            turns.filter_map(|turn| turn.lost).sum()
        };
        let mut losing: Vec<_> = self.turns.iter().filter(|turn| turn.lost > Some(0)).collect();
        losing.sort_by_key(|turn| (Reverse(turn.lost), turn.turn));
        ReviewedEvent {
            lost: LostByRow { south: lost(Row::South), north: lost(Row::North) },
            worst: losing.iter().map(|turn| turn.turn).collect(),
            exact: self.turns.iter().all(|turn| turn.lost.is_some()),
        }
    }
}
