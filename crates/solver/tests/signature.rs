//! The node signature of the search: a change that should not alter the search must not alter these.

use sowing_rules::{Game, Position};
use sowing_solver::{Solver, SolverOptions};

/// A game, its value, and the nodes that one thread needs with a gibibyte, from an empty solver. `sow bench solve`
/// has these and larger ones.
const SIGNATURE: [(&str, i64, u64); 8] = [
    ("kalah(4,5)", 4, 59_657),
    ("kalah(5,3,empty-capture)", 8, 7_201),
    ("kalah(5,4)", 10, 125_543),
    ("kalah(6,2,relay)", 16, 941),
    ("kalah(4,4,remaining-lost)", 3, 8_552),
    ("s-kalaha(5,3)", 8, 57_188),
    ("s-kalaha(6,2)", 8, 21_158),
    ("s-kalaha(6,4)", 42, 6_392),
];

#[test]
fn the_nodes_are_the_signature() {
    let found = SIGNATURE.map(|(name, ..)| {
        let game: Game = name.parse().unwrap();
        let options = SolverOptions { threads: 1, memory: 1 << 30, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        let value = solver.value(&Position::start(game)).unwrap().value().unwrap();
        (name, value, solver.nodes())
    });
    assert_eq!(found, SIGNATURE);
}
