//! The board on the full screen.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind, poll, read,
};
use ratatui::layout::Rect;
use sowing_command::failure::Failure;
use sowing_players::PlayerOptions;
use sowing_rules::Playthrough;

use crate::app::{App, Input, Settings};
use crate::screen::Screen;
use crate::view::{Places, Theme, draw, scroll};
use crate::workers::Workers;

/// A sitting at the board: a match of games between people, opponents and engines.
pub struct Board {
    app: App,
    workers: Workers,
    theme: Theme,
}

impl Board {
    /// Starts the workers of a sitting that begins with `play`. Games are saved to `record` and to files beside it. Fails
    /// if a player cannot be started.
    pub fn new(
        settings: Settings,
        play: Playthrough,
        options: &PlayerOptions,
        record: Option<PathBuf>,
        theme: Theme,
    ) -> Result<Board, Failure> {
        let workers = Workers::new(*play.start().game(), &settings.seats, options, record)?;
        Ok(Board { app: App::new(settings, play, Instant::now()), workers, theme })
    }

    /// Takes the terminal over until the person at the keyboard leaves.
    pub fn run(&mut self) -> Result<(), Failure> {
        let screen = Screen::open()?;
        sit(&screen, &mut self.app, &self.workers, self.theme)
    }

    /// The records of the games that no file holds.
    pub fn records(&mut self) -> Vec<String> {
        self.app.records()
    }
}

/// How often workers' events are polled, and clocks shown.
const BUSY: Duration = Duration::from_millis(20);
const IDLE: Duration = Duration::from_millis(250);

/// Keys and events to the app, its requests to the workers, its state to the screen, until it quits.
fn sit(screen: &Screen, app: &mut App, workers: &Workers, theme: Theme) -> Result<(), Failure> {
    let mut terminal = Terminal::new(CrosstermBackend::new(screen.writer()))?;
    let mut drawn = None;
    let mut changed = true;
    while !app.quit && !screen.is_ended() {
        app.requests().into_iter().for_each(|request| workers.submit(request));
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
        while let Ok(event) = workers.events.try_recv() {
            app.event(event, Instant::now());
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
