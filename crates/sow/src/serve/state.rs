//! What all requests share.

use std::sync::Arc;

use tokio::sync::watch;

use super::analysis::Analyses;
use super::slots::Slots;
use super::studies::Studies;

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
    pub(crate) ending: watch::Sender<Ending>,
    /// Whether it answers only to the names of this machine.
    pub(crate) local: bool,
}

impl Server {
    /// A server that solves in these slots.
    pub(crate) fn new(slots: Slots, local: bool) -> Server {
        let slots = Arc::new(slots);
        let analyses = Arc::new(Analyses::new(Arc::clone(&slots)));
        let (ending, _) = watch::channel(Ending::default());
        Server { slots, analyses, studies: Studies::default(), ending, local }
    }

    /// Waits until the server has come so far with ending.
    pub(crate) async fn ends(&self, ending: Ending) {
        let mut at = self.ending.subscribe();
        let reached = at.wait_for(|at| *at >= ending).await.is_ok();
        debug_assert!(reached, "the sender is a part of the server");
    }
}
