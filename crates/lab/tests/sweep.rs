//! Sweeps: the published losses, those that no table prints, and the solver beside them.

use std::collections::HashSet;

use sowing_lab::{Start, non_wins};
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Outcome, Position, Rules};
use sowing_solver::{Solver, SolverOptions};

/// Houses and seeds of the losses to 100,000 seeds that the tables do not print.
const UNPRINTED: [(u8, u64); 4] = [(2, 62_500), (2, 62_600), (2, 65_104), (2, 78_125)];

#[test]
fn every_published_loss_and_those_that_no_table_prints() {
    let text = include_str!("../published/s_kalaha_losses.csv");
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'h']));
    let mut printed: HashSet<(u8, u64)> = rows
        .map(|row| {
            let mut fields = row.split(',');
            let mut next = || fields.next().unwrap().parse().unwrap();
            (next() as u8, next())
        })
        .collect();
    assert!(printed.contains(&(3, 32)));
    printed.extend(UNPRINTED);
    let mut found = HashSet::new();
    for houses in 2..=6 {
        for start in non_wins(Rules::S_KALAHA, houses, 2 * u64::from(houses)..=100_000).unwrap() {
            assert_eq!(start.outcome, Outcome::Loss);
            found.insert((houses, start.game.seeds()));
        }
    }
    let mut missing: Vec<_> = printed.difference(&found).collect();
    let mut more: Vec<_> = found.difference(&printed).collect();
    missing.sort();
    more.sort();
    assert!(missing.is_empty() && more.is_empty(), "missing {missing:?}, more {more:?}");
}

#[test]
fn the_solver_agrees() {
    for houses in 1..=3 {
        for seeds in 1..=12 {
            let game = Game::new(Rules::S_KALAHA, houses, seeds).unwrap();
            let options = SolverOptions { threads: 1, memory: 1 << 26, ..SolverOptions::default() };
            let mut solver = Solver::with_options(game, options).unwrap();
            let outcome = solver.outcome(&Position::start(game)).unwrap().outcome();
            assert_eq!(Some(Start::of(game).unwrap().outcome), outcome, "{game}");
        }
    }
}

#[test]
fn a_plain_negamax_agrees_on_other_families() {
    for name in ["kalah(2,3)", "kalah(3,2,empty-capture)", "s-kalaha(2,4,remaining-lost)"] {
        let game: Game = name.parse().unwrap();
        let start = Start::of(game).unwrap();
        let value = Negamax::default().value(&Plain::start(&game));
        let expected = [Outcome::Loss, Outcome::Draw, Outcome::Win][(value.signum() + 1) as usize];
        assert_eq!((start.outcome, start.moves), (expected, None), "{name}");
    }
}

/// The moves of the first turn: (2,4) and (2,5) have one for each house, and none goes again.
#[test]
fn moves_of_the_first_turn() {
    let starts = non_wins(Rules::S_KALAHA, 2, 4..=5).unwrap();
    let rows: Vec<_> = starts.iter().map(|start| (start.game.seeds(), start.moves)).collect();
    assert_eq!(rows, [(4, Some(2)), (5, Some(2))]);
    assert!(non_wins(Rules::S_KALAHA, 2, 6..=10).unwrap().is_empty());
}
