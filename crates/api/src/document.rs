//! The OpenAPI document.

use utoipa::OpenApi;

use crate::{
    analysis, board, choices, fair, games, import, motions, position, puzzles, qr, record, reply,
    review, solitaire, status, studies,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "sow serve",
        description = "Positions of sowing games, their exact values, and studies of them. Games, \
                       positions and moves are in the notation of the command sow. Unknown is null, \
                       never 0. Any path is refused with 421 for a host that is not the server's, and \
                       with 403 for an origin that is not; paths that start work also where a browser \
                       asks for a page of another site. 429 and 503 come when too many connections are \
                       open, from one address or in all.",
    ),
    paths(
        games::games,
        games::rules,
        position::position,
        record::record,
        motions::motions,
        board::board,
        analysis::analysis,
        review::review,
        reply::reply,
        choices::choices,
        import::import,
        puzzles::puzzles,
        fair::fair,
        qr::qr,
        solitaire::solitaire,
        studies::studies,
        studies::study,
        studies::study_table,
        status::status,
    )
)]
struct Document;

/// The OpenAPI document of all routes, with everything that is sent and received.
pub fn document() -> serde_json::Value {
    serde_json::to_value(Document::openapi()).expect("a document of plain data")
}
