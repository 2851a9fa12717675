#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::Game;

fuzz_target!(|text: &str| {
    if let Ok(game) = text.parse::<Game>() {
        assert_eq!(game.to_string().parse(), Ok(game));
    }
});
