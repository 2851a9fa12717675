//! A terminal that is taken over as a full screen, and restored.

use std::io::{self, BufWriter, IsTerminal, Stderr, Write, stderr, stdin};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use sowing_command::failure::Failure;

/// Whether the terminal is taken over.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Set by the signals that ask a process to end.
static ENDED: AtomicBool = AtomicBool::new(false);

/// How long a screen may take to close when a signal asks for it.
const GRACE: Duration = Duration::from_secs(1);

/// A full screen, key by key. Dropping it, a panic and a signal all restore the terminal.
///
/// It is drawn on standard error, so that standard output stays free for results.
#[derive(Debug)]
pub struct Screen(());

impl Screen {
    /// Fails if there is no terminal to take over. Call it before any long work.
    pub fn check() -> Result<(), Failure> {
        if stdin().is_terminal() && stderr().is_terminal() {
            return Ok(());
        }
        Err(Failure::Input(
            "a terminal is needed here for keys and screen: see sow match for games without one"
                .to_string(),
        ))
    }

    /// Takes the terminal over.
    pub fn open() -> Result<Screen, Failure> {
        static ONCE: Once = Once::new();
        Screen::check()?;
        ONCE.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                // Where another thread panics, the screen closes too.
                ENDED.store(true, Relaxed);
                before(panic);
            }));
            // In vain only where another handler stands: then the signal ends the process.
            let _ = ctrlc::set_handler(end);
        });
        // From here on dropping the screen restores what was changed.
        let screen = Screen(());
        take_over()?;
        Ok(screen)
    }

    /// Gives the terminal back and stops, until the shell has the process go on.
    pub(crate) fn suspend(&self) -> Result<(), Failure> {
        restore();
        // The whole process group stops. Without a shell to continue it, this does nothing.
        #[cfg(unix)]
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
        take_over()
    }

    /// Where to draw.
    pub(crate) fn writer(&self) -> BufWriter<Stderr> {
        BufWriter::with_capacity(1 << 16, stderr())
    }

    /// Whether a signal asks the process to end.
    pub(crate) fn is_ended(&self) -> bool {
        ENDED.load(Relaxed)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn take_over() -> Result<(), Failure> {
    OPEN.store(true, Relaxed);
    enable_raw_mode()
        .and_then(|()| execute!(stderr(), EnterAlternateScreen, Hide, EnableMouseCapture))
        .map_err(|error| Failure::Input(format!("the terminal cannot be used: {error}")))
}

/// Closes the screen, by force if need be: reading keys from a terminal that is gone never ends.
fn end() {
    ENDED.store(true, Relaxed);
    thread::sleep(GRACE);
    if OPEN.load(Relaxed) {
        restore();
        std::process::exit(1);
    }
}

/// The terminal as it was; nothing can be done about a terminal that is gone.
fn restore() {
    // Once only: leaving again would put the cursor back over what was written since.
    if !OPEN.swap(false, Relaxed) {
        return;
    }
    let _ = execute!(stderr(), DisableMouseCapture, Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
    let _ = io::stderr().flush();
}
