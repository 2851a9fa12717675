//! Where a file is from: program, commit, command, date and seed, in one place for all formats.
//!
//! | format | where it stands |
//! | --- | --- |
//! | CSV, JSON, text | in `FILE.meta.json` beside it: every line of theirs is data |
//! | Parquet | in the key-value metadata |
//! | SVG | in `<metadata>` |
//! | LaTeX | in comments at the top |
//!
//! What goes to standard output has none of it: the same command gives the same bytes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sowing_draw::{Element, Picture};
use sowing_files::{AtomicFile, InTheWay, helper};

use crate::failure::Failure;
use crate::said;

/// Where a file is from.
#[derive(Clone, Debug, Serialize)]
pub struct Made {
    program: &'static str,
    /// `null` where the program was not built from a repository.
    commit: Option<&'static str>,
    command: String,
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// The words that the command was called with: not those of the process where that is another program.
static LINE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes what the command was called with.
pub fn remember(line: &[OsString]) {
    let words = line.iter().map(|word| word.to_string_lossy().into_owned());
    *LINE.lock().expect("nobody panics with it") = words.collect();
}

/// Flags that do not change what comes out, each with a value.
const ELSEWHERE: [&str; 5] = ["--threads", "--memory", "--out", "--tables", "--time"];

impl Made {
    /// What this process makes now; the date is that of `SOURCE_DATE_EPOCH` where it is set.
    pub fn now(seed: Option<u64>) -> Made {
        Made::by("sow", concat!("sow ", env!("CARGO_PKG_VERSION")), seed)
    }

    /// The same of another program, and what it is called with its version.
    pub fn by(name: &str, program: &'static str, seed: Option<u64>) -> Made {
        let line = LINE.lock().expect("nobody panics with it").clone();
        Made {
            program,
            commit: option_env!("SOW_COMMIT").filter(|commit| !commit.is_empty()),
            command: command(name, line.into_iter().skip(1)),
            date: date(std::env::var("SOURCE_DATE_EPOCH").ok().as_deref()),
            seed,
        }
    }

    /// Names and values, for formats that hold such pairs.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let Made { program, commit, command, date, seed } = self;
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

    /// Puts it into a picture.
    pub fn sign(&self, picture: &mut Picture) {
        picture.add(Element::new("metadata").say(self.comment("").trim_end()));
    }

    /// One line a pair, each after a mark.
    pub fn comment(&self, mark: &str) -> String {
        let pairs = self.pairs();
        pairs.iter().map(|(name, value)| format!("{mark}{name}: {value}\n")).collect()
    }

    /// Writes it beside a file of data, with more that is to be known of the data. A device or a pipe
    /// has no place beside it.
    pub fn beside(&self, data: &Path, more: serde_json::Value) -> Result<(), Failure> {
        if !data.is_file() {
            return Ok(());
        }
        let path = meta_path(data);
        let mut text = serde_json::json!({ "made": self });
        if !more.is_null() {
            text["data"] = more;
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

/// Fails if what a file is from cannot be written beside it, since something else has that name.
pub(crate) fn check_beside(data: &Path) -> Result<(), Failure> {
    match data.metadata() {
        Ok(found) if !found.is_file() => Ok(()),
        _ => is_ours(&meta_path(data)).map(|_| ()).map_err(cannot_write(data)),
    }
}

/// Whether this file is there, and says where another is from. Fails if something else has its name.
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
    Err(InTheWay::new(meta, "it holds something else").into())
}

fn cannot_write(path: &Path) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::Input(format!("cannot write {}: {error}", said::path(path)))
}

/// What the lines of a file are of, as it was written beside it.
pub(crate) fn what_of(data: &Path) -> Option<String> {
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

/// The command as one could type it, without what only says where and with how much.
fn command(name: &str, words: impl Iterator<Item = String>) -> String {
    let mut line = name.to_string();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if ELSEWHERE.contains(&word.as_str()) {
            words.next();
            continue;
        }
        if ELSEWHERE.iter().any(|flag| word.starts_with(&format!("{flag}="))) {
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
    said::one_line(&line)
}

/// The time as `2024-05-01T12:00:00Z`.
fn date(epoch: Option<&str>) -> String {
    let given = epoch.and_then(|text| text.parse().ok()).and_then(|seconds: u64| {
        // Nothing later can be written with four digits for the year.
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
