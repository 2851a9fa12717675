//! The moves of a game so far.

use serde::Serialize;
use sowing_analysis::schema;
use sowing_rules::{Move, Playthrough, Record, Side};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};
use crate::route::Response;

/// The moves of a game so far.
#[derive(Debug, Serialize, ToSchema)]
struct PlayedMoves {
    /// The moves as a record; South moves first in it.
    record: String,
    /// The moves in order.
    moves: Vec<PlayedMove>,
}

/// A move that was played.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayedMove {
    /// A house's number, or `swap`.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    #[schema(value_type = schema::Side)]
    side: Side,
    again: bool,
    captured: u64,
    /// The number of its turn, from 1.
    turn: usize,
}

/// The moves so far, one by one and as a record
#[utoipa::path(
    get,
    path = "/api/v1/record",
    params(GameQuery),
    responses(
        (status = 200, description = "the moves and the record", body = PlayedMoves),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) fn record(query: &str) -> Result<Response, ApiError> {
    let played = read::<GameQuery>(query)?.playthrough()?;
    let record = Record::from_playthrough(&as_recorded(&played)).to_string();
    Ok(Response::json(&PlayedMoves { record, moves: played_moves(&played).collect() }))
}

/// The moves of a game in order.
pub(crate) fn played_moves(played: &Playthrough) -> impl Iterator<Item = PlayedMove> {
    let mut turn = 1;
    played.plays().iter().map(move |play| {
        let (again, captured) = (play.report.again, play.report.captured());
        let played = PlayedMove { action: play.action, side: play.side, again, captured, turn };
        turn += usize::from(!again);
        played
    })
}

/// The same game with South first, as records have it.
fn as_recorded(played: &Playthrough) -> Playthrough {
    let mut recorded = Playthrough::new(*played.start());
    for play in played.plays() {
        recorded.try_play(play.action).expect("the moves are legal whatever the rows are called");
    }
    recorded
}
