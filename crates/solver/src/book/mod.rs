//! Books: proven bounds of positions in files, and how a running search saves and shares them.

#[allow(clippy::module_inception)]
mod book;
mod check;
mod checkpointer;
mod error;
mod exchange;
mod file;
mod format;
mod growing;
mod recheck;

pub use book::{Book, BookLine};
pub use check::BookCheck;
pub use checkpointer::Checkpointer;
pub use error::BookError;
pub use exchange::Exchange;
pub use file::BookFile;
pub use growing::GrowingBook;
pub use recheck::{BookRecheck, sample_passes};
