#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing::Rules;

fuzz_target!(|text: &str| {
    if let Ok(rules) = text.parse::<Rules>() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
});
