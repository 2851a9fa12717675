#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::{Numbering, Record};

fuzz_target!(|text: &str| {
    let game = "kalah(6,4,pie)".parse().unwrap();
    for numbering in Numbering::ALL {
        if let Ok(record) = Record::read(text, Some(game), numbering) {
            let written = record.to_string();
            assert_eq!(written.parse::<Record>().unwrap().to_string(), written);
            let _ = record.replay();
        }
    }
});
