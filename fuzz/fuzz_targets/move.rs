#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::Move;

fuzz_target!(|text: &str| {
    if let Ok(action) = text.parse::<Move>() {
        assert_eq!(action.to_string().parse(), Ok(action));
    }
});
