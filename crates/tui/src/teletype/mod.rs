//! The PDP-1's program, key by key or on a pipe.

mod typewriter;

use std::io::{self, IsTerminal, Read, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use ratatui::crossterm::cursor::MoveTo;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{Clear, ClearType, size};
use sowing_command::failure::Failure;
use sowing_players::{Opponent, Player, PlayerOptions};
use sowing_rules::{Game, Move};

use crate::screen::Screen;
use crate::teletype::typewriter::{Key, Typewriter};

/// The PDP-1's program, on a terminal or on a pipe.
#[derive(Clone, Copy, Debug)]
pub struct Teletype {
    /// The game.
    pub game: Game,
    /// The test word: the turns that the machine looks ahead.
    pub depth: u32,
    /// Whether boards are shown on standard error where standard input is a pipe.
    pub boards: bool,
}

impl Teletype {
    /// Reads keys from standard input to its end, and types the records to `out`.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Failure> {
        if io::stdin().is_terminal() { on_terminal(self, out) } else { on_pipe(self, out) }
    }
}

fn machine(teletype: &Teletype) -> Result<Player, Failure> {
    Ok(Player::new(Opponent::Pdp(teletype.depth), teletype.game, PlayerOptions::default())?)
}

fn on_pipe(teletype: &Teletype, out: &mut dyn Write) -> Result<(), Failure> {
    let mut typewriter = Typewriter::new(teletype.game);
    let mut machine = machine(teletype)?;
    let mut written = 0;
    let mut type_out = |typewriter: &Typewriter| -> Result<(), Failure> {
        out.write_all(&typewriter.paper().as_bytes()[written..])?;
        written = typewriter.paper().len();
        out.flush()?;
        if teletype.boards {
            writeln!(io::stderr(), "\n{}", typewriter.board())?;
        }
        Ok(())
    };
    type_out(&typewriter)?;
    for byte in io::stdin().lock().bytes() {
        let byte = byte.map_err(|error| Failure::Input(format!("standard input: {error}")))?;
        match typewriter.key(byte.into()) {
            Some(Key::Play(action)) => typewriter.make(action),
            Some(Key::Machine) => typewriter.make(machine.choose(typewriter.play())?),
            Some(Key::Restart) => typewriter.restart(),
            None => continue,
        }
        type_out(&typewriter)?;
    }
    typewriter.end();
    type_out(&typewriter)
}

fn on_terminal(teletype: &Teletype, out: &mut dyn Write) -> Result<(), Failure> {
    let mut typewriter = Typewriter::new(teletype.game);
    let mut machine = machine(teletype)?;
    let screen = Screen::open()?;
    loop {
        draw(&screen, &typewriter, true)?;
        let Some(key) = next_key(&screen)? else { break };
        match typewriter.key(key) {
            Some(Key::Play(action)) => typewriter.make(action),
            Some(Key::Machine) => {
                draw(&screen, &typewriter, false)?;
                match think(&screen, &mut machine, &typewriter)? {
                    Some(action) => typewriter.make(action),
                    None => break,
                }
            }
            Some(Key::Restart) => typewriter.restart(),
            None => {}
        }
    }
    drop(screen);
    typewriter.end();
    Ok(out.write_all(typewriter.paper().as_bytes())?)
}

/// The board, which vanishes while the machine thinks, and the last lines of the paper.
fn draw(screen: &Screen, typewriter: &Typewriter, board: bool) -> Result<(), Failure> {
    let mut to = screen.writer();
    let height = usize::from(size().map_or(24, |(_, rows)| rows));
    queue!(to, Clear(ClearType::All))?;
    let shown = typewriter.board();
    let lines = shown.lines().count();
    for (line, row) in shown.lines().zip(1..).filter(|_| board) {
        queue!(to, MoveTo(0, row))?;
        to.write_all(line.as_bytes())?;
    }
    let paper: Vec<&str> = typewriter.paper().split('\n').collect();
    let fits = height.saturating_sub(lines + 3).max(1);
    let tail = &paper[paper.len().saturating_sub(fits)..];
    for (line, row) in tail.iter().zip(lines as u16 + 2..) {
        queue!(to, MoveTo(0, row))?;
        to.write_all(line.as_bytes())?;
    }
    Ok(to.flush()?)
}

/// The next key; `None` once the operator leaves.
fn next_key(screen: &Screen) -> Result<Option<char>, Failure> {
    loop {
        if screen.is_ended() {
            return Ok(None);
        }
        if !poll(Duration::from_millis(100))? {
            continue;
        }
        match read()? {
            Event::Key(key) if leaves(&key) => return Ok(None),
            Event::Key(KeyEvent { code, kind: KeyEventKind::Press, .. }) => match code {
                KeyCode::Char(key) => return Ok(Some(key)),
                KeyCode::Enter => return Ok(Some('\r')),
                _ => {}
            },
            // A key that means nothing has the screen drawn anew.
            Event::Resize(..) => return Ok(Some('\0')),
            _ => {}
        }
    }
}

fn leaves(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'd'))
}

/// The machine's move; `None` if the operator leaves meanwhile. Other keys are not heard.
fn think(
    screen: &Screen,
    machine: &mut Player,
    typewriter: &Typewriter,
) -> Result<Option<Move>, Failure> {
    let stop = machine.stop_switch();
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        scope.spawn(move || sender.send(machine.choose(typewriter.play())));
        loop {
            if let Ok(chosen) = receiver.recv_timeout(Duration::from_millis(20)) {
                return Ok(Some(chosen?));
            }
            let heard = poll(Duration::ZERO)?.then(read).transpose()?;
            let left = matches!(&heard, Some(Event::Key(key)) if leaves(key));
            if left || screen.is_ended() {
                stop.store(true, Relaxed);
                return Ok(None);
            }
        }
    })
}
