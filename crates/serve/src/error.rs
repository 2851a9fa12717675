//! Errors as HTTP responses.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sowing_api::{ApiError, ErrorBody};
use sowing_players::ChooseError;
use sowing_solver::SolveError;

/// The seconds after which a client that found all workers busy may ask again.
pub(crate) const RETRY_AFTER: u64 = 2;

/// Why a request gets no answer.
#[derive(Clone, Debug)]
pub(crate) struct HttpError(ApiError);

impl HttpError {
    /// An error with a status and a message.
    pub(crate) fn new(status: StatusCode, message: impl ToString) -> HttpError {
        HttpError(ApiError::new(status.as_u16(), message))
    }

    /// There is no such path.
    pub(crate) fn unknown_path() -> HttpError {
        let message = "there is nothing here: the API is described at /api/v1/openapi.json";
        HttpError::new(StatusCode::NOT_FOUND, message)
    }

    /// All workers are busy.
    pub(crate) fn busy() -> HttpError {
        let message = "all workers are busy: ask again in a moment";
        HttpError::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// All connections are taken.
    pub(crate) fn full() -> HttpError {
        HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "too many connections are open")
    }

    /// The client has all connections that it may have.
    pub(crate) fn full_for_client(most: usize) -> HttpError {
        let message = format!("more than {most} connections are open from your address");
        HttpError::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The server ends before there is an answer.
    pub(crate) fn ending() -> HttpError {
        HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending: ask again later")
    }

    /// The search failed.
    pub(crate) fn broken() -> HttpError {
        HttpError(ApiError::broken())
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status()).expect("one of the common ones")
    }

    /// The JSON of the response.
    pub(crate) fn body(&self) -> ErrorBody {
        self.0.body()
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = self.status();
        let mut response = (status, Json(self.body())).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        response
    }
}

impl From<ApiError> for HttpError {
    fn from(error: ApiError) -> HttpError {
        HttpError(error)
    }
}

impl From<SolveError> for HttpError {
    fn from(error: SolveError) -> HttpError {
        HttpError(error.into())
    }
}

impl From<ChooseError> for HttpError {
    fn from(error: ChooseError) -> HttpError {
        HttpError(error.into())
    }
}
