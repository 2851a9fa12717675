//! The lines that benchmarks print.

use std::io::Write;
use std::time::Instant;

use serde::Serialize;
use sowing_command::failure::Failure;

/// A benchmark's line.
#[derive(Serialize)]
struct Line {
    work: String,
    /// The number of units.
    count: u64,
    unit: &'static str,
    /// The result, the same in every run.
    checksum: u64,
    seconds: f64,
    per_second: f64,
}

/// The output of benchmarks: one line of text or one JSON object for each piece of work.
pub struct BenchReport<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) json: bool,
}

impl<'a> BenchReport<'a> {
    /// Prints to `out`.
    pub fn new(out: &'a mut dyn Write, json: bool) -> BenchReport<'a> {
        BenchReport { out, json }
    }

    /// Does the work, times it, compares it with its expected count and checksum, and prints a line.
    pub(crate) fn line(
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

    /// Compares work that is done with its expected count and checksum, and prints a line.
    pub(crate) fn done(
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
    pub(crate) fn ratio(&mut self, what: &str, ratio: f64) -> Result<(), Failure> {
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
