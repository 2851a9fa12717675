//! The Kalah Game Protocol: [`Line`]s of a name and arguments, parsed into [`Command`]s.
//!
//! The public server deviates from the specification in places. Reading accepts both forms; writing uses the public
//! server's.

mod command;
mod line;

pub use command::{Command, Mode, ParseModeError};
pub use line::{Argument, Line, LineError};

/// The most characters of a line without its end.
pub const MAX_LINE: usize = 16_384;

/// The TCP port of servers.
pub const PORT: u16 = 2671;

/// The path of servers for WebSockets.
pub const SOCKET_PATH: &str = "/socket";
