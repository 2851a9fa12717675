//! Errors as a script gets them.

use serde::Serialize;
use sowing_api::{ApiError, ErrorBody};
use wasm_bindgen::JsValue;

/// An error as JSON: its status and the body that the server would send.
#[derive(Serialize)]
struct ErrorForm {
    status: u16,
    #[serde(flatten)]
    body: ErrorBody,
}

/// Why a call failed. A script catches its JSON.
#[derive(Debug)]
pub struct CallError(ApiError);

impl<E: Into<ApiError>> From<E> for CallError {
    fn from(error: E) -> CallError {
        CallError(error.into())
    }
}

impl CallError {
    /// The JSON.
    pub fn json(&self) -> String {
        json(&ErrorForm { status: self.0.status(), body: self.0.body() })
    }
}

impl From<CallError> for JsValue {
    fn from(error: CallError) -> JsValue {
        JsValue::from_str(&error.json())
    }
}

/// Plain data as text.
pub(crate) fn json(data: &impl Serialize) -> String {
    serde_json::to_string(data).expect("plain data")
}

/// A message of the page that cannot be read: page and engine are of different versions.
pub(crate) fn garbled(error: serde_json::Error) -> ApiError {
    ApiError::new(500, format!("the page does not fit its engine: {error}"))
}
