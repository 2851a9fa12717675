#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::Rules;

fuzz_target!(|text: &str| {
    if let Ok(rules) = text.parse::<Rules>() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
});
