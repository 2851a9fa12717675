//! Both checkers agree on every text, what they accept is true, and what is read is written back.
#![no_main]
use sowing_certificate::{Certificate, Claim};
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::fuzz_target;
use sowing_plain::certificate::{VerifyError, verify as verify_plainly};
use sowing_plain::{Negamax, Plain};

static TRUTH: LazyLock<Mutex<Negamax>> = LazyLock::new(Mutex::default);

fuzz_target!(|text: &str| {
    let read = text.parse::<Certificate>();
    let accepted = read.as_ref().is_ok_and(|certificate| certificate.verify().is_ok());
    match verify_plainly(text) {
        Err(VerifyError::TooLarge) => {}
        plainly => assert_eq!(accepted, plainly.is_ok(), "{plainly:?}:\n{text}"),
    }
    let Ok(certificate) = read else { return };
    let written = certificate.to_string();
    assert_eq!(written.parse::<Certificate>().unwrap().to_string(), written);
    let position = certificate.position();
    if accepted && position.game().houses() <= 3 && position.total() <= 12 {
        let value = TRUTH.lock().unwrap().value(&Plain::from_position(position));
        let holds = match certificate.claim() {
            Claim::AtLeast(margin) => value >= margin,
            Claim::AtMost(margin) => value <= margin,
        };
        assert!(holds, "the value is {value}:\n{text}");
    }
});
