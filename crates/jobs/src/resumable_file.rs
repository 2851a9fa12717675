//! A file of rows that grows chunk by chunk and can be resumed.
//!
//! Until all is done, a progress file `FILE.progress` lies beside `FILE`: the job's description, length and CRC-32 of
//! the rows so far, the checkpoint, and a CRC-32 of the progress file itself. Rows are synced to the disk before the
//! progress file that counts them. So rows beyond it are cut off on resumption; rows that differ from it were damaged.
//! The progress file is created first, so that a file without one is never taken for one to resume. `FILE.lock` keeps
//! other processes out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sowing_command::failure::Failure;
use sowing_files::{AtomicFile, Lock, LockError, helper, sync_folder};

use crate::provenance::description_of;

/// The kind of a job, which its messages and its progress file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The outcomes of a family's starts.
    Sweep,
    /// The games of a tournament.
    Match,
    /// The values of starts beside the usual one.
    Starts,
    /// Positions with the value of every move.
    Dataset,
    /// The values of given positions.
    Positions,
    /// Random games.
    Playouts,
    /// The leaves of the move tree.
    Leaves,
}

impl Kind {
    const ALL: [Kind; 7] = [
        Kind::Sweep,
        Kind::Match,
        Kind::Starts,
        Kind::Dataset,
        Kind::Positions,
        Kind::Playouts,
        Kind::Leaves,
    ];

    /// The first line of the progress file.
    fn first_line(self) -> &'static str {
        match self {
            Kind::Sweep => "sow sweep 2\n",
            Kind::Match => "sow match 1\n",
            Kind::Starts => "sow fair 2\n",
            Kind::Dataset => "sow dataset 2\n",
            Kind::Positions => "sow positions 1\n",
            Kind::Playouts => "sow playouts 1\n",
            Kind::Leaves => "sow perft 1\n",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Sweep => "sweep",
            Kind::Match => "match",
            Kind::Starts => "list of starts",
            Kind::Dataset => "data set",
            Kind::Positions => "list of positions",
            Kind::Playouts => "list of playouts",
            Kind::Leaves => "list of leaves",
        }
    }
}

/// A file of rows, and how far a job has come with it.
#[derive(Debug)]
pub struct ResumableFile {
    path: PathBuf,
    file: File,
    kind: Kind,
    description: String,
    is_new: bool,
    length: u64,
    sum: crc32fast::Hasher,
    rows: u64,
    checkpoint: (u64, u64),
    _lock: Lock,
}

/// The content of a progress file.
#[derive(Debug, PartialEq, Eq)]
struct Progress {
    length: u64,
    sum: u32,
    checkpoint: (u64, u64),
}

/// `FILE.progress` and the like.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Keeps other processes from writing to the same file, until it is dropped.
pub fn lock_file(path: &Path) -> Result<Lock, Failure> {
    // A file and a link to it have one lock.
    let path = &path.canonicalize().unwrap_or(path.to_path_buf());
    Lock::acquire(&beside(path, ".lock")).map_err(|error| match error {
        LockError::Held(_) => {
            cannot_write(path, &format!("{error}: wait for it, or name another file"))
        }
        LockError::Io(error) => cannot_write(path, &error),
    })
}

fn progress_path(path: &Path) -> PathBuf {
    beside(path, ".progress")
}

fn cannot_write(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::Input(format!("cannot write {}: {why}", path.display()))
}

impl ResumableFile {
    /// Creates the file of a job, `description`, with `header` as its first line, or resumes it. Fails if the file is
    /// there and belongs to another job, is damaged, or is finished.
    pub fn open(
        path: &Path,
        kind: Kind,
        description: &str,
        header: &str,
    ) -> Result<ResumableFile, Failure> {
        let path = &path.canonicalize().unwrap_or(path.to_path_buf());
        let cannot = |error: io::Error| cannot_write(path, &error);
        let lock = lock_file(path)?;
        let mut is_new = false;
        let first_lines = &Kind::ALL.map(|kind| kind.first_line().as_bytes());
        let progress = progress_path(path);
        helper::exists(&beside(&progress, ".new"), first_lines).map_err(cannot)?;
        let bytes = match helper::exists(&progress, first_lines).map_err(cannot)? {
            true => helper::read(&progress).map_err(cannot)?,
            false => Vec::new(),
        };
        let noted = match bytes.is_empty() {
            false => Progress::parse(&bytes, path, kind, description)?,
            true => {
                if path.symlink_metadata().is_ok() {
                    let name = kind.name();
                    let why = if begins_with(path, header) {
                        format!(
                            "it holds rows of a {name} and no note of where to go on, as when a {name} \
                             is finished: remove it to begin anew, or name another file"
                        )
                    } else {
                        format!("it is there already, and no {name}: name another file")
                    };
                    return Err(cannot_write(path, &why));
                }
                let begun = Progress { length: 0, sum: 0, checkpoint: (0, 0) };
                begun.put(path, kind, description).map_err(cannot)?;
                is_new = true;
                begun
            }
        };
        let Progress { length, checkpoint, .. } = noted;
        let (file, Counted { sum, lines }) = rows(path, kind, &noted, header)?;
        file.set_len(length).map_err(cannot)?;
        let rows = lines.saturating_sub(header.lines().count() as u64);
        let mut resumable = ResumableFile {
            path: path.to_path_buf(),
            file,
            kind,
            description: description.to_string(),
            is_new,
            length,
            sum,
            rows,
            checkpoint,
            _lock: lock,
        };
        if length == 0 {
            resumable.write(&[header], (0, 0))?;
        }
        Ok(resumable)
    }

    /// The checkpoint of the last chunk that was appended; (0, 0) before the first.
    pub fn checkpoint(&self) -> (u64, u64) {
        self.checkpoint
    }

    /// Whether [`open`](ResumableFile::open) created it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The rows so far, without the header.
    pub fn read(&self) -> Result<String, Failure> {
        let cannot = |why: &dyn std::fmt::Display| {
            Failure::Input(format!("cannot read {}: {why}", self.path.display()))
        };
        let text = fs::read_to_string(&self.path).map_err(|error| cannot(&error))?;
        let (_, rows) = text.split_once('\n').ok_or_else(|| cannot(&"it has no header"))?;
        Ok(rows.to_string())
    }

    /// Appends the rows of a chunk with its checkpoint. When this returns, both are on the disk.
    pub fn append(&mut self, rows: &[String], checkpoint: (u64, u64)) -> Result<(), Failure> {
        self.rows += rows.len() as u64;
        self.write(rows, checkpoint)
    }

    fn write(&mut self, texts: &[impl AsRef<str>], checkpoint: (u64, u64)) -> Result<(), Failure> {
        let mut file = BufWriter::new(&self.file);
        let written = texts.iter().map(AsRef::as_ref).try_for_each(|text| {
            self.length += text.len() as u64;
            self.sum.update(text.as_bytes());
            file.write_all(text.as_bytes())
        });
        let written = written.and_then(|()| file.flush());
        self.checkpoint = checkpoint;
        let progress =
            Progress { length: self.length, sum: self.sum.clone().finalize(), checkpoint };
        written
            .and_then(|()| self.file.sync_data())
            .and_then(|()| progress.put(&self.path, self.kind, &self.description))
            .map_err(|error| cannot_write(&self.path, &error))
    }

    /// Removes the rows and the progress file, once a summary was made of the rows.
    pub fn discard(self) -> Result<(), Failure> {
        // The progress file goes last, so that rows without one are never left.
        fs::remove_file(&self.path).map_err(|error| {
            Failure::Input(format!("cannot remove {}: {error}", self.path.display()))
        })?;
        self.finish()
    }

    /// Removes the progress file: the job is done.
    pub fn finish(self) -> Result<(), Failure> {
        let progress = progress_path(&self.path);
        let folder = progress.parent().filter(|folder| !folder.as_os_str().is_empty());
        helper::remove(&progress, &[self.kind.first_line().as_bytes()])
            .and_then(|()| sync_folder(folder.unwrap_or(Path::new("."))))
            .map_err(|error| {
                Failure::Input(format!("cannot remove {}: {error}", progress.display()))
            })
    }
}

/// The text of a finished file, header included, if it is of the job `description`.
pub fn finished(path: &Path, description: &str) -> Option<String> {
    // A device is not read: it may have no end.
    let is_done = path.is_file() && !progress_path(path).exists();
    let is_it = is_done && description_of(path).as_deref() == Some(description);
    if is_it { fs::read_to_string(path).ok() } else { None }
}

/// Whether a file has rows under this header.
fn begins_with(path: &Path, header: &str) -> bool {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(header.len() as u64).read_to_end(&mut bytes));
    read.is_ok() && bytes == header.as_bytes()
}

/// The rows of a file, counted.
#[derive(Default)]
struct Counted {
    sum: crc32fast::Hasher,
    lines: u64,
}

/// The file, open to append to, and those of its rows that the progress file counts.
fn rows(
    path: &Path,
    kind: Kind,
    noted: &Progress,
    header: &str,
) -> Result<(File, Counted), Failure> {
    let differs = |why: &str| {
        let progress = progress_path(path);
        Failure::Input(format!(
            "{} {why}: remove it and {} to begin anew",
            path.display(),
            progress.display()
        ))
    };
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(noted.length == 0);
    let file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if noted.length > 0 => differs("is gone"),
        _ => cannot_write(path, &error),
    })?;
    // Where the progress file counts no rows, part of the header may be there.
    let mut bytes = Vec::new();
    let read = (&file).take(header.len() as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| cannot_write(path, &error))?;
    if noted.length == 0 {
        // A file without a header has no beginning to compare.
        if !header.is_empty() && !header.as_bytes().starts_with(&bytes) {
            return Err(differs(&format!("is not a file that a {} has begun", kind.name())));
        }
        return Ok((file, Counted::default()));
    }
    let (mut counted, mut left) = (Counted::default(), noted.length);
    let mut count = |bytes: &[u8]| {
        let bytes = &bytes[..bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        counted.sum.update(bytes);
        counted.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        left -= bytes.len() as u64;
        bytes.len()
    };
    count(&bytes);
    let mut reader = BufReader::with_capacity(1 << 16, &file);
    loop {
        let read = reader.fill_buf().map_err(|error| cannot_write(path, &error))?;
        match count(read) {
            0 => break,
            used => reader.consume(used),
        }
    }
    let as_noted = left == 0
        && counted.sum.clone().finalize() == noted.sum
        && bytes.starts_with(header.as_bytes());
    if as_noted { Ok((file, counted)) } else { Err(differs("is not as it was written")) }
}

impl Progress {
    /// Writes the progress file, whole or not at all.
    fn put(&self, path: &Path, kind: Kind, description: &str) -> io::Result<()> {
        let Progress { length, sum, checkpoint: (first, second) } = self;
        let first_line = kind.first_line();
        let mut text =
            format!("{first_line}{description}\nrows {length} {sum:08x}\ndone {first} {second}\n");
        text += &format!("sum {:08x}\n", crc32fast::hash(text.as_bytes()));
        let progress = progress_path(path);
        // The lock reserves the name, so that the rest of a killed process is replaced.
        let first_lines = &[first_line.as_bytes()];
        let mut aside = AtomicFile::create_at(&progress, &beside(&progress, ".new"), first_lines)?;
        aside.file().write_all(text.as_bytes())?;
        aside.finish()
    }

    /// Reads the progress file of the job `description`.
    fn parse(
        bytes: &[u8],
        path: &Path,
        kind: Kind,
        description: &str,
    ) -> Result<Progress, Failure> {
        let progress = progress_path(path);
        let damaged = || {
            Failure::Input(format!(
                "{} is damaged, or from an older version: remove it and {} to begin anew",
                progress.display(),
                path.display()
            ))
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
        let body = checked(text).ok_or_else(damaged)?;
        let body = body.strip_prefix(kind.first_line()).ok_or_else(damaged)?;
        let [found, rows, done] = body.lines().collect::<Vec<_>>()[..] else {
            return Err(damaged());
        };
        if found != description {
            return Err(Failure::Input(format!(
                "{} belongs to another {}: give its command again, or name another file",
                path.display(),
                kind.name()
            )));
        }
        let numbers = || {
            let (length, sum) = rows.strip_prefix("rows ")?.split_once(' ')?;
            let (first, second) = done.strip_prefix("done ")?.split_once(' ')?;
            Some(Progress {
                length: length.parse().ok()?,
                sum: u32::from_str_radix(sum, 16).ok()?,
                checkpoint: (first.parse().ok()?, second.parse().ok()?),
            })
        };
        numbers().ok_or_else(damaged)
    }
}

/// The text above its last line, if that line is its checksum.
fn checked(text: &str) -> Option<&str> {
    let (body, sum) = text.strip_suffix('\n')?.rsplit_once("\nsum ")?;
    let body = &text[..body.len() + 1];
    (sum == format!("{:08x}", crc32fast::hash(body.as_bytes()))).then_some(body)
}

#[cfg(test)]
mod tests {
    use sowing_rules::SeededRng;

    use super::*;

    const JOB: &str = "s-kalaha houses 2..4 seeds 1..9";
    const HEADER: &str = "h,s\n";

    fn add(file: &mut ResumableFile, chunks: std::ops::Range<u64>) {
        for chunk in chunks {
            let rows: Vec<String> = (0..chunk % 4).map(|row| format!("{chunk},{row}\n")).collect();
            file.append(&rows, (chunk, 9)).unwrap();
        }
    }

    /// Whatever is done to the two files: what comes of it is the whole file or a refusal.
    #[test]
    fn two_hundred_damages() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        let open = || ResumableFile::open(&path, Kind::Sweep, JOB, HEADER);
        let mut file = open().unwrap();
        add(&mut file, 1..20);
        drop(file);
        let kept = [path.clone(), progress_path(&path)].map(|path| fs::read(path).unwrap());
        let mut file = open().unwrap();
        assert_eq!((file.checkpoint(), file.rows()), ((19, 9), 30));
        add(&mut file, 20..30);
        file.finish().unwrap();
        let whole = fs::read(&path).unwrap();
        let earlier = |chunks: u64| {
            let _ = fs::remove_file(&path);
            let mut file = open().unwrap();
            add(&mut file, 1..chunks);
            drop(file);
            [path.clone(), progress_path(&path)].map(|path| fs::read(path).unwrap())
        };
        let old = earlier(7);
        let mut random = SeededRng::new(12, 0);
        let (mut refused, mut right) = (0, 0);
        for case in 0..300 {
            let mut files = kept.clone().map(Some);
            let which = random.below(2) as usize;
            let bytes = files[which].as_mut().unwrap();
            let at = random.below(bytes.len() as u64) as usize;
            match case % 7 {
                0 | 1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes.truncate(at),
                3 => files[which] = None,
                4 => bytes.extend((0..=random.below(40)).map(|_| random.below(256) as u8)),
                5 => files[which] = Some(old[which].clone()),
                _ => files.swap(0, 1),
            }
            for (path, bytes) in [path.clone(), progress_path(&path)].iter().zip(&files) {
                let _ = fs::remove_file(path);
                if let Some(bytes) = bytes {
                    fs::write(path, bytes).unwrap();
                }
            }
            match open() {
                Err(failure) => {
                    let said = failure.to_string();
                    assert!(said.contains("rows.csv") && !said.contains('\n'), "{said}");
                    refused += 1;
                }
                Ok(mut file) => {
                    let from = file.checkpoint().0 + 1;
                    add(&mut file, from..30);
                    assert_eq!(
                        file.rows(),
                        whole.iter().filter(|b| **b == b'\n').count() as u64 - 1
                    );
                    file.finish().unwrap();
                    assert!(fs::read(&path).unwrap() == whole, "case {case} gives other rows");
                    right += 1;
                }
            }
            assert!(!beside(&path, ".lock").exists());
        }
        assert!(refused > 150 && right > 20, "{refused} refused, {right} right");
    }

    /// Stopped after any step of its start, it goes on; what others made is left alone.
    #[test]
    fn a_start_that_failed_is_taken_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        let begun = Progress { length: 0, sum: 0, checkpoint: (0, 0) };
        for there in [None, Some(""), Some("h,"), Some(HEADER)] {
            begun.put(&path, Kind::Sweep, JOB).unwrap();
            there.inspect(|text| fs::write(&path, text).unwrap());
            let file = ResumableFile::open(&path, Kind::Sweep, JOB, HEADER).unwrap();
            assert_eq!((file.checkpoint(), file.rows()), ((0, 0), 0));
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), HEADER);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
            fs::remove_file(&path).unwrap();
        }
        for foreign in ["mine", "h,s\n2,4\n"] {
            begun.put(&path, Kind::Sweep, JOB).unwrap();
            fs::write(&path, foreign).unwrap();
            ResumableFile::open(&path, Kind::Sweep, JOB, HEADER).unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        }
    }
}
