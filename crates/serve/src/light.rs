//! What is answered at once, without a solver: the paths of `sowing_answers`.

use axum::Json;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use sowing_answers::{
    Asked, ErrorBody, Fair, FairStart, GameQuery, Games, Imported, Pasted, Plays, Puzzles,
    RulesText, Said, Seen, SolitaireView, View,
};

use crate::error::Refusal;
use crate::params::Params;

/// A picture brings its own style, and nothing else.
const PICTURE: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "image/svg+xml"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
];

/// The game after these moves
#[utoipa::path(
    get,
    path = "/api/v1/position",
    params(GameQuery),
    responses(
        (status = 200, description = "the game as it stands", body = View),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) async fn position(Params(played): Params<GameQuery>) -> Result<Json<View>, Refusal> {
    Ok(Json(View::new(&played.playthrough()?)))
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
    Ok((PICTURE, sowing_answers::picture(&played.playthrough()?, &seen)))
}

/// An address as a QR code
#[utoipa::path(
    get,
    path = "/api/v1/qr.svg",
    params(Said),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "no address, or one that is too long", body = ErrorBody),
    )
)]
pub(crate) async fn qr(Params(said): Params<Said>) -> Result<impl IntoResponse, Refusal> {
    Ok((PICTURE, said.as_qr()?))
}

/// A Tchoukaillon board after these plays
#[utoipa::path(
    get,
    path = "/api/v1/solitaire",
    params(Plays),
    responses(
        (status = 200, description = "the board as it stands", body = SolitaireView),
        (status = 400, description = "a bad number or play", body = ErrorBody),
    )
)]
pub(crate) async fn solitaire(
    Params(plays): Params<Plays>,
) -> Result<Json<SolitaireView>, Refusal> {
    Ok(Json(plays.view()?))
}

/// The rules of a game in plain sentences
#[utoipa::path(
    get,
    path = "/api/v1/rules",
    params(Asked),
    responses(
        (status = 200, description = "the rules", body = RulesText),
        (status = 400, description = "a bad game", body = ErrorBody),
    )
)]
pub(crate) async fn rules(Params(asked): Params<Asked>) -> Result<Json<RulesText>, Refusal> {
    Ok(Json(asked.rules()?))
}

/// The games, options and opponents there are
#[utoipa::path(
    get,
    path = "/api/v1/games",
    responses((status = 200, description = "the games, options, sizes and opponents", body = Games))
)]
pub(crate) async fn games() -> Json<Games> {
    Json(Games::all())
}

/// A pasted record, position or KGP literal as a game
#[utoipa::path(
    get,
    path = "/api/v1/import",
    params(Pasted),
    responses(
        (status = 200, description = "the game", body = Imported),
        (status = 400, description = "neither a record nor a position", body = ErrorBody),
    )
)]
pub(crate) async fn import(Params(pasted): Params<Pasted>) -> Result<Json<Imported>, Refusal> {
    Ok(Json(pasted.import()?))
}

/// Puzzles: positions with one best turn that is worth finding
#[utoipa::path(
    get,
    path = "/api/v1/puzzles",
    responses((status = 200, description = "all of them", body = Puzzles))
)]
pub(crate) async fn puzzles() -> Json<Puzzles> {
    Json(Puzzles::all())
}

/// A start of a game that is a draw with perfect play
#[utoipa::path(
    get,
    path = "/api/v1/fair",
    params(Fair),
    responses(
        (status = 200, description = "a start, if one is known", body = FairStart),
        (status = 400, description = "a bad game", body = ErrorBody),
    )
)]
pub(crate) async fn fair(Params(wanted): Params<Fair>) -> Result<Json<FairStart>, Refusal> {
    Ok(Json(wanted.start()?))
}
