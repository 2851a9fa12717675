//! The paths, and what holds for all of them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use sowing_protocol::hosts::{HostError, Hosts};
use sowing_rules::quoted;
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

/// The header that the page of the server sends with its requests. Pages of other sites cannot: a browser
/// asks first whether they may.
const PAGE: &str = "sowing-page";

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
                   never 0. Any path is refused with 421 for a host that is not the server's, and \
                   with 403 for an origin that is not; paths that start work also where a browser \
                   asks for a page of another site. 429 and 503 come when too many connections are \
                   open, from one address or in all.",
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
    check_site(&server.hosts, request)
}

/// Refuses requests to other hosts, requests to the API with a foreign `Origin`, and requests that start work
/// unless the browser shows that a page of this server sends them. Programs that are no browsers send none of
/// these headers, and pass.
fn check_site(hosts: &Hosts, request: &Request) -> Result<(), Refusal> {
    let (headers, path) = (request.headers(), request.uri().path());
    let all = |name| headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
    let named = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    hosts.check_host(named.into_iter().chain(all(header::HOST)))?;
    if path.starts_with("/api/") {
        hosts.check_origin(named.or(all(header::HOST).next()), all(header::ORIGIN))?;
    }
    if !starts_work(path) {
        return Ok(());
    }
    match headers.get("sec-fetch-site") {
        Some(site) if site == "same-origin" || site == "none" => Ok(()),
        Some(_) => Err(HostError::Origin.into()),
        None if is_silent(headers) => {
            let message = "a browser starts work here from the server's own page only";
            Err(Refusal::of(StatusCode::FORBIDDEN, message))
        }
        None => Ok(()),
    }
}

fn starts_work(path: &str) -> bool {
    let path = path.strip_prefix("/api/v1/").unwrap_or_default();
    WORK.iter().any(|work| path.starts_with(work))
}

/// Whether a browser does not show which page sends a request. Over plain HTTP it sends `Sec-Fetch-Site` to
/// loopback only, and for pictures, scripts and links no `Origin`. Only pages of this server can send [`PAGE`].
fn is_silent(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes);
    agent.is_some_and(|agent| agent.starts_with(b"Mozilla/"))
        && !headers.contains_key(header::ORIGIN)
        && !headers.contains_key(PAGE)
}

impl From<HostError> for Refusal {
    fn from(foreign: HostError) -> Refusal {
        let status = match foreign {
            HostError::Host => StatusCode::MISDIRECTED_REQUEST,
            _ => StatusCode::FORBIDDEN,
        };
        Refusal::of(status, foreign)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::body::Body;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;
    use crate::config::Config;

    /// On the network the server answers to IP addresses, and to names that it was started with.
    #[tokio::test]
    async fn on_the_network_it_answers_to_addresses_and_names() {
        let public_hosts = vec!["mill.example".parse().unwrap()];
        let config = Config { memory: 1 << 26, public_hosts, ..Config::default() };
        let server = Server::new(&config, Ipv4Addr::UNSPECIFIED.into());
        let router = TowerToHyperService::new(router(server));
        for (host, origin, status) in [
            ("10.0.0.5:8080", "", 200),
            ("[2001:db8::5]:8080", "", 200),
            ("localhost:8080", "", 200),
            ("mill.example:8080", "http://mill.example:8080", 200),
            ("10.0.0.5:8080", "http://10.0.0.5:8080", 200),
            ("10.0.0.5:8080", "http://10.0.0.6:8080", 403),
            ("10.0.0.5:8080", "http://evil.example", 403),
            ("evil.example:8080", "", 421),
            ("evil.example:8080", "http://evil.example:8080", 421),
        ] {
            let mut request = Request::builder().uri("/api/v1/games").header("host", host);
            if !origin.is_empty() {
                request = request.header("origin", origin);
            }
            let request = request.body(Body::empty()).unwrap();
            let answer = router.call(request).await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{host} {origin}");
        }
        // What stands in the first line counts before the header.
        let request = Request::builder().uri("http://evil.example/").header("host", "localhost");
        let answer = router.call(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(answer.status().as_u16(), 421);
    }
}
