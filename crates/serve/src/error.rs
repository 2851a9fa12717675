//! What a request is refused with: an error knows its status.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sowing_solver::SolveError;
use utoipa::ToSchema;

/// The seconds after which a client that found all slots busy may ask again.
pub(crate) const RETRY_AFTER: u64 = 2;

/// The most characters of a message.
const LONGEST: usize = 300;

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: String,
    example: Option<&'static str>,
    legal: Option<usize>,
}

/// The body of every answer that is an error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    error: ErrorText,
}

/// What was wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ErrorText {
    /// One line for people.
    message: String,
    /// What would be right, where something was written wrongly.
    #[schema(required)]
    example: Option<&'static str>,
    /// How many moves of the line can be played, where one cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<usize>,
}

impl Refusal {
    /// Something was written wrongly; this would be right.
    pub(crate) fn bad(message: impl ToString, example: &'static str) -> Refusal {
        let message = message.to_string();
        Refusal { example: Some(example), ..Refusal::of(StatusCode::BAD_REQUEST, message) }
    }

    /// A line of moves breaks off after so many.
    pub(crate) fn illegal(message: impl ToString, legal: usize) -> Refusal {
        Refusal { legal: Some(legal), ..Refusal::bad(message, "moves=3,6,2") }
    }

    /// A refusal that its status says nearly all about.
    pub(crate) fn of(status: StatusCode, message: impl ToString) -> Refusal {
        Refusal { status, message: message.to_string(), example: None, legal: None }
    }

    /// There is no such path.
    pub(crate) fn unknown_path() -> Refusal {
        let message = "there is nothing here: the API is described at /api/v1/openapi.json";
        Refusal::of(StatusCode::NOT_FOUND, message)
    }

    /// There is no such study.
    pub(crate) fn unknown_study(name: &str) -> Refusal {
        let name = sowing::quoted(name);
        let message = format!("no study is called {name}: /api/v1/studies lists them");
        Refusal { example: Some("thesis-7"), ..Refusal::of(StatusCode::NOT_FOUND, message) }
    }

    /// All slots are busy.
    pub(crate) fn busy() -> Refusal {
        let message = "all analysis slots are busy: ask again in a moment";
        Refusal::of(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// All connections are taken.
    pub(crate) fn full() -> Refusal {
        Refusal::of(StatusCode::SERVICE_UNAVAILABLE, "too many connections are open")
    }

    /// The server ends before there is an answer.
    pub(crate) fn ending() -> Refusal {
        Refusal::of(StatusCode::SERVICE_UNAVAILABLE, "the server is ending: ask again later")
    }

    /// The limits ended the work before there was an answer.
    pub(crate) fn too_slow(message: impl ToString) -> Refusal {
        Refusal::of(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Something is wrong with the server.
    pub(crate) fn broken() -> Refusal {
        Refusal::of(StatusCode::INTERNAL_SERVER_ERROR, "the search broke off")
    }

    /// The JSON that says so.
    pub(crate) fn body(&self) -> ErrorBody {
        // One line, whatever it repeats.
        let message = self
            .message
            .chars()
            .take(LONGEST)
            .map(|character| if character.is_control() { ' ' } else { character });
        let message = message.collect();
        ErrorBody { error: ErrorText { message, example: self.example, legal: self.legal } }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        response
    }
}

impl From<SolveError> for Refusal {
    /// A game that is too large to be solved within a slot is the asker's choice; a stop is a
    /// matter of the server's limits.
    fn from(error: SolveError) -> Refusal {
        match error {
            SolveError::TooLarge(_) | SolveError::TooManyTurns { .. } => {
                Refusal::bad(error, "kalah(4,3)")
            }
            SolveError::Stopped => Refusal::too_slow(error),
            error => Refusal::of(StatusCode::INTERNAL_SERVER_ERROR, error),
        }
    }
}
