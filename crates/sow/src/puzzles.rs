//! `sow puzzles`: positions with one turn that is worth finding.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use sowing_command::pool;
use sowing_jobs::{SampleArgs, SolverArgs};
use sowing_lab::{Puzzle, PuzzleSet, Theme, puzzles};
use sowing_players::RecordFolder;
use sowing_rules::{Game, Outcome, Playthrough, Record, turn_text};

use crate::failure::Failure;
use crate::matches::cannot_record;
use crate::units::{self, grouped, signed};

/// Make puzzles: positions with one turn that is worth finding
///
/// That turn alone wins, or alone does not lose; no other order of moves does
/// it; it is better than every other turn by a clear margin; and it is not the
/// one that brings home most at once. A puzzle's grade is how many turns a
/// player must look ahead to find it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow puzzles \"kalah(6,4)\" --seeds 6..12
  sow puzzles \"kalah(6,4)\" --built-in --grade 4 --json
  sow puzzles \"kalah(4,3)\" --count 5 --grade 2..3 --records puzzles")]
pub(crate) struct PuzzlesArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// How many of each grade
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = units::whole::<u64>(1..=1000))]
    count: u64,
    /// Grades, as in 2..6: turns to look ahead
    #[arg(long, value_name = "A..B", default_value = "2..4",
          value_parser = units::range_within(2..=Puzzle::DEEPEST.into()))]
    grade: RangeInclusive<u64>,
    /// Only those of a theme: chain, capture, starving, sacrifice or quiet
    #[arg(long, value_name = "THEME")]
    theme: Option<Theme>,
    /// How much better than all others the turn must be
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = units::whole::<i64>(1..=100))]
    margin: i64,
    /// Look at so many positions at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = units::whole::<u64>(1..=1_000_000_000))]
    limit: u64,
    /// Those of this game that are built in, instead of new ones
    #[arg(long, conflicts_with_all = ["limit", "source", "seeds", "phase", "even", "seed"])]
    built_in: bool,
    #[command(flatten)]
    sample: SampleArgs,
    /// Print one JSON object a puzzle
    #[arg(long)]
    json: bool,
    /// Write each as a record into a folder
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    #[command(flatten)]
    limits: SolverArgs,
}

/// Positions looked at together.
const STRETCH: u64 = 1 << 12;

pub(crate) fn run(args: &PuzzlesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let grades = *args.grade.start() as u32..=*args.grade.end() as u32;
    let mut set = PuzzleSet::new(grades.clone(), args.count);
    let records = match &args.records {
        Some(dir) => {
            let count = args.count * grades.clone().count() as u64;
            Some(RecordFolder::open(dir, count, None).map_err(cannot_record)?)
        }
        None => None,
    };
    let looked_at = if args.built_in {
        let known = puzzles().into_iter().filter(|puzzle| puzzle.game == args.game);
        let known =
            known.filter(|puzzle| puzzle.margin() >= args.margin && is_wanted(args, puzzle));
        known.for_each(|puzzle| set.offer(puzzle));
        0
    } else {
        find(args, &mut set)?
    };
    let full = set.is_full();
    let missing: Vec<String> = grades
        .filter(|grade| set.of_grade(*grade) < args.count)
        .map(|grade| format!("{} of grade {grade}", set.of_grade(grade)))
        .collect();
    let found = set.into_puzzles();
    for (number, puzzle) in (1..).zip(&found) {
        if args.json {
            serde_json::to_writer(&mut *out, puzzle)?;
            writeln!(out)?;
        } else {
            print(number, puzzle, out)?;
        }
        if let Some(records) = &records {
            records.write(number, &record(puzzle)).map_err(cannot_record)?;
        }
    }
    out.flush()?;
    match full {
        true => Ok(()),
        false if args.built_in => Err(Failure::Negative(format!(
            "of the puzzles of {} that are built in there are {}, not {} each",
            args.game,
            missing.join(", "),
            args.count
        ))),
        false => Err(Failure::Negative(format!(
            "{} positions had {}, not {} each: allow for more, as in --limit {}",
            grouped(looked_at),
            missing.join(", "),
            args.count,
            args.limit.saturating_mul(10).min(1_000_000_000)
        ))),
    }
}

fn is_wanted(args: &PuzzlesArgs, puzzle: &Puzzle) -> bool {
    args.theme.is_none_or(|theme| puzzle.themes.contains(&theme))
}

/// Looks for puzzles until enough are there. How many positions it looked at.
fn find(args: &PuzzlesArgs, set: &mut PuzzleSet) -> Result<u64, Failure> {
    let pool = pool(args.limits.threads)?;
    let dataset = args.sample.dataset(args.game, &args.limits)?;
    let bar = ProgressBar::new(args.limit).with_style(
        ProgressStyle::with_template("{wide_bar} {pos} positions {elapsed}")
            .expect("a fixed template"),
    );
    let deadline = args.limits.time.and_then(|time| Instant::now().checked_add(time));
    let mut next = 0;
    while next < args.limit && !set.is_full() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        let end = args.limit.min(next + STRETCH);
        // Side by side, and taken in order: what is found does not depend on the threads.
        let found: Vec<Puzzle> = pool.install(|| {
            let samples = dataset.samples(next..end)?;
            let puzzle = |sample: &sowing_lab::Sample| {
                Puzzle::of(&sample.position, dataset.tables(), args.margin)
            };
            Ok::<_, Failure>(samples.par_iter().filter_map(puzzle).collect())
        })?;
        if let Some(damage) = dataset.tables().integrity_error() {
            return Err(damage.into());
        }
        let found = found.into_iter().filter(|puzzle| is_wanted(args, puzzle));
        found.for_each(|puzzle| set.offer(puzzle));
        next = end;
        bar.set_position(next);
    }
    bar.finish_and_clear();
    Ok(next)
}

fn print(number: u64, puzzle: &Puzzle, out: &mut dyn Write) -> Result<(), Failure> {
    let themes: Vec<String> = puzzle.themes.iter().map(ToString::to_string).collect();
    let themes = if themes.is_empty() { String::new() } else { format!("; {}", themes.join(", ")) };
    let task = if puzzle.task() == Outcome::Win { "wins" } else { "draws" };
    let (value, next) = (signed(puzzle.value), signed(puzzle.next_best));
    let turn = turn_text(&puzzle.turn);
    writeln!(
        out,
        "{number:>3}  {}  grade {} (level:{})",
        puzzle.position, puzzle.grade, puzzle.level
    )?;
    Ok(writeln!(out, "     only {turn} {task}: {value}, the next best {next}{themes}")?)
}

/// The turn as a record from the puzzle's position on.
fn record(puzzle: &Puzzle) -> Record {
    let mut play = Playthrough::new(puzzle.position);
    for action in &puzzle.turn {
        play.try_play(*action).expect("the turn of a puzzle is legal");
    }
    let themes: Vec<String> = puzzle.themes.iter().map(ToString::to_string).collect();
    let mut record = Record::from_playthrough(&play)
        .with_program()
        .with_header("grade", &puzzle.grade.to_string());
    if !themes.is_empty() {
        record = record.with_header("themes", &themes.join(", "));
    }
    record
        .with_header("value", &signed(puzzle.value))
        .with_header("next best", &signed(puzzle.next_best))
}
