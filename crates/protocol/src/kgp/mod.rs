//! The Kalah Game Protocol: [`Line`]s of a name and arguments, and the [`Command`]s that they are.
//!
//! The public server does some things otherwise than the specification has it; what is read here is
//! both, and what is written is what the public server understands.

mod command;
mod line;

pub use command::{Command, Mode, ParseModeError};
pub use line::{Argument, Line, LineError};

/// The most characters of a line, its end not counted.
pub const MAX_LINE: usize = 16_384;

/// The port where servers listen for lines over TCP.
pub const PORT: u16 = 2671;

/// Where servers listen for WebSockets.
pub const SOCKET_PATH: &str = "/socket";
