//! Files that are there whole or not at all, and locks that say who holds them.
//!
//! A file is written beside its place, brought to the disk, and only then given its name: whoever
//! reads it, whatever is killed and whenever the power goes, it is the old one or the new one.
//!
//! ```
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("proof.txt");
//! sowing_files::check(&path)?;
//! sowing_files::write(&path, b"all of it")?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # Ok::<(), std::io::Error>(())
//! ```
#![deny(missing_docs)]

#[cfg(not(target_family = "wasm"))]
mod aside;
#[cfg(not(target_family = "wasm"))]
pub mod helper;
#[cfg(not(target_family = "wasm"))]
mod lock;
#[cfg(target_family = "wasm")]
mod nowhere;

#[cfg(not(target_family = "wasm"))]
pub use aside::{
    Aside, available_space, check, make_folder, settle, sync_folder, write, write_new,
};
#[cfg(not(target_family = "wasm"))]
pub use lock::Lock;
#[cfg(target_family = "wasm")]
pub use nowhere::{
    Aside, Lock, available_space, check, helper, make_folder, settle, sync_folder, write, write_new,
};

use std::ffi::OsString;
use std::path::Path;

/// Something else has the name of a [helper] file, and stays.
#[derive(Debug, thiserror::Error)]
#[error("{} is in the way: {what}; move it away", .name.display())]
pub struct InTheWay {
    name: OsString,
    what: &'static str,
}

impl InTheWay {
    /// What it is, of the file with this path.
    pub fn new(path: &Path, what: &'static str) -> InTheWay {
        InTheWay { name: path.file_name().unwrap_or(path.as_os_str()).to_owned(), what }
    }
}

impl From<InTheWay> for std::io::Error {
    fn from(error: InTheWay) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::AlreadyExists, error)
    }
}

/// Why a lock was not got.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it.
    #[error("{0} is at work there")]
    Held(String),
    /// The system has no lock to give.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The examples of the readme are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
