//! What each turn of a game gave away, told while it is found out.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use serde::Serialize;
use sowing_analysis::{Review, ReviewedTurn};
use sowing_answers::{ErrorBody, GameQuery};
use sowing_rules::Playthrough;
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::error::Refusal;
use crate::params::Params;
use crate::queue::Client;
use crate::reply::StopOnDrop;
use crate::slots::Worker;
use crate::state::Server;
use crate::stream::{Story, event, events};

/// The data of an event of a review, which are named `turn`, `done` and `failed`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a description: turns, reviews and errors are sent as they are")]
pub(crate) enum ReviewEvent {
    Turn(ReviewedTurn),
    Done(Review),
    Failed(ErrorBody),
}

/// Where a review stands: the turns that are done, the last one first.
#[derive(Clone, Debug, Default)]
struct Reviewed {
    turns: Vec<ReviewedTurn>,
    end: Option<Result<Review, Refusal>>,
}

/// What each turn of a game gave away against perfect play, as server-sent events
///
/// `turn` for each turn, the last one first, and in the end `done` with all of them and the sums, or
/// `failed` with an error. Closing the connection stops the work.
#[utoipa::path(
    get,
    path = "/api/v1/review",
    params(GameQuery),
    responses(
        (status = 200, description = "the events, each with such data",
         body = ReviewEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all slots are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn review(
    State(server): State<Arc<Server>>,
    client: Client,
    Params(played): Params<GameQuery>,
) -> Result<impl IntoResponse, Refusal> {
    let played = played.playthrough()?;
    let slot = server.slots.take(client).await?;
    let (sender, reviewed) = watch::channel(Reviewed::default());
    let stop = Arc::<AtomicBool>::default();
    let guard = StopOnDrop(Arc::clone(&stop));
    let slot = slot.giving_way(&stop);
    slot.work(*played.position().game(), stop, move |worker| {
        let end = worker.and_then(|worker| find_all(worker, &played, &sender));
        sender.send_modify(|reviewed| reviewed.end = Some(end));
    })?;
    Ok(events(reviewed, guard, server.ending.subscribe()))
}

fn find_all(
    worker: &mut Worker,
    played: &Playthrough,
    sender: &watch::Sender<Reviewed>,
) -> Result<Review, Refusal> {
    let review = Review::from_playthrough(played, worker.solver(), |turn| {
        sender.send_modify(|reviewed| reviewed.turns.push(turn.clone()));
    })?;
    let (game, turns) = (played.position().game(), review.turns.len());
    tracing::info!(%game, turns, complete = review.complete, "reviewed");
    Ok(review)
}

impl Story for Reviewed {
    fn news(&self, told: Option<&Reviewed>) -> Vec<Event> {
        let known = told.map_or(0, |told| told.turns.len());
        let mut news: Vec<Event> =
            self.turns[known..].iter().map(|turn| event("turn", turn)).collect();
        match &self.end {
            None => {}
            Some(Err(refusal)) => news.push(event("failed", &refusal.body())),
            Some(Ok(review)) => news.push(event("done", review)),
        }
        news
    }

    fn is_over(&self) -> bool {
        self.end.is_some()
    }
}
