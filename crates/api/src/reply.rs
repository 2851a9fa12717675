//! The move of an opponent.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sowing_players::{ChooseError, Opponent};
use sowing_rules::{Move, Playthrough};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};

/// How long an opponent may think about a move.
pub const REPLY_TIME: Duration = Duration::from_secs(5);

/// The opponent of `reply`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReplyQuery {
    /// The opponent: random, level:1 to level:9, pdp:DEPTH or perfect.
    #[param(example = "level:3")]
    opponent: String,
    /// The seed of its random numbers.
    #[serde(default)]
    seed: u64,
}

/// A move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// A house's number, or `swap`.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    seconds: f64,
}

/// A request for a reply.
#[derive(Debug)]
pub struct ReplyRequest {
    /// The game, which is not over.
    pub played: Playthrough,
    /// The opponent.
    pub opponent: Opponent,
    /// The seed of its random numbers.
    pub seed: u64,
}

/// Reads the query of a reply.
#[utoipa::path(
    get,
    summary = "An opponent's move in the position after these moves",
    path = "/api/v1/reply",
    params(GameQuery, ReplyQuery),
    responses(
        (status = 200, description = "one move", body = Reply),
        (status = 400, description = "a bad game, position, move or opponent", body = ErrorBody),
        (status = 503, description = "no worker was free, or the opponent took too long",
         body = ErrorBody),
    )
)]
pub fn reply(query: &str) -> Result<ReplyRequest, ApiError> {
    let played = read::<GameQuery>(query)?.playthrough()?;
    let ReplyQuery { opponent, seed } = read(query)?;
    let opponent = opponent.parse().map_err(|error| ApiError::bad(error, "opponent=level:3"))?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    Ok(ReplyRequest { played, opponent, seed })
}

impl Reply {
    /// A move, and the seconds that it took.
    pub fn new(action: Move, seconds: f64) -> Reply {
        Reply { action, seconds }
    }
}

/// The opponents that a page offers, weakest first: name, title, description.
pub(crate) const OPPONENTS: [(&str, &str, &str); 12] = [
    ("random", "Random", "Any legal move."),
    ("level:1", "Level 1", "For a first game: four moves in five are random."),
    ("level:2", "Level 2", "More than half of its moves are random."),
    ("level:3", "Level 3", "A third of its moves are random."),
    ("level:4", "Level 4", "Takes what it sees, with slips."),
    ("level:5", "Level 5", "Looks at your answer, with slips."),
    ("level:6", "Level 6", "Looks three turns ahead."),
    ("level:7", "Level 7", "Looks five turns ahead."),
    ("level:8", "Level 8", "Looks seven turns ahead."),
    ("level:9", "Level 9", "Looks ten turns ahead."),
    ("pdp:4", "PDP-1", "The machine of the PDP-1, four turns ahead."),
    ("perfect", "Perfect", "Exact where it can be in its time, else its best."),
];
