//! A server of our own, clients of our own, and clients that do as they like.
#![allow(dead_code, reason = "each test uses a part")]

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use sowing_kgp::{
    Address, ClientError, ClientOptions, Clock, Introduction, Server, ServerLimits, ServerOptions,
    Standing, Summary, connect,
};
use sowing_players::PlayerOptions;
use sowing_protocol::kgp::{Command, Line, Mode};
use sowing_rules::Game;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Runs a test.
pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let ended = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test)));
    // A player that thinks for ever does not keep a failed test from ending.
    runtime.shutdown_background();
    ended.unwrap_or_else(|panic| resume_unwind(panic));
}

/// A server that runs.
pub(crate) struct Running {
    pub(crate) tcp: SocketAddr,
    pub(crate) web: SocketAddr,
    stop: oneshot::Sender<()>,
    done: JoinHandle<Vec<Standing>>,
}

pub(crate) fn offers(games: &[&str]) -> ServerOptions {
    ServerOptions {
        games: games.iter().map(|game| game.parse::<Game>().unwrap()).collect(),
        house: "level:1".parse().unwrap(),
        player: PlayerOptions { memory: 1 << 24, ..PlayerOptions::default() },
        wait: Duration::ZERO,
        clock: Clock::Move(Duration::from_secs(20)),
        problems: None,
        count: None,
        records: None,
        limits: ServerLimits::default(),
        public_hosts: Vec::new(),
    }
}

impl Running {
    pub(crate) async fn start(options: ServerOptions) -> Running {
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let web = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let places = [&tcp, &web].map(|listener| listener.local_addr().unwrap());
        let server = Server::new(tcp, Some(web), options);
        let over = async {
            let _ = stopped.await;
        };
        let done = tokio::spawn(server.serve(over, |_| {}));
        Running { tcp: places[0], web: places[1], stop, done }
    }

    pub(crate) fn address(&self, web: bool) -> Address {
        let text = match web {
            true => format!("ws://{}/socket", self.web),
            false => self.tcp.to_string(),
        };
        text.parse().unwrap()
    }

    pub(crate) async fn end(self) -> Vec<Standing> {
        let _ = self.stop.send(());
        self.done.await.unwrap()
    }
}

pub(crate) fn client(mode: Mode, player: &str, name: &str, count: u64) -> ClientOptions {
    ClientOptions {
        mode,
        contender: player.parse().unwrap(),
        player: PlayerOptions {
            time: Some(Duration::from_millis(100)),
            memory: 1 << 24,
            ..PlayerOptions::default()
        },
        aids: Arc::new(|_| (None, None)),
        introduction: Introduction { name: name.to_string(), ..Introduction::default() },
        count: Some(count),
        retries: 3,
        records: None,
    }
}

pub(crate) async fn play(
    address: &Address,
    options: &ClientOptions,
) -> Result<Summary, ClientError> {
    let over = std::future::pending();
    timeout(Duration::from_secs(3600), connect(address, options, over, |_| {}))
        .await
        .expect("an end")
}

/// A client that says what it likes.
pub(crate) struct Raw {
    pub(crate) read: BufReader<OwnedReadHalf>,
    pub(crate) write: OwnedWriteHalf,
}

impl Raw {
    pub(crate) async fn open(address: SocketAddr) -> Raw {
        let (read, write) = TcpStream::connect(address).await.unwrap().into_split();
        Raw { read: BufReader::new(read), write }
    }

    pub(crate) async fn say(&mut self, text: &str) {
        // It may be closed already, which the test finds out by itself.
        let _ = self.write.write_all(format!("{text}\r\n").as_bytes()).await;
    }

    /// The next line; `None` at the end.
    pub(crate) async fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(Duration::from_secs(60), self.read.read_line(&mut line));
        match read.await.expect("a line within a minute") {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end().to_string()),
        }
    }

    /// Reads until a command comes that this is true of, answering pings; its line. `None` at the end.
    pub(crate) async fn until(
        &mut self,
        wanted: impl Fn(&Command) -> bool,
    ) -> Option<(Line, Command)> {
        loop {
            let line: Line = self.hear().await?.parse().unwrap();
            let command = Command::try_from(&line).unwrap();
            if wanted(&command) {
                return Some((line, command));
            }
            if command == Command::Ping {
                self.say(&Command::Pong.answering(line.id.unwrap()).to_string()).await;
            }
        }
    }
}
