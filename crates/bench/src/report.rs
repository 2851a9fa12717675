//! `sow bench`: fixed work, printed as counts and rates.

mod playouts;
#[cfg(feature = "serve")]
mod serve;
mod solitaire;
mod solve;
mod sow;
mod tables;

use std::io::Write;
use std::time::Instant;

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::failure::Failure;

/// Do fixed work and print how fast it went
///
/// Each line of work checks its own answer; a wrong one is an error.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow bench sow
  sow bench tables")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: Bench,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum Bench {
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
    Serve(serve::Load),
}

/// One piece of work done.
#[derive(Serialize)]
struct Line {
    work: String,
    /// How many of the unit.
    count: u64,
    unit: &'static str,
    /// What came out, the same in every run.
    checksum: u64,
    seconds: f64,
    per_second: f64,
}

pub(crate) fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let mut report = BenchReport { out, json: args.json };
    match &args.what {
        Bench::Sow => sow::run(&mut report),
        Bench::Solve => solve::run(&mut report),
        Bench::Solitaire => solitaire::run(&mut report),
        Bench::Tables => tables::run(&mut report),
        Bench::Playouts => playouts::run(&mut report),
        #[cfg(feature = "serve")]
        Bench::Serve(load) => serve::run(load, &mut report),
    }
}

/// Where the lines go.
struct BenchReport<'a> {
    out: &'a mut dyn Write,
    json: bool,
}

impl BenchReport<'_> {
    /// Does the work, times it, holds it to its expected count and checksum, and prints a line.
    fn line(
        &mut self,
        work: &str,
        unit: &'static str,
        expected: (u64, u64),
        job: impl FnOnce() -> (u64, u64),
    ) -> Result<f64, Failure> {
        let start = Instant::now();
        let found = job();
        self.done(work, unit, expected, found, start.elapsed().as_secs_f64())
    }

    /// Holds work that is done to its expected count and checksum, and prints a line.
    fn done(
        &mut self,
        work: &str,
        unit: &'static str,
        expected: (u64, u64),
        (count, checksum): (u64, u64),
        seconds: f64,
    ) -> Result<f64, Failure> {
        if (count, checksum) != expected {
            return Err(Failure::Input(format!(
                "{work}: got {count} {unit} with checksum {checksum:#x}, expected {} with {:#x}",
                expected.0, expected.1,
            )));
        }
        let per_second = count as f64 / seconds;
        let line = Line { work: work.to_string(), count, unit, checksum, seconds, per_second };
        if self.json {
            serde_json::to_writer(&mut *self.out, &line)?;
            writeln!(self.out)?;
        } else {
            writeln!(
                self.out,
                "{work:<40} {count:>12} {unit:<6} {checksum:016x} {seconds:>8.3} s {}",
                rate(per_second),
            )?;
        }
        self.out.flush()?;
        Ok(per_second)
    }

    /// Prints a ratio of two rates.
    fn ratio(&mut self, what: &str, ratio: f64) -> Result<(), Failure> {
        if self.json {
            serde_json::to_writer(
                &mut *self.out,
                &serde_json::json!({ "ratio": what, "value": ratio }),
            )?;
            return Ok(writeln!(self.out)?);
        }
        Ok(writeln!(self.out, "{what}: {ratio:.2}")?)
    }
}

/// A rate in a unit that shows its digits.
fn rate(per_second: f64) -> String {
    match per_second {
        slow if slow < 1e3 => format!("{slow:>9.2} /s"),
        middling if middling < 1e6 => format!("{:>9.2} k/s", middling / 1e3),
        fast => format!("{:>9.2} M/s", fast / 1e6),
    }
}
