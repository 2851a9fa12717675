//! Book files: read whole, written atomically, by one process at a time.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sowing_files::{AtomicFile, Lock, LockError, helper};
use sowing_rules::Game;

use super::book::Book;
use super::error::BookError;
use super::format::{MAGIC_1, MAGIC_2};

/// The first bytes of a book file, also while it is written.
const SIGNATURES: helper::Signatures<'static> = &[MAGIC_1, MAGIC_2];

/// The most bytes of a book file: more than a machine of today holds in memory as entries.
const MAX_BYTES: u64 = 16 << 30;

impl Book {
    /// Whether bytes begin as a book file does.
    pub fn begins(bytes: &[u8]) -> bool {
        SIGNATURES.iter().any(|magic| bytes.starts_with(magic))
    }

    /// Reads a file. Errors name it.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let io = |error| BookError::Io { path: path.to_path_buf(), error };
        let damaged = |what: String| BookError::DamagedFile { path: path.to_path_buf(), what };
        let metadata = fs::metadata(path).map_err(io)?;
        // A special file may have no end.
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(damaged("it is no file that could be a book".to_string()));
        }
        let mut file = File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        // A file that does not begin like a book is not read any further.
        Read::by_ref(&mut file).take(MAGIC_2.len() as u64).read_to_end(&mut bytes).map_err(io)?;
        if Book::begins(&bytes) {
            file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(io)?;
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

/// A book file locked for this process. Another process that takes it gets an error which names this one.
///
/// Links are followed, so that a book has one lock under all its names.
#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    _lock: Lock,
}

impl BookFile {
    /// Locks the file and reads the book in it, if it exists.
    pub fn take(path: &Path) -> Result<(BookFile, Option<Book>), BookError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let io = |error| BookError::Io { path: path.clone(), error };
        sowing_files::check_writable(&path).map_err(io)?;
        let lock = Lock::acquire(&beside(&path, ".lock")).map_err(|error| match error {
            LockError::Held(who) => BookError::Busy { path: path.clone(), who },
            LockError::Io(error) => io(error),
        })?;
        helper::exists(&beside(&path, ".new"), SIGNATURES).map_err(io)?;
        let book = Book::open_if_any(&path)?;
        Ok((BookFile { path, _lock: lock }, book))
    }

    /// Locks the file of a game's book and reads it; an empty book if the file does not exist.
    pub fn for_game(path: &Path, game: &Game) -> Result<(BookFile, Book), BookError> {
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

    /// Writes the file atomically, and syncs it to the disk.
    pub fn write(&self, book: &Book) -> Result<(), BookError> {
        // The name is ours while the lock is held, so that the file that a kill leaves is overwritten.
        AtomicFile::create_at(&self.path, &beside(&self.path, ".new"), SIGNATURES)
            .and_then(|mut file| {
                file.file().write_all(&book.to_bytes())?;
                file.finish()
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
