//! `sow fair`: starts beside the usual one, and which of them are fair.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_jobs::{
    FairArgs, Kind, Provenance, ResumableFile, STARTS_CHUNK, STARTS_HEADER, StartRow,
    check_complete, provenance,
};
use sowing_lab::{NearStarts, SHIPPED_MOVED, random_fair_start};
use sowing_rules::Game;
use sowing_solver::{BookFile, SolveError, Solver};

use crate::failure::{Failure, note};
use crate::units::{self, grouped, signed};
use crate::{sanitize, svg};

#[derive(Serialize)]
struct Found<'a> {
    game: String,
    moved: u32,
    starts: usize,
    fair: usize,
    /// How many starts have each value.
    values: Vec<(i64, u64)>,
    rows: &'a [StartRow],
}

pub(crate) fn run(args: &FairArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let near = args.starts()?;
    if let Some(path) = &args.svg {
        if svg::is_stdout(path) && (args.json || args.csv || args.drawn) {
            return Err(Failure::Input(
                "standard output takes the picture or the starts: name a file, as in --svg starts.svg"
                    .to_string(),
            ));
        }
        svg::check(path)?;
    }
    if let Some(path) = &args.book {
        // What cannot be written is found out before any work.
        BookFile::for_game(path, &args.game)?;
    }
    if args.random {
        return random(args, &near, out);
    }
    let mut rows = match &args.out {
        None => Vec::new(),
        Some(path) => return to_file(args, &near, path.clone(), out),
    };
    let all = solve(args, &near, 0, &mut |chunk| {
        rows.extend_from_slice(chunk);
        Ok(())
    })?;
    show(args, &rows, if all { 0 } else { near.positions().len() - rows.len() }, out)
}

/// Solves the starts from one on, and hands them out a few at a time. Whether all are done.
fn solve(
    args: &FairArgs,
    near: &NearStarts,
    from: usize,
    take: &mut dyn FnMut(&[StartRow]) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut solver = args.limits.solver(args.game)?;
    let bar = ProgressBar::new(near.positions().len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} starts {elapsed}, {eta} to go")
            .expect("a fixed template"),
    );
    bar.set_position(from as u64);
    bar.reset_eta();
    let (mut chunk, mut failed) = (Vec::new(), None);
    let all = near.solve(&mut solver, args.goal(), from, &mut |valued| {
        chunk.push(StartRow::new(&valued, args.goal()));
        bar.inc(1);
        if chunk.len() == STARTS_CHUNK {
            failed = take(&chunk).err();
            chunk.clear();
        }
        failed.is_none()
    });
    bar.finish_and_clear();
    if let Some(failure) = failed {
        return Err(failure);
    }
    let all = all?;
    if let Some(path) = &args.book {
        add_to_book(path, &solver)?;
    }
    take(&chunk)?;
    Ok(all)
}

/// The most positions that a list of starts adds to a book: those that took most work.
const MAX_BOOK_ENTRIES: usize = 1 << 20;

fn add_to_book(path: &Path, solver: &Solver) -> Result<(), Failure> {
    let (file, mut book) = BookFile::for_game(path, solver.game())?;
    book.merge(&solver.export_book(MAX_BOOK_ENTRIES)?)?;
    Ok(file.write(&book)?)
}

fn to_file(
    args: &FairArgs,
    near: &NearStarts,
    path: PathBuf,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let description = args.description();
    provenance::check_beside(&path)?;
    let mut file = ResumableFile::open(&path, Kind::Starts, &description, STARTS_HEADER)?;
    let from = usize::try_from(file.rows()).expect("as many as there are starts");
    let all = solve(args, near, from, &mut |rows| {
        let text: Vec<String> = rows.iter().map(StartRow::text).collect();
        let done = file.rows() + rows.len() as u64;
        file.append(&text, (done, 0))
    })?;
    let damaged = || Failure::Input(format!("{} has foreign lines", sanitize::path(&path)));
    let rows: Option<Vec<StartRow>> = file.read()?.lines().map(StartRow::read).collect();
    let rows = rows.ok_or_else(damaged)?;
    if all {
        Provenance::now(None).write_beside(&path, serde_json::json!({ "what": description }))?;
        file.finish()?;
    }
    if let Some(svg) = args.svg.as_ref().filter(|_| all) {
        picture(args, &rows, svg, out)?;
    }
    check_complete(near.positions().len() - rows.len())?;
    let fair = rows.iter().filter(|row| row.is_fair()).count() as u64;
    let (starts, fair) = (grouped(rows.len() as u64), grouped(fair));
    note(&format!("{}: {starts} starts, {fair} of them fair", args.game));
    Ok(())
}

fn random(args: &FairArgs, near: &NearStarts, out: &mut dyn Write) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(units::any_seed);
    let is_known = args.moved == SHIPPED_MOVED && !args.stores;
    let known = if is_known { random_fair_start(&args.game, seed) } else { None };
    let found = match known {
        Some(start) => Some(start),
        None => {
            let found = near.random_fair(&mut args.limits.solver(args.game)?, seed);
            found.map_err(|error| match error {
                SolveError::Stopped(_) => Failure::Negative(
                    "the work was stopped by its limits: allow it more time or memory".to_string(),
                ),
                error => error.into(),
            })?
        }
    };
    match found {
        Some(start) => Ok(writeln!(out, "{start}")?),
        None => Err(Failure::Negative(format!(
            "no start of {} is fair that moves up to {}: move more, as in --moved {}",
            args.game,
            seeds(args.moved),
            args.moved + 1
        ))),
    }
}

fn seeds(count: u32) -> String {
    if count == 1 { "1 seed".to_string() } else { format!("{count} seeds") }
}

/// How many starts have each value.
fn spread(rows: &[StartRow]) -> BTreeMap<i64, u64> {
    let mut spread = BTreeMap::new();
    for value in rows.iter().filter_map(|row| row.value) {
        *spread.entry(value).or_default() += 1;
    }
    spread
}

fn picture(
    args: &FairArgs,
    rows: &[StartRow],
    path: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let title = format!("{}: starts that move up to {}", args.game, seeds(args.moved));
    let by = concat!("sow ", env!("CARGO_PKG_VERSION"));
    svg::write(path, &sowing_draw::spread(&title, &spread(rows), by), out)
}

fn show(
    args: &FairArgs,
    rows: &[StartRow],
    left: usize,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let fair = rows.iter().filter(|row| row.is_fair()).count();
    let kept: Vec<StartRow> =
        rows.iter().filter(|row| !args.drawn || row.is_fair()).cloned().collect();
    let drawn_on_stdout = args.svg.as_deref().is_some_and(svg::is_stdout);
    if args.json {
        let values = spread(rows).into_iter().collect();
        let (game, moved, starts) = (args.game.to_string(), args.moved, rows.len());
        let found = Found { game, moved, starts, fair, values, rows: &kept };
        serde_json::to_writer(&mut *out, &found)?;
        writeln!(out)?;
    } else if args.csv {
        out.write_all(STARTS_HEADER.as_bytes())?;
        kept.iter().try_for_each(|row| out.write_all(row.text().as_bytes()))?;
    } else if !drawn_on_stdout {
        text(args, rows, fair, out)?;
    }
    if let Some(path) = &args.svg {
        picture(args, rows, path, out)?;
    }
    out.flush()?;
    check_complete(left)
}

fn text(
    args: &FairArgs,
    rows: &[StartRow],
    fair: usize,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let starts = grouped(rows.len() as u64);
    let seeds = seeds(args.moved);
    if !args.drawn {
        writeln!(
            out,
            "{}: {starts} starts that move up to {seeds}, {} of them fair",
            args.game,
            grouped(fair as u64)
        )?;
        let count = |outcome: &str| rows.iter().filter(|row| row.outcome == outcome).count();
        let (wins, losses) = (count("win"), count("loss"));
        writeln!(out, "the first player wins {wins}, draws {fair} and loses {losses}\n")?;
        let spread = spread(rows);
        if !spread.is_empty() {
            writeln!(out, "value  starts")?;
            for (value, starts) in &spread {
                writeln!(out, "{:>5}  {:>6}", signed(*value), grouped(*starts))?;
            }
            writeln!(out)?;
        }
        if fair > 0 {
            writeln!(out, "fair starts")?;
        }
    }
    for row in rows.iter().filter(|row| row.is_fair()) {
        writeln!(out, "{}", row.position)?;
    }
    Ok(())
}

/// A fair start of a game to be played: one that is built in, or one that a solver finds.
#[cfg(feature = "play")]
pub(crate) fn start(
    game: Game,
    seed: u64,
    options: sowing_solver::SolverOptions,
) -> Result<sowing_rules::Position, Failure> {
    if let Some(start) = random_fair_start(&game, seed) {
        return Ok(start);
    }
    let near = NearStarts::of(game, SHIPPED_MOVED)?;
    let mut solver = sowing_solver::Solver::with_options(game, options)?;
    let found = near.random_fair(&mut solver, seed).map_err(|error| match error {
        SolveError::Stopped(_) => Failure::Negative(format!(
            "no fair start of {game} was found in a minute: look for one with sow fair --random"
        )),
        error => error.into(),
    })?;
    found.ok_or_else(|| {
        Failure::Negative(format!(
            "no start of {game} is fair that moves up to {SHIPPED_MOVED} seeds"
        ))
    })
}
