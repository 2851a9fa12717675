//! The paths, and what holds for all of them.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use sowing::quoted;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::error::Refusal;
use crate::state::Server;
use crate::{analysis, assets, choices, light, reply, review, status, studies};

/// The longest path with its query. A game of a thousand moves fits.
const MAX_URI: usize = 8 << 10;

/// The largest body. Nothing here reads one.
const MAX_BODY: u64 = 16 << 10;

/// Scripts, styles, fonts and pictures from here only, none of them inline.
macro_rules! policy {
    ($frames:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; ",
            "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; ",
            "frame-ancestors ",
            $frames
        )
    };
}

const POLICY: &str = policy!("'none'");

/// The same for what may stand in a frame of another page.
pub(crate) const EMBEDDED_POLICY: &str = policy!("*");

/// The paths that make the machine work. Pages elsewhere must not ask for them on a visitor's behalf.
const WORK: [&str; 5] = ["analysis", "review", "reply", "choices", "studies/"];

/// The headers of every answer, unless it has set them itself.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

#[derive(OpenApi)]
#[openapi(info(
    title = "sow serve",
    description = "Positions of sowing games, their exact values, and studies of them. Games, \
                   positions and moves are in the notation of the command sow. Unknown is null, \
                   never 0.",
))]
struct Description;

/// The API without its state, and its description.
fn api() -> (Router<Arc<Server>>, utoipa::openapi::OpenApi) {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(light::games))
        .routes(routes!(light::rules))
        .routes(routes!(light::position))
        .routes(routes!(light::picture))
        .routes(routes!(analysis::analysis))
        .routes(routes!(review::review))
        .routes(routes!(reply::reply))
        .routes(routes!(choices::choices))
        .routes(routes!(light::import))
        .routes(routes!(light::puzzles))
        .routes(routes!(light::fair))
        .routes(routes!(light::qr))
        .routes(routes!(light::solitaire))
        .routes(routes!(studies::studies))
        .routes(routes!(studies::report))
        .routes(routes!(status::status))
        .split_for_parts()
}

/// The OpenAPI document of the API, with all that is sent and received.
pub fn description() -> serde_json::Value {
    serde_json::to_value(api().1).expect("a document of plain data")
}

/// Everything that the server answers to.
pub(crate) fn router(server: Arc<Server>) -> Router {
    let description = Json(description());
    api()
        .0
        .route("/api/v1/openapi.json", axum::routing::get(async || description))
        .fallback(axum::routing::get(assets::file).fallback(wrong_method))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&server), guard))
        .with_state(server)
}

async fn wrong_method() -> Refusal {
    Refusal::of(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here")
}

/// Turns away what is too large or meant for another server, sets the headers, and notes what was
/// asked.
async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    server.visitors.requests.fetch_add(1, Relaxed);
    let (started, method, uri) = (Instant::now(), request.method().clone(), request.uri().clone());
    let mut response = match check(&server, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    let (status, took) = (response.status().as_u16(), started.elapsed());
    tracing::info!(%method, uri = %quoted(&uri.to_string()), status, ?took, "answered");
    response
}

fn check(server: &Server, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri > MAX_URI {
        let message = format!("the address is longer than {MAX_URI} bytes");
        return Err(Refusal::of(StatusCode::URI_TOO_LONG, message));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > MAX_BODY) {
        let message = format!("the body is larger than {MAX_BODY} bytes");
        return Err(Refusal::of(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    if starts_work(request.uri().path()) && is_cross_site(headers) {
        let message = "pages of other sites cannot start work here: open this server's own page";
        return Err(Refusal::of(StatusCode::FORBIDDEN, message));
    }
    if server.local && !is_local(headers) {
        let message = "this server answers to localhost only";
        return Err(Refusal::of(StatusCode::MISDIRECTED_REQUEST, message));
    }
    Ok(())
}

fn starts_work(path: &str) -> bool {
    let path = path.strip_prefix("/api/v1/").unwrap_or_default();
    WORK.iter().any(|work| path.starts_with(work))
}

/// Whether a browser says that a page of another site asks. Programs that are no browsers do not
/// say, and are nobody's visitors.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// Whether a request names this machine as its host. A page elsewhere whose name was made to point
/// here does not.
fn is_local(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
        return true;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_loopback = |address: IpAddr| address.is_loopback();
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}
