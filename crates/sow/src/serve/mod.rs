//! `sow serve`: the analysis board in the browser.

mod analysis;
mod assets;
mod error;
mod findings;
mod games;
mod listen;
mod picture;
mod position;
mod query;
mod reply;
mod review;
mod router;
mod signals;
mod slots;
mod solitaire;
mod state;
mod stream;
mod studies;
mod values;

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sowing_solver::Options;

use crate::failure::Failure;
use crate::units;
pub(crate) use router::router;
pub(crate) use slots::Slots;
pub(crate) use state::Server;

/// Serve the analysis board to a browser
///
/// Nothing is installed and nothing is fetched from elsewhere. The JSON API
/// that the page uses is described at /api/v1/openapi.json. Ctrl-C ends it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow serve
  sow serve --port 9000 --slots 4 --memory 2G
  sow serve --bind 0.0.0.0 --time 30s        for everybody on the network")]
pub(crate) struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    bind: IpAddr,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// How many analyses may run at a time
    #[arg(long, value_name = "N", default_value = "2", value_parser = units::threads)]
    slots: usize,
    /// Threads for each analysis; the cores shared out if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory for each analysis, as in 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::bytes)]
    memory: u64,
    /// Time for each analysis, as in 30s or 5m; what is proven by then is the
    /// answer
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = units::time)]
    time: Duration,
    /// How many connections may be open at a time
    #[arg(long, value_name = "N", default_value = "512", value_parser = count)]
    connections: usize,
}

fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "an address is written as 127.0.0.1 or ::1".to_string())
}

fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| "it is a number from 1 to 100000, as in 4".to_string())
}

pub(crate) fn run(args: &ServeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        threads: args.threads.unwrap_or((cores / args.slots).max(1)),
        // Beside what a search remembers and its tables it holds the turns it is looking at, and
        // a table that grows exists twice for a moment.
        memory: args.memory / 4 * 3,
        ..Options::default()
    };
    let slots = Slots::new(args.slots, options, args.time);
    let server = Arc::new(Server::new(slots, args.bind.is_loopback()));
    let limits = listen::Limits {
        connections: args.connections,
        // A connection may wait for its turn and then for an analysis.
        last_request: args.time + Duration::from_secs(10),
    };
    let cannot = |error| Failure::Input(format!("cannot start the server: {error}"));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(cannot)?;
    runtime.block_on(async {
        let address = SocketAddr::new(args.bind, args.port);
        let listener = tokio::net::TcpListener::bind(address).await.map_err(|error| {
            let text = format!("cannot listen on {address}: {error}; try another port, as in");
            Failure::Input(format!("{text} sow serve --port {}", args.port.wrapping_add(1).max(1)))
        })?;
        let address = listener.local_addr().map_err(cannot)?;
        writeln!(out, "listening on http://{address}/")?;
        out.flush()?;
        listen::serve(listener, server, limits).await.map_err(cannot)
    })
}
