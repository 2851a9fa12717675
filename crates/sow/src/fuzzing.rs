//! A door for the fuzz targets in `fuzz/`: the parts of the command that read what strangers write,
//! without a process or a port around them. Not for anybody else, and free to change.

use clap::FromArgMatches;
use sowing_solver::Solver;

use crate::args::{Cli, Command, definition};
use crate::solve::{self, SolveArgs};

/// `sow solve GAME -`.
#[derive(Debug)]
pub struct Lines {
    args: SolveArgs,
    solver: Solver,
}

impl Lines {
    /// The command with these arguments, as in `kalah(2,2)`, `-`, `--threads`, `1`.
    ///
    /// # Panics
    /// If it does not take them.
    pub fn new(args: &[&str]) -> Lines {
        let matches = definition().try_get_matches_from(["sow", "solve"].iter().chain(args));
        let cli = Cli::from_arg_matches(&matches.expect("arguments of solve")).expect("as defined");
        let Command::Solve(args) = cli.command else { unreachable!("solve was asked for") };
        let (solver, _) = solve::solver(&args).unwrap_or_else(|failure| panic!("{failure}"));
        Lines { args, solver }
    }

    /// What is printed when this comes in.
    ///
    /// # Panics
    /// If the command fails, other than by its limits.
    pub fn answers(&mut self, mut input: &[u8]) -> String {
        let mut out = Vec::new();
        match solve::each_line(&self.args, &mut self.solver, &mut input, &mut out) {
            Ok(()) | Err(crate::failure::Failure::Negative(_)) => {}
            Err(failure) => panic!("{failure}"),
        }
        String::from_utf8(out).expect("a text")
    }
}

/// Takes the terminal over and panics.
#[cfg(feature = "play")]
pub fn panic_on_the_screen() {
    let _screen = crate::terminal::Screen::open().expect("a terminal");
    panic!("a panic that was asked for");
}
