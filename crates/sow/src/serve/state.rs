//! What all requests share.

use std::sync::Arc;

use super::analysis::Analyses;
use super::slots::Slots;
use super::studies::Studies;

/// The server's memory, and the means it may use.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) slots: Arc<Slots>,
    pub(crate) analyses: Arc<Analyses>,
    pub(crate) studies: Studies,
    /// Whether it answers only to the names of this machine.
    pub(crate) local: bool,
}

impl Server {
    /// A server that solves in these slots.
    pub(crate) fn new(slots: Slots, local: bool) -> Server {
        let slots = Arc::new(slots);
        let analyses = Arc::new(Analyses::new(Arc::clone(&slots)));
        Server { slots, analyses, studies: Studies::default(), local }
    }
}
