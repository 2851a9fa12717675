//! A file of rows that grows stretch by stretch and can be taken up again.
//!
//! Beside `FILE` lies, until all is done, the note `FILE.progress`: what the rows are of, length and
//! CRC-32 of the rows so far, the last stretch done, and a CRC-32 of the note itself. Rows are
//! brought to the disk before the note that counts them. So rows beyond the note were written in
//! vain and are cut off; rows that are not as the note says were damaged. The note is there before
//! the file is, so that a file without one is never ours. `FILE.lock` keeps others out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sowing_files::{AtomicFile, Lock, LockError, helper, sync_folder};

use crate::failure::Failure;
use crate::made::what_of;

/// What the rows are of, in the words of messages and of the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sweep,
    Match,
    Starts,
    Dataset,
    Positions,
    Playouts,
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

    /// The first line of the note.
    fn mark(self) -> &'static str {
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

/// Rows in a file, and how far they go.
#[derive(Debug)]
pub struct Resumable {
    path: PathBuf,
    file: File,
    kind: Kind,
    work: String,
    is_new: bool,
    length: u64,
    sum: crc32fast::Hasher,
    rows: u64,
    done: (u64, u64),
    _lock: Lock,
}

/// What a note says of the rows.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    length: u64,
    sum: u32,
    done: (u64, u64),
}

/// `FILE.progress` and the like.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Keeps other processes from writing to the same file, until it is dropped.
pub fn keep_to_ourselves(path: &Path) -> Result<Lock, Failure> {
    // Who comes by a link meets those who came without.
    let path = &path.canonicalize().unwrap_or(path.to_path_buf());
    Lock::take(&beside(path, ".lock")).map_err(|error| match error {
        LockError::Held(_) => {
            cannot_write(path, &format!("{error}: wait for it, or name another file"))
        }
        LockError::Io(error) => cannot_write(path, &error),
    })
}

fn note_path(path: &Path) -> PathBuf {
    beside(path, ".progress")
}

fn cannot_write(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::Input(format!("cannot write {}: {why}", path.display()))
}

impl Resumable {
    /// Begins a file of this work with this header, or takes it up again.
    pub fn open(path: &Path, kind: Kind, work: &str, header: &str) -> Result<Resumable, Failure> {
        let path = &path.canonicalize().unwrap_or(path.to_path_buf());
        let cannot = |error: io::Error| cannot_write(path, &error);
        let lock = keep_to_ourselves(path)?;
        let mut is_new = false;
        let marks = &Kind::ALL.map(|kind| kind.mark().as_bytes());
        helper::exists(&beside(&note_path(path), ".new"), marks).map_err(cannot)?;
        let bytes = match helper::exists(&note_path(path), marks).map_err(cannot)? {
            true => helper::read(&note_path(path)).map_err(cannot)?,
            false => Vec::new(),
        };
        let note = match bytes.is_empty() {
            false => Note::parse(&bytes, path, kind, work)?,
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
                let note = Note { length: 0, sum: 0, done: (0, 0) };
                note.put(path, kind, work).map_err(cannot)?;
                is_new = true;
                note
            }
        };
        let Note { length, done, .. } = note;
        let (file, Counted { sum, lines }) = rows(path, kind, &note, header)?;
        file.set_len(length).map_err(cannot)?;
        let rows = lines.saturating_sub(header.lines().count() as u64);
        let (path, work) = (path.to_path_buf(), work.to_string());
        let mut resumable =
            Resumable { path, file, kind, work, is_new, length, sum, rows, done, _lock: lock };
        if length == 0 {
            resumable.write(&[header], (0, 0))?;
        }
        Ok(resumable)
    }

    /// The last stretch done.
    pub fn done(&self) -> (u64, u64) {
        self.done
    }

    /// Whether it was begun just now.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// How many rows there are.
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

    /// Adds the rows of a stretch. When this returns they are there to stay.
    pub fn add(&mut self, rows: &[String], done: (u64, u64)) -> Result<(), Failure> {
        self.rows += rows.len() as u64;
        self.write(rows, done)
    }

    fn write(&mut self, texts: &[impl AsRef<str>], done: (u64, u64)) -> Result<(), Failure> {
        let mut file = BufWriter::new(&self.file);
        let written = texts.iter().map(AsRef::as_ref).try_for_each(|text| {
            self.length += text.len() as u64;
            self.sum.update(text.as_bytes());
            file.write_all(text.as_bytes())
        });
        let written = written.and_then(|()| file.flush());
        self.done = done;
        let note = Note { length: self.length, sum: self.sum.clone().finalize(), done };
        written
            .and_then(|()| self.file.sync_data())
            .and_then(|()| note.put(&self.path, self.kind, &self.work))
            .map_err(|error| cannot_write(&self.path, &error))
    }

    /// Removes rows and note: something else was made of them.
    pub fn discard(self) -> Result<(), Failure> {
        // The note goes last, so that rows without one are never left.
        fs::remove_file(&self.path).map_err(|error| {
            Failure::Input(format!("cannot remove {}: {error}", self.path.display()))
        })?;
        self.finish()
    }

    /// Removes the note: all is done.
    pub fn finish(self) -> Result<(), Failure> {
        let note = note_path(&self.path);
        let folder = note.parent().filter(|folder| !folder.as_os_str().is_empty());
        helper::remove(&note, &[self.kind.mark().as_bytes()])
            .and_then(|()| sync_folder(folder.unwrap_or(Path::new("."))))
            .map_err(|error| Failure::Input(format!("cannot remove {}: {error}", note.display())))
    }
}

/// The rows of a file that is done, header included, if they are of this work.
pub(crate) fn finished(path: &Path, work: &str) -> Option<String> {
    // A device is not read: it may have no end.
    let is_done = path.is_file() && !note_path(path).exists();
    let is_it = is_done && what_of(path).as_deref() == Some(work);
    if is_it { fs::read_to_string(path).ok() } else { None }
}

/// Whether a file has rows under this header.
fn begins_with(path: &Path, header: &str) -> bool {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(header.len() as u64).read_to_end(&mut bytes));
    read.is_ok() && bytes == header.as_bytes()
}

/// What was counted of the rows of a file.
#[derive(Default)]
struct Counted {
    sum: crc32fast::Hasher,
    lines: u64,
}

/// The file, open to be added to, and the rows of it that the note counts.
fn rows(path: &Path, kind: Kind, note: &Note, header: &str) -> Result<(File, Counted), Failure> {
    let differs = |why: &str| {
        let progress = note_path(path);
        Failure::Input(format!(
            "{} {why}: remove it and {} to begin anew",
            path.display(),
            progress.display()
        ))
    };
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(note.length == 0);
    let file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if note.length > 0 => differs("is gone"),
        _ => cannot_write(path, &error),
    })?;
    // Of a file that the note counts nothing of, there may be the beginning of a header.
    let mut bytes = Vec::new();
    let read = (&file).take(header.len() as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| cannot_write(path, &error))?;
    if note.length == 0 {
        // Without a header there is nothing to tell it by; the note was there before it.
        if !header.is_empty() && !header.as_bytes().starts_with(&bytes) {
            return Err(differs(&format!("is not a file that a {} has begun", kind.name())));
        }
        return Ok((file, Counted::default()));
    }
    let (mut counted, mut left) = (Counted::default(), note.length);
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
        && counted.sum.clone().finalize() == note.sum
        && bytes.starts_with(header.as_bytes());
    if as_noted { Ok((file, counted)) } else { Err(differs("is not as it was written")) }
}

impl Note {
    /// Writes the note, whole or not at all.
    fn put(&self, path: &Path, kind: Kind, work: &str) -> io::Result<()> {
        let Note { length, sum, done: (first, second) } = self;
        let mark = kind.mark();
        let mut text = format!("{mark}{work}\nrows {length} {sum:08x}\ndone {first} {second}\n");
        text += &format!("sum {:08x}\n", crc32fast::hash(text.as_bytes()));
        let note = note_path(path);
        // The name is ours while the lock is, so that what a kill leaves is written over.
        let marks = &[mark.as_bytes()];
        let mut aside = AtomicFile::create_at(&note, &beside(&note, ".new"), marks)?;
        aside.file().write_all(text.as_bytes())?;
        aside.finish()
    }

    /// Reads the note of a file that should hold this work.
    fn parse(bytes: &[u8], path: &Path, kind: Kind, work: &str) -> Result<Note, Failure> {
        let note = note_path(path);
        let damaged = || {
            Failure::Input(format!(
                "{} is damaged, or from an older version: remove it and {} to begin anew",
                note.display(),
                path.display()
            ))
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
        let body = checked(text).ok_or_else(damaged)?;
        let body = body.strip_prefix(kind.mark()).ok_or_else(damaged)?;
        let [found, rows, done] = body.lines().collect::<Vec<_>>()[..] else {
            return Err(damaged());
        };
        if found != work {
            return Err(Failure::Input(format!(
                "{} belongs to another {}: give its command again, or name another file",
                path.display(),
                kind.name()
            )));
        }
        let numbers = || {
            let (length, sum) = rows.strip_prefix("rows ")?.split_once(' ')?;
            let (first, second) = done.strip_prefix("done ")?.split_once(' ')?;
            Some(Note {
                length: length.parse().ok()?,
                sum: u32::from_str_radix(sum, 16).ok()?,
                done: (first.parse().ok()?, second.parse().ok()?),
            })
        };
        numbers().ok_or_else(damaged)
    }
}

/// What stands above the checksum in the last line, if that is right.
fn checked(text: &str) -> Option<&str> {
    let (body, sum) = text.strip_suffix('\n')?.rsplit_once("\nsum ")?;
    let body = &text[..body.len() + 1];
    (sum == format!("{:08x}", crc32fast::hash(body.as_bytes()))).then_some(body)
}

#[cfg(test)]
mod tests {
    use sowing_rules::SeededRng;

    use super::*;

    const WORK: &str = "s-kalaha houses 2..4 seeds 1..9";
    const HEADER: &str = "h,s\n";

    fn add(file: &mut Resumable, stretches: std::ops::Range<u64>) {
        for stretch in stretches {
            let rows: Vec<String> =
                (0..stretch % 4).map(|row| format!("{stretch},{row}\n")).collect();
            file.add(&rows, (stretch, 9)).unwrap();
        }
    }

    /// Whatever is done to the two files: what comes of it is the whole file or a refusal.
    #[test]
    fn two_hundred_damages() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.csv");
        let open = || Resumable::open(&path, Kind::Sweep, WORK, HEADER);
        let mut file = open().unwrap();
        add(&mut file, 1..20);
        drop(file);
        let kept = [path.clone(), note_path(&path)].map(|path| fs::read(path).unwrap());
        let mut file = open().unwrap();
        assert_eq!((file.done(), file.rows()), ((19, 9), 30));
        add(&mut file, 20..30);
        file.finish().unwrap();
        let whole = fs::read(&path).unwrap();
        let earlier = |stretches: u64| {
            let _ = fs::remove_file(&path);
            let mut file = open().unwrap();
            add(&mut file, 1..stretches);
            drop(file);
            [path.clone(), note_path(&path)].map(|path| fs::read(path).unwrap())
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
            for (path, bytes) in [path.clone(), note_path(&path)].iter().zip(&files) {
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
                    let from = file.done().0 + 1;
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
        let begun = Note { length: 0, sum: 0, done: (0, 0) };
        for there in [None, Some(""), Some("h,"), Some(HEADER)] {
            begun.put(&path, Kind::Sweep, WORK).unwrap();
            there.inspect(|text| fs::write(&path, text).unwrap());
            let file = Resumable::open(&path, Kind::Sweep, WORK, HEADER).unwrap();
            assert_eq!((file.done(), file.rows()), ((0, 0), 0));
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), HEADER);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
            fs::remove_file(&path).unwrap();
        }
        for foreign in ["mine", "h,s\n2,4\n"] {
            begun.put(&path, Kind::Sweep, WORK).unwrap();
            fs::write(&path, foreign).unwrap();
            Resumable::open(&path, Kind::Sweep, WORK, HEADER).unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        }
    }
}
