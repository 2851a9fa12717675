//! Saving proven bounds while a search runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sowing_platform::Instant;
use sowing_rules::Family;

use super::book::Book;
use crate::entry::Entry;

/// Saves proven bounds at intervals, so that a long search can be interrupted and resumed: see
/// [`SolverOptions::checkpointer`](crate::SolverOptions::checkpointer).
#[derive(Clone)]
pub struct Checkpointer {
    interval: Duration,
    max_entries: usize,
    save: Arc<Mutex<Save>>,
    last: Instant,
    family: Family,
}

type Save = dyn FnMut(Book, u64) + Send;

impl Checkpointer {
    /// Calls `save` every `interval`, counted from now, while a search runs, with a book of the `max_entries` positions with the most
    /// effort and the nodes so far. [`Solver::export_book`](crate::Solver::export_book) gives the last state.
    pub fn new(
        family: Family,
        interval: Duration,
        max_entries: usize,
        save: impl FnMut(Book, u64) + Send + 'static,
    ) -> Checkpointer {
        let save = Arc::new(Mutex::new(save));
        Checkpointer { interval, max_entries, save, last: Instant::now(), family }
    }

    /// Saves the entries of `export`, if the interval has passed. If `export` fails, nothing is saved.
    pub(crate) fn save_if_due<E>(
        &mut self,
        nodes: u64,
        export: impl FnOnce(usize) -> Result<Vec<Entry>, E>,
    ) -> Result<(), E> {
        if self.last.elapsed() >= self.interval {
            let book = Book::from_entries(self.family, export(self.max_entries)?);
            let mut save = self.save.lock().unwrap_or_else(PoisonError::into_inner);
            save(book, nodes);
            self.last = Instant::now();
        }
        Ok(())
    }
}

impl fmt::Debug for Checkpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checkpointer { interval, max_entries, family, .. } = self;
        f.debug_struct("Checkpointer")
            .field("interval", interval)
            .field("max_entries", max_entries)
            .field("family", family)
            .finish_non_exhaustive()
    }
}
