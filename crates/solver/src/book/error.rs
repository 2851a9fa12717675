//! Why there is no book.

use std::io;
use std::path::PathBuf;

use sowing_rules::{Bounds, Family, FamilyError};

/// Why a book is missing or rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Games without books: those without endgame tables.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// A table that the bounds rest on has changed.
    #[error(transparent)]
    Tables(#[from] sowing_tables::Error),
    /// The file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The bytes are no book, or not what was written.
    #[error("{what}")]
    Damaged {
        /// What is wrong.
        what: String,
    },
    /// A damaged file.
    #[error("{}: {what}", .path.display())]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A book of other games.
    #[error("a book of {book} is no use for {wanted}: rules or houses differ")]
    OtherFamily {
        /// What the book is of.
        book: Family,
        /// What it was wanted for.
        wanted: Family,
    },
    /// Another process is at work in the file.
    #[error("cannot write {}: {who} is at work there: wait for it, or name another file", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// The process.
        who: String,
    },
    /// A position that has no value of its own in a book.
    #[error("{position} is not for a book: it is over, or a swap is still possible")]
    NotOpen {
        /// The position.
        position: String,
    },
    /// Two proofs of one position contradict each other: one of them is false.
    #[error("two proofs contradict each other on {board}: {} to {} and {} to {}", .one.low, .one.high, .other.low, .other.high)]
    Contradiction {
        /// The houses, without stores.
        board: String,
        /// What one says.
        one: Bounds,
        /// What the other says.
        other: Bounds,
    },
    /// The turns pass through more positions than are looked at.
    #[error("{turns} turns pass through more than {most} positions: ask for fewer")]
    TooWide {
        /// How many turns.
        turns: u32,
        /// The most positions.
        most: usize,
    },
    /// The position has more seeds than a book can name.
    #[error("{position} has {seeds} seeds in houses, books of {family} go to {most}")]
    TooManySeeds {
        /// The position.
        position: String,
        /// Its seeds in houses.
        seeds: u64,
        /// The family.
        family: Family,
        /// The most that can be.
        most: u64,
    },
}
