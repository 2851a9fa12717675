//! A certificate that is accepted claims what is true; whatever is read is written back the same.
#![no_main]
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::fuzz_target;
use sowing_plain::{Negamax, Plain};
use sowing_solver::{Certificate, Claim};

static TRUTH: LazyLock<Mutex<Negamax>> = LazyLock::new(Mutex::default);

fuzz_target!(|text: &str| {
    let Ok(certificate) = text.parse::<Certificate>() else { return };
    let written = certificate.to_string();
    assert_eq!(written.parse::<Certificate>().unwrap().to_string(), written);
    let position = certificate.position();
    let small = position.game().houses() <= 3 && position.total() <= 10;
    if certificate.verify().is_ok() && small {
        let value = TRUTH.lock().unwrap().value(&Plain::of(position));
        let holds = match certificate.claim() {
            Claim::AtLeast(margin) => value >= margin,
            Claim::AtMost(margin) => value <= margin,
        };
        assert!(holds, "the value is {value}:\n{text}");
    }
});
