//! Errors: each has its HTTP status.

use serde::Serialize;
use sowing_players::ChooseError;
use sowing_solver::SolveError;
use utoipa::ToSchema;

/// The most characters of a message.
const MAX_MESSAGE: usize = 300;

/// Why a request gets no answer.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: u16,
    message: String,
    example: Option<&'static str>,
    legal: Option<usize>,
}

/// The body of every response that is an error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    error: ErrorText,
}

/// What was wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ErrorText {
    /// One line for people.
    message: String,
    /// A correct example, where a parameter is wrong.
    #[schema(required)]
    example: Option<&'static str>,
    /// How many moves of the line can be played, where one cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<usize>,
}

impl ApiError {
    /// Status 400: a parameter is wrong; `example` is a correct one.
    pub fn bad(message: impl ToString, example: &'static str) -> ApiError {
        let message = message.to_string();
        ApiError { example: Some(example), ..ApiError::new(400, message) }
    }

    /// Status 400: only the first `legal` moves of a line can be played.
    pub fn illegal(message: impl ToString, legal: usize) -> ApiError {
        ApiError { legal: Some(legal), ..ApiError::bad(message, "moves=3,6,2") }
    }

    /// An error with a status and a message.
    pub fn new(status: u16, message: impl ToString) -> ApiError {
        ApiError { status, message: message.to_string(), example: None, legal: None }
    }

    /// Status 503: a limit ended the work before there was an answer.
    pub fn too_slow(message: impl ToString) -> ApiError {
        ApiError::new(503, message)
    }

    /// Status 500: the search failed.
    pub fn broken() -> ApiError {
        ApiError::new(500, "the search broke off")
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The same error with a correct example.
    pub fn with_example(self, example: &'static str) -> ApiError {
        ApiError { example: Some(example), ..self }
    }

    /// The JSON of the response.
    pub fn body(&self) -> ErrorBody {
        // One line, whatever the request has in it.
        let message = self
            .message
            .chars()
            .take(MAX_MESSAGE)
            .map(|character| if character.is_control() { ' ' } else { character });
        let message = message.collect();
        ErrorBody { error: ErrorText { message, example: self.example, legal: self.legal } }
    }
}

impl From<SolveError> for ApiError {
    /// A game that is too large for the limits is a bad request; a stop is status 503.
    fn from(error: SolveError) -> ApiError {
        match error {
            SolveError::TooLarge(_) | SolveError::TooManyTurns { .. } => {
                ApiError::bad(error, "kalah(4,3)")
            }
            SolveError::Stopped(_) => ApiError::too_slow(error),
            error => ApiError::new(500, error),
        }
    }
}

impl From<ChooseError> for ApiError {
    fn from(error: ChooseError) -> ApiError {
        match error {
            ChooseError::Finished => ApiError::bad(error, "moves=3,6,2"),
            ChooseError::Stopped => ApiError::too_slow(error),
            ChooseError::Solve(error) => error.into(),
            // An opponent that a request names is never an engine.
            _ => ApiError::broken(),
        }
    }
}
