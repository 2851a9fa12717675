//! The board as an SVG picture.

use serde::Deserialize;
use sowing_rules::Side;
use utoipa::IntoParams;

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};
use crate::route::Response;

/// How `board.svg` shows the board.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct BoardQuery {
    /// Whether North sits below.
    #[serde(default)]
    flip: bool,
}

/// The board after these moves as a picture
#[utoipa::path(
    get,
    path = "/api/v1/board.svg",
    params(GameQuery, BoardQuery),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) fn board(query: &str) -> Result<Response, ApiError> {
    let played = read::<GameQuery>(query)?.playthrough()?;
    let below = if read::<BoardQuery>(query)?.flip { Side::North } else { Side::South };
    let picture = sowing_draw::board::picture(played.position(), played.side(), below);
    Ok(Response::Svg(picture.to_string()))
}
