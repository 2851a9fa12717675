//! The board as an SVG picture.

use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use serde::Deserialize;
use sowing::Side;
use sowing_draw::board;
use utoipa::IntoParams;

use crate::error::{ErrorBody, Refusal};
use crate::query::{GameQuery, Params};

/// A picture brings its own style, and nothing else.
pub(crate) const PICTURE: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "image/svg+xml"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
];

/// How it is seen.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Seen {
    /// Whether North sits below.
    #[serde(default)]
    flip: bool,
}

/// The board after these moves as a picture
#[utoipa::path(
    get,
    path = "/api/v1/board.svg",
    params(GameQuery, Seen),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) async fn picture(
    Params(played): Params<GameQuery>,
    Params(seen): Params<Seen>,
) -> Result<impl IntoResponse, Refusal> {
    let played = played.playthrough()?;
    let below = if seen.flip { Side::North } else { Side::South };
    let picture = board::picture(played.position(), played.side(), below).to_string();
    Ok((PICTURE, picture))
}
