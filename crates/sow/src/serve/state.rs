//! What all requests share.

use std::sync::Arc;

use sowing_solver::Options;

use super::analysis::Analyses;
use super::slots::Slots;
use super::values::Values;

/// The server's memory, and the means it may use.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) slots: Arc<Slots>,
    pub(crate) analyses: Arc<Analyses>,
    /// Whether it answers only to the names of this machine.
    pub(crate) local: bool,
}

impl Server {
    /// A server with so many slots, each with these means.
    pub(crate) fn new(slots: usize, options: Options, local: bool) -> Server {
        let slots = Arc::new(Slots::new(slots, options, Arc::new(Values::new())));
        Server { analyses: Arc::new(Analyses::new(Arc::clone(&slots))), slots, local }
    }
}
