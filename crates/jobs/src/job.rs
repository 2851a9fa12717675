//! Work that falls into independent pieces: for whoever hands it out to many processes, so that what
//! comes out is the file that one of them would have written.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::made::{self, Made};
use crate::resumable::{Kind, Resumable};
use crate::said;

pub use crate::dataset::DatasetArgs;
pub use crate::fair::FairArgs;
pub use crate::perft::PerftArgs;
pub use crate::playouts::PlayoutsArgs;
pub use crate::positions::PositionsArgs;
pub use crate::sweep::SweepArgs;

/// A list of pieces, the rows that they give, and the file that these go to.
pub trait Batch: Sync {
    /// What a thread keeps from piece to piece.
    type Worker: Send;

    /// The file that comes out.
    fn path(&self) -> &Path;
    /// What kind of rows it has, what they are of, and the line above them.
    fn kind(&self) -> Kind;
    /// What the rows are of.
    fn work(&self) -> String;
    /// The line above the rows.
    fn header(&self) -> String;
    /// How many pieces there are.
    fn many(&self) -> u64;
    /// The most pieces that are handed out together.
    fn most(&self) -> u64;
    /// How many pieces are done in a file that says so much of itself.
    fn done(&self, file: &Resumable) -> u64;
    /// What a file says of itself when so many pieces are done.
    fn mark(&self, done: u64) -> (u64, u64);
    /// A thread's own things.
    fn worker(&self) -> Result<Self::Worker, Failure>;
    /// The rows of some pieces.
    fn rows(&self, worker: &mut Self::Worker, pieces: Range<u64>) -> Result<Vec<String>, Failure>;
    /// What is written down about the finished file.
    fn about(&self) -> serde_json::Value {
        serde_json::json!({ "what": self.work() })
    }
    /// The seed of its random numbers, if it has one.
    fn seed(&self) -> Option<u64> {
        None
    }
    /// How long it may take.
    fn time(&self) -> Option<Duration> {
        None
    }
    /// What makes the file, if it is not the rows as they are: they lie in `FILE.parts` then, until
    /// all are there.
    fn summary(&self) -> Option<&dyn Summary> {
        None
    }
}

/// A file that is made of rows.
pub trait Summary {
    /// Writes it, whole or not at all. Whether it says by itself who made it.
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure>;
}

/// Where the rows of a batch go.
fn rows_path<B: Batch>(batch: &B) -> PathBuf {
    let mut name = batch.path().as_os_str().to_owned();
    if batch.summary().is_some() {
        name.push(".parts");
    }
    name.into()
}

/// Opens the file that the rows of a batch go to, or takes it up again.
pub fn open<B: Batch>(batch: &B) -> Result<Resumable, Failure> {
    let path = batch.path();
    if batch.summary().is_some() {
        let cannot = |why: &dyn std::fmt::Display| {
            Failure::Input(format!("cannot write {}: {why}", said::path(path)))
        };
        if path.symlink_metadata().is_ok() {
            return Err(cannot(
                &"it is there already: remove it to begin anew, or name another file",
            ));
        }
        sowing_files::check_writable(path).map_err(|error| cannot(&error))?;
    }
    made::check_beside(path)?;
    Resumable::open(&rows_path(batch), batch.kind(), &batch.work(), &batch.header())
}

/// Closes a file in which all is done, by somebody.
pub fn finish<B: Batch>(
    batch: &B,
    file: Resumable,
    by: impl FnOnce(Option<u64>) -> Made,
) -> Result<(), Failure> {
    let Some(summary) = batch.summary() else {
        by(batch.seed()).beside(batch.path(), batch.about())?;
        return file.finish();
    };
    let rows = rows_path(batch);
    let open = File::open(&rows)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", said::path(&rows))))?;
    if !summary.write(&mut BufReader::new(open))? {
        by(batch.seed()).beside(batch.path(), batch.about())?;
    }
    file.discard()
}

/// Writes what a command would have printed.
pub(crate) fn print_to(
    path: &Path,
    print: impl FnOnce(&mut dyn std::io::Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    print(&mut text)?;
    sowing_files::write(path, &text)
        .map_err(|error| Failure::Input(format!("cannot write {}: {error}", said::path(path))))
}

/// A row that its own list cannot read: somebody wrote to it.
pub(crate) fn damaged(path: &Path) -> Failure {
    let name = said::path(path);
    Failure::Input(format!("{name}.parts is damaged: remove it and {name}.parts.progress"))
}
