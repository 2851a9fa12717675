//! What can go wrong with tables.

use std::io;
use std::path::{Path, PathBuf};

use sowing::{Game, ParseGameError};

use crate::Family;

/// Why there is no table, or no trust in one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody wanted it to end.
    #[error("the build was halted")]
    Halted,
    /// Positions can come back, so a pass over them does not give their values.
    #[error(
        "{0} is sown clockwise, where positions can repeat: tables are for counter-clockwise games, as in kalah(6,4)"
    )]
    Repeats(Game),
    /// Too many houses.
    #[error("tables have at most 8 houses a row, {game} has {houses}", game = .0, houses = .0.houses())]
    Houses(Game),
    /// The layer is outside what a table can hold.
    #[error("tables of {family} have 2 to {max} seeds, not {layer}")]
    Layer {
        /// The family.
        family: Family,
        /// The layer asked for.
        layer: u32,
        /// The highest possible one.
        max: u32,
    },
    /// Tables of other games than the one they were brought for.
    #[error("tables of {tables} are no use for {game}: rules and houses differ")]
    Family {
        /// What the tables are for.
        tables: Family,
        /// The game that is played.
        game: Game,
    },
    /// The name of a family or game is wrong.
    #[error(transparent)]
    Game(#[from] ParseGameError),
    /// Not enough memory for the work.
    #[error("{what} needs {} of memory, {} {why}", bytes(*.need), bytes(*.have))]
    Memory {
        /// The work.
        what: String,
        /// Bytes needed.
        need: u64,
        /// Bytes there are.
        have: u64,
        /// Where the limit comes from.
        why: &'static str,
    },
    /// Not enough disk.
    #[error("{} needs {} of disk, {} are free", .dir.display(), bytes(*.need), bytes(*.have))]
    Disk {
        /// The directory to be written to.
        dir: PathBuf,
        /// Bytes needed.
        need: u64,
        /// Bytes free.
        have: u64,
    },
    /// Reading or writing failed.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else builds there.
    #[error("{}: {who} is at work there: wait for it, or name another folder", .folder.display())]
    Busy {
        /// The folder of the family.
        folder: PathBuf,
        /// Who.
        who: String,
    },
    /// A file is not a table, or not the one it should be, or was changed.
    #[error("{}: {what}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// There is no table where one was looked for.
    #[error("no tables of {family} in {}", .dir.display())]
    Missing {
        /// The family.
        family: Family,
        /// The directory looked in.
        dir: PathBuf,
    },
    /// A value is not what the rules make it.
    #[error("{family}, position {position}: the table says {found}, the rules {expected}")]
    Wrong {
        /// The family.
        family: Family,
        /// The position, stores empty.
        position: String,
        /// The value in the table.
        found: i8,
        /// The value from the rules.
        expected: i8,
    },
    /// No memory could be mapped.
    #[error("cannot reserve memory: {0}")]
    Map(io::Error),
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
        move |source| Error::Io { path: path.to_path_buf(), source }
    }

    pub(crate) fn file(path: &Path, what: impl Into<String>) -> Error {
        Error::File { path: path.to_path_buf(), what: what.into() }
    }
}

/// A number of bytes for people: `512 B`, `1.5 GiB`.
pub fn bytes(bytes: u64) -> String {
    let mut size = bytes as f64;
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
        size /= 1024.0;
        if size < 1000.0 || unit == "TiB" {
            return format!("{size:.1} {unit}");
        }
    }
    unreachable!("the last unit takes everything")
}
