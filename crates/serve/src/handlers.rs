//! The handler of each route.

use std::sync::Arc;

use axum::http::{HeaderName, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use sowing_api::Route;

use crate::error::HttpError;
use crate::state::Server;
use crate::{analysis, choices, reply, review, status, studies};

/// A picture brings its own style, and nothing else.
const SVG: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "image/svg+xml"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
];

const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// The handler of a route.
pub(crate) fn handler(route: Route) -> MethodRouter<Arc<Server>> {
    match route {
        Route::Direct(answer) => {
            get(
                move |uri: Uri| async move { answer(query(&uri)).map(respond).map_err(HttpError::from) },
            )
        }
        Route::Analysis => get(analysis::analysis),
        Route::Review => get(review::review),
        Route::Reply => get(reply::reply),
        Route::Choices => get(choices::choices),
        Route::Studies => get(studies::studies),
        Route::Study => get(studies::study),
        Route::StudyTable => get(studies::study_table),
        Route::Status => get(status::status),
    }
}

/// The query string of an address.
pub(crate) fn query(uri: &Uri) -> &str {
    uri.query().unwrap_or_default()
}

/// A response of the API over HTTP.
pub(crate) fn respond(response: sowing_api::Response) -> Response {
    match response {
        sowing_api::Response::Json(body) => (JSON, body).into_response(),
        sowing_api::Response::Svg(body) => (SVG, body).into_response(),
    }
}
