//! What takes long to find is kept while the search goes on.

use std::fmt;
use std::time::Duration;

use sowing_platform::Instant;
use sowing_tables::Family;

use crate::book::{Book, Entry};
use crate::error::SolveError;

/// Takes what was proven so far, again and again, so that a search can be taken up where it was put
/// down: see [`Solver::set_keeper`](crate::Solver::set_keeper).
pub struct Keeper {
    every: Duration,
    most: usize,
    keep: Box<dyn FnMut(Book, u64) + Send>,
    last: Instant,
    family: Family,
}

impl Keeper {
    /// Has what took most work, so many positions at most, handed out every so often while a search
    /// runs, together with the number of nodes looked at so far. What is
    /// proven in the end is asked for by [`Solver::proven`](crate::Solver::proven).
    pub fn new(
        family: Family,
        every: Duration,
        most: usize,
        keep: impl FnMut(Book, u64) + Send + 'static,
    ) -> Keeper {
        Keeper { every, most, keep: Box::new(keep), last: Instant::now(), family }
    }

    /// Keeps what is proven, if it is time. Nothing is kept where `proven` fails.
    pub(crate) fn keep_if_due(
        &mut self,
        nodes: u64,
        proven: impl FnOnce(usize) -> Result<Vec<Entry>, SolveError>,
    ) -> Result<(), SolveError> {
        if self.last.elapsed() >= self.every {
            (self.keep)(Book::of_entries(self.family, proven(self.most)?), nodes);
            self.last = Instant::now();
        }
        Ok(())
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Keeper { every, most, family, .. } = self;
        f.debug_struct("Keeper")
            .field("every", every)
            .field("most", most)
            .field("family", family)
            .finish_non_exhaustive()
    }
}
