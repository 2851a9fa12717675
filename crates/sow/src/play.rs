//! `sow play`: the board on the full screen.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use sowing_command::read_position;
use sowing_jobs::{lock_file, open_tables};
use sowing_players::PlayerOptions;
use sowing_rules::{Game, Numbering, Playthrough, Position, Record};
use sowing_solver::SolverOptions;
use sowing_tui::{Board, Screen, Seat, Settings, Theme};

use crate::failure::Failure;
use crate::fair;
use crate::frame::locale_is_utf8;
use crate::{input, sanitize, units};

/// Play on the full screen, against a person or an opponent
///
/// Press ? on the board for its keys. The players are human, random, pdp:DEPTH
/// (the PDP-1's machine), level:1 (for children) to level:9 (strong), perfect
/// (exact where it can be in its time), and engine:COMMAND (another program).
/// The winner of a game starts the next. A clockwise game ends when a position
/// comes up for the third time. The records of games that no file keeps are
/// printed at the end.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow play
  sow play \"s-kalaha(6,3)\" --north level:5
  sow play --record evening.txt
  sow play --fair --north level:6
  sow play \"kalah(6,4,pie)\" --south perfect --north human --games 3")]
pub(crate) struct PlayArgs {
    /// The game; kalah(6,4), or that of the record, if it is left out
    game: Option<Game>,
    /// Seat starts at South and makes the first move; human, or who did in the
    /// record, if it is left out
    #[arg(long, value_name = "PLAYER")]
    south: Option<Seat>,
    /// Seat starts at North; level:3, or who did in the record, if it is left
    /// out
    #[arg(long, value_name = "PLAYER")]
    north: Option<Seat>,
    /// Play a match of so many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::whole::<u32>(1..=1000))]
    games: u32,
    /// Begin with a start that is a draw with perfect play: another each time,
    /// or as the seed says
    #[arg(long)]
    fair: bool,
    /// Begin with this position, as in "0,0,2,1|1,1,1,0", South to move
    #[arg(long, value_name = "POSITION", conflicts_with = "fair")]
    start: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "start", conflicts_with = "record")]
    free: bool,
    /// Keep the game in a file, move by move, and go on with the one that is
    /// there; later games are kept beside it, as FILE-2 and on
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    record: Option<PathBuf>,
    /// How long an opponent, a hint and each position of a review may take
    #[arg(long, alias = "time", value_name = "TIME", default_value = "5s", value_parser = units::time)]
    move_time: Duration,
    /// How long each seed is shown while sowing
    #[arg(long, value_name = "TIME", default_value = "120ms", value_parser = units::time)]
    pace: Duration,
    /// Show moves at once
    #[arg(long, conflicts_with = "pace")]
    no_animation: bool,
    /// Draw with plain characters
    #[arg(long)]
    ascii: bool,
    /// The seed of the opponents' random numbers; another each time if it is
    /// left out
    #[arg(long, value_name = "S", value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// Threads that search; all cores but one if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for opponents and values together, as in 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = units::bytes)]
    memory: u64,
}

pub(crate) fn run(args: &PlayArgs, out: &mut dyn Write) -> Result<(), Failure> {
    // Two boards on one file would write over each other's game; one that is only read may be looked
    // at by many.
    let written = args.record.as_deref().filter(|path| sowing_files::check_writable(path).is_ok());
    let _lock = written.map(lock_file).transpose()?;
    let recorded = args.record.as_deref().map(|path| recorded(path, args)).transpose()?.flatten();
    let [south, north] = ["south", "north"].map(|seat| {
        let (record, _) = recorded.as_ref()?;
        record.header(seat)?.parse::<Seat>().ok()
    });
    let seats = [
        args.south.clone().or(south).unwrap_or(Seat::Human),
        args.north.clone().or(north).unwrap_or_else(|| "level:3".parse().expect("a player")),
    ];
    let game = match (&recorded, args.game) {
        (Some((_, play)), _) => *play.start().game(),
        (None, Some(game)) => game,
        (None, None) => "kalah(6,4)".parse().expect("a game"),
    };
    let start =
        args.start.as_deref().map(|text| read_position(game, text, args.free)).transpose()?;
    if start.is_some_and(|start| start.is_finished()) {
        return Err(Failure::Input("the game is over in this position".to_string()));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = PlayerOptions {
        seed: args.seed.unwrap_or_else(units::any_seed),
        time: Some(args.move_time),
        // A core stays free for keys and screen.
        threads: args.threads.unwrap_or_else(|| (cores - 1).max(1)),
        memory: args.memory,
        tables: open_tables(None, &game)?,
        book: sowing_books::book_for(&game),
    };
    Screen::check()?;
    let play = match recorded {
        Some((_, play)) => play,
        None if args.fair => Playthrough::new(fair::start(game, options.seed, solver(&options))?),
        None => Playthrough::new(start.unwrap_or_else(|| Position::start(game))),
    };
    let settings = Settings {
        seats,
        games: args.games,
        pace: (!args.no_animation && !args.pace.is_zero()).then_some(args.pace),
        recorded: args.record.is_some(),
    };
    let theme = Theme {
        ascii: args.ascii || !locale_is_utf8(),
        color: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let mut board = Board::new(settings, play, &options, args.record.clone(), theme)?;
    let sat = board.run();
    // Nothing is lost, whatever ended it.
    for record in board.records() {
        writeln!(out, "{record}")?;
    }
    sat
}

/// The game that a file keeps, if there is one.
fn recorded(path: &Path, args: &PlayArgs) -> Result<Option<(Record, Playthrough)>, Failure> {
    if !path.exists() {
        sowing_files::check_writable(path).map_err(|error| {
            Failure::Input(format!("cannot write to {}: {error}", sanitize::path(path)))
        })?;
        return Ok(None);
    }
    let text = input::file_or_stdin(path)?;
    let record = Record::read(&text, args.game, Numbering::default())?;
    let play = record.replay()?;
    if args.fair || args.start.is_some() {
        return Err(Failure::Input(format!(
            "{} has a game already: leave out where to begin, or name another file",
            sanitize::path(path)
        )));
    }
    Ok(Some((record, play)))
}

/// What looks for a fair start where none is built in.
fn solver(options: &PlayerOptions) -> SolverOptions {
    SolverOptions {
        threads: options.threads,
        memory: options.memory,
        time: Some(FAIR_TIME),
        tables: options.tables.clone(),
        book: options.book.clone(),
        ..SolverOptions::default()
    }
}

/// How long a fair start is looked for where none is built in.
const FAIR_TIME: Duration = Duration::from_secs(60);
