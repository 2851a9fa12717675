//! What all requests share.

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
use crate::slots::Slots;
use crate::studies::Studies;

/// How far the server has come with ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// It does not end.
    #[default]
    Open,
    /// Searches are told to stop; what cannot stop is not waited for.
    Stopping,
    /// Nothing is waited for any more: whoever still has no answer is told so.
    Over,
}

/// The server's memory, and the means it may use.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) slots: Arc<Slots>,
    pub(crate) analyses: Arc<Analyses>,
    pub(crate) studies: Studies,
    pub(crate) visitors: Visitors,
    pub(crate) ending: watch::Sender<Ending>,
    pub(crate) started: Instant,
    /// Whom it answers as.
    pub(crate) hosts: Hosts,
}

/// Who comes and goes.
#[derive(Debug)]
pub(crate) struct Visitors {
    pub(crate) connections: Arc<Connections>,
    /// Connections that there was no room for.
    pub(crate) refusals: Arc<Refusals>,
    /// Requests so far.
    pub(crate) requests: AtomicU64,
}

impl Server {
    /// A server with these means, which listens on this address.
    pub(crate) fn new(config: &Config, listens_on: IpAddr) -> Arc<Server> {
        let slots = Arc::new(Slots::new(config));
        let analyses = Arc::new(Analyses::new(Arc::clone(&slots)));
        let visitors = Visitors {
            connections: Connections::new(config),
            refusals: Arc::default(),
            requests: AtomicU64::default(),
        };
        let (ending, _) = watch::channel(Ending::default());
        let (studies, started) = (Studies::default(), Instant::now());
        let hosts = Hosts::new(listens_on, config.public_hosts.clone());
        Arc::new(Server { slots, analyses, studies, visitors, ending, started, hosts })
    }

    /// Waits until the server has come so far with ending.
    pub(crate) async fn ends(&self, ending: Ending) {
        let mut at = self.ending.subscribe();
        let reached = at.wait_for(|at| *at >= ending).await.is_ok();
        debug_assert!(reached, "the sender is a part of the server");
    }
}
