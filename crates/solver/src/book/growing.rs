//! A book file that a search adds to.

use sowing_rules::Family;

use super::book::Book;
use super::error::BookError;
use super::file::BookFile;

/// A locked book file that grows while a search runs: it keeps everything that was in it, and of the positions that the
/// search proves, those with the most effort.
#[derive(Debug)]
pub struct GrowingBook {
    file: BookFile,
    before: Book,
    found: Book,
    max_entries: usize,
}

impl GrowingBook {
    /// A file that holds `before`, and takes at most `max_entries` positions of a search.
    pub fn new(file: BookFile, before: Book, max_entries: usize) -> Result<GrowingBook, BookError> {
        let found = Book::new(&before.family().game())?;
        Ok(GrowingBook { file, before, found, max_entries })
    }

    /// The family of the book.
    pub fn family(&self) -> Family {
        self.before.family()
    }

    /// Merges positions that the search proved, and writes the file atomically. Returns the number of its positions.
    pub fn save(&mut self, found: &Book) -> Result<usize, BookError> {
        self.found.merge(found)?;
        self.found.keep_most(self.max_entries);
        let mut all = self.before.clone();
        all.merge(&self.found)?;
        self.file.write(&all)?;
        Ok(all.len())
    }
}
