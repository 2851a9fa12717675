//! The routes, and the checks and headers of all of them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use sowing_api::{PREFIX, ROUTES};
use sowing_protocol::hosts::{HostError, Hosts};
use sowing_rules::quoted;

use crate::assets;
use crate::error::HttpError;
use crate::handlers::handler;
use crate::state::Server;

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

/// Everything that the server answers to.
pub(crate) fn router(server: Arc<Server>) -> Router {
    let document = Json(sowing_api::document());
    let mut router = Router::new();
    for (path, route) in ROUTES {
        router = router.route(&format!("{PREFIX}{path}"), handler(route));
    }
    router
        .route("/api/v1/openapi.json", get(async || document))
        .fallback(get(assets::file).fallback(wrong_method))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&server), guard))
        .with_state(server)
}

async fn wrong_method() -> HttpError {
    HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here")
}

/// Turns away what is too large or meant for another server, sets the headers, and notes what was
/// asked.
async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    server.visitors.requests.fetch_add(1, Relaxed);
    let (started, method, uri) = (Instant::now(), request.method().clone(), request.uri().clone());
    let mut response = match check(&server, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    let (status, took) = (response.status().as_u16(), started.elapsed());
    tracing::info!(%method, uri = %quoted(&uri.to_string()), status, ?took, "answered");
    response
}

fn check(server: &Server, request: &Request) -> Result<(), HttpError> {
    let headers = request.headers();
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri > MAX_URI {
        let message = format!("the address is longer than {MAX_URI} bytes");
        return Err(HttpError::new(StatusCode::URI_TOO_LONG, message));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > MAX_BODY) {
        let message = format!("the body is larger than {MAX_BODY} bytes");
        return Err(HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    check_site(&server.hosts, request)
}

/// Refuses requests to other hosts, requests to the API with a foreign `Origin`, and requests that start work
/// unless the browser shows that a page of this server sends them. Programs that are no browsers send none of
/// these headers, and pass.
fn check_site(hosts: &Hosts, request: &Request) -> Result<(), HttpError> {
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
            Err(HttpError::new(StatusCode::FORBIDDEN, message))
        }
        None => Ok(()),
    }
}

/// Whether a path makes the machine search. Pages elsewhere must not request it on a visitor's behalf.
fn starts_work(path: &str) -> bool {
    let path = path.strip_prefix(PREFIX).unwrap_or_default();
    let mut work = ROUTES.iter().filter(|(_, route)| route.starts_work());
    work.any(|(known, _)| path.starts_with(known.split('{').next().unwrap_or_default()))
}

/// Whether a browser does not show which page sends a request. Over plain HTTP it sends `Sec-Fetch-Site` to
/// loopback only, and for pictures, scripts and links no `Origin`. Only pages of this server can send [`PAGE`].
fn is_silent(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes);
    agent.is_some_and(|agent| agent.starts_with(b"Mozilla/"))
        && !headers.contains_key(header::ORIGIN)
        && !headers.contains_key(PAGE)
}

impl From<HostError> for HttpError {
    fn from(foreign: HostError) -> HttpError {
        let status = match foreign {
            HostError::Host => StatusCode::MISDIRECTED_REQUEST,
            _ => StatusCode::FORBIDDEN,
        };
        HttpError::new(status, foreign)
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
