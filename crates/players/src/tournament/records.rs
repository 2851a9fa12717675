//! The folder of a tournament's records.

use std::io;
use std::path::{Path, PathBuf};

use sowing_files::AtomicFile;
use sowing_rules::{Record, sanitize};

/// Why records cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordFolderError {
    /// The folder or a file in it cannot be written.
    #[error("cannot write {}: {error}", sanitize::path(.path))]
    Write {
        /// The folder or the file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The folder has records of another tournament.
    #[error("{} has the records of another match", sanitize::path(.0))]
    Foreign(PathBuf),
}

/// A folder of records, one file per game. It replaces no record.
#[derive(Debug)]
pub struct RecordFolder {
    dir: PathBuf,
    /// The digits of a game's number.
    width: usize,
}

impl RecordFolder {
    /// Opens the folder of a tournament of `games` games, and creates it if need be. Fails if it cannot be written, or
    /// has records of another tournament. Where a tournament is resumed after `played` games, the records of later games
    /// are removed, since these are played again.
    pub fn open(
        dir: &Path,
        games: u64,
        played: Option<u64>,
    ) -> Result<RecordFolder, RecordFolderError> {
        let failed = |error| cannot_write(dir, error);
        sowing_files::make_folder(dir).map_err(failed)?;
        AtomicFile::create(&dir.join("record")).map_err(failed)?;
        let records = RecordFolder { dir: dir.to_path_buf(), width: games.to_string().len() };
        for entry in std::fs::read_dir(dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
            if !number || path.extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            let ours = played.is_some() && records.path(stem.parse().unwrap_or(0)) == path;
            if !ours {
                return Err(RecordFolderError::Foreign(dir.to_path_buf()));
            }
            if stem.parse().is_ok_and(|number: u64| Some(number) > played) {
                std::fs::remove_file(&path).map_err(failed)?;
            }
        }
        Ok(records)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:0width$}.txt", width = self.width))
    }

    /// Writes the record of a game, whole or not at all. Fails if there is one already.
    pub fn write(&self, number: u64, record: &Record) -> Result<(), RecordFolderError> {
        let path = self.path(number);
        sowing_files::write_new(&path, record.to_string().as_bytes())
            .map_err(|error| cannot_write(&path, error))
    }
}

fn cannot_write(path: &Path, error: io::Error) -> RecordFolderError {
    RecordFolderError::Write { path: path.to_path_buf(), error }
}
