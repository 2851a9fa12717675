//! What several searches for the same tell each other while they run.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sowing::Game;
use sowing_tables::{Family, Tables};

use crate::book::{Book, Entry};
use crate::error::SolveError;

/// Where a search lays down what took it long to prove, and picks up what others have proven: see
/// [`Solver::set_exchange`](crate::Solver::set_exchange). Whoever holds the other end carries it to
/// and fro.
///
/// What is handed in is taken for proven. Searches that are given different numbers take the same
/// questions for more or less costly, and so spread out over the tree.
#[derive(Debug)]
pub struct Exchange {
    family: Family,
    least: u64,
    number: u64,
    lists: Mutex<Lists>,
    /// Whether there is something to be taken on.
    has_news: AtomicBool,
}

#[derive(Debug, Default)]
struct Lists {
    /// What was proven here, not yet collected.
    found: Vec<Entry>,
    /// What was proven elsewhere, not yet taken on.
    learnt: Vec<Entry>,
    /// The tables that what was proven here rests on.
    tables: Vec<Arc<Tables>>,
}

impl Exchange {
    /// An exchange of what took at least so many nodes, for the search with this number.
    pub fn new(game: &Game, least: u64, number: u64) -> Result<Exchange, SolveError> {
        let family = Family::of(game)?;
        let (lists, has_news) = (Mutex::default(), AtomicBool::new(false));
        Ok(Exchange { family, least, number, lists, has_news })
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        // Lists are whole at any time.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives nothing out any more once a file of these tables has changed.
    pub(crate) fn watch(&self, tables: &Arc<Tables>) {
        self.lists().tables.push(Arc::clone(tables));
    }

    /// What was proven here since it was last asked for.
    ///
    /// It fails if a table file of a solver that takes part has changed since it was opened.
    pub fn collect(&self) -> Result<Book, SolveError> {
        let (mut found, tables) = {
            let mut lists = self.lists();
            (std::mem::take(&mut lists.found), lists.tables.clone())
        };
        // After the entries are taken: all that they rest on was read before.
        if let Some(damage) = tables.iter().find_map(|tables| tables.damage()) {
            return Err(SolveError::Tables(damage));
        }
        found.sort_by_key(|entry| entry.rank);
        let mut book = Book::of_entries(self.family, Vec::new());
        for run in found.chunk_by(|one, other| one.rank == other.rank) {
            for entry in run {
                book.merge_last(*entry)?;
            }
        }
        Ok(book)
    }

    /// Hands in what others have proven.
    pub fn hand_in(&self, book: &Book) -> Result<(), SolveError> {
        book.require(&self.family.game())?;
        self.lists().learnt.extend_from_slice(book.entries());
        self.has_news.store(true, Relaxed);
        Ok(())
    }

    /// Lays an entry down, if it took long enough.
    #[inline]
    pub(crate) fn offer(&self, work: u64, entry: impl FnOnce() -> Entry) {
        if work >= self.least {
            self.lists().found.push(entry());
        }
    }

    /// Whether there is something to be taken on.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        self.has_news.load(Relaxed)
    }

    /// What is to be taken on.
    pub(crate) fn learnt(&self) -> Vec<Entry> {
        self.has_news.store(false, Relaxed);
        std::mem::take(&mut self.lists().learnt)
    }

    /// A factor for the cost of a question, by which this search departs from others.
    pub(crate) fn whim(&self, mix: u64) -> f32 {
        if self.number == 0 {
            return 1.0;
        }
        let mixed = (mix ^ self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        // From a half to two.
        ((mixed >> 40) as f32 / (1 << 23) as f32 - 1.0).exp2()
    }
}
