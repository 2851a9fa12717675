//! `sow bench`: fixed work, printed as counts and rates.

use std::io::Write;

use clap::{Args, Subcommand};
use sowing_bench::{Bench, BenchReport};

use crate::failure::Failure;
#[cfg(feature = "serve")]
use crate::units;

/// Do fixed work and print how fast it went
///
/// Each line of work checks its own answer; a wrong one is an error.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow bench sow
  sow bench tables")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Moves played: walks of the move tree and random games on both boards
    Sow,
    /// Values of a fixed list of games, with one thread
    Solve,
    /// Boards and terms of Tchoukaillon
    Solitaire,
    /// Endgame tables built and probed, beside what the memory can do
    Tables,
    /// Random games on all cores
    Playouts,
    #[cfg(feature = "serve")]
    Serve(LoadArgs),
}

/// A server under load: cheap requests while analyses run in every slot
/// and 200 clients are slow or send nonsense
#[cfg(feature = "serve")]
#[derive(Args, Debug)]
struct LoadArgs {
    /// Requests a second
    #[arg(long, value_name = "N", default_value_t = 2000,
          value_parser = units::whole::<u64>(1..=100_000))]
    rate: u64,
    /// How long, in seconds
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = units::whole::<u64>(1..=3600))]
    seconds: u64,
    /// The longest that 99 of 100 requests may take, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 50,
          value_parser = units::whole::<u64>(1..=3_600_000))]
    p99: u64,
}

pub(crate) fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let mut report = BenchReport::new(out, args.json);
    let bench = match &args.what {
        What::Sow => Bench::Sow,
        What::Solve => Bench::Solve,
        What::Solitaire => Bench::Solitaire,
        What::Tables => Bench::Tables,
        What::Playouts => Bench::Playouts,
        #[cfg(feature = "serve")]
        What::Serve(args) => return load(args, &mut report),
    };
    bench.run(&mut report)
}

#[cfg(feature = "serve")]
fn load(args: &LoadArgs, report: &mut BenchReport<'_>) -> Result<(), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("the load test cannot run: {error}")))?;
    let LoadArgs { rate, seconds, p99 } = *args;
    sowing_bench::Load { program, rate, seconds, p99 }.run(report)
}
