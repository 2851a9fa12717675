//! What solvers know from before: the books that are built in, and what visitors asked.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sowing_rules::Family;
use sowing_rules::Game;
use sowing_solver::{Book, BookError, BookFile, Solver};

use crate::config::Config;

/// Positions that an analysis leaves behind: those that took most work.
const KEPT: usize = 1 << 14;

/// The most positions of a file.
const MOST: usize = 1 << 20;

/// Books a family, those that are built in and those of a folder together.
#[derive(Debug)]
pub(crate) struct Books {
    built_in: bool,
    /// Where what visitors asked is kept, one file a family.
    folder: Option<PathBuf>,
    known: Mutex<HashMap<Family, Option<Arc<Book>>>>,
}

impl Books {
    pub(crate) fn new(config: &Config) -> Books {
        let folder = config.book_folder.clone();
        Books { built_in: config.books, folder, known: Mutex::default() }
    }

    /// What is known of a game's family.
    pub(crate) fn of(&self, game: &Game) -> Option<Arc<Book>> {
        let family = Family::for_game(game).ok()?;
        let mut known = self.known.lock().expect("no holder of the lock panics");
        known.entry(family).or_insert_with(|| self.read(game, &family)).clone()
    }

    fn read(&self, game: &Game, family: &Family) -> Option<Arc<Book>> {
        let built_in = self.built_in.then(|| sowing_books::book_for(game)).flatten();
        let Some(folder) = &self.folder else { return built_in };
        let mut book = match open(&file(folder, family), game) {
            Ok(Some(book)) => book,
            Ok(None) => return built_in,
            Err(error) => {
                // A book that cannot be read is no reason not to search.
                tracing::warn!(%family, %error, "solved without its book");
                return built_in;
            }
        };
        if let Some(built_in) = &built_in
            && let Err(error) = book.merge(built_in)
        {
            tracing::warn!(%family, %error, "solved without its book");
            return Some(Arc::clone(built_in));
        }
        Some(Arc::new(book))
    }

    /// Keeps what a solver has found and took long, where there is a folder for it.
    pub(crate) fn keep(&self, solver: &Solver) {
        let Some(folder) = &self.folder else { return };
        if let Err(error) = add(folder, solver) {
            tracing::warn!(game = %solver.game(), %error, "what was found is not kept");
        }
    }
}

/// Adds what a solver found to the file of its family.
fn add(folder: &Path, solver: &Solver) -> Result<(), Box<dyn std::error::Error>> {
    if Family::for_game(solver.game()).is_err() {
        return Ok(());
    }
    let found = solver.export_book(KEPT)?;
    if found.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let (file, before) = BookFile::for_game(&file(folder, &found.family()), solver.game())?;
    let mut book = before.clone();
    book.merge(&found)?;
    book.keep_most(MOST.max(before.len()));
    if !book.lines().eq(before.lines()) {
        file.write(&book)?;
    }
    Ok(())
}

fn file(folder: &Path, family: &Family) -> PathBuf {
    folder.join(format!("{}.book", family.slug()))
}

/// The book of a file, if there is one.
fn open(path: &Path, game: &Game) -> Result<Option<Book>, BookError> {
    let book = Book::open_if_any(path)?;
    book.as_ref().map_or(Ok(()), |book| book.require(game))?;
    Ok(book)
}
