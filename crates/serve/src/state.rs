//! The state that all requests share.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use sowing_protocol::hosts::Hosts;
use tokio::sync::watch;

use crate::analysis::Analyses;
use crate::config::Config;
use crate::connections::Connections;
use crate::refusals::Refusals;
use crate::studies::Studies;
use crate::workers::WorkerPool;

/// The stages of a server's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// It does not end.
    #[default]
    Open,
    /// Searches are stopped; jobs that cannot be stopped are left alone.
    Stopping,
    /// Requests without an answer get an error.
    Over,
}

/// A server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) analyses: Arc<Analyses>,
    pub(crate) studies: Studies,
    pub(crate) visitors: Visitors,
    pub(crate) ending: watch::Sender<Ending>,
    pub(crate) started: Instant,
    /// The hosts that it answers to.
    pub(crate) hosts: Hosts,
}

/// Connections and requests.
#[derive(Debug)]
pub(crate) struct Visitors {
    pub(crate) connections: Arc<Connections>,
    /// Connections that were refused.
    pub(crate) refusals: Arc<Refusals>,
    /// Requests so far.
    pub(crate) requests: AtomicU64,
}

impl Server {
    /// A server that listens on this address.
    pub(crate) fn new(config: &Config, listens_on: IpAddr) -> Arc<Server> {
        let pool = Arc::new(WorkerPool::new(config));
        let analyses = Arc::new(Analyses::new(Arc::clone(&pool)));
        let visitors = Visitors {
            connections: Connections::new(config),
            refusals: Arc::default(),
            requests: AtomicU64::default(),
        };
        let (ending, _) = watch::channel(Ending::default());
        let (studies, started) = (Studies::default(), Instant::now());
        let hosts = Hosts::new(listens_on, config.public_hosts.clone());
        Arc::new(Server { pool, analyses, studies, visitors, ending, started, hosts })
    }

    /// Waits until the server's end has come to this stage.
    pub(crate) async fn ends(&self, ending: Ending) {
        let mut at = self.ending.subscribe();
        let reached = at.wait_for(|at| *at >= ending).await.is_ok();
        debug_assert!(reached, "the sender is a part of the server");
    }
}
