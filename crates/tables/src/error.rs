//! The errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

use sowing_rules::{Family, FamilyError, Game};

/// Why tables cannot be built, opened or trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller stopped the build.
    #[error("the build was stopped")]
    Stopped,
    /// The game has no tables, or the name of the family is wrong.
    #[error(transparent)]
    NoFamily(#[from] FamilyError),
    /// The layer is out of range.
    #[error("tables of {family} have 2 to {max} seeds, not {layer}")]
    Layer {
        /// The family.
        family: Family,
        /// The requested layer.
        layer: u32,
        /// The highest possible layer.
        max: u32,
    },
    /// The tables are for other games.
    #[error("tables of {tables} do not apply to {game}: rules or houses differ")]
    Family {
        /// The family of the tables.
        tables: Family,
        /// The requested game.
        game: Game,
    },
    /// There is not enough memory.
    #[error("{what} needs {} of memory, {} {why}", format_bytes(*.need), format_bytes(*.have))]
    Memory {
        /// The operation.
        what: String,
        /// Bytes needed.
        need: u64,
        /// Bytes at hand.
        have: u64,
        /// The origin of the limit.
        why: &'static str,
    },
    /// There is not enough disk space.
    #[error("{} needs {} of disk, {} are free", .dir.display(), format_bytes(*.need), format_bytes(*.have))]
    Disk {
        /// The target directory.
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
        /// The error of the system.
        source: io::Error,
    },
    /// Another process builds the same tables.
    #[error("{}: {holder} is building there: wait, or choose another directory", .folder.display())]
    Busy {
        /// The directory of the family.
        folder: PathBuf,
        /// The name of that process.
        holder: String,
    },
    /// A file is not a table, is a different table, or is damaged.
    #[error("{}: {what}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The defect.
        what: String,
    },
    /// The values of a layer are not those of any positions.
    #[error("the tables of {family} with {layer} seeds are damaged")]
    Damaged {
        /// The family.
        family: Family,
        /// The damaged layer.
        layer: u32,
    },
    /// There are no tables in the directory.
    #[error("no tables of {family} in {}", .dir.display())]
    Missing {
        /// The family.
        family: Family,
        /// The directory.
        dir: PathBuf,
    },
    /// A value contradicts the rules.
    #[error("{family}, position {position}: the table says {}, the rules {}", value_text(*.found), value_text(*.expected))]
    Wrong {
        /// The family.
        family: Family,
        /// The position, stores empty.
        position: String,
        /// The value in the table, if there is one.
        found: Option<i8>,
        /// The value by the rules, if the table has those of all positions after a move.
        expected: Option<i8>,
    },
    /// The system refused memory.
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

fn value_text(value: Option<i8>) -> String {
    value.map_or("nothing".to_string(), |value| value.to_string())
}

/// A number of bytes as text: `512 B`, `1.5 GiB`.
pub fn format_bytes(bytes: u64) -> String {
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
    unreachable!("the last unit takes any size")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_is_not_a_number() {
        let family = "kalah(3,.)".parse().unwrap();
        let position = "1,0,0,0|1,0,0,0".to_string();
        let error = Error::Wrong { family, position, found: None, expected: Some(-2) };
        assert!(error.to_string().ends_with("the table says nothing, the rules -2"), "{error}");
    }
}
