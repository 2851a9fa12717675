//! `sow grade`: how good a player is, exactly.

mod program;

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{ArgGroup, Args};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_analysis::Review;
use sowing_jobs::{SampleArgs, SolverArgs};
use sowing_lab::{Chooser, ContenderChooser, Dataset, Grade, Tally, grade, grade_review};
use sowing_players::{Contender, Interval, PlayerOptions};
use sowing_rules::{Game, Numbering, Record, Side};

use crate::failure::Failure;
use crate::input;
use crate::units::{self, grouped};
use program::Program;

/// Say how good a player is, exactly: how often it finds the best
///
/// Asks for a move in positions of a data set whose values are all known, and
/// says how often the move was a best one, and what the moves gave away, in
/// points of margin. Positions with one legal move are left out. A program that
/// is graded by --engine gets one position a line, as in 0,0,2,1|1,1,1,0, and
/// answers each with the number of a house on a line. Of a record, each player's turns are graded.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow grade \"kalah(6,4)\" --player level:3 --seeds 2..12
  sow grade \"kalah(6,4)\" --engine ./my-bot --positions 10000 --json
  sow grade \"kalah(6,4)\" --player \"engine:./my-engine\"
  sow grade \"kalah(4,3)\" --record game.txt")]
#[command(group = ArgGroup::new("whom").required(true).args(["player", "engine", "record"]))]
pub(crate) struct GradeArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// A player: random, pdp:DEPTH, level:1 to level:9, perfect, or
    /// engine:COMMAND, a program that speaks as sow engine does
    #[arg(long, value_name = "PLAYER")]
    player: Option<Contender>,
    /// A program that answers positions with houses, as it would be started in
    /// a shell
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// A record, or its file; - for standard input
    #[arg(long, value_name = "RECORD",
          conflicts_with_all = ["positions", "source", "seeds", "phase", "even", "seed"])]
    record: Option<String>,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = units::whole::<u64>(1..=100_000_000))]
    positions: u64,
    #[command(flatten)]
    sample: SampleArgs,
    /// How long a player may think about a move, or each turn of a
    /// record may be looked at
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::time)]
    move_time: Duration,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: SolverArgs,
}

#[derive(Serialize)]
struct Graded {
    game: String,
    who: String,
    #[serde(flatten)]
    all: Row,
    phases: Vec<(String, Row)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

#[derive(Serialize)]
struct Row {
    /// Positions that a move was made in, or turns of a record.
    positions: u64,
    best: u64,
    lost: u64,
    worst: u64,
    /// Positions for which there was no legal move in time.
    faults: u64,
    /// Shares from 0 to 1, with their 95 % interval.
    best_share: Option<Interval>,
    /// Points of margin, with their 95 % interval.
    lost_a_move: Option<Interval>,
}

impl Row {
    fn of(tally: &Tally) -> Row {
        let Tally { moves: positions, best, lost, worst, faults, .. } = *tally;
        let (best_share, lost_a_move) = (tally.share(), tally.lost_a_move());
        Row { positions, best, lost, worst, faults, best_share, lost_a_move }
    }
}

pub(crate) fn run(args: &GradeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(record) = &args.record {
        return of_record(args, record, out);
    }
    let dataset = args.sample.dataset(args.game, &args.limits)?;
    let (who, mut chooser): (String, Box<dyn Chooser>) = match (&args.player, &args.engine) {
        (Some(player), _) => (player.to_string(), built_in(args, player, &dataset)?),
        (None, Some(engine)) => (engine.clone(), Box::new(Program::start(engine, args.move_time)?)),
        (None, None) => unreachable!("clap asks for one of them"),
    };
    let bar = ProgressBar::new(args.positions).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} positions {elapsed}")
            .expect("a fixed template"),
    );
    let deadline = args.limits.time.and_then(|time| Instant::now().checked_add(time));
    let graded = grade(&dataset, args.positions, chooser.as_mut(), &mut |grade| {
        bar.set_position(grade.positions());
        deadline.is_none_or(|deadline| Instant::now() < deadline)
    });
    bar.finish_and_clear();
    let graded = graded?;
    show(args, &[(who, graded.clone())], Some(args.sample.seed), out)?;
    out.flush()?;
    if graded.positions() < args.positions {
        return Err(Failure::Negative(format!(
            "the time was up after {} positions: allow more, as in --time 1h",
            grouped(graded.positions())
        )));
    }
    Ok(())
}

fn built_in(
    args: &GradeArgs,
    player: &Contender,
    dataset: &Dataset,
) -> Result<Box<dyn Chooser>, Failure> {
    let options = PlayerOptions {
        seed: args.sample.seed,
        time: Some(args.move_time),
        threads: 1,
        memory: args.limits.memory / 4,
        tables: Some(Arc::clone(dataset.tables())),
        book: None,
    };
    Ok(Box::new(ContenderChooser::new(player.clone(), args.game, options)?))
}

fn of_record(args: &GradeArgs, record: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let text = input::record_or_file(record)?;
    let play = Record::read(&text, Some(args.game), Numbering::default())?.replay()?;
    let mut solver = args.limits.solver(args.game)?;
    solver.set_time(Some(args.move_time));
    let review = Review::from_playthrough(&play, &mut solver, |_| {})?;
    let name = |side: Side| side.to_string();
    let sides = [Side::South, Side::North];
    let grades = sides.map(|side| (name(side), grade_review(&play, &review, side)));
    show(args, &grades, None, out)?;
    out.flush()?;
    if review.complete {
        return Ok(());
    }
    Err(Failure::Negative(
        "the values of some turns were not found in the time: allow more, as in --move-time 5m"
            .to_string(),
    ))
}

fn show(
    args: &GradeArgs,
    grades: &[(String, Grade)],
    seed: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for (who, grade) in grades {
        if args.json {
            let phases = grade.phases.iter();
            let graded = Graded {
                game: args.game.to_string(),
                who: who.clone(),
                all: Row::of(&grade.all),
                phases: phases.map(|(phase, tally)| (phase.to_string(), Row::of(tally))).collect(),
                seed,
            };
            serde_json::to_writer(&mut *out, &graded)?;
            writeln!(out)?;
        } else {
            print(args, who, grade, out)?;
        }
    }
    Ok(())
}

fn print(args: &GradeArgs, who: &str, grade: &Grade, out: &mut dyn Write) -> Result<(), Failure> {
    let unit = if args.record.is_some() { "turns" } else { "positions" };
    let counted = match grade.all.moves {
        1 => format!("1 {}", unit.trim_end_matches('s')),
        many => format!("{} {unit}", grouped(many)),
    };
    writeln!(out, "{} at {}: {counted}", crate::sanitize::word(who), args.game)?;
    writeln!(
        out,
        "{:<8}  {:>9}  {:>22}  {:>20}  {:>5}",
        "phase",
        unit,
        "best, per cent",
        if args.record.is_some() { "lost a turn" } else { "lost a move" },
        "worst"
    )?;
    let rows = grade.phases.iter().map(|(phase, tally)| (phase.to_string(), tally));
    for (phase, tally) in rows.chain([("all".to_string(), &grade.all)]) {
        let (Some(share), Some(lost)) = (tally.share(), tally.lost_a_move()) else { continue };
        let percent = |share: f64| 100.0 * share;
        let share = format!(
            "{:.1} ({:.1} to {:.1})",
            percent(share.mean),
            percent(share.low),
            percent(share.high)
        );
        let lost = match lost.high - lost.mean {
            half if half.is_nan() => format!("{:.3}", lost.mean),
            half => format!("{:.3} ± {half:.3}", lost.mean),
        };
        let (moves, worst) = (grouped(tally.moves), tally.worst);
        writeln!(out, "{phase:<8}  {moves:>9}  {share:>22}  {lost:>20}  {worst:>5}")?;
    }
    if grade.all.faults > 0 {
        writeln!(out, "positions without a legal move in time: {}", grouped(grade.all.faults))?;
    }
    Ok(())
}
