//! `differential`: compares the solver with the plain implementation for as long as you like.

use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;
use sowing_differential::{Case, Checked, Disagreement};

/// Solve random positions of random games with random settings, and compare
/// every value with a plain implementation of the rules
///
/// Games have 1 to 12 houses and all rule options. Settings are threads, memory,
/// endgame tables (none, in memory, in files, packed), books, and searches that are
/// stopped. Compared are the values of positions, moves and turns, every bound in
/// the transposition table, and certificates by two checkers.
///
/// Exit code 1 if something differs.
#[derive(Parser, Debug)]
#[command(after_help = "Examples:
  cargo run --release -p sowing-differential -- --positions 10000 --seed 1
  cargo run --release -p sowing-differential -- --positions 5000000")]
struct Args {
    /// Positions to compare
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    positions: u64,
    /// The seed of the random choice; another one every time if it is left out
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The number of the first case, to repeat one that was reported
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Cases to check at the same time; all cores if it is left out
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// How often progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.as_micros() as u64 % 1_000_000_000
    });
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    eprintln!("differential: seed {seed}, {} positions, {jobs} at a time", args.positions);
    let end = args.first.saturating_add(args.positions);
    let (next, differs) = (AtomicU64::new(args.first), AtomicBool::new(false));
    let total = Mutex::new((Checked::default(), Instant::now()));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while !differs.load(Relaxed) {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= end {
                        return;
                    }
                    match check(seed, number) {
                        Ok(checked) => add(&total, checked, start),
                        Err(Disagreement(what)) => {
                            differs.store(true, Relaxed);
                            eprintln!("differential: {}\n{what}", Case::new(seed, number));
                            eprintln!("again: --seed {seed} --first {number} --positions 1");
                        }
                    }
                }
            });
        }
    });
    let (checked, _) = *total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!("{}", summary(&checked, start.elapsed()));
    if differs.into_inner() {
        return ExitCode::FAILURE;
    }
    println!("no difference");
    ExitCode::SUCCESS
}

/// A panic is a disagreement too.
fn check(seed: u64, number: u64) -> Result<Checked, Disagreement> {
    catch_unwind(AssertUnwindSafe(|| Case::new(seed, number).check()))
        .unwrap_or_else(|_| Err(Disagreement("the solver panics: see above".to_string())))
}

fn add(total: &Mutex<(Checked, Instant)>, checked: Checked, start: Instant) {
    let mut total = total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    total.0 += checked;
    if total.1.elapsed() >= REPORT_INTERVAL {
        total.1 = Instant::now();
        let clear = if std::io::stderr().is_terminal() { "\r" } else { "" };
        eprintln!("{clear}{}", summary(&total.0, start.elapsed()));
    }
}

fn summary(checked: &Checked, time: Duration) -> String {
    let Checked { positions, moves, turns, stored, stopped, certificates } = checked;
    format!(
        "{positions} positions, {moves} moves, {turns} turns, {stored} stored bounds, {stopped} stopped \
         searches and {certificates} certificates compared in {:.1} s",
        time.as_secs_f64()
    )
}
