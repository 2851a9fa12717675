//! The motions of several moves.

use serde::{Deserialize, Serialize};
use sowing_analysis::Motion;
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, play_all, read, read_moves};
use crate::route::Response;

/// The most motions of a response.
pub(crate) const MAX_MOTIONS: u64 = 2000;

/// The moves of `motions`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct MotionsQuery {
    /// Moves that follow the game so far, commas between them: a whole turn, or more.
    #[param(example = "4")]
    next: String,
}

/// The motions of moves, in order.
#[derive(Debug, Serialize, ToSchema)]
struct Motions {
    /// `null` if there are more than 2,000.
    #[schema(required)]
    motions: Option<Vec<Motion>>,
}

/// The motions of the next moves, seed by seed
#[utoipa::path(
    get,
    path = "/api/v1/motions",
    params(GameQuery, MotionsQuery),
    responses(
        (status = 200, description = "the motions of all of these moves", body = Motions),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) fn motions(query: &str) -> Result<Response, ApiError> {
    let mut played = read::<GameQuery>(query)?.playthrough()?;
    let before = played.plays().len();
    play_all(&mut played, &read_moves(&read::<MotionsQuery>(query)?.next)?)?;
    let mut left = MAX_MOTIONS;
    let motions = played.plays()[before..].iter().map(|play| {
        let game = played.position().game();
        let motions = sowing_analysis::motions(game, play.side, &play.report, left)?;
        left -= motions.len() as u64;
        Some(motions)
    });
    let motions = motions.collect::<Option<Vec<_>>>().map(|motions| motions.concat());
    Ok(Response::json(&Motions { motions }))
}
