//! The page's files, which are part of the program.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::HttpError;
use crate::router::EMBEDDED_POLICY;

#[derive(RustEmbed)]
#[folder = "web"]
pub(crate) struct Web;

/// The page that may stand in a frame of any other page. It starts no work unasked.
const EMBEDDED: &str = "embed.html";

/// A file of the page, or 304 if the reader has it already.
pub(crate) async fn file(uri: Uri, headers: HeaderMap) -> Result<Response, HttpError> {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let file = Web::get(path).ok_or_else(HttpError::unknown_path)?;
    let tag = tag(&file);
    let seen = headers.get(header::IF_NONE_MATCH).is_some_and(|seen| *seen == tag);
    let head = [(header::ETAG, tag), (header::CONTENT_TYPE, HeaderValue::from_static(kind(path)))];
    let mut response = if seen {
        (StatusCode::NOT_MODIFIED, head).into_response()
    } else {
        (head, file.data).into_response()
    };
    if path == EMBEDDED {
        let policy = HeaderValue::from_static(EMBEDDED_POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

fn tag(file: &EmbeddedFile) -> HeaderValue {
    let hash = file.metadata.sha256_hash();
    let digits: String = hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{digits}\"")).expect("digits make a header")
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
