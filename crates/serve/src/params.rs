//! The parameters of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::Refusal;

/// The parameters of a query; a wrong one is refused as JSON.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params<T>, Refusal> {
        Ok(Params(sowing_answers::read(parts.uri.query().unwrap_or_default())?))
    }
}
