//! The loss of each turn of a game, as a stream of events.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::http::Uri;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use sowing_analysis::{Review, ReviewedTurn};
use sowing_rules::Playthrough;
use tokio::sync::watch;

use crate::error::HttpError;
use crate::handlers::query;
use crate::queue::Client;
use crate::reply::StopOnDrop;
use crate::state::Server;
use crate::stream::{Snapshot, event, events};
use crate::workers::Worker;

/// The turns that are done, the last one first.
#[derive(Clone, Debug, Default)]
struct Reviewed {
    turns: Vec<ReviewedTurn>,
    end: Option<Result<Review, HttpError>>,
}

/// Streams a review.
pub(crate) async fn review(
    State(server): State<Arc<Server>>,
    client: Client,
    uri: Uri,
) -> Result<impl IntoResponse, HttpError> {
    let played = sowing_api::review(query(&uri))?;
    let lease = server.pool.acquire(client).await?;
    let (sender, reviewed) = watch::channel(Reviewed::default());
    let stop = Arc::<AtomicBool>::default();
    let guard = StopOnDrop(Arc::clone(&stop));
    let lease = lease.preemptible(&stop);
    lease.work(*played.position().game(), stop, move |worker| {
        let end = worker.and_then(|worker| find_all(worker, &played, &sender));
        sender.send_modify(|reviewed| reviewed.end = Some(end));
    })?;
    Ok(events(reviewed, guard, server.ending.subscribe()))
}

fn find_all(
    worker: &mut Worker,
    played: &Playthrough,
    sender: &watch::Sender<Reviewed>,
) -> Result<Review, HttpError> {
    let review = Review::from_playthrough(played, worker.solver(), |turn| {
        sender.send_modify(|reviewed| reviewed.turns.push(turn.clone()));
    })?;
    let (game, turns) = (played.position().game(), review.turns.len());
    tracing::info!(%game, turns, complete = review.complete, "reviewed");
    Ok(review)
}

impl Snapshot for Reviewed {
    fn events_since(&self, sent: Option<&Reviewed>) -> Vec<Event> {
        let known = sent.map_or(0, |sent| sent.turns.len());
        let mut events: Vec<Event> =
            self.turns[known..].iter().map(|turn| event("turn", turn)).collect();
        match &self.end {
            None => {}
            Some(Err(error)) => events.push(event("failed", &error.body())),
            Some(Ok(review)) => events.push(event("done", review)),
        }
        events
    }

    fn is_final(&self) -> bool {
        self.end.is_some()
    }
}
