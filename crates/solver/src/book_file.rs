//! Books in files: read whole, written whole or not at all, and by one process at a time.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sowing::Game;
use sowing_files::{Aside, Lock, LockError, helper};

use crate::book::{Book, BookError, MAGIC};

/// What a book begins with, also while it is written.
const MARKS: helper::Marks<'static> = &[MAGIC];

/// The most bytes of a book that is read: more than a machine of today holds in memory as entries.
const MOST_BYTES: u64 = 16 << 30;

impl Book {
    /// Reads a file. Errors name it.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let io = |error| BookError::Io { path: path.to_path_buf(), error };
        let damaged = |what: String| BookError::DamagedFile { path: path.to_path_buf(), what };
        let metadata = fs::metadata(path).map_err(io)?;
        // What is no plain file may have no end.
        if !metadata.is_file() || metadata.len() > MOST_BYTES {
            return Err(damaged("it is no file that could be a book".to_string()));
        }
        let mut file = File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        // What does not begin like a book is not read any further.
        Read::by_ref(&mut file).take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(io)?;
        if bytes == MAGIC {
            file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(io)?;
        }
        Book::parse(&bytes).map_err(|error| damaged(error.to_string()))
    }

    /// Reads a file, if there is one.
    pub fn open_if_any(path: &Path) -> Result<Option<Book>, BookError> {
        match Book::open(path) {
            Ok(book) => Ok(Some(book)),
            Err(BookError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A book's file that nobody else writes to: whoever else takes it is told who has it.
///
/// It is the file that a link leads to, so that a book has one lock by whatever name it goes.
#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    _lock: Lock,
}

impl BookFile {
    /// Takes the file, and what is in it if it is there.
    pub fn take(path: &Path) -> Result<(BookFile, Option<Book>), BookError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let io = |error| BookError::Io { path: path.clone(), error };
        sowing_files::check(&path).map_err(io)?;
        let lock = Lock::take(&beside(&path, ".lock")).map_err(|error| match error {
            LockError::Held(who) => BookError::Busy { path: path.clone(), who },
            LockError::Io(error) => io(error),
        })?;
        helper::look(&beside(&path, ".new"), MARKS).map_err(io)?;
        let book = Book::open_if_any(&path)?;
        Ok((BookFile { path, _lock: lock }, book))
    }

    /// Takes the file of a game's book: what is in it, or nothing yet.
    pub fn of(path: &Path, game: &Game) -> Result<(BookFile, Book), BookError> {
        let (file, book) = BookFile::take(path)?;
        let book = match book {
            Some(book) => book,
            None => Book::new(game)?,
        };
        book.require(game).map_err(|error| BookError::DamagedFile {
            path: path.to_path_buf(),
            what: error.to_string(),
        })?;
        Ok((file, book))
    }

    /// Writes the file, whole or not at all, and brings it to the disk.
    pub fn write(&self, book: &Book) -> Result<(), BookError> {
        // The name is ours while the lock is, so that what a kill leaves is written over.
        Aside::named(&self.path, &beside(&self.path, ".new"), MARKS)
            .and_then(|mut aside| {
                aside.file().write_all(&book.to_bytes())?;
                aside.finish()
            })
            .map_err(|error| BookError::Io { path: self.path.clone(), error })
    }
}

/// A name beside a file's.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
