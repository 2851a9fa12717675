//! `sow site`: the page as a folder of files that needs no server.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use sowing_serve::{Config, Engine, Site};

use crate::failure::{Failure, note};
use crate::{sanitize, units};

/// Write the page as a folder that any web host can serve
///
/// The page, the analysis as WebAssembly, the books, puzzles and studies: all
/// is computed in the browser, nothing is sent anywhere, and it works offline
/// once it was opened. Addresses are relative, so that the folder can lie
/// anywhere. Written again into the same folder, it brings it up to date;
/// who has the page open keeps the old version until it is loaded anew.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  bindings/wasm/build
  sow site public --wasm target/wasm
  sow site public --wasm target/wasm --time-each 20s  fuller studies")]
pub(crate) struct SiteArgs {
    /// The folder to write: a new one, or one that this command wrote
    dir: PathBuf,
    /// The folder that bindings/wasm/build wrote; what is built into this
    /// program if it is left out
    #[arg(long, value_name = "FOLDER")]
    wasm: Option<PathBuf>,
    /// Time for each study, as in 20s; cells beyond it say so
    #[arg(long, alias = "time", value_name = "TIME", default_value = "1s", value_parser = units::time)]
    time_each: Duration,
}

/// The file that says what a folder is.
const NOTE: &str = "site.json";

/// Which versions a folder holds: that of the pages, and the one before it, which pages that are
/// still open may ask for.
#[derive(Debug, Serialize, Deserialize)]
struct Held {
    program: String,
    stamp: String,
    before: Option<String>,
}

#[cfg(sow_wasm)]
fn built_in() -> Option<Engine> {
    let module = include_bytes!(concat!(env!("SOW_WASM"), "/sowing_bg.wasm")).to_vec();
    let script = include_bytes!(concat!(env!("SOW_WASM"), "/sowing.js")).to_vec();
    Some(Engine { module, script })
}

#[cfg(not(sow_wasm))]
fn built_in() -> Option<Engine> {
    None
}

pub(crate) fn run(args: &SiteArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let engine = engine(args.wasm.as_deref())?;
    let held = held(&args.dir)?;
    let cannot = |error: io::Error| {
        Failure::Input(format!("cannot write the site to {}: {error}", sanitize::path(&args.dir)))
    };
    sowing_files::make_folder(&args.dir)
        .and_then(|()| sowing_files::check_writable(&args.dir.join(NOTE)))
        .map_err(cannot)?;
    let config = Config { workers: 1, time: args.time_each, ..Config::default() };
    let site = Site::new(&engine, &config, |study| note(&format!("computing {study}")))
        .map_err(|error| Failure::Input(error.to_string()))?;
    let before = held.as_ref().map(|held| held.stamp.clone()).filter(|old| old != site.stamp());
    let before = before.or(held.and_then(|held| held.before));
    write(&args.dir, &site, before).map_err(cannot)?;
    let bytes: usize = site.files().iter().map(|(_, bytes)| bytes.len()).sum();
    let (files, stamp) = (site.files().len(), site.stamp());
    writeln!(out, "{}: version {stamp}, {files} files, {bytes} bytes", sanitize::path(&args.dir))?;
    Ok(())
}

/// The engine that was asked for.
fn engine(folder: Option<&Path>) -> Result<Engine, Failure> {
    let Some(folder) = folder else {
        return built_in().ok_or_else(|| {
            Failure::Input(
                "this program was built without the engine for browsers: make one with \
                 bindings/wasm/build, then sow site DIR --wasm target/wasm"
                    .to_string(),
            )
        });
    };
    let read = |name: &str| {
        fs::read(folder.join(name)).map_err(|error| {
            let folder = sanitize::path(folder);
            Failure::Input(format!(
                "{folder} has no {name} ({error}): bindings/wasm/build writes such a folder"
            ))
        })
    };
    let version = String::from_utf8_lossy(&read("version.txt")?).trim().to_string();
    if version != env!("CARGO_PKG_VERSION") {
        return Err(Failure::Input(format!(
            "the engine in {} is of version {}, not {}: make it anew with bindings/wasm/build",
            sanitize::path(folder),
            sanitize::word(&version),
            env!("CARGO_PKG_VERSION"),
        )));
    }
    let module = read("sowing_bg.wasm")?;
    if !is_whole(&module) {
        return Err(Failure::Input(format!(
            "{} is no whole module: make it anew with bindings/wasm/build",
            sanitize::path(&folder.join("sowing_bg.wasm"))
        )));
    }
    Ok(Engine { module, script: read("sowing.js")? })
}

/// Whether a module has its head, and sections that fill it: a copy that broke off has not.
fn is_whole(module: &[u8]) -> bool {
    let Some(mut rest) = module.strip_prefix(b"\0asm\x01\0\0\0") else { return false };
    while let Some((_kind, after)) = rest.split_first() {
        // The length of a section: seven bits a byte, the lowest first, the last without the eighth.
        let Some(last) = after.iter().take(5).position(|byte| byte & 0x80 == 0) else {
            return false;
        };
        let (digits, after) = after.split_at(last + 1);
        let length = digits.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
        let Some(next) = usize::try_from(length).ok().and_then(|length| after.get(length..)) else {
            return false;
        };
        rest = next;
    }
    true
}

/// What a folder holds; nothing, if it is new or empty.
fn held(dir: &Path) -> Result<Option<Held>, Failure> {
    let foreign = || {
        Failure::Input(format!(
            "{} holds something else than a site of sow: name a folder that is new or empty",
            sanitize::path(dir)
        ))
    };
    match fs::read_to_string(dir.join(NOTE)) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|_| foreign()),
        Err(_) => match fs::read_dir(dir) {
            Ok(mut entries) => entries.next().map_or(Ok(None), |_| Err(foreign())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(Failure::Input(format!("cannot read {}: {error}", sanitize::path(dir))))
            }
        },
    }
}

/// Writes all files, the parts first. Until the pages are written, the version before is whole.
fn write(dir: &Path, site: &Site, before: Option<String>) -> io::Result<()> {
    let held = Held {
        program: concat!("sow ", env!("CARGO_PKG_VERSION")).to_string(),
        stamp: site.stamp().to_string(),
        before,
    };
    // First, so that a folder that was left half-way is known as ours.
    let text = serde_json::to_string_pretty(&held)? + "\n";
    sowing_files::write(&dir.join(NOTE), text.as_bytes())?;
    for (name, bytes) in site.files() {
        let path = dir.join(name);
        if let Some(folder) = path.parent() {
            sowing_files::make_folder(folder)?;
        }
        sowing_files::write(&path, bytes)?;
    }
    // Versions that no page asks for any more.
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let known = name == held.stamp || held.before.as_ref() == Some(&name);
        if entry.file_type()?.is_dir() && is_stamp(&name) && !known {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Whether a folder is named like one of ours: a version, and ten digits of a digest.
fn is_stamp(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(version, digits)| {
        version.split('.').count() == 3
            && version.chars().all(|one| one.is_ascii_digit() || one == '.')
            && digits.len() == 10
            && digits.chars().all(|one| one.is_ascii_hexdigit())
    })
}
