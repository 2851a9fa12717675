//! `sow play`: the board on the full screen.

mod app;
mod desk;
mod motion;
mod steps;
#[cfg(test)]
mod tests;
mod view;
mod who;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind, poll, read,
};
use ratatui::layout::Rect;
use sowing_players::PlayerOptions;
use sowing_rules::{Game, Numbering, Playthrough, Position, Record};
use sowing_solver::SolverOptions;

use crate::args::read_position;
use crate::failure::Failure;
use crate::fair;
use crate::frame::locale_is_utf8;
use crate::play::app::{App, Input, Settings};
use crate::play::desk::Desk;
use crate::play::view::{Places, Theme, draw, scroll};
use crate::play::who::Who;
use crate::resumable::keep_to_ourselves;
use crate::terminal::Screen;
use crate::{input, said, tables, units};

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
    /// Who starts at South and makes the first move; human, or who did in the
    /// record, if it is left out
    #[arg(long, value_name = "PLAYER")]
    south: Option<Who>,
    /// Who starts at North; level:3, or who did in the record, if it is left
    /// out
    #[arg(long, value_name = "PLAYER")]
    north: Option<Who>,
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
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::time)]
    time: Duration,
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
    let _lock = written.map(keep_to_ourselves).transpose()?;
    let recorded = args.record.as_deref().map(|path| recorded(path, args)).transpose()?.flatten();
    let [south, north] = ["south", "north"].map(|seat| {
        let (record, _) = recorded.as_ref()?;
        record.header(seat)?.parse::<Who>().ok()
    });
    let seats = [
        args.south.clone().or(south).unwrap_or(Who::Human),
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
        time: Some(args.time),
        // A core stays free for keys and screen.
        threads: args.threads.unwrap_or_else(|| (cores - 1).max(1)),
        memory: args.memory,
        tables: tables::given(None, &game)?,
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
    let desk = Desk::new(game, &settings.seats, &options, args.record.clone())?;
    let mut app = App::new(settings, play, Instant::now());
    let screen = Screen::open()?;
    let sat = sit(&screen, &mut app, &desk, theme);
    drop(screen);
    // Nothing is lost, whatever ended it.
    for record in app.records() {
        writeln!(out, "{record}")?;
    }
    sat
}

/// The game that a file keeps, if there is one.
fn recorded(path: &Path, args: &PlayArgs) -> Result<Option<(Record, Playthrough)>, Failure> {
    if !path.exists() {
        sowing_files::check_writable(path).map_err(|error| {
            Failure::Input(format!("cannot write to {}: {error}", said::path(path)))
        })?;
        return Ok(None);
    }
    let text = input::file_or_stdin(path)?;
    let record = Record::read(&text, args.game, Numbering::default())?;
    let play = record.replay()?;
    if args.fair || args.start.is_some() {
        return Err(Failure::Input(format!(
            "{} has a game already: leave out where to begin, or name another file",
            said::path(path)
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

/// How often news from behind the screen are looked for, and clocks shown.
const BUSY: Duration = Duration::from_millis(20);
const IDLE: Duration = Duration::from_millis(250);

/// Keys and news to the app, its requests to the desk, its state to the screen, until it quits.
fn sit(screen: &Screen, app: &mut App, desk: &Desk, theme: Theme) -> Result<(), Failure> {
    let mut terminal = Terminal::new(CrosstermBackend::new(screen.writer()))?;
    let mut drawn = None;
    let mut changed = true;
    while !app.quit && !screen.is_ended() {
        app.requests().into_iter().for_each(|request| desk.take(request));
        let now = Instant::now();
        let clock_moved = drawn.is_none_or(|drawn| now - drawn >= Duration::from_millis(100));
        if changed || app.is_busy() && clock_moved {
            terminal.draw(|frame| draw(frame, app, theme, now))?;
            drawn = Some(now);
            changed = false;
        }
        let patience = if app.is_busy() { BUSY } else { IDLE };
        let due = app.due().map_or(patience, |due| due.saturating_duration_since(Instant::now()));
        if poll(due.min(patience))? {
            let event = read()?;
            changed = true;
            if is_suspend(&event) {
                screen.suspend()?;
                terminal.clear()?;
                continue;
            }
            let size = terminal.size()?;
            let area = Rect::new(0, 0, size.width, size.height);
            app.scroll = scroll(area, app);
            if let Some(input) = input(&event, area, app) {
                app.input(input, Instant::now());
            }
        }
        while let Ok(news) = desk.news.try_recv() {
            app.news(news, Instant::now());
            changed = true;
        }
        changed |= app.tick(Instant::now());
    }
    Ok(())
}

fn is_suspend(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    key.kind != KeyEventKind::Release
        && key.modifiers.contains(KeyModifiers::CONTROL)
        && key.code == KeyCode::Char('z')
}

fn input(event: &Event, area: Rect, app: &App) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Input::Leave)
        }
        Event::Key(key) => match key.code {
            KeyCode::Char(key) => Some(Input::Char(key)),
            KeyCode::Left => Some(Input::Left),
            KeyCode::Right => Some(Input::Right),
            KeyCode::Up => Some(Input::Up),
            KeyCode::Down => Some(Input::Down),
            KeyCode::PageUp => Some(Input::PageUp),
            KeyCode::PageDown => Some(Input::PageDown),
            KeyCode::Home => Some(Input::Home),
            KeyCode::End => Some(Input::End),
            KeyCode::Enter => Some(Input::Enter),
            KeyCode::Esc => Some(Input::Escape),
            _ => None,
        },
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
            let (side, house) = Places::new(area, app)?.house_at(mouse.column, mouse.row)?;
            Some(Input::Click(side, house))
        }
        _ => None,
    }
}
