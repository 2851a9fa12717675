//! Records in a folder, and the names in them.

use std::path::PathBuf;

use sowing_rules::Record;

use crate::options::ClientError;

/// The most characters of a player's name.
const NAME: usize = 40;

/// A player's name as the other side of a connection gives it, fit for records, standings and
/// messages: at most 40 characters on one line, none of them a control, direction or format character.
pub(crate) fn player_name(given: &str) -> String {
    sowing_rules::printable(given.trim()).chars().take(NAME).collect()
}

/// Writes a record into a folder under the next number that is free.
pub(crate) fn write_record(folder: &std::path::Path, record: &Record) -> Result<(), ClientError> {
    let failed = |path: PathBuf, error: &std::io::Error| {
        let why = error.to_string();
        ClientError::Record { path, why }
    };
    sowing_files::make_folder(folder).map_err(|error| failed(folder.to_path_buf(), &error))?;
    let entries =
        std::fs::read_dir(folder).map_err(|error| failed(folder.to_path_buf(), &error))?;
    let number = |entry: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        entry.ok()?.path().file_stem()?.to_str()?.parse().ok()
    };
    let mut next = entries.filter_map(number).max().unwrap_or(0) + 1;
    loop {
        let path = folder.join(format!("{next:06}.txt"));
        match sowing_files::write_new(&path, record.to_string().as_bytes()) {
            // Somebody else writes there too.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => next += 1,
            Err(error) => return Err(failed(path, &error)),
            Ok(()) => return Ok(()),
        }
    }
}
