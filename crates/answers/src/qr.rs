//! An address as a square of dots, for the telephones of a class.

use qrcode::{EcLevel, QrCode, render::svg};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::refusal::Refusal;

/// The most bytes: more dots than that no telephone reads off a wall.
const MOST: usize = 1200;

/// What it says.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Said {
    /// An address of up to 1,200 bytes.
    #[param(example = "https://example.org/")]
    text: String,
}

impl Said {
    /// The address as a QR code, an SVG picture.
    pub fn as_qr(&self) -> Result<String, Refusal> {
        let bad = || {
            let message = format!("the text is an http address of up to {MOST} bytes");
            Refusal::bad(message, "text=https://example.org/")
        };
        let is_address = self.text.starts_with("http://") || self.text.starts_with("https://");
        if self.text.len() > MOST || !is_address {
            return Err(bad());
        }
        let code = QrCode::with_error_correction_level(&self.text, EcLevel::L);
        Ok(code.map_err(|_| bad())?.render::<svg::Color>().min_dimensions(240, 240).build())
    }
}
