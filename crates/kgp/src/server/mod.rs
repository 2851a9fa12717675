//! A small server for practice and tests.
//!
//! A client is a [`Guest`], a task that talks with it and nothing else. Guests who want to play wait in
//! the [lobby](lobby), which seats two of them, or one and the house's player, at a [game](game). What
//! came of it all is in the [`Standing`]s.

mod game;
mod guest;
mod handle;
mod lobby;
mod table;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing_players::{Contender, PlayerOptions};
use sowing_protocol::hosts::{Authority, Hosts};
use sowing_protocol::kgp::Command;
use sowing_rules::{Game, Record};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use crate::wire::Wire;
use guest::Guest;
use table::Table;

pub use table::Standing;

/// How time is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// So much for every move; whoever has not moved by then has a random move played.
    Move(Duration),
    /// So much for all moves of a game; whoever uses it up has lost.
    Game(Duration),
}

/// What clients may do.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// How many may be there at a time.
    pub clients: usize,
    /// How long one may take to say what it wants, and to answer a ping.
    pub patience: Duration,
    /// How many lines one may send in ten seconds.
    pub lines: u32,
    /// How many lines that are no commands one may send in all.
    pub nonsense: u32,
}

impl Default for ServerLimits {
    /// 64 clients, 20 seconds, 2,000 lines, 100 of nonsense.
    fn default() -> ServerLimits {
        let patience = Duration::from_secs(20);
        ServerLimits { clients: 64, patience, lines: 2000, nonsense: 100 }
    }
}

/// What a server offers.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The games, in turn; a client plays each from both sides. Their rules are Kalah's.
    pub games: Vec<Game>,
    /// Who plays against a client that finds no other.
    pub house: Contender,
    /// Memory, threads and seed of the house's player.
    pub player: PlayerOptions,
    /// How long a client waits for another before it meets the house.
    pub wait: Duration,
    /// The time control.
    pub clock: Clock,
    /// How many positions or problems a client gets; as many as it likes if it is `None`.
    pub problems: Option<u64>,
    /// After how many games the server ends.
    pub count: Option<u64>,
    /// The folder for records.
    pub records: Option<PathBuf>,
    /// What clients may do.
    pub limits: ServerLimits,
    /// The names by which browsers reach the WebSocket, beside `localhost` and IP addresses. Their pages may use
    /// it.
    pub public_hosts: Vec<Authority>,
}

/// What happens.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// A client has come.
    Came(SocketAddr),
    /// A client has gone, and why.
    Gone(SocketAddr, &'a str),
    /// A game is over.
    Game(&'a Record),
    /// Something cannot be done.
    Failed(&'a str),
}

/// What all tasks of a server share.
struct House {
    options: ServerOptions,
    /// The hosts of the WebSocket.
    hosts: Hosts,
    table: Mutex<Table>,
    clients: AtomicUsize,
    games: AtomicU64,
    visitors: AtomicU64,
    lobby: mpsc::UnboundedSender<lobby::Waiting>,
    /// Turns true when the server ends.
    over: watch::Sender<bool>,
    watch: Box<dyn Fn(ServerEvent<'_>) + Send + Sync>,
    /// Those of the house that think at a time.
    thinking: tokio::sync::Semaphore,
}

/// A server, not running yet.
pub struct Server {
    tcp: TcpListener,
    web: Option<TcpListener>,
    options: ServerOptions,
}

impl Server {
    /// A server that listens for lines, and perhaps for WebSockets.
    pub fn new(tcp: TcpListener, web: Option<TcpListener>, options: ServerOptions) -> Server {
        Server { tcp, web, options }
    }

    /// Serves until as many games are played as were asked for, or `over` comes true. What came of it.
    pub async fn serve(
        self,
        over: impl Future<Output = ()>,
        watch: impl Fn(ServerEvent<'_>) + Send + Sync + 'static,
    ) -> Vec<Standing> {
        let (lobby, waiting) = mpsc::unbounded_channel();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let table = Table::new(&self.options.house.to_string());
        // An address that cannot be told counts as loopback, which is the stricter.
        let place = self.web.as_ref().and_then(|web| web.local_addr().ok());
        let place = place.map_or(Ipv4Addr::LOCALHOST.into(), |place| place.ip());
        // No page comes from the port of the WebSocket itself.
        let hosts = Hosts::new(place, self.options.public_hosts.clone()).with_any_port();
        let house = Arc::new(House {
            options: self.options,
            hosts,
            table: Mutex::new(table),
            clients: AtomicUsize::new(0),
            games: AtomicU64::new(0),
            visitors: AtomicU64::new(0),
            lobby,
            over: watch::channel(false).0,
            watch: Box::new(watch),
            thinking: tokio::sync::Semaphore::new(cores),
        });
        let mut ended = house.over.subscribe();
        tokio::spawn(lobby::run(Arc::clone(&house), waiting));
        tokio::pin!(over);
        loop {
            let web = async {
                match &self.web {
                    Some(web) => web.accept().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                accepted = self.tcp.accept() => House::welcome(&house, accepted, false).await,
                accepted = web => House::welcome(&house, accepted, true).await,
                () = &mut over => break,
                () = is_over(&mut ended) => break,
            }
        }
        house.over.send_replace(true);
        // Everybody is told goodbye, and may take a moment to hear it.
        for _ in 0..100 {
            if house.clients.load(Relaxed) == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        house.standings()
    }
}

impl House {
    fn standings(&self) -> Vec<Standing> {
        self.table.lock().expect("nobody panics with the table").standings()
    }

    fn tell(&self, event: ServerEvent<'_>) {
        (self.watch)(event);
    }

    async fn welcome(
        house: &Arc<House>,
        accepted: std::io::Result<(TcpStream, SocketAddr)>,
        web: bool,
    ) {
        let Ok((stream, address)) = accepted else {
            // Out of files, most likely: others have to leave first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            return;
        };
        let _ = stream.set_nodelay(true);
        let house = Arc::clone(house);
        let full = house.clients.fetch_add(1, Relaxed) >= house.options.limits.clients;
        tokio::spawn(async move {
            let here = Here(&house.clients);
            let patience = house.options.limits.patience;
            let wire = match web {
                true => {
                    tokio::time::timeout(patience, Wire::accept_web(stream, &house.hosts)).await
                }
                false => Ok(Ok(Wire::tcp(stream))),
            };
            let Ok(Ok(wire)) = wire else { return };
            if full {
                let why = "too many clients: try again later".to_string();
                let _ = wire.send(&Command::Error(why).line());
                let _ = wire.send(&Command::Goodbye.line());
                return;
            }
            house.tell(ServerEvent::Came(address));
            let why = Guest::new(Arc::clone(&house), wire, address).stay().await;
            house.tell(ServerEvent::Gone(address, &why));
            drop(here);
        });
    }
}

/// Comes true when the server ends.
async fn is_over(over: &mut watch::Receiver<bool>) {
    // If nobody can say so any more, it has ended too.
    drop(over.wait_for(|over| *over).await);
}

/// A client counts for as long as this is held.
struct Here<'a>(&'a AtomicUsize);

impl Drop for Here<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
