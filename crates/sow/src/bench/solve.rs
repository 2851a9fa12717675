//! Values found, on a fixed list of games: the nodes are a signature of the search.

use sowing::{Game, Position};
use sowing_solver::{Solver, SolverOptions};

use super::BenchReport;
use super::sow::walk_rate;
use crate::failure::Failure;

/// A game, its value, and the nodes that one thread needs to find it.
const LIST: [(&str, i64, u64); 8] = [
    ("kalah(4,5)", 4, 763_572),
    ("kalah(5,3,empty-capture)", 8, 38_400),
    ("kalah(5,4)", 10, 3_109_447),
    ("kalah(6,2,relay)", 16, 1_217),
    ("kalah(4,4,remaining-lost)", 3, 110_350),
    ("s-kalaha(5,3)", 8, 117_818),
    ("s-kalaha(6,2)", 8, 99_907),
    ("s-kalaha(6,4)", 42, 1_170_180),
];

pub(super) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    for (name, value, nodes) in LIST {
        let game: Game = name.parse()?;
        let options = SolverOptions {
            threads: 1,
            memory: 1 << 28,
            build_tables: false,
            ..SolverOptions::default()
        };
        let mut solver = Solver::with_options(game, options)?;
        let mut moves = 0;
        let per_second = report.line(name, "nodes", (nodes, value as u64), || {
            let value = solver.value(&Position::start(game)).ok().and_then(|v| v.value());
            moves = solver.moves();
            (solver.nodes(), value.map_or(u64::MAX, |value| value as u64))
        })?;
        let moves_per_second = per_second * moves as f64 / nodes as f64;
        report.ratio("time a move, to a plain walk's", walk_rate(&game) / moves_per_second)?;
    }
    Ok(())
}
