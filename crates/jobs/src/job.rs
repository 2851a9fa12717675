//! Jobs of independent tasks, and their files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sowing_command::failure::Failure;
use sowing_rules::sanitize;

use crate::provenance::{self, Provenance};
use crate::resumable_file::{Kind, ResumableFile};

/// A list of independent tasks, the rows that they give, and the file that these go to. The file does not depend on who
/// does which task: one process writes the same bytes as many.
pub trait Job: Sync {
    /// State that a thread keeps from chunk to chunk.
    type Worker: Send;

    /// The file.
    fn path(&self) -> &Path;
    /// The kind of the job.
    fn kind(&self) -> Kind;
    /// Everything that the rows depend on, on one line. A file is resumed if it is of the same description.
    fn description(&self) -> String;
    /// The line above the rows; empty if there is none.
    fn header(&self) -> String;
    /// The number of tasks.
    fn tasks(&self) -> u64;
    /// The most tasks of a chunk.
    fn max_chunk(&self) -> u64;
    /// The number of tasks that are done in a file.
    fn done(&self, file: &ResumableFile) -> u64;
    /// The checkpoint of a file in which the first `done` tasks are done.
    fn checkpoint(&self, done: u64) -> (u64, u64);
    /// A worker for a thread.
    fn worker(&self) -> Result<Self::Worker, Failure>;
    /// The rows of a chunk of tasks.
    fn rows(&self, worker: &mut Self::Worker, tasks: Range<u64>) -> Result<Vec<String>, Failure>;
    /// The metadata of the finished file.
    fn metadata(&self) -> serde_json::Value {
        serde_json::json!({ "what": self.description() })
    }
    /// The seed of its random numbers, if it has any.
    fn seed(&self) -> Option<u64> {
        None
    }
    /// The time that it may take.
    fn time(&self) -> Option<Duration> {
        None
    }
    /// Makes the file, where it is not the rows themselves: they lie in `FILE.parts` then, until all are there.
    fn summary(&self) -> Option<&dyn Summary> {
        None
    }
}

/// A file that is made of all rows.
pub trait Summary {
    /// Writes it, whole or not at all. Returns whether the file itself holds its provenance.
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure>;
}

fn rows_path<J: Job>(job: &J) -> PathBuf {
    let mut name = job.path().as_os_str().to_owned();
    if job.summary().is_some() {
        name.push(".parts");
    }
    name.into()
}

/// Creates the file that the rows of a job go to, or resumes it.
pub fn open<J: Job>(job: &J) -> Result<ResumableFile, Failure> {
    let path = job.path();
    if job.summary().is_some() {
        let cannot = |why: &dyn std::fmt::Display| {
            Failure::Input(format!("cannot write {}: {why}", sanitize::path(path)))
        };
        if path.symlink_metadata().is_ok() {
            return Err(cannot(
                &"it is there already: remove it to begin anew, or name another file",
            ));
        }
        sowing_files::check_writable(path).map_err(|error| cannot(&error))?;
    }
    provenance::check_beside(path)?;
    ResumableFile::open(&rows_path(job), job.kind(), &job.description(), &job.header())
}

/// Closes a file in which all tasks are done. `provenance` gets the job's seed.
pub fn finish<J: Job>(
    job: &J,
    file: ResumableFile,
    provenance: impl FnOnce(Option<u64>) -> Provenance,
) -> Result<(), Failure> {
    let Some(summary) = job.summary() else {
        provenance(job.seed()).write_beside(job.path(), job.metadata())?;
        return file.finish();
    };
    let rows = rows_path(job);
    let open = File::open(&rows).map_err(|error| {
        Failure::Input(format!("cannot read {}: {error}", sanitize::path(&rows)))
    })?;
    if !summary.write(&mut BufReader::new(open))? {
        provenance(job.seed()).write_beside(job.path(), job.metadata())?;
    }
    file.discard()
}

/// Writes the output of a command to a file, whole or not at all.
pub(crate) fn print_to(
    path: &Path,
    print: impl FnOnce(&mut dyn std::io::Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    print(&mut text)?;
    sowing_files::write(path, &text)
        .map_err(|error| Failure::Input(format!("cannot write {}: {error}", sanitize::path(path))))
}

/// The failure for a row in `FILE.parts` that the job did not write.
pub(crate) fn damaged(path: &Path) -> Failure {
    let name = sanitize::path(path);
    Failure::Input(format!("{name}.parts is damaged: remove it and {name}.parts.progress"))
}
