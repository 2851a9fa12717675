//! `sow`: plays, solves and studies sowing games.

mod args;
mod bench;
mod book;
mod count;
mod dataset;
mod engine;
mod fair;
mod frame;
mod grade;
mod heap;
#[cfg(feature = "kgp")]
mod kgp;
mod manual;
mod matches;
#[cfg(any(feature = "kgp", feature = "serve"))]
mod network;
mod openings;
mod output;
mod perft;
#[cfg(feature = "play")]
mod play;
mod playouts;
mod polynomials;
mod puzzles;
mod replay;
mod review;
#[cfg(feature = "serve")]
mod serve;
mod show;
#[cfg(feature = "serve")]
mod site;
mod solve;
mod study;
mod svg;
mod sweep;
mod tables;
mod tchoukaillon;
mod tchuka_ruma;
#[cfg(feature = "play")]
mod teletype;
mod tree;
mod verify;

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

pub use crate::args::definition;

use sowing_command::{failure, input, units};
use sowing_jobs::provenance;
use sowing_rules::sanitize;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    heap::give_back();
    ExitCode::from(main_of(std::env::args_os()))
}

/// Runs the command with these arguments, its name first, for a program that has it built in. Returns the exit code.
pub fn main_of(line: impl Iterator<Item = OsString>) -> u8 {
    let line: Vec<OsString> = line.collect();
    provenance::set_command_line(&line);
    let (cli, output) = match args::parse(line.iter().cloned()) {
        Ok(parsed) => parsed,
        Err(error) => return args::usage(&error, &line),
    };
    args::old_spellings(&line).iter().for_each(|message| failure::say(message));
    if let Some(output) = output {
        return match output.take(|out| run(cli, out)) {
            Ok(()) => 0,
            Err(failure) => failure.report(),
        };
    }
    // Not locked: an engine answers from two threads.
    let mut out = BufWriter::new(anstream::stdout());
    // What was written comes before what is said of it.
    let done = run(cli, &mut out);
    let written = out.flush();
    match done.and_then(|()| Ok(written?)) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli, out: &mut dyn Write) -> Result<(), Failure> {
    match cli.command {
        Command::Show(args) => show::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Replay(args) => replay::run(&args, out),
        Command::Review(args) => review::run(&args, out),
        Command::Solve(args) => solve::run(&args, out),
        Command::Verify(args) => verify::run(&args, out),
        Command::Tchoukaillon(args) => tchoukaillon::run(&args, out),
        Command::TchukaRuma(args) => tchuka_ruma::run(&args, out),
        Command::Tables(args) => tables::run(&args, out),
        Command::Count(args) => count::run(&args, out),
        Command::Fair(args) => fair::run(&args, out),
        Command::Dataset(args) => dataset::run(&args, out),
        Command::Puzzles(args) => puzzles::run(&args, out),
        Command::Grade(args) => grade::run(&args, out),
        Command::Openings(args) => openings::run(&args, out),
        Command::Playouts(args) => playouts::run(&args, out),
        Command::Sweep(args) => sweep::run(&args, out),
        Command::Polynomials(args) => polynomials::run(&args, out),
        Command::Study(args) => study::run(&args, out),
        Command::Tree(args) => tree::run(&args, out),
        #[cfg(feature = "play")]
        Command::Play(args) => play::run(&args, out),
        Command::Match(args) => matches::run(&args, out),
        Command::Engine(args) => engine::run(&args),
        #[cfg(feature = "kgp")]
        Command::Kgp(args) => kgp::run(&args, out),
        #[cfg(feature = "play")]
        Command::Teletype(args) => teletype::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Site(args) => site::run(&args, out),
        Command::Book(args) => book::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Completions(args) => manual::completions(&args, out),
        Command::Man(args) => manual::man(&args, out),
    }
}
