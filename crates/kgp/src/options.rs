//! What a client is told, tells, and comes to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sowing_players::{Contender, PlayerOptions};
use sowing_protocol::kgp::Mode;
use sowing_rules::{Game, Record};
use sowing_solver::Book;
use sowing_tables::Tables;

/// Endgame tables and a book of a game, where there are any.
pub type Aids = Arc<dyn Fn(&Game) -> (Option<Arc<Tables>>, Option<Arc<Book>>) + Send + Sync>;

/// What a client says of itself; what is empty is not said.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub authors: String,
    /// What it does.
    pub description: String,
    /// A secret by which a server knows it again.
    pub token: String,
}

/// What a client does.
#[derive(Clone)]
pub struct ClientOptions {
    /// What it asks for.
    pub mode: Mode,
    /// Who plays.
    pub contender: Contender,
    /// Threads, memory and seed; the time is the most for a move, where the server grants as much.
    pub player: PlayerOptions,
    /// Endgame tables and books.
    pub aids: Aids,
    /// What it says of itself.
    pub introduction: Introduction,
    /// After how many games, positions or problems it leaves.
    pub count: Option<u64>,
    /// How often in a row it tries to connect again.
    pub retries: u32,
    /// The folder for records.
    pub records: Option<PathBuf>,
}

/// What happens.
#[derive(Debug)]
pub enum ClientEvent<'a> {
    /// There is a connection.
    Connected,
    /// A line was sent.
    Sent(&'a str),
    /// A line came.
    Received(&'a str),
    /// The server finds fault with something.
    Error(&'a str),
    /// Something cannot be done.
    Failed(&'a str),
    /// The connection is lost; it is tried again after this time.
    Lost(&'a str, Duration),
    /// A game is over as far as can be seen.
    Game(&'a Record),
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games that were played, as far as can be seen.
    pub games: u64,
    /// Positions sent.
    pub states: u64,
    /// Positions for which the server wanted no more before anything was sent: a random move was played.
    pub missed: u64,
    /// Moves that a server did not take at first, and that were sent again.
    pub again: u64,
    /// Problems solved.
    pub problems: u64,
    /// Errors that the server reported, moves sent again not among them.
    pub errors: u64,
    /// Positions for which an engine had no move because it did not do as it should.
    pub faults: u64,
    /// Connections that were lost.
    pub lost: u64,
    /// Why the last of them was not made again, if it should have been.
    pub gave_up: Option<String>,
}

/// Why a client gave up.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no connection.
    #[error("cannot connect to {address}: {why}")]
    Connect {
        /// Where.
        address: String,
        /// Why.
        why: String,
    },
    /// The server speaks another protocol.
    #[error("{address} greets with {what}, not with kgp 1", what = sowing_rules::quoted(.greeting))]
    Greeting {
        /// Where.
        address: String,
        /// What it says.
        greeting: String,
    },
    /// The server does not offer the mode.
    #[error("the server refuses mode {mode}: {why}", why = sowing_rules::quoted(.why))]
    Refused {
        /// What was asked for.
        mode: Mode,
        /// What it says.
        why: String,
    },
    /// A record cannot be written.
    #[error("cannot write {path}: {why}", path = .path.display())]
    Record {
        /// Where.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The player cannot play.
    #[error("{0}")]
    Player(String),
}
