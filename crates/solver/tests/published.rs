//! The published values come out.

use std::fs;

use sowing_rules::{Game, Numbering, Outcome, Position, Record, Side};
use sowing_solver::{Solver, SolverOptions};

fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../lab/published/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| row.split(',').map(str::to_string).collect()).collect()
}

fn outcome(letter: &str) -> Outcome {
    match letter {
        "W" => Outcome::Win,
        "D" => Outcome::Draw,
        "L" => Outcome::Loss,
        _ => panic!("{letter} is no outcome"),
    }
}

/// Kvitberg 2026, Table 5.
#[test]
fn all_cells_of_s_kalaha() {
    let mut cells = 0;
    for row in rows("s_kalaha_values.csv") {
        for (letter, seeds) in row[1..].iter().zip(1..) {
            let game: Game = format!("s-kalaha({},{seeds})", row[0]).parse().unwrap();
            let mut solver = Solver::new(game).unwrap();
            let found = solver.outcome(&Position::start(game)).unwrap().outcome();
            assert_eq!(found, Some(outcome(letter)), "{game}");
            cells += 1;
        }
    }
    assert_eq!(cells, 36);
}

/// The cell that the thesis solved by hand, in few moves.
#[test]
fn the_standard_game_of_the_thesis_is_cheap() {
    let game: Game = "s-kalaha(6,3)".parse().unwrap();
    let options = SolverOptions { threads: 1, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let verdict = solver.outcome(&Position::start(game)).unwrap();
    assert_eq!(verdict.outcome(), Some(Outcome::Win));
    assert!(solver.work().moves <= 150_000, "{} moves", solver.work().moves);
}

/// Irving, Donkers and Uiterwijk 2000, Tables 9 and 10, as far as they need no tables of ours.
#[test]
fn empty_capture_values() {
    let mut cells = 0;
    for row in rows("kalah_values_irving.csv") {
        let (houses, seeds): (u8, u64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let quick = match houses {
            1..=4 => true,
            5 => seeds <= 4,
            _ => seeds <= 3,
        };
        if !quick {
            continue;
        }
        let game: Game = format!("kalah({houses},{seeds},empty-capture)").parse().unwrap();
        let verdict = Solver::new(game).unwrap().value(&Position::start(game)).unwrap();
        match row[2].parse::<i64>() {
            Ok(value) => assert_eq!(verdict.value(), Some(value), "{game}"),
            Err(_) => assert_eq!(verdict.outcome(), Some(outcome(&row[2])), "{game}"),
        }
        cells += 1;
        if !row[3].is_empty() {
            check_line(game, &row[3]);
        }
    }
    assert_eq!(cells, 31);
}

/// Each printed perfect line keeps its value at every step.
fn check_line(game: Game, line: &str) {
    let mut solver = Solver::new(game).unwrap();
    let mut position = Position::start(game);
    let mut value = solver.value(&position).unwrap().value().unwrap();
    for house in line.chars().filter_map(|character| character.to_digit(10)) {
        let (next, report) = position.play(sowing_rules::Move::house(house as u8 + 1));
        value = if report.again { value } else { -value };
        assert_eq!(solver.value(&next).unwrap().value(), Some(value), "{game} {line}");
        position = next;
    }
    assert!(position.is_finished());
}

/// Checks that so many of the last moves of each printed line of Kalah(6,4) keep its margin.
fn check_lines(last: usize) {
    let mut lines = 0;
    for option in ["", ",empty-capture"] {
        let game: Game = format!("kalah(6,4{option})").parse().unwrap();
        let mut solver = Solver::new(game).unwrap();
        let of_game = |row: &&Vec<String>| row[0] == "4" && row[1] == option.replace(',', "");
        for row in rows("kalah_lines.csv").iter().filter(of_game) {
            let margin: i64 = row[2].parse().unwrap();
            let record = Record::read(&row[3], Some(game), Numbering::Bins).unwrap();
            let line = record.replay().unwrap();
            // The value of the start is that of the best first turn, not of this one.
            let first_turn =
                line.plays().iter().take_while(|play| play.next == Side::South).count();
            for play in line.plays()[first_turn..].iter().rev().take(last) {
                let value = solver.value(&play.after).unwrap().value().unwrap();
                let south = if play.next == Side::South { value } else { -value };
                assert_eq!(south, margin, "{game} {} at {}", row[3], play.after);
            }
            lines += 1;
        }
    }
    assert_eq!(lines, 14);
}

/// Rawlings 2015: the ends of the printed lines are worth what was printed.
#[test]
fn ends_of_printed_lines() {
    check_lines(2);
}

/// And so is every position on the way.
#[test]
#[ignore = "half a minute"]
fn printed_lines() {
    check_lines(usize::MAX);
}
