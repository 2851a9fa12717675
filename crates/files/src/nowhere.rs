//! Where there are no files: nothing can be written, and nobody else is there.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::LockError;

fn nowhere<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file that cannot be written.
#[derive(Debug)]
pub enum Aside {}

impl Aside {
    /// Fails.
    pub fn beside(_: &Path) -> io::Result<Aside> {
        nowhere()
    }

    /// Fails.
    pub fn named(_: &Path, _: &Path, _: helper::Marks<'_>) -> io::Result<Aside> {
        nowhere()
    }

    /// There is none.
    pub fn file(&mut self) -> &mut File {
        match *self {}
    }

    /// There is none.
    pub fn finish(self) -> io::Result<()> {
        match self {}
    }

    /// There is none.
    pub fn finish_new(self) -> io::Result<()> {
        match self {}
    }
}

/// Fails.
pub fn write(_: &Path, _: &[u8]) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn write_new(_: &Path, _: &[u8]) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn check(_: &Path) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn make_folder(_: &Path) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn settle(_: &Path, _: &Path) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn sync_folder(_: &Path) -> io::Result<()> {
    nowhere()
}

/// Fails.
pub fn available_space(_: &Path) -> io::Result<u64> {
    nowhere()
}

/// Helper files: there are none.
pub mod helper {
    use super::{File, Path, io, nowhere};

    /// What the files of one kind begin with.
    pub type Marks<'a> = &'a [&'a [u8]];

    /// Nothing has a name.
    pub fn look(_: &Path, _: Marks<'_>) -> io::Result<bool> {
        Ok(false)
    }

    /// Fails.
    pub fn open(_: &Path, _: Marks<'_>) -> io::Result<File> {
        nowhere()
    }

    /// Fails.
    pub fn read(_: &Path) -> io::Result<Vec<u8>> {
        nowhere()
    }

    /// There is nothing to remove.
    pub fn remove(_: &Path, _: Marks<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// A lock that cannot be taken.
#[derive(Debug)]
pub enum Lock {}

impl Lock {
    /// Fails.
    pub fn take(_: &Path) -> Result<Lock, LockError> {
        Ok(nowhere()?)
    }

    /// Nobody wrote anything.
    pub fn is_ours(_: &Path) -> bool {
        false
    }
}
