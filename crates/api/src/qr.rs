//! An address as a square of dots, for the telephones of a class.

use qrcode::{EcLevel, QrCode, render::svg};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::{ApiError, ErrorBody};
use crate::query::read;
use crate::route::Response;

/// The most bytes: telephones do not read more dots off a wall.
const MAX_BYTES: usize = 1200;

/// The query of `qr.svg`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct QrQuery {
    /// An address of up to 1,200 bytes.
    #[param(example = "https://example.org/")]
    text: String,
}

/// An address as a QR code
#[utoipa::path(
    get,
    path = "/api/v1/qr.svg",
    params(QrQuery),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "no address, or one that is too long", body = ErrorBody),
    )
)]
pub(crate) fn qr(query: &str) -> Result<Response, ApiError> {
    Ok(Response::Svg(read::<QrQuery>(query)?.picture()?))
}

impl QrQuery {
    /// The address as a QR code, an SVG picture.
    fn picture(&self) -> Result<String, ApiError> {
        let bad = || {
            let message = format!("the text is an http address of up to {MAX_BYTES} bytes");
            ApiError::bad(message, "text=https://example.org/")
        };
        let is_address = self.text.starts_with("http://") || self.text.starts_with("https://");
        if self.text.len() > MAX_BYTES || !is_address {
            return Err(bad());
        }
        let code = QrCode::with_error_correction_level(&self.text, EcLevel::L);
        Ok(code.map_err(|_| bad())?.render::<svg::Color>().min_dimensions(240, 240).build())
    }
}
