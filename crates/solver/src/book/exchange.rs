//! Sharing proven bounds between processes that search the same position.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sowing_rules::{Family, FamilyError, Game};
use sowing_tables::Tables;

use super::book::Book;
use super::error::BookError;
use crate::entry::Entry;

/// Shares proven bounds with other processes: see [`SolverOptions::exchange`](crate::SolverOptions::exchange).
/// The caller transports the books.
///
/// Imported bounds count as proven. Processes with different numbers see different initial proof numbers, and
/// so spread out over the tree (compare randomized parallel proof-number search: Saito, Winands and van den Herik,
/// 2009).
#[derive(Debug)]
pub struct Exchange {
    family: Family,
    min_work: u64,
    number: u64,
    lists: Mutex<Lists>,
    /// Whether entries wait to be imported.
    has_pending: AtomicBool,
}

#[derive(Debug, Default)]
struct Lists {
    /// Entries proven here, not yet drained.
    published: Vec<Entry>,
    /// Entries proven elsewhere, not yet in the transposition table.
    imported: Vec<Entry>,
    /// The tables that the published entries rest on.
    tables: Vec<Arc<Tables>>,
}

impl Exchange {
    /// An exchange of bounds whose proof took at least `min_work` nodes, for the process with this number.
    pub fn new(game: &Game, min_work: u64, number: u64) -> Result<Exchange, FamilyError> {
        let family = Family::for_game(game)?;
        let (lists, has_pending) = (Mutex::default(), AtomicBool::new(false));
        Ok(Exchange { family, min_work, number, lists, has_pending })
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        // Lists are consistent at any time.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers tables: [`drain`](Self::drain) fails once a file of theirs has changed.
    pub(crate) fn register_tables(&self, tables: &Arc<Tables>) {
        self.lists().tables.push(Arc::clone(tables));
    }

    /// The bounds proven here since the last call.
    ///
    /// It fails if a table file of a participating solver has changed since it was opened.
    pub fn drain(&self) -> Result<Book, BookError> {
        let (mut published, tables) = {
            let mut lists = self.lists();
            (std::mem::take(&mut lists.published), lists.tables.clone())
        };
        // Checked after the entries are taken: all that they rest on was read before.
        if let Some(error) = tables.iter().find_map(|tables| tables.integrity_error()) {
            return Err(BookError::Tables(error));
        }
        published.sort_by_key(|entry| entry.index);
        let mut book = Book::from_entries(self.family, Vec::new());
        for entry in published {
            book.merge_last(entry)?;
        }
        Ok(book)
    }

    /// Imports bounds that other processes have proven.
    pub fn import(&self, book: &Book) -> Result<(), BookError> {
        book.require(&self.family.game())?;
        self.lists().imported.extend_from_slice(book.entries());
        self.has_pending.store(true, Relaxed);
        Ok(())
    }

    /// Publishes an entry whose proof took `work` nodes, if they are enough.
    #[inline]
    pub(crate) fn publish(&self, work: u64, entry: impl FnOnce() -> Entry) {
        if work >= self.min_work {
            self.lists().published.push(entry());
        }
    }

    /// Whether entries wait to be imported.
    #[inline]
    pub(crate) fn has_pending(&self) -> bool {
        self.has_pending.load(Relaxed)
    }

    /// The entries that wait to be imported.
    pub(crate) fn take_pending(&self) -> Vec<Entry> {
        self.has_pending.store(false, Relaxed);
        std::mem::take(&mut self.lists().imported)
    }

    /// The factor on the initial proof numbers of a board by which this process differs from others.
    pub(crate) fn cost_jitter(&self, hash: u64) -> f32 {
        if self.number == 0 {
            return 1.0;
        }
        let mixed = (hash ^ self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        // From a half to two.
        ((mixed >> 40) as f32 / (1 << 23) as f32 - 1.0).exp2()
    }
}
