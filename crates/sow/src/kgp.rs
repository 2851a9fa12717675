//! `sow kgp`: the Kalah Game Protocol.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use sowing_kgp::{
    Address, Authority, ClientEvent, ClientOptions, Clock, Introduction, Server, ServerEvent,
    ServerLimits, ServerOptions, Standing, connect,
};
use sowing_players::{Contender, Player, PlayerOptions};
use sowing_protocol::kgp::Mode;
use sowing_rules::{Game, Rules};
use tokio::net::TcpListener;

use crate::failure::{Failure, note};
use crate::{engine, network, sanitize, units};

/// Play on servers of the Kalah Game Protocol, or be one
///
/// On these servers a game is over as soon as a store holds more than half of
/// the seeds. Who wins does not depend on that; the margin does.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow kgp serve
  sow kgp connect 127.0.0.1 --player perfect --games 10
  sow kgp connect ws://kalah.example.org/socket --name Ada --token secret
  sow kgp connect 127.0.0.1 --mode verify --games 100")]
pub(crate) struct KgpArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Connect(ConnectArgs),
    Serve(ServeArgs),
}

/// Play on a server
///
/// Moves are sent as soon as there is one, and again when a better one is found;
/// the turn is given up when the outcome is known or the time is over. It takes
/// part again when the connection is lost.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow kgp connect 127.0.0.1 --player perfect --games 10
  sow kgp connect kalah.example.org:2671 --name Ada --log
  sow kgp connect ws://127.0.0.1:2672/socket --player level:5 --records games
  sow kgp connect 127.0.0.1 --player \"engine:./bot\"")]
struct ConnectArgs {
    /// Where the server is, as in 127.0.0.1:2671 or ws://127.0.0.1:8080/socket
    address: Address,
    /// Who plays: random, pdp:DEPTH, level:1 to level:9, perfect or
    /// engine:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "perfect")]
    player: Contender,
    /// What to do there: freeplay, eval or verify
    #[arg(long, value_name = "MODE", default_value = "freeplay")]
    mode: Mode,
    /// Leave after so many games, positions or problems
    #[arg(long, value_name = "N", value_parser = units::whole::<u64>(1..=1_000_000))]
    games: Option<u64>,
    /// The name to play under
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = text)]
    name: String,
    /// Who wrote the player
    #[arg(long, value_name = "NAMES", default_value = "", hide_default_value = true, value_parser = text)]
    authors: String,
    /// What the player does
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, value_parser = text)]
    description: String,
    /// A secret by which the server knows the player again
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, value_parser = text)]
    token: String,
    /// The most time for a move, as in 500ms or 5s; a server's clock may allow
    /// less
    #[arg(long, alias = "time", value_name = "TIME", default_value = "4s", value_parser = units::time)]
    move_time: Duration,
    /// How often in a row to connect again
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = units::whole::<u32>(0..=1_000_000))]
    retries: u32,
    /// Write the record of each game into this folder, as far as it was seen
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Show all lines on standard error
    #[arg(long)]
    log: bool,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Threads that search
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::threads)]
    threads: usize,
    /// Memory for perfect, as in 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = units::bytes)]
    memory: u64,
}

/// Serve bots that practise
///
/// Two clients who wait at the same time play each other; one who waits alone
/// meets the player of the house. A client plays each game from both sides. It
/// also offers eval and verify. Ctrl-C ends it and prints the results.
///
/// There is no log-in and no TLS. Browsers reach the WebSocket as localhost, by
/// an IP address or by a name given with --public-host, and only pages of that
/// host may use it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow kgp serve
  sow kgp serve \"kalah(6,4)\" \"kalah(8,8)\" --against level:7 --move-time 2s
  sow kgp serve --wait 1h --clock 2m --records games    only between clients
  sow kgp serve --bind 0.0.0.0 --log                    for the network")]
struct ServeArgs {
    /// The games, played in turn; their rules must be those of kalah without
    /// options
    #[arg(value_name = "GAME", default_value = "kalah(6,4)", num_args = 1..=50)]
    game: Vec<Game>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = network::address)]
    bind: IpAddr,
    /// The port for lines over TCP; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 2671)]
    port: u16,
    /// The port for WebSockets, at /socket; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 2672)]
    web_port: u16,
    /// The player of the house
    #[arg(long, value_name = "PLAYER", default_value = "level:5")]
    against: Contender,
    /// How long a client waits for another before it meets the house
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = units::time)]
    wait: Duration,
    /// Time for each move; whoever has sent none by then has a random one played
    #[arg(long, alias = "time", value_name = "TIME", default_value = "5s", value_parser = units::time)]
    move_time: Duration,
    /// Time for all moves of a game instead; whoever uses it up has lost
    #[arg(long, value_name = "TIME", conflicts_with = "move_time", value_parser = units::time)]
    clock: Option<Duration>,
    /// End after so many games
    #[arg(long, value_name = "N", value_parser = units::whole::<u64>(1..=1_000_000))]
    games: Option<u64>,
    /// Positions or problems for a client in eval and verify; as many as it likes
    /// if it is left out
    #[arg(long, value_name = "N", value_parser = units::whole::<u64>(1..=1_000_000))]
    problems: Option<u64>,
    /// How many clients may be there at a time
    #[arg(long, value_name = "N", default_value = "64", value_parser = units::whole::<usize>(1..=10_000))]
    connections: usize,
    /// A name by which browsers reach the WebSocket, as in play.example.org. May
    /// be given several times
    #[arg(long, value_name = "NAME")]
    public_host: Vec<Authority>,
    /// Write the record of each game into this folder
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Note on standard error who comes and goes, and each game
    #[arg(long)]
    log: bool,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Memory for perfect, as in 512M or 4G, for each game
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = units::bytes)]
    memory: u64,
}

/// Says something that the other side of a connection may have worded: one line of at most 300
/// characters.
fn say(message: &str) {
    note(&sanitize::one_line(message));
}

/// Something that is said of a player: it must fit a line.
fn text(text: &str) -> Result<String, String> {
    let right = text.chars().count() <= 1000 && !text.contains(char::is_control);
    right.then(|| text.to_string()).ok_or_else(|| {
        "it is a text of at most 1000 characters without control characters, as in Ada".to_string()
    })
}

pub(crate) fn run(args: &KgpArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Input(format!("cannot start threads: {error}")))?;
    let done = match &args.what {
        What::Connect(args) => runtime.block_on(run_client(args, out)),
        What::Serve(args) => runtime.block_on(run_server(args, out)),
    };
    // A thought that nobody waits for does not keep us.
    runtime.shutdown_timeout(Duration::from_millis(100));
    done
}

/// Ctrl-C, or what the system sends to end a process.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// A folder that records can be written to.
fn check_folder(folder: Option<&PathBuf>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    sowing_files::make_folder(folder)
        .and_then(|()| tempfile::tempfile_in(folder).map(drop))
        .map_err(|error| {
            Failure::Input(format!("cannot write {}: {error}", sanitize::path(folder)))
        })
}

/// An engine that cannot be started is found out before anybody waits for it.
fn check_player(player: &Contender, game: Game) -> Result<(), Failure> {
    if let Contender::Engine(_) = player {
        Player::for_contender(player, game, PlayerOptions::default())?;
    }
    Ok(())
}

async fn run_client(args: &ConnectArgs, out: &mut dyn Write) -> Result<(), Failure> {
    check_folder(args.records.as_ref())?;
    check_player(&args.player, "kalah(6,4)".parse().expect("a game"))?;
    let player = PlayerOptions {
        seed: args.seed,
        time: Some(args.move_time),
        threads: args.threads,
        memory: args.memory,
        tables: None,
        book: None,
    };
    let options = ClientOptions {
        mode: args.mode,
        contender: args.player.clone(),
        player,
        aids: Arc::new(engine::aids),
        introduction: Introduction {
            name: args.name.clone(),
            authors: args.authors.clone(),
            description: args.description.clone(),
            token: args.token.clone(),
        },
        count: args.games,
        retries: args.retries,
        records: args.records.clone(),
    };
    let log = args.log;
    let watch = |event: ClientEvent<'_>| match event {
        ClientEvent::Sent(line) if log && line.starts_with("set auth:") => note("> set auth:..."),
        ClientEvent::Sent(line) if log => say(&format!("> {line}")),
        ClientEvent::Received(line) if log => say(&format!("< {line}")),
        ClientEvent::Error(why) => say(&format!("the server says: {why}")),
        ClientEvent::Lost(why, pause) => {
            say(&format!("no connection ({why}); again in {} s", pause.as_secs_f64()));
        }
        ClientEvent::Failed(why) => say(why),
        ClientEvent::Game(record) if log => {
            note(&format!("a game of {} is over", record.game()));
        }
        _ => {}
    };
    let summary = connect(&args.address, &options, told_to_end(), watch)
        .await
        .map_err(|error| Failure::Input(error.to_string()))?;
    let counted = match args.mode {
        Mode::Freeplay => format!("{} games, {} positions", summary.games, summary.states),
        Mode::Eval => format!("{} positions", summary.states),
        Mode::Verify => format!("{} problems", summary.problems),
    };
    writeln!(
        out,
        "{counted}; without a move in time: {}; moves sent again: {}; errors: {}; connections lost: {}",
        summary.missed, summary.again, summary.errors, summary.lost
    )?;
    if summary.faults > 0 {
        writeln!(out, "positions for which the engine had no move: {}", summary.faults)?;
    }
    out.flush()?;
    match summary.gave_up {
        Some(why) => {
            Err(Failure::Negative(format!("the connection to {} is lost: {why}", args.address)))
        }
        None => Ok(()),
    }
}

async fn run_server(args: &ServeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(game) = args.game.iter().find(|game| game.rules() != Rules::KALAH) {
        return Err(Failure::Input(format!(
            "the protocol knows only the rules of kalah without options, as in kalah(6,4), not {game}"
        )));
    }
    check_folder(args.records.as_ref())?;
    check_player(&args.against, args.game[0])?;
    let options = ServerOptions {
        games: args.game.clone(),
        house: args.against.clone(),
        player: PlayerOptions { seed: args.seed, memory: args.memory, ..PlayerOptions::default() },
        wait: args.wait,
        clock: args.clock.map_or(Clock::Move(args.move_time), Clock::Game),
        problems: args.problems,
        count: args.games,
        records: args.records.clone(),
        limits: ServerLimits { clients: args.connections, ..ServerLimits::default() },
        public_hosts: args.public_host.clone(),
    };
    let listen = async |port: u16, flag: &str| {
        let address = SocketAddr::new(args.bind, port);
        TcpListener::bind(address).await.map_err(|error| {
            Failure::Input(format!(
                "cannot listen on {address}: {error}; try another port, as in --{flag} 0"
            ))
        })
    };
    let tcp = listen(args.port, "port").await?;
    let web = listen(args.web_port, "web-port").await?;
    let place = |listener: &TcpListener| {
        listener.local_addr().map_err(|error| Failure::Input(error.to_string()))
    };
    writeln!(out, "listening on {} and ws://{}/socket", place(&tcp)?, place(&web)?)?;
    out.flush()?;
    network::warn_of_exposure(args.bind);
    let log = args.log;
    let watch = move |event: ServerEvent<'_>| match event {
        ServerEvent::Came(address) if log => note(&format!("{address} has come")),
        ServerEvent::Gone(address, why) if log => {
            say(&format!("{address} has gone: {why}"));
        }
        ServerEvent::Game(record) if log => {
            let header = |key| sanitize::word(record.header(key).unwrap_or_default());
            let [south, north, result] = ["south", "north", "result"].map(header);
            note(&format!("{}: {south} against {north}, {result}", record.game()));
        }
        ServerEvent::Failed(why) => say(why),
        _ => {}
    };
    let standings = Server::new(tcp, Some(web), options).serve(told_to_end(), watch).await;
    print_standings(&standings, out)
}

fn print_standings(standings: &[Standing], out: &mut dyn Write) -> Result<(), Failure> {
    let name = |standing: &Standing| sanitize::word(&standing.name);
    let width = standings.iter().map(|standing| name(standing).chars().count()).max();
    let width = width.unwrap_or(0).max("player".len());
    let played: Vec<&Standing> = standings.iter().filter(|standing| standing.games() > 0).collect();
    if !played.is_empty() {
        writeln!(
            out,
            "{:<width$}  {:>6}  {:>6}  {:>6}  {:>7}  {:>8}  {:>6}",
            "player", "won", "drawn", "lost", "points", "forfeits", "late"
        )?;
    }
    for standing in played {
        writeln!(
            out,
            "{:<width$}  {:>6}  {:>6}  {:>6}  {:>7}  {:>8}  {:>6}",
            name(standing),
            standing.wins,
            standing.draws,
            standing.losses,
            standing.points(),
            standing.forfeits,
            standing.late
        )?;
    }
    for standing in standings.iter().filter(|standing| standing.solved + standing.wrong > 0) {
        let (name, solved, wrong) = (name(standing), standing.solved, standing.wrong);
        writeln!(out, "{name:<width$}  problems solved: {solved}, wrong: {wrong}")?;
    }
    for standing in standings.iter().filter(|standing| standing.evaluated > 0) {
        let (name, evaluated, distance) = (name(standing), standing.evaluated, standing.distance);
        writeln!(
            out,
            "{name:<width$}  positions evaluated: {evaluated}, on average {distance:.2} from a short look ahead"
        )?;
    }
    Ok(())
}
