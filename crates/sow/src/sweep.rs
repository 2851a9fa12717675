//! `sow sweep`: the outcome of every start of a family.

use std::cmp::Ordering;
use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_command::pool;
use sowing_jobs::{
    Job, Kind, Provenance, ResumableFile, SWEEP_HEADER, SweepArgs, provenance, sweep_row,
};
use sowing_lab::{Start, non_wins};

use crate::failure::{Failure, note};
use crate::units::grouped;

#[derive(Serialize)]
struct Row {
    game: String,
    h: u8,
    s: u64,
    outcome: String,
    moves: Option<u64>,
}

/// Starts done together, after which the rows found are written out.
const CHUNK: u64 = 1 << 19;

pub(crate) fn run(args: &SweepArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let pool = pool(args.threads)?;
    let mut file = match &args.out {
        Some(path) => {
            provenance::check_beside(path)?;
            Some(ResumableFile::open(path, Kind::Sweep, &args.description(), SWEEP_HEADER)?)
        }
        None => None,
    };
    if args.out.is_none() && !args.json {
        out.write_all(SWEEP_HEADER.as_bytes())?;
    }
    let total = args.tasks();
    let bar = ProgressBar::new(total).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} starts {elapsed}")
            .expect("a fixed template"),
    );
    let done = file.as_ref().map_or((0, 0), ResumableFile::checkpoint);
    for houses in args.houses.clone() {
        let (first, end) = (*args.seeds.start(), *args.seeds.end());
        let mut next = match houses.cmp(&done.0) {
            Ordering::Less => end + 1,
            Ordering::Equal => done.1 + 1,
            Ordering::Greater => first,
        };
        bar.inc(next - first);
        while next <= end {
            let last = end.min(next + CHUNK - 1);
            let starts = pool.install(|| non_wins(args.family.rules, houses as u8, next..=last))?;
            match &mut file {
                Some(file) => {
                    let rows: Vec<String> = starts.iter().map(sweep_row).collect();
                    file.append(&rows, (houses, last))?;
                }
                None => print(&starts, args.json, out)?,
            }
            bar.inc(last - next + 1);
            next = last + 1;
        }
    }
    bar.finish_and_clear();
    if let Some(file) = file {
        let (starts, rows) = (grouped(total), grouped(file.rows()));
        let path = args.out.as_ref().expect("there is a file");
        Provenance::now(None).write_beside(path, args.metadata())?;
        file.finish()?;
        note(&format!("{}: {starts} starts, {rows} non-wins found", args.family.name));
    }
    Ok(())
}

fn print(starts: &[Start], json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    for start in starts {
        if json {
            let row = Row {
                game: start.game.to_string(),
                h: start.game.houses(),
                s: start.game.seeds(),
                outcome: start.outcome.to_string(),
                moves: start.moves,
            };
            serde_json::to_writer(&mut *out, &row)?;
            writeln!(out)?;
        } else {
            out.write_all(sweep_row(start).as_bytes())?;
        }
    }
    Ok(out.flush()?)
}
