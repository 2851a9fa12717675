//! Atomic writes of files, and lock files that name their holder.
//!
//! A file is written under a temporary name, synced and renamed: after a crash or a power failure, and for
//! every reader, its content is the old one or the new one.
//!
//! ```
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("proof.txt");
//! sowing_files::check_writable(&path)?;
//! sowing_files::write(&path, b"all of it")?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! There are no features. In a browser, which has no files, every write fails with
//! [`Unsupported`](std::io::ErrorKind::Unsupported). The crate serves the other crates of Sowing: its
//! interface may change with any release.
#![deny(missing_docs)]

#[cfg(not(target_family = "wasm"))]
mod atomic_file;
mod data_directory;
#[cfg(not(target_family = "wasm"))]
pub mod helper;
#[cfg(not(target_family = "wasm"))]
mod lock;
#[cfg(target_family = "wasm")]
mod unsupported;

#[cfg(not(target_family = "wasm"))]
pub use atomic_file::{
    AtomicFile, available_space, check_writable, make_folder, sync_and_rename, sync_folder, write,
    write_new,
};
pub use data_directory::data_directory;
#[cfg(not(target_family = "wasm"))]
pub use lock::Lock;
#[cfg(target_family = "wasm")]
pub use unsupported::{
    AtomicFile, Lock, available_space, check_writable, helper, make_folder, sync_and_rename,
    sync_folder, write, write_new,
};

use std::ffi::OsString;
use std::path::Path;

/// The name of a [helper] file belongs to something else, which stays unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{} is in the way: {what}; move it away", .name.display())]
pub struct ForeignFileError {
    name: OsString,
    what: &'static str,
}

impl ForeignFileError {
    /// `what` describes the thing at `path`, as in `it is a folder`.
    pub fn new(path: &Path, what: &'static str) -> ForeignFileError {
        ForeignFileError { name: path.file_name().unwrap_or(path.as_os_str()).to_owned(), what }
    }
}

impl From<ForeignFileError> for std::io::Error {
    fn from(error: ForeignFileError) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::AlreadyExists, error)
    }
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it: its name.
    #[error("{0} is at work there")]
    Held(String),
    /// The lock file cannot be opened, locked or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Runs the examples of the readme as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
