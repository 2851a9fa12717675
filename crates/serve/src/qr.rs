//! An address as a square of dots, for the telephones of a class.

use axum::response::IntoResponse;
use qrcode::{EcLevel, QrCode, render::svg};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::{ErrorBody, Refusal};
use crate::picture::PICTURE;
use crate::query::Params;

/// The most bytes: more dots than that no telephone reads off a wall.
const MOST: usize = 1200;

/// What it says.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Said {
    /// An address of up to 1,200 bytes.
    #[param(example = "https://example.org/")]
    text: String,
}

/// An address as a QR code
#[utoipa::path(
    get,
    path = "/api/v1/qr.svg",
    params(Said),
    responses(
        (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
        (status = 400, description = "no address, or one that is too long", body = ErrorBody),
    )
)]
pub(crate) async fn qr(Params(said): Params<Said>) -> Result<impl IntoResponse, Refusal> {
    let bad = || {
        let message = format!("the text is an http address of up to {MOST} bytes");
        Refusal::bad(message, "text=https://example.org/")
    };
    let is_address = said.text.starts_with("http://") || said.text.starts_with("https://");
    if said.text.len() > MOST || !is_address {
        return Err(bad());
    }
    let code = QrCode::with_error_correction_level(&said.text, EcLevel::L).map_err(|_| bad())?;
    let picture = code.render::<svg::Color>().min_dimensions(240, 240).build();
    Ok((PICTURE, picture))
}
