//! `sow serve`: the analysis board in the browser.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sowing_serve::{Authority, Config, Proxy};
use tracing_subscriber::filter::LevelFilter;

use crate::failure::Failure;
use crate::{network, sanitize, units};

/// Serve the analysis board to a browser
///
/// Nothing is installed and nothing is fetched from elsewhere. The JSON API
/// that the page uses is described at /api/v1/openapi.json, and how the server
/// is doing at /api/v1/status. Ctrl-C ends it.
///
/// There is no log-in and no TLS: to serve other machines, put a reverse proxy
/// in front, and name its host with --public-host. Browsers reach the server
/// as localhost, by an IP address or by such a name, and only its own pages
/// start work.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow serve
  sow serve --port 9000 --workers 4 --memory 2G
  sow serve --public-host play.example.org   behind a proxy on this machine
  sow serve --bind 0.0.0.0 --log info        for everybody on the network")]
pub(crate) struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = network::address)]
    bind: IpAddr,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// How many analyses may run at a time
    #[arg(long, alias = "slots", value_name = "N", default_value = "2", value_parser = units::threads)]
    workers: usize,
    /// Threads for each analysis; the cores shared out if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for each analysis, as in 512M or 4G; the program and the books
    /// that are built in come on top
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::bytes)]
    memory: u64,
    /// Time for each analysis, as in 30s or 5m; what is proven by then is the
    /// answer
    #[arg(long, alias = "time", value_name = "TIME", default_value = "2m", value_parser = units::time)]
    time_each: Duration,
    /// How many connections may be open at a time
    #[arg(long, value_name = "N", default_value = "512", value_parser = units::whole::<usize>(1..=100_000))]
    connections: usize,
    /// How many of them one address may hold, an IPv4 address or an IPv6
    /// network of 64 bits; half of them if it is left out
    #[arg(long, value_name = "N", value_parser = units::whole::<usize>(1..=100_000))]
    connections_per_address: Option<usize>,
    /// Where a reverse proxy connects from: an address, loopback or none. Its
    /// connections are not limited per address, and its X-Forwarded-For says
    /// who asks. May be given several times
    #[arg(long, value_name = "ADDRESS", default_value = "loopback")]
    proxy: Vec<Proxy>,
    /// A name by which browsers reach the server, as in play.example.org or
    /// play.example.org:8443. May be given several times
    #[arg(long, value_name = "NAME")]
    public_host: Vec<Authority>,
    /// Keep what analyses find in books in this folder, and know it from the
    /// start next time
    #[arg(long, value_name = "DIR")]
    books: Option<PathBuf>,
    /// Leave the books out that are built in
    #[arg(long)]
    no_book: bool,
    /// What to note on standard error: off, error, warn, info (every request
    /// and analysis), debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = level)]
    log: LevelFilter,
}

fn level(text: &str) -> Result<LevelFilter, String> {
    let known = ["off", "error", "warn", "info", "debug", "trace"].contains(&text);
    let level = known.then(|| text.parse().ok()).flatten();
    level.ok_or_else(|| "it is off, error, warn, info, debug or trace".to_string())
}

pub(crate) fn run(args: &ServeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    // Somebody who calls it twice in one process keeps the first.
    let _ = tracing_subscriber::fmt()
        .with_max_level(args.log)
        .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
        .with_writer(io::stderr)
        .try_init();
    if let Some(folder) = &args.books {
        // What cannot be kept is said before anybody relies on it.
        sowing_files::make_folder(folder)
            .and_then(|()| sowing_files::check_writable(&folder.join("any.book")))
            .map_err(|error| {
                Failure::Input(format!("cannot keep books in {}: {error}", sanitize::path(folder)))
            })?;
    }
    let config = Config {
        workers: args.workers,
        threads: args.threads,
        memory: args.memory,
        time: args.time_each,
        connections: args.connections,
        connections_per_address: args.connections_per_address,
        proxies: args.proxy.clone(),
        public_hosts: args.public_host.clone(),
        tables: sowing_tables::default_directory(),
        books: !args.no_book,
        book_folder: args.books.clone(),
    };
    let address = SocketAddr::new(args.bind, args.port);
    let listener = TcpListener::bind(address).map_err(|error| {
        let text = format!("cannot listen on {address}: {error}; try another port, as in");
        Failure::Input(format!("{text} sow serve --port {}", args.port.wrapping_add(1).max(1)))
    })?;
    let cannot = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let address = listener.local_addr().map_err(|error| cannot(&error))?;
    writeln!(out, "listening on http://{address}/")?;
    out.flush()?;
    network::warn_of_exposure(args.bind);
    sowing_serve::serve(listener, &config).map_err(|error| cannot(&error))
}
