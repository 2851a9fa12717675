//! What is checked before any work: that ranks run the same, and see the same files.

use std::io::Write;
use std::path::Path;

use sowing_rules::sanitize;

use crate::ranks::{Agreed, Ranks};

/// Fails if ranks are of different versions, or were given different commands.
pub(crate) fn check_same(ranks: &Ranks) -> Agreed<()> {
    let versions = ranks.gather(crate::VERSION.as_bytes());
    if let Some(rank) = versions.iter().position(|other| *other != versions[0]) {
        let text = |rank: usize| String::from_utf8_lossy(&versions[rank]).into_owned();
        return Err(format!(
            "ranks are of different versions: rank 0 of {}, rank {rank} of {}: install one of them \
             on all machines",
            text(0),
            text(rank)
        ));
    }
    let command: Vec<u8> = std::env::args_os()
        .skip(1)
        .flat_map(|word| [word.as_encoded_bytes(), &[0]].concat())
        .collect();
    let commands = ranks.gather(&command);
    match commands.iter().position(|other| *other != commands[0]) {
        None => Ok(()),
        Some(rank) => Err(format!("rank {rank} was given another command than rank 0")),
    }
}

/// Fails if the ranks do not see the same folder under its name: rank 0 writes a token into it that
/// all others must find.
pub(crate) fn check_shared(ranks: &Ranks, dir: &Path) -> Agreed<()> {
    let token = ranks.told_by_first(sowing_command::units::any_seed());
    let path = dir.join(format!(".sow-{token:016x}"));
    let io = |error: std::io::Error| format!("cannot write to {}: {error}", sanitize::path(dir));
    let put = match ranks.is_first() {
        true => sowing_files::make_folder(dir)
            .and_then(|()| std::fs::File::create_new(&path))
            .and_then(|mut file| file.write_all(&token.to_le_bytes()))
            .map_err(io),
        false => Ok(()),
    };
    ranks.agree_on_first(put)?;
    let seen = match std::fs::read(&path) {
        Ok(bytes) if bytes == token.to_le_bytes() => Ok(()),
        _ => Err(format!(
            "does not see what rank 0 writes to {}: name a folder on a file system that all machines \
             share",
            sanitize::path(dir)
        )),
    };
    let agreed = ranks.agree(seen);
    if ranks.is_first() {
        // If it cannot be removed it is only in the way.
        let _ = std::fs::remove_file(&path);
    }
    agreed
}

/// The memory that a rank may use: what was asked for, or three quarters of its share of what the
/// machine has free. Fails if the ranks of a machine ask for more than it has.
pub(crate) fn memory(ranks: &Ranks, asked: Option<u64>) -> Agreed<u64> {
    let beside = ranks.beside() as u64;
    let free = sowing_platform::available_memory();
    let memory = match (asked, free) {
        (Some(asked), Some(free)) if asked.saturating_mul(beside) > free => {
            let [asked, free] = [asked, free].map(sowing_tables::format_bytes);
            Err(format!(
                "too little memory: {beside} ranks on its machine may use {asked} each, {free} are \
                 available"
            ))
        }
        (Some(asked), _) => Ok(asked),
        (None, free) => Ok(free.map_or(1 << 30, |free| free / 4 * 3 / beside)),
    };
    ranks.agree(memory)
}
