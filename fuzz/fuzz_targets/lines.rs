//! `sow solve GAME -` answers every line, and every value that it gives is right.
#![no_main]
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sowing_cli::fuzzing::Lines;
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Position, Setup};

static SOLVE: LazyLock<Mutex<(Lines, Negamax)>> = LazyLock::new(|| {
    let args = ["kalah(2,2)", "-", "--threads", "1", "--memory", "1M", "--no-tables"];
    Mutex::new((Lines::new(&args), Negamax::default()))
});

fuzz_target!(|input: &[u8]| {
    let mut solve = SOLVE.lock().unwrap();
    let (lines, truth) = &mut *solve;
    let answers = lines.answers(input);
    let mut answers = answers.lines();
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    // What follows the last line's end is no line.
    lines.pop_if(|line| line.is_empty());
    for line in lines {
        let answer: Value = serde_json::from_str(answers.next().expect("an answer")).unwrap();
        let game: Game = "kalah(2,2)".parse().unwrap();
        let setup = std::str::from_utf8(line).ok().and_then(|text| text.parse::<Setup>().ok());
        match setup.and_then(|setup| Position::new(game, &setup).ok()) {
            Some(position) => {
                assert_eq!(answer["value"], truth.value(&Plain::from_position(&position)))
            }
            None => assert!(!answer["error"].as_str().unwrap().contains(char::is_control)),
        }
    }
    assert_eq!(answers.next(), None);
});
