//! `sow solve GAME -` answers every line, and every value that it gives is right.
#![no_main]
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sowing_analysis::{AnalysisOptions, analyze};
use sowing_command::failure::Failure;
use sowing_command::{input::answer_lines, read_position};
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Playthrough, Position, Setup};
use sowing_solver::{Solver, SolverOptions};

static SOLVE: LazyLock<Mutex<(Solver, Negamax)>> = LazyLock::new(|| {
    let options = SolverOptions {
        threads: 1,
        memory: 1 << 20,
        build_tables: false,
        ..SolverOptions::default()
    };
    let solver = Solver::with_options("kalah(2,2)".parse().unwrap(), options).unwrap();
    Mutex::new((solver, Negamax::default()))
});

fuzz_target!(|input: &[u8]| {
    let mut solve = SOLVE.lock().unwrap();
    let (solver, truth) = &mut *solve;
    let game: Game = "kalah(2,2)".parse().unwrap();
    let (mut rest, mut out) = (input, Vec::new());
    let answered = answer_lines(&mut rest, &mut out, |text| {
        let play = Playthrough::new(read_position(game, text, false)?);
        Ok(analyze(solver, &play, &AnalysisOptions::default(), &mut |_| {})?)
    });
    // Bad lines are answered, and told in the end.
    assert!(matches!(answered, Ok(()) | Err(Failure::Negative(_))));
    let answers = String::from_utf8(out).unwrap();
    let mut answers = answers.lines();
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    // What follows the last line's end is no line.
    lines.pop_if(|line| line.is_empty());
    for line in lines {
        let answer: Value = serde_json::from_str(answers.next().expect("an answer")).unwrap();
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
