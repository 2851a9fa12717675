//! The loss of each turn of a game.

use serde::Serialize;
use sowing_analysis::{Review, ReviewedTurn};
use sowing_rules::Playthrough;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};

/// The data of an event of a review, which are named `turn`, `done` and `failed`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a description: turns, reviews and errors are sent as they are")]
enum ReviewEvent {
    Turn(ReviewedTurn),
    Done(Review),
    Failed(ErrorBody),
}

/// Reads the query of a review.
#[utoipa::path(
    get,
    summary = "What each turn of a game gave away against perfect play, as server-sent events",
    description = "`turn` for each turn, the last one first, and in the end `done` with all of them and the sums, or `failed` with an error. Closing the connection stops the work.",
    path = "/api/v1/review",
    params(GameQuery),
    responses(
        (status = 200, description = "the events, each with such data",
         body = ReviewEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all workers are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub fn review(query: &str) -> Result<Playthrough, ApiError> {
    read::<GameQuery>(query)?.playthrough()
}
