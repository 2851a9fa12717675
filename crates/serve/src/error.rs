//! What a request is refused with, over HTTP.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sowing_answers::ErrorBody;
use sowing_players::ChooseError;
use sowing_solver::SolveError;

/// The seconds after which a client that found all slots busy may ask again.
pub(crate) const RETRY_AFTER: u64 = 2;

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Refusal(sowing_answers::Refusal);

impl Refusal {
    /// A refusal that its status says nearly all about.
    pub(crate) fn of(status: StatusCode, message: impl ToString) -> Refusal {
        Refusal(sowing_answers::Refusal::of(status.as_u16(), message))
    }

    /// There is no such path.
    pub(crate) fn unknown_path() -> Refusal {
        let message = "there is nothing here: the API is described at /api/v1/openapi.json";
        Refusal::of(StatusCode::NOT_FOUND, message)
    }

    /// There is no such study.
    pub(crate) fn unknown_study(name: &str) -> Refusal {
        let name = sowing_rules::quoted(name);
        let message = format!("no study is called {name}: /api/v1/studies lists them");
        Refusal(Refusal::of(StatusCode::NOT_FOUND, message).0.with_example("thesis-7"))
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

    /// The client has all connections that it may have.
    pub(crate) fn full_for_client(most: usize) -> Refusal {
        let message = format!("more than {most} connections are open from your address");
        Refusal::of(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The server ends before there is an answer.
    pub(crate) fn ending() -> Refusal {
        Refusal::of(StatusCode::SERVICE_UNAVAILABLE, "the server is ending: ask again later")
    }

    /// Something is wrong with the server.
    pub(crate) fn broken() -> Refusal {
        Refusal(sowing_answers::Refusal::broken())
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status()).expect("one of the common ones")
    }

    /// The JSON that says so.
    pub(crate) fn body(&self) -> ErrorBody {
        self.0.body()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.status();
        let mut response = (status, Json(self.body())).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        response
    }
}

impl From<sowing_answers::Refusal> for Refusal {
    fn from(refusal: sowing_answers::Refusal) -> Refusal {
        Refusal(refusal)
    }
}

impl From<SolveError> for Refusal {
    fn from(error: SolveError) -> Refusal {
        Refusal(error.into())
    }
}

impl From<ChooseError> for Refusal {
    fn from(error: ChooseError) -> Refusal {
        Refusal(error.into())
    }
}
