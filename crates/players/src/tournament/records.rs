//! The folder of a match's records.

use std::path::{Path, PathBuf};

use sowing_rules::Record;

use crate::failure::Failure;
use crate::said;

/// Where records go: a folder in which none are yet, or those of the games so far.
pub(crate) struct Records<'a> {
    dir: &'a Path,
    /// Digits of a game's number.
    width: usize,
}

impl<'a> Records<'a> {
    /// Looks, before any game is played, whether records can be written and would replace none. Of a
    /// match that goes on, those of games that do not count yet are removed: they are played again.
    pub(crate) fn new(
        dir: &'a Path,
        games: u64,
        played: Option<u64>,
    ) -> Result<Records<'a>, Failure> {
        let failed = |error| cannot_write(dir, &error);
        sowing_files::make_folder(dir).map_err(failed)?;
        tempfile::tempfile_in(dir).map_err(failed)?;
        let records = Records { dir, width: games.to_string().len() };
        for entry in std::fs::read_dir(dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
            if !number || path.extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            let ours = played.is_some() && records.path(stem.parse().unwrap_or(0)) == path;
            if !ours {
                return Err(Failure::Input(format!(
                    "{} has the records of another match: name a new folder, as in --records games-2",
                    said::path(dir)
                )));
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

    /// Writes a record, over no other, since another match may have begun meanwhile. One that does
    /// not fit the disk is not left behind.
    pub(crate) fn write(&self, number: u64, record: &Record) -> Result<(), Failure> {
        let path = self.path(number);
        sowing_files::write_new(&path, record.to_string().as_bytes())
            .map_err(|error| cannot_write(&path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", said::path(path)))
}
