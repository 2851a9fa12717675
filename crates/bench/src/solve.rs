//! Values found, on a fixed list of games: the nodes are a signature of the search.

use sowing_command::failure::Failure;
use sowing_rules::{Game, Position};
use sowing_solver::{Solver, SolverOptions, Work};

use crate::report::BenchReport;
use crate::sow::walk_rate;

/// A game, its value, and the nodes that one thread needs to find it, tables and learning included.
const LIST: [(&str, i64, u64); 9] = [
    ("kalah(4,5)", 4, 59_657),
    ("kalah(5,3,empty-capture)", 8, 7_201),
    ("kalah(5,4)", 10, 125_543),
    ("kalah(6,4)", 8, 3_299_140),
    ("kalah(6,2,relay)", 16, 941),
    ("kalah(4,4,remaining-lost)", 3, 8_552),
    ("s-kalaha(5,3)", 8, 57_188),
    ("s-kalaha(6,2)", 8, 21_158),
    ("s-kalaha(6,4)", 42, 6_392),
];

/// The memory is a fixed one too: how far tables are built depends on it.
const MEMORY: u64 = 1 << 30;

pub(crate) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    for (name, value, nodes) in LIST {
        let game: Game = name.parse()?;
        let options = SolverOptions { threads: 1, memory: MEMORY, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options)?;
        let per_second = report.line(name, "nodes", (nodes, value as u64), || {
            let value = solver.value(&Position::start(game)).ok().and_then(|v| v.value());
            (solver.nodes(), value.map_or(u64::MAX, |value| value as u64))
        })?;
        let Work { moves, cutoffs, first_cutoffs, .. } = solver.work();
        let moves_per_second = per_second * moves as f64 / nodes as f64;
        report.ratio("time a move, to a plain walk's", walk_rate(&game) / moves_per_second)?;
        report
            .ratio("cuts by the first turn tried", first_cutoffs as f64 / cutoffs.max(1) as f64)?;
        report.ratio("moves a node", moves as f64 / nodes as f64)?;
        report.ratio("bytes a node", solver.bytes() as f64 / nodes as f64)?;
    }
    Ok(())
}
