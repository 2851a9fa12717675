//! Any query is answered or refused in one line; the game of the answer, asked for again, is the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sowing_api::{ROUTES, Route};

fuzz_target!(|query: &str| {
    for (path, route) in ROUTES {
        let Route::Direct(answer) = route else { continue };
        match answer(query) {
            Err(error) => {
                assert_eq!(error.status(), 400, "{path}: {error:?}");
                let body = serde_json::to_value(error.body()).unwrap();
                assert!(!body["error"]["message"].as_str().unwrap().contains(char::is_control));
            }
            Ok(response) if path == "position" => {
                let view: Value = serde_json::from_str(response.body()).unwrap();
                let field = |name: &str| view[name].as_str().unwrap().to_string();
                let again = format!("game={}&start={}&free=true", field("game"), field("position"));
                let again: Value = serde_json::from_str(answer(&again).unwrap().body()).unwrap();
                assert_eq!((&again["position"], &again["kgp"]), (&view["position"], &view["kgp"]));
            }
            Ok(_) => {}
        }
    }
});
