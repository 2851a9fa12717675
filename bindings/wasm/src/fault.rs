//! What goes wrong, as the page is told it.

use serde::Serialize;
use sowing_answers::{ErrorBody, Refusal};
use wasm_bindgen::JsValue;

/// A refusal as JSON: its status and the body that the server would send.
#[derive(Serialize)]
struct Fault {
    status: u16,
    #[serde(flatten)]
    body: ErrorBody,
}

/// Why a call was refused; what a script catches is its JSON.
#[derive(Debug)]
pub struct Refused(Refusal);

impl<E: Into<Refusal>> From<E> for Refused {
    fn from(refusal: E) -> Refused {
        Refused(refusal.into())
    }
}

impl Refused {
    /// The JSON.
    pub fn json(&self) -> String {
        let fault = Fault { status: self.0.status(), body: self.0.body() };
        json(&fault)
    }
}

impl From<Refused> for JsValue {
    fn from(refused: Refused) -> JsValue {
        JsValue::from_str(&refused.json())
    }
}

/// Plain data as text.
pub(crate) fn json(data: &impl Serialize) -> String {
    serde_json::to_string(data).expect("plain data")
}

/// What the page sends to itself and does not come out as it was sent.
pub(crate) fn garbled(error: serde_json::Error) -> Refusal {
    Refusal::of(500, format!("the page does not fit its engine: {error}"))
}
