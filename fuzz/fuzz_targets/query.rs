//! Any query is answered or refused in one line; the answer, asked for again, is the same.
#![no_main]
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sowing_serve::{Config, Direct};

static WEB: LazyLock<Direct> = LazyLock::new(|| Direct::new(&Config::default()).unwrap());

fuzz_target!(|query: &str| {
    for path in ["position", "board.svg", "solitaire"] {
        let Some((status, body)) = WEB.get(&format!("/api/v1/{path}?{query}")) else { return };
        if status != 200 {
            assert!(status == 400 || status == 414, "{status}: {body}");
            let refusal: Value = serde_json::from_str(&body).unwrap();
            assert!(!refusal["error"]["message"].as_str().unwrap().contains(char::is_control));
        } else if path == "position" {
            let view: Value = serde_json::from_str(&body).unwrap();
            let moves = view["moves"].as_array().unwrap().iter();
            let moves: Vec<&str> = moves.map(|played| played["move"].as_str().unwrap()).collect();
            let [game, start] = ["game", "start"].map(|field| view[field].as_str().unwrap());
            let again = format!("game={game}&start={start}&free=true&moves={}", moves.join(","));
            assert_eq!(WEB.get(&format!("/api/v1/position?{again}")), Some((200, body)));
        }
    }
});
