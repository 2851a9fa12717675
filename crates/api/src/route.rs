//! The table of routes.

use serde::Serialize;

use crate::error::ApiError;
use crate::{board, fair, games, import, motions, position, puzzles, qr, record, solitaire};

/// What stands before the path of every route in an address.
pub const PREFIX: &str = "/api/v1/";

/// How a route is answered.
#[derive(Clone, Copy, Debug)]
pub enum Route {
    /// At once, from the query alone.
    Direct(fn(&str) -> Result<Response, ApiError>),
    /// By a stream of findings: [`analysis`](crate::analysis).
    Analysis,
    /// By a stream of turns: [`review`](crate::review).
    Review,
    /// By a move that takes a search: [`reply`](crate::reply).
    Reply,
    /// By a search with every level: [`choices`](crate::choices).
    Choices,
    /// By the list of studies.
    Studies,
    /// By a study: [`study`](crate::study).
    Study,
    /// By the table of a study.
    StudyTable,
    /// By the state of the server.
    Status,
}

/// All routes, by their paths behind [`PREFIX`].
pub static ROUTES: [(&str, Route); 19] = [
    ("games", Route::Direct(games::games)),
    ("rules", Route::Direct(games::rules)),
    ("position", Route::Direct(position::position)),
    ("record", Route::Direct(record::record)),
    ("motions", Route::Direct(motions::motions)),
    ("board.svg", Route::Direct(board::board)),
    ("analysis", Route::Analysis),
    ("review", Route::Review),
    ("reply", Route::Reply),
    ("choices", Route::Choices),
    ("import", Route::Direct(import::import)),
    ("puzzles", Route::Direct(puzzles::puzzles)),
    ("fair", Route::Direct(fair::fair)),
    ("qr.svg", Route::Direct(qr::qr)),
    ("solitaire", Route::Direct(solitaire::solitaire)),
    ("studies", Route::Studies),
    ("studies/{name}", Route::Study),
    ("studies/{name}/table", Route::StudyTable),
    ("status", Route::Status),
];

impl Route {
    /// The route of a path that has no parameters in it.
    pub fn find(path: &str) -> Option<Route> {
        ROUTES.iter().find(|(known, _)| *known == path).map(|(_, route)| *route)
    }

    /// Whether a request makes the machine search.
    pub fn starts_work(self) -> bool {
        match self {
            Route::Analysis
            | Route::Review
            | Route::Reply
            | Route::Choices
            | Route::Study
            | Route::StudyTable => true,
            Route::Direct(_) | Route::Studies | Route::Status => false,
        }
    }
}

/// The body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// JSON.
    Json(String),
    /// An SVG picture.
    Svg(String),
}

impl Response {
    pub(crate) fn json(data: &impl Serialize) -> Response {
        Response::Json(serde_json::to_string(data).expect("plain data can be written as JSON"))
    }

    /// The text.
    pub fn body(&self) -> &str {
        match self {
            Response::Json(body) | Response::Svg(body) => body,
        }
    }

    /// The text, for a caller who keeps it.
    pub fn into_body(self) -> String {
        match self {
            Response::Json(body) | Response::Svg(body) => body,
        }
    }
}
