//! The OpenAPI document.

use serde_json::Value;
use sowing_api::{PREFIX, ROUTES};

#[test]
fn the_document_is_kept() {
    let kept: Value = serde_json::from_str(include_str!("../openapi.json")).unwrap();
    let hint = "cargo run -p sowing-api --example openapi > crates/api/openapi.json";
    assert_eq!(sowing_api::document(), kept, "it has changed: {hint}");
}

#[test]
fn it_describes_the_routes() {
    let document = sowing_api::document();
    let mut described: Vec<&str> =
        document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let routes = ROUTES.iter().map(|(path, _)| format!("{PREFIX}{path}"));
    let mut routes: Vec<String> = routes.collect();
    described.sort_unstable();
    routes.sort_unstable();
    assert_eq!(described, routes);
}
