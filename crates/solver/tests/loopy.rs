//! Clockwise games against a plain fixed point over whole positions.

use sowing_plain::{Plain, fixed_point};
use sowing_rules::{Game, Position};
use sowing_solver::{Answer, SolveError, Solver, SolverOptions};

#[test]
fn clockwise_games_agree_with_a_fixed_point() {
    let options = ["", ",empty-capture", ",last-seed-capture", ",no-capture", ",relay"];
    let more = [",relay,no-capture", ",remaining-lost", ",relay,remaining-lost"];
    let mut endless = 0;
    for rules in options.into_iter().chain(more) {
        for (houses, seeds) in [(1, 1), (1, 2), (1, 5), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)] {
            let game: Game = format!("kalah({houses},{seeds}{rules},clockwise)").parse().unwrap();
            let mut solver = Solver::new(game).unwrap();
            for (plain, expected) in fixed_point(&Plain::start(&game)) {
                let setup = plain.text().parse().unwrap();
                let position = Position::new(game, &setup).unwrap();
                let found = solver.value(&position).unwrap();
                assert_eq!(found, Answer::exact(expected), "{game} {position}");
                let lead = position.lead();
                endless += u64::from(!position.is_finished() && expected == lead);
            }
        }
    }
    assert!(endless > 0, "some positions are worth just their stores");
}

#[test]
fn a_game_that_does_not_fit_says_what_it_needs() {
    let game: Game = "kalah(6,4,clockwise)".parse().unwrap();
    let options = SolverOptions { memory: 1 << 30, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let error = solver.value(&Position::start(game)).unwrap_err();
    assert!(matches!(error, SolveError::TooLarge(_)));
    assert!(error.to_string().contains("1399358844975 bytes"), "{error}");
    for name in ["kalah(9,1,clockwise)", "kalah(6,20,clockwise)"] {
        let game: Game = name.parse().unwrap();
        let error = Solver::new(game).unwrap().value(&Position::start(game)).unwrap_err();
        assert!(error.to_string().starts_with(name), "{error}");
    }
}

/// A search that is late says what it knows, and goes on from there when it is asked again.
#[test]
fn the_clock_is_heeded() {
    let game: Game = "kalah(4,4,clockwise)".parse().unwrap();
    let time = Some(std::time::Duration::from_millis(50));
    let options = sowing_solver::SolverOptions { time, ..Default::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let start = std::time::Instant::now();
    let verdict = solver.value(&Position::start(game)).unwrap();
    assert_eq!((verdict.bounds.low, verdict.bounds.high), (-32, 32));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    let few = Position::free(game, &"1,0,2,0,0|0,1,0,1,0".parse().unwrap()).unwrap();
    solver.restart_clock();
    let known = Solver::new(game).unwrap().value(&few).unwrap();
    assert_eq!(solver.value(&few).unwrap(), known);
}
