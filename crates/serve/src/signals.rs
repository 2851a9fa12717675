//! The signals that end the server.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal as Interrupt, Signal as Terminate, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{
    CtrlBreak as Terminate, CtrlC as Interrupt, ctrl_break as terminate, ctrl_c as interrupt,
};

/// Somebody at the keyboard, or whoever looks after the machine, wants an end. Where there are no
/// such signals, Ctrl-C and Ctrl-Break are heard.
pub(crate) struct Signals {
    interrupt: Interrupt,
    terminate: Terminate,
}

impl Signals {
    /// Hears the signals from now on.
    pub(crate) fn new() -> io::Result<Signals> {
        Ok(Signals { interrupt: interrupt()?, terminate: terminate()? })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(unix)]
fn interrupt() -> io::Result<Interrupt> {
    signal(SignalKind::interrupt())
}

#[cfg(unix)]
fn terminate() -> io::Result<Terminate> {
    signal(SignalKind::terminate())
}
