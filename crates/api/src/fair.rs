//! Starts that are a draw with perfect play.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{read, read_game};
use crate::route::Response;

/// The query of `fair`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FairQuery {
    /// The game.
    #[param(example = "kalah(6,4)")]
    game: String,
    /// The index among the known starts, modulo their number.
    #[serde(default)]
    number: usize,
}

/// A start that is a draw with perfect play.
#[derive(Debug, Serialize, ToSchema)]
struct FairStart {
    /// The start; `null` if none is known of this game.
    #[schema(required)]
    start: Option<String>,
    /// How many are known.
    of: usize,
}

/// A start of a game that is a draw with perfect play
#[utoipa::path(
    get,
    path = "/api/v1/fair",
    params(FairQuery),
    responses(
        (status = 200, description = "a start, if one is known", body = FairStart),
        (status = 400, description = "a bad game", body = ErrorBody),
    )
)]
pub(crate) fn fair(query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&read::<FairQuery>(query)?.start()?))
}

impl FairQuery {
    /// The start, if one is known.
    fn start(&self) -> Result<FairStart, ApiError> {
        let starts = sowing_lab::fair_starts(&read_game(&self.game)?).unwrap_or_default();
        let start = starts.get(self.number % starts.len().max(1)).map(ToString::to_string);
        Ok(FairStart { start, of: starts.len() })
    }
}
