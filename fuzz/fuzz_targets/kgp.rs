#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_protocol::kgp::{Command, Line};

fuzz_target!(|text: &str| {
    if let Ok(line) = text.parse::<Line>() {
        assert_eq!(line.to_string().parse::<Line>().as_ref(), Ok(&line));
        if let Ok(command) = Command::try_from(&line) {
            let written = command.clone().line();
            assert_eq!(written.to_string().parse::<Command>(), Ok(command));
        }
    }
});
