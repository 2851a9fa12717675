//! What a server may use, and why it cannot start.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use sowing_analysis::MAX_LOOK_AHEAD_BYTES;
use sowing_api::ANALYSIS_TIME;
use sowing_protocol::hosts::Authority;
use sowing_solver::SolverOptions;

use crate::proxy::Proxy;

/// What a server may use.
#[derive(Clone, Debug)]
pub struct Config {
    /// The number of workers: how many analyses run at a time.
    pub workers: usize,
    /// Threads for each; the cores shared out if it is left out.
    pub threads: Option<usize>,
    /// Bytes of memory for each.
    pub memory: u64,
    /// Time for each: what is proven by then is the answer.
    pub time: Duration,
    /// How many connections may be open at a time.
    pub connections: usize,
    /// How many of them one address may hold, an IPv4 address or an IPv6 network of 64 bits; half of
    /// them if it is left out.
    pub connections_per_address: Option<usize>,
    /// Reverse proxies, which are not limited so.
    pub proxies: Vec<Proxy>,
    /// The names by which browsers reach the server, beside `localhost` and IP addresses.
    pub public_hosts: Vec<Authority>,
    /// The folder of the endgame tables; none are used if it is left out.
    pub tables: Option<PathBuf>,
    /// Whether the books that are built in are used.
    pub books: bool,
    /// A folder of books that are used too, and take what visitors' analyses find.
    pub book_folder: Option<PathBuf>,
}

impl Default for Config {
    /// Two workers of a gibibyte and two minutes, 512 connections, proxies on loopback, no tables.
    fn default() -> Config {
        Config {
            workers: 2,
            threads: None,
            memory: 1 << 30,
            time: ANALYSIS_TIME,
            connections: 512,
            connections_per_address: None,
            proxies: vec![Proxy::Loopback],
            public_hosts: Vec::new(),
            tables: None,
            books: true,
            book_folder: None,
        }
    }
}

impl Config {
    /// How many connections one address may hold.
    pub(crate) fn most_per_address(&self) -> usize {
        self.connections_per_address.unwrap_or(self.connections.div_ceil(2))
    }

    /// What the solver of a worker may use.
    pub(crate) fn options(&self) -> SolverOptions {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        SolverOptions {
            threads: self.threads.unwrap_or(cores / self.workers.max(1)).max(1),
            // Beside the solver, its job may look ahead, and so may a job that needs no solver.
            memory: self.memory.saturating_sub(2 * MAX_LOOK_AHEAD_BYTES).max(self.memory / 2),
            ..SolverOptions::default()
        }
    }

    /// How many jobs without a solver may look ahead at a time: as many as workers, or fewer if the workers' memory
    /// does not suffice.
    pub(crate) fn light(&self) -> usize {
        let carried = self.memory.saturating_mul(self.workers as u64) / (4 * MAX_LOOK_AHEAD_BYTES);
        self.workers.min(usize::try_from(carried).unwrap_or(usize::MAX)).max(1)
    }
}

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refuses its threads.
    #[error("cannot start the server's threads: {0}")]
    Threads(#[source] io::Error),
    /// The system refuses the listener.
    #[error("cannot listen: {0}")]
    Listener(#[source] io::Error),
    /// The system refuses to tell when to end.
    #[error("cannot hear the signals that end the server: {0}")]
    Signals(#[source] io::Error),
}
