//! The same interface for systems without files: every write fails.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::LockError;

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file that cannot be written.
#[derive(Debug)]
pub enum AtomicFile {}

impl AtomicFile {
    /// Fails.
    pub fn create(_: &Path) -> io::Result<AtomicFile> {
        unsupported()
    }

    /// Fails.
    pub fn create_at(_: &Path, _: &Path, _: helper::Signatures<'_>) -> io::Result<AtomicFile> {
        unsupported()
    }

    /// Unreachable: there are no values of this type.
    pub fn file(&mut self) -> &mut File {
        match *self {}
    }

    /// Unreachable: there are no values of this type.
    pub fn finish(self) -> io::Result<()> {
        match self {}
    }

    /// Unreachable: there are no values of this type.
    pub fn finish_new(self) -> io::Result<()> {
        match self {}
    }
}

/// Fails.
pub fn write(_: &Path, _: &[u8]) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn write_new(_: &Path, _: &[u8]) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn check_writable(_: &Path) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn make_folder(_: &Path) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn sync_and_rename(_: &Path, _: &Path) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn sync_folder(_: &Path) -> io::Result<()> {
    unsupported()
}

/// Fails.
pub fn available_space(_: &Path) -> io::Result<u64> {
    unsupported()
}

/// Helper files, which do not exist here.
pub mod helper {
    use super::{File, Path, io, unsupported};

    /// The signatures (magic bytes) that files of one kind begin with.
    pub type Signatures<'a> = &'a [&'a [u8]];

    /// There are no files.
    pub fn exists(_: &Path, _: Signatures<'_>) -> io::Result<bool> {
        Ok(false)
    }

    /// Fails.
    pub fn open(_: &Path, _: Signatures<'_>) -> io::Result<File> {
        unsupported()
    }

    /// Fails.
    pub fn read(_: &Path) -> io::Result<Vec<u8>> {
        unsupported()
    }

    /// There is nothing to remove.
    pub fn remove(_: &Path, _: Signatures<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// A lock that cannot be taken.
#[derive(Debug)]
pub enum Lock {}

impl Lock {
    /// Fails.
    pub fn acquire(_: &Path) -> Result<Lock, LockError> {
        Ok(unsupported()?)
    }

    /// There are no locks.
    pub fn is_ours(_: &Path) -> bool {
        false
    }
}
