//! The provenance of a file: program, commit, command, date and seed, in one place for all formats.
//!
//! | format | place |
//! | --- | --- |
//! | CSV, JSON, text | `FILE.meta.json` beside it: each of their lines is data |
//! | Parquet | the key-value metadata |
//! | SVG | `<metadata>` |
//! | LaTeX | comments at the top |
//!
//! Standard output has none of it: the same command gives the same bytes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sowing_command::failure::Failure;
use sowing_draw::{Element, Picture};
use sowing_files::{AtomicFile, ForeignFileError, helper};
use sowing_rules::sanitize;

/// The provenance of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    program: &'static str,
    /// `null` where the program was not built from a repository.
    commit: Option<&'static str>,
    command: String,
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// The arguments of the command, which are not those of the process where another program has it built in.
static LINE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Sets the arguments of the command, its name first, for all provenance of this process.
pub fn set_command_line(line: &[OsString]) {
    let words = line.iter().map(|word| word.to_string_lossy().into_owned());
    *LINE.lock().expect("no panic while it is held") = words.collect();
}

/// Flags with a value that do not change the result.
///
/// Limits of time are not among them: a study, a tree or a book that runs out of time has fewer values.
const OMITTED_FLAGS: [&str; 6] =
    ["--threads", "--memory", "--out", "--results", "--tables", "--dir"];

impl Provenance {
    /// The provenance of a file that `sow` makes now; `SOURCE_DATE_EPOCH` overrides the date.
    pub fn now(seed: Option<u64>) -> Provenance {
        Provenance::by("sow", concat!("sow ", env!("CARGO_PKG_VERSION")), seed)
    }

    /// The provenance of a file that another command makes: `name` as it is typed, and `program` with its version.
    pub fn by(name: &str, program: &'static str, seed: Option<u64>) -> Provenance {
        let line = LINE.lock().expect("no panic while it is held").clone();
        Provenance {
            program,
            commit: option_env!("SOW_COMMIT").filter(|commit| !commit.is_empty()),
            command: command(name, line.into_iter().skip(1)),
            date: date(std::env::var("SOURCE_DATE_EPOCH").ok().as_deref()),
            seed,
        }
    }

    /// Names and values, for formats that hold such pairs.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let Provenance { program, commit, command, date, seed } = self;
        let commit = commit.map(|commit| ("commit", commit.to_string()));
        let seed = seed.map(|seed| ("seed", seed.to_string()));
        [
            Some(("program", program.to_string())),
            commit,
            Some(("command", command.clone())),
            Some(("date", date.clone())),
            seed,
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Adds it to a picture.
    pub fn sign(&self, picture: &mut Picture) {
        picture.add(Element::new("metadata").say(self.comment("").trim_end()));
    }

    /// One line per pair, each after `prefix`.
    pub fn comment(&self, prefix: &str) -> String {
        let pairs = self.pairs();
        pairs.iter().map(|(name, value)| format!("{prefix}{name}: {value}\n")).collect()
    }

    /// Writes it beside a file of data, with `metadata` of the data unless that is null. Does nothing for a device or
    /// a pipe.
    pub fn write_beside(&self, data: &Path, metadata: serde_json::Value) -> Result<(), Failure> {
        if !data.is_file() {
            return Ok(());
        }
        let path = meta_path(data);
        let mut text = serde_json::json!({ "made": self });
        if !metadata.is_null() {
            text["data"] = metadata;
        }
        let put = || {
            let is_there = is_ours(&path)?;
            let mut aside = AtomicFile::create(&path)?;
            aside.file().write_all(format!("{text:#}\n").as_bytes())?;
            if is_there { aside.finish() } else { aside.finish_new() }
        };
        put().map_err(cannot_write(&path))
    }
}

/// Fails if the provenance of a file cannot be written beside it, since another file has that name.
pub fn check_beside(data: &Path) -> Result<(), Failure> {
    match data.metadata() {
        Ok(found) if !found.is_file() => Ok(()),
        _ => is_ours(&meta_path(data)).map(|_| ()).map_err(cannot_write(data)),
    }
}

/// Whether this file is there and holds the provenance of another. Fails if another file has its name.
fn is_ours(meta: &Path) -> io::Result<bool> {
    let bytes = match helper::read(meta) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let found: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let by_us = found["made"]["program"].as_str().is_some_and(|program| program.starts_with("sow"));
    if bytes.is_empty() || by_us {
        return Ok(true);
    }
    Err(ForeignFileError::new(meta, "it holds something else").into())
}

fn cannot_write(path: &Path) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::Input(format!("cannot write {}: {error}", sanitize::path(path)))
}

/// The description of a job that is written beside its finished file.
pub(crate) fn description_of(data: &Path) -> Option<String> {
    let text = std::fs::read_to_string(meta_path(data)).ok()?;
    let meta: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(meta["data"]["what"].as_str()?.to_string())
}

/// `FILE.meta.json`.
fn meta_path(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".meta.json");
    name.into()
}

/// The command as it can be typed again, without flags that do not change the result.
fn command(name: &str, words: impl Iterator<Item = String>) -> String {
    let mut line = name.to_string();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if OMITTED_FLAGS.contains(&word.as_str()) {
            words.next();
            continue;
        }
        if OMITTED_FLAGS.iter().any(|flag| word.starts_with(&format!("{flag}="))) {
            continue;
        }
        line.push(' ');
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=^".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            line += &word;
        } else {
            line += &format!("'{}'", word.replace('\'', "'\\''"));
        }
    }
    sanitize::one_line(&line)
}

/// The time as `2024-05-01T12:00:00Z`.
fn date(epoch: Option<&str>) -> String {
    let given = epoch.and_then(|text| text.parse().ok()).and_then(|seconds: u64| {
        // The year of a later time does not have four digits.
        let seconds = Some(seconds).filter(|seconds| *seconds < 253_402_300_800)?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    });
    humantime::format_rfc3339_seconds(given.unwrap_or_else(SystemTime::now)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let line = |words: &[&str]| command("sow", words.iter().map(ToString::to_string));
        assert_eq!(
            line(&["fair", "kalah(6,4)", "--threads", "2", "--out=x", "--moved", "1"]),
            "sow fair 'kalah(6,4)' --moved 1"
        );
        assert_eq!(line(&["a'b", ""]), "sow 'a'\\''b' ''");
        assert_eq!(
            line(&["study", "thesis-1", "--csv", "--time", "1m"]),
            "sow study thesis-1 --csv --time 1m"
        );
    }

    #[test]
    fn dates_can_be_given() {
        assert_eq!(date(Some("0")), "1970-01-01T00:00:00Z");
        assert_eq!(date(Some("1714564800")), "2024-05-01T12:00:00Z");
        for other in ["", "-1", "x", "99999999999999999999", "18446744073709551615"] {
            assert!(date(Some(other)).starts_with("20"), "{other}");
        }
    }
}
