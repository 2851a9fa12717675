//! The errors of players.

use sowing_protocol::engine::MAX_LINE_BYTES;
use sowing_rules::{Game, quoted};
use sowing_solver::SolveError;

use crate::engine::HANDSHAKE_TIMEOUT;

/// Why a player has no move.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChooseError {
    /// The game is over.
    #[error("the game is over")]
    Finished,
    /// The play is of another game than the player's.
    #[error("the player is for {player}, the play of {play}: both need the same game")]
    OtherGame {
        /// The player's game.
        player: Game,
        /// The game of the play.
        play: Game,
    },
    /// The stop switch was set.
    #[error("the player was stopped before it had a move")]
    Stopped,
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The player is an engine, and committed a fault.
    #[error(transparent)]
    Engine(#[from] EngineFault),
}

/// A fault by which an engine loses the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineFault {
    /// It cannot be started.
    #[error("cannot start {what}: {why}", what = quoted(.command))]
    Start {
        /// The command.
        command: String,
        /// The error of the system.
        why: String,
    },
    /// It did not answer `sow` with `sowok`.
    #[error("{what} did not answer sow with the line sowok: {instead}{}", stderr_text(.stderr), what = quoted(.command))]
    NoEngine {
        /// The command.
        command: String,
        /// Its answer, if any.
        instead: NoHandshake,
        /// The last line on its standard error.
        stderr: Option<String>,
    },
    /// Its process ended.
    #[error("the engine ended in the middle of a game{}", stderr_text(.stderr))]
    Crashed {
        /// The last line on its standard error.
        stderr: Option<String>,
    },
    /// It wrote a line that is too long.
    #[error("the engine wrote a line of more than {MAX_LINE_BYTES} bytes")]
    Flooded,
    /// It took too long.
    #[error("the engine had no move after {after} ms, with {allowed} ms allowed")]
    Late {
        /// The time waited, in milliseconds.
        after: u64,
        /// The time allowed, in milliseconds.
        allowed: u64,
    },
    /// It played an illegal move.
    #[error("the engine played {what}, which is not legal in {position}", what = quoted(.answer))]
    Illegal {
        /// Its answer.
        answer: String,
        /// The position.
        position: String,
    },
}

/// The behaviour of a program that did not answer `sow` with `sowok`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHandshake {
    /// Its last line was another one.
    #[error("it wrote {}", quoted(.0))]
    Line(String),
    /// It ended without a line.
    #[error("it ended without writing a line")]
    Ended,
    /// It wrote no line.
    #[error("it wrote no line within {} s; a program must flush its output", HANDSHAKE_TIMEOUT.as_secs())]
    Silent,
}

fn stderr_text(line: &Option<String>) -> String {
    line.as_ref().map_or(String::new(), |line| format!("; on standard error {}", quoted(line)))
}
