#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_protocol::engine::{Answer, Request};

fuzz_target!(|text: &str| {
    if let Ok(request) = text.parse::<Request>() {
        assert_eq!(request.to_string().parse::<Request>().as_ref(), Ok(&request));
    }
    if let Ok(answer) = text.parse::<Answer>() {
        assert_eq!(answer.to_string().parse::<Answer>().as_ref(), Ok(&answer));
    }
});
