//! `sow review`: what each turn of a game gave away.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use sowing_analysis::Review;
use sowing_draw::words::{better_text, lost_text, points};
use sowing_jobs::open_tables;
use sowing_rules::Playthrough;
use sowing_solver::{Solver, SolverOptions};

use crate::args::RecordArgs;
use crate::failure::Failure;
use crate::units;

/// Say what each turn of a game gave away against perfect play
///
/// What a turn lost is the margin with perfect play before it less that after
/// it, both from the side that moved. A turn that lost nothing was a best one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow review game.txt
  sow review \"kalah(4,3)\" \"3,1\"
  sow review \"kalah(6,4)\" - --move-time 1m --json < game.txt")]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    record: RecordArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// How long to look at each turn, as in 30s or 5m
    #[arg(long, alias = "time", value_name = "TIME", default_value = "10s", value_parser = units::time)]
    move_time: Duration,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for everything that the search holds, as in 512M or 16G; half of
    /// what is free if it is left out
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Use the endgame tables in this folder; without, those of the data
    /// directory, or tables built in memory where the work justifies it
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

pub(crate) fn run(args: &ReviewArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let play = args.record.read()?.replay()?;
    let game = *play.start().game();
    let defaults = SolverOptions::default();
    let options = SolverOptions {
        threads: args.threads.unwrap_or(defaults.threads),
        memory: args.memory.unwrap_or_else(units::half_of_free),
        time: Some(args.move_time),
        tables: open_tables(args.tables.as_deref(), &game)?,
        book: sowing_books::book_for(&game),
        ..defaults
    };
    let mut solver = Solver::with_options(game, options)?;
    let bar = ProgressBar::new_spinner();
    let review = Review::from_playthrough(&play, &mut solver, |turn| {
        bar.set_message(format!("looked at turn {}", turn.turn));
        bar.tick();
    });
    bar.finish_and_clear();
    let review = review?;
    if args.json {
        serde_json::to_writer(&mut *out, &review)?;
        writeln!(out)?;
    } else {
        print(&play, &review, out)?;
    }
    if review.complete {
        return Ok(());
    }
    out.flush()?;
    Err(Failure::Negative(
        "the values of some turns were not found in the time: allow more, as in --move-time 5m"
            .to_string(),
    ))
}

fn print(play: &Playthrough, review: &Review, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}  {}", play.start().game(), play.start())?;
    if review.turns.is_empty() {
        return Ok(writeln!(out, "Nothing was played.")?);
    }
    for turn in &review.turns {
        let better = better_text(turn).map_or(String::new(), |better| format!("; better {better}"));
        writeln!(out, "{:>5}  {}{better}", turn.turn, lost_text(turn))?;
    }
    let [south, north] = [review.lost.south, review.lost.north].map(points);
    writeln!(out, "South gave away {south}, North {north}.")?;
    let Some(worst) = review.worst() else { return Ok(()) };
    Ok(writeln!(out, "The worst turn was number {}: {}.", worst.turn, lost_text(worst))?)
}
