#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::Numbering;

fuzz_target!(|text: &str| {
    if let Ok(numbering) = text.parse::<Numbering>() {
        assert_eq!(numbering.to_string().parse(), Ok(numbering));
    }
});
