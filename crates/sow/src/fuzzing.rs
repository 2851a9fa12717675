//! Doors for the fuzz targets in `fuzz/`: the parts of the command that read what strangers write,
//! without a process or a port around them. Not for anybody else, and free to change.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use clap::FromArgMatches;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use sowing_solver::{Options, Solver};
use tokio::runtime::Runtime;

use crate::args::{Cli, Command, definition};
use crate::serve;
use crate::solve::{self, SolveArgs};

/// The server's router.
#[derive(Debug)]
pub struct Web {
    runtime: Runtime,
    router: TowerToHyperService<Router>,
}

impl Web {
    /// A server that answers to nobody else.
    ///
    /// # Panics
    /// If the system gives it no means.
    pub fn new() -> Web {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let slots = serve::Slots::new(1, Options::default(), Duration::from_secs(1));
        let server = Arc::new(serve::Server::new(slots, true));
        let router = TowerToHyperService::new(serve::router(server));
        Web { runtime: runtime.expect("a runtime"), router }
    }

    /// The status and the body of the answer; `None` if this is no address.
    ///
    /// # Panics
    /// If the server does, or if its answer is no text.
    pub fn get(&self, address: &str) -> Option<(u16, String)> {
        let request = Request::builder().uri(address).body(Body::empty()).ok()?;
        self.runtime.block_on(async {
            let answer = self.router.call(request).await.expect("the router cannot fail");
            let status = answer.status().as_u16();
            let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body in memory");
            Some((status, String::from_utf8(body.to_vec()).expect("a text")))
        })
    }
}

impl Default for Web {
    fn default() -> Web {
        Web::new()
    }
}

/// `sow solve GAME -`.
#[derive(Debug)]
pub struct Lines {
    args: SolveArgs,
    solver: Solver,
}

impl Lines {
    /// The command with these arguments, as in `kalah(2,2)`, `-`, `--threads`, `1`.
    ///
    /// # Panics
    /// If it does not take them.
    pub fn new(args: &[&str]) -> Lines {
        let matches = definition().try_get_matches_from(["sow", "solve"].iter().chain(args));
        let cli = Cli::from_arg_matches(&matches.expect("arguments of solve")).expect("as defined");
        let Command::Solve(args) = cli.command else { unreachable!("solve was asked for") };
        let solver = solve::solver(&args).unwrap_or_else(|failure| panic!("{failure}"));
        Lines { args, solver }
    }

    /// What is printed when this comes in.
    ///
    /// # Panics
    /// If the command fails, other than by its limits.
    pub fn answers(&mut self, mut input: &[u8]) -> String {
        let mut out = Vec::new();
        match solve::each_line(&self.args, &mut self.solver, &mut input, &mut out) {
            Ok(()) | Err(crate::failure::Failure::Negative(_)) => {}
            Err(failure) => panic!("{failure}"),
        }
        String::from_utf8(out).expect("a text")
    }
}
