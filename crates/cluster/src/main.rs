//! `sow-cluster`: the work of `sow` that outgrows a machine, on many, by MPI.

mod args;
mod batch;
mod counter;
mod plan;
mod ranks;
mod solve;
mod start;
mod tables;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use mpi::environment::Threading;
use sowing_command::failure::{say_as, usage_line};
use sowing_jobs::provenance::set_command_line;

use crate::args::{Cli, Command};
use crate::ranks::{Agreed, Ranks};

const PROGRAM: &str = "sow-cluster";

/// What ranks must have in common: messages and files are those of one build.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SOW_COMMIT"));

fn main() -> ExitCode {
    // One thread of each rank talks to the others; more may compute.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        say_as(PROGRAM, "MPI was started already");
        return ExitCode::from(2);
    };
    let ranks = Ranks::new(universe.world());
    let done = match parse() {
        Ok(_) if threading < Threading::Funneled => {
            Err("this MPI library lets no process have threads: use one built with them".into())
        }
        Ok(mut cli) => run(&ranks, &mut cli),
        Err(error) if error.use_stderr() => {
            Err(usage_line(&error, PROGRAM, "tables \"kalah(6,4)\" --seeds 20 --dir D"))
        }
        Err(help) => {
            if ranks.is_first() {
                // Nobody need read it.
                let _ = help.print();
            }
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // All ranks know it; one says it.
            if ranks.is_first() {
                say_as(PROGRAM, &message);
            }
            ExitCode::from(2)
        }
    }
}

fn parse() -> Result<Cli, clap::Error> {
    let definition = Cli::command().mut_subcommand("batch", batch::described);
    Cli::from_arg_matches(&definition.try_get_matches()?)
}

fn run(ranks: &Ranks, cli: &mut Cli) -> Agreed<()> {
    start::check_same(ranks)?;
    let mut line: Vec<_> = std::env::args_os().collect();
    if matches!(cli.command, Command::Batch(_)) {
        // The rest is what one would tell sow.
        line.remove(1);
    }
    set_command_line(&line);
    match &mut cli.command {
        Command::Tables(args) => tables::run(ranks, args),
        Command::Batch(args) => batch::run(ranks, args),
        Command::Solve(args) => solve::run(ranks, args),
        Command::Plan(args) => plan::run(ranks, args),
    }
}
