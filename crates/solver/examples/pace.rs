//! How fast one thread solves games from their starts: a list of value, nodes and seconds for each.
//!
//! `cargo run --release -p sowing-solver --example pace -- "kalah(5,4)" "s-kalaha(5,3)"`

use std::error::Error;
use std::time::Instant;

use sowing_rules::{Game, Position};
use sowing_solver::{Solver, SolverOptions};

fn main() -> Result<(), Box<dyn Error>> {
    for name in std::env::args().skip(1) {
        let game: Game = name.parse()?;
        // The memory of `sow bench solve`: how far tables are built depends on it.
        let options = SolverOptions { threads: 1, memory: 1 << 30, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options)?;
        let started = Instant::now();
        let value = solver.value(&Position::start(game))?.value().ok_or("nothing stops it")?;
        println!("[{value},{},{}]", solver.nodes(), started.elapsed().as_secs_f64());
    }
    Ok(())
}
