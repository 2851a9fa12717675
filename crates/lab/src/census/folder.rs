//! A folder that a count keeps its boards in, so that it can be resumed.
//!
//! ```text
//! note         sow count 3                        the format
//!              count of s-kalaha(4,3)
//!              stage 12                           the first that is not done
//!              layer 16 2041 7                    layer, live and finished positions
//!              run 3 65700 40 1a2b3c4d            number, bytes, last stage, CRC-32 of all heads
//!              sum 89abcdef                       CRC-32 of everything above
//! boards-00003 SOWBOARD, then segments: each a head of stage (4 bytes), length (8) and CRC-32 (4) of
//!              the packed boards that follow it
//! ```
//!
//! So the note vouches for itself and for the heads, and the heads for the boards: what is read back
//! is what was written, or is damaged. Numbers in files of boards are little-endian.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sowing_files::{AtomicFile, Lock, LockError, helper, make_folder};

use super::pending::Segment;
use super::{CensusError, Layer};

/// How far a count has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// The first stage that is not done.
    pub(super) stage: usize,
    /// The layers so far, the last maybe in part.
    pub(super) layers: Vec<Layer>,
}

/// The folder: files of packed boards, and a note of how far the count has come and which files
/// belong to it. The note is replaced in one step; files that it does not name are of no use.
#[derive(Debug)]
pub(super) struct Folder {
    dir: PathBuf,
    count: String,
    runs: Vec<Run>,
    _lock: Lock,
}

/// A file of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    number: u64,
    bytes: u64,
    last_stage: usize,
    /// The checksum of all heads.
    heads: u32,
}

const FORMAT: &str = "sow count 3";
const NOTE_SIGNATURES: helper::Signatures<'static> = &[b"sow count 3\n"];

/// What a file of boards begins with, also while it is written.
const MAGIC: &[u8; 8] = b"SOWBOARD";
const RUN_SIGNATURES: helper::Signatures<'static> = &[MAGIC];

const HEAD: usize = 16;

/// What stands before the boards of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    stage: usize,
    bytes: u64,
    crc: u32,
}

impl Head {
    fn of(stage: usize, boards: &[u8]) -> Head {
        Head { stage, bytes: boards.len() as u64, crc: crc32fast::hash(boards) }
    }

    fn to_bytes(self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&(self.stage as u32).to_le_bytes());
        head[4..12].copy_from_slice(&self.bytes.to_le_bytes());
        head[12..].copy_from_slice(&self.crc.to_le_bytes());
        head
    }

    fn from_bytes(head: [u8; HEAD]) -> Head {
        let number = |from: usize, to: usize| {
            head[from..to].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        Head { stage: number(0, 4) as usize, bytes: number(4, 12), crc: number(12, 16) as u32 }
    }
}

impl Folder {
    /// Opens or makes the folder for the count of a game that has so many stages, and says how far
    /// that has come.
    pub(super) fn open(
        dir: &Path,
        game: &str,
        stages: usize,
    ) -> Result<(Folder, Note), CensusError> {
        let failed = failed(dir);
        make_folder(dir).map_err(&failed)?;
        let lock = Lock::acquire(&dir.join("lock")).map_err(|error| match error {
            LockError::Held(_) => {
                let why = format!("{error}: wait for it, or name another");
                CensusError::Folder(dir.into(), why)
            }
            LockError::Io(error) => failed(error),
        })?;
        let count = format!("count of {game}");
        let mut folder = Folder { dir: dir.into(), _lock: lock, count, runs: Vec::new() };
        let note = match helper::read(&folder.note_path()) {
            Ok(bytes) if bytes.is_empty() => Note::default(),
            Ok(bytes) => folder.parse(&bytes)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Note::default(),
            Err(error) => return Err(failed(error)),
        };
        if note.stage > stages || folder.runs.iter().any(|run| run.last_stage >= stages) {
            return Err(folder.damaged(&folder.note_path()));
        }
        folder.sweep_out();
        // That the folder can be written to shows now rather than later.
        folder.put_note(&note)?;
        Ok((folder, note))
    }

    /// What is pending, from this stage on.
    pub(super) fn pending(&self, from: usize) -> Result<Vec<(usize, Segment)>, CensusError> {
        let mut segments = Vec::new();
        for run in &self.runs {
            segments.extend(self.segments(run, from)?);
        }
        Ok(segments)
    }

    fn note_path(&self) -> PathBuf {
        self.dir.join("note")
    }

    /// A file of this name being written. What a kill leaves of it is written over or swept out.
    fn aside(&self, name: &str, signatures: helper::Signatures<'_>) -> std::io::Result<AtomicFile> {
        AtomicFile::create_at(
            &self.dir.join(name),
            &self.dir.join(format!("{name}.new")),
            signatures,
        )
    }

    fn run_path(&self, number: u64) -> PathBuf {
        self.dir.join(run_name(number))
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<Note, CensusError> {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        if text.starts_with("count of ") || text.starts_with("sow count 2\n") {
            let why = "it is from an older version: begin anew in another";
            return Err(CensusError::Folder(self.dir.clone(), why.into()));
        }
        let (note, runs) = checked(text)
            .and_then(|body| self.parse_lines(body))
            .ok_or_else(|| self.damaged(&self.note_path()))??;
        self.runs = runs;
        Ok(note)
    }

    /// The lines of a note that is what was written; `None` if they are not those of one.
    fn parse_lines(&self, body: &str) -> Option<Result<(Note, Vec<Run>), CensusError>> {
        let mut lines = body.lines();
        if lines.next()? != FORMAT {
            return None;
        }
        let count = lines.next()?;
        if count != self.count {
            let why = format!("it belongs to the {count}: give its command again, or name another");
            return Some(Err(CensusError::Folder(self.dir.clone(), why)));
        }
        let mut note = Note {
            stage: field(&mut lines.next()?.strip_prefix("stage ")?.split(' '))?,
            layers: Vec::new(),
        };
        let mut runs = Vec::new();
        for line in lines {
            let mut words = line.split(' ');
            match words.next()? {
                "layer" => note.layers.push(Layer {
                    seeds: field(&mut words)?,
                    live: field(&mut words)?,
                    finished: field(&mut words)?,
                }),
                "run" => runs.push(Run {
                    number: field(&mut words)?,
                    bytes: field(&mut words)?,
                    last_stage: field(&mut words)?,
                    heads: u32::from_str_radix(words.next()?, 16).ok()?,
                }),
                _ => return None,
            }
        }
        Some(Ok((note, runs)))
    }

    fn put_note(&self, note: &Note) -> Result<(), CensusError> {
        let mut text = format!("{FORMAT}\n{}\nstage {}\n", self.count, note.stage);
        for Layer { seeds, live, finished } in &note.layers {
            text += &format!("layer {seeds} {live} {finished}\n");
        }
        for Run { number, bytes, last_stage, heads } in &self.runs {
            text += &format!("run {number} {bytes} {last_stage} {heads:08x}\n");
        }
        text += &format!("sum {:08x}\n", crc32fast::hash(text.as_bytes()));
        let put = || {
            let mut aside = self.aside("note", NOTE_SIGNATURES)?;
            aside.file().write_all(text.as_bytes())?;
            aside.finish()
        };
        put().map_err(failed(&self.dir))
    }

    /// Notes how far the count has come, and removes what it needs no more.
    pub(super) fn note(&mut self, note: &Note) -> Result<(), CensusError> {
        let done = self.runs.extract_if(.., |run| run.last_stage < note.stage);
        let done: Vec<String> = done.map(|run| run.number).map(run_name).collect();
        self.put_note(note)?;
        for name in done {
            // If it cannot be removed it is only in the way.
            let _ = helper::remove(&self.dir.join(name), RUN_SIGNATURES);
        }
        Ok(())
    }

    /// Removes files of boards that the note does not name. What is no such file stays.
    fn sweep_out(&self) {
        let kept: Vec<String> = self.runs.iter().map(|run| run_name(run.number)).collect();
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(RUN) && !kept.contains(&name) {
                let _ = helper::remove(&entry.path(), RUN_SIGNATURES);
            }
        }
    }

    /// The number of the next file of boards, whose names nothing else has.
    fn free_number(&self) -> u64 {
        let free = |number: &u64| {
            let path = self.run_path(*number);
            let aside = path.with_extension("new");
            path.symlink_metadata().is_err() && helper::exists(&aside, RUN_SIGNATURES).is_ok()
        };
        let next = self.runs.last().map_or(1, |run| run.number + 1);
        (next..).find(free).expect("a folder has fewer names than there are numbers")
    }

    /// Writes packed boards to a new file.
    pub(super) fn write(
        &mut self,
        packed: &[(usize, Vec<u8>)],
    ) -> Result<Vec<(usize, Segment)>, CensusError> {
        let Some((last_stage, _)) = packed.last() else {
            return Ok(Vec::new());
        };
        let number = self.free_number();
        let failed = failed(&self.dir);
        let mut aside = self.aside(&run_name(number), RUN_SIGNATURES).map_err(&failed)?;
        aside.file().write_all(MAGIC).map_err(&failed)?;
        let mut file = BufWriter::with_capacity(1 << 20, aside.file());
        let (mut offset, mut heads) = (MAGIC.len() as u64, crc32fast::Hasher::new());
        let mut segments = Vec::new();
        for (stage, boards) in packed {
            let head = Head::of(*stage, boards).to_bytes();
            file.write_all(&head).and_then(|()| file.write_all(boards)).map_err(&failed)?;
            heads.update(&head);
            let segment = Segment::File { run: number, offset, bytes: boards.len() as u64 };
            segments.push((*stage, segment));
            offset += (HEAD + boards.len()) as u64;
        }
        file.flush().map_err(&failed)?;
        drop(file);
        aside.finish().map_err(&failed)?;
        let (last_stage, heads) = (*last_stage, heads.finalize());
        self.runs.push(Run { number, bytes: offset, last_stage, heads });
        Ok(segments)
    }

    /// The segments of a file that belong to stages from this one on, when all heads are those
    /// that were written.
    fn segments(&self, run: &Run, from: usize) -> Result<Vec<(usize, Segment)>, CensusError> {
        let path = self.run_path(run.number);
        let damaged = |_| self.damaged(&path);
        let file = File::open(&path).map_err(damaged)?;
        if file.metadata().map_err(damaged)?.len() != run.bytes {
            return Err(self.damaged(&path));
        }
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(damaged)?;
        if magic != *MAGIC {
            return Err(self.damaged(&path));
        }
        let (mut offset, mut heads) = (MAGIC.len() as u64, crc32fast::Hasher::new());
        let mut segments = Vec::new();
        while offset < run.bytes {
            let mut head = [0; HEAD];
            file.read_exact(&mut head).map_err(damaged)?;
            heads.update(&head);
            let Head { stage, bytes, .. } = Head::from_bytes(head);
            let end = (offset + HEAD as u64).checked_add(bytes);
            let Some(end) = end.filter(|end| *end <= run.bytes) else {
                return Err(self.damaged(&path));
            };
            if stage >= from {
                segments.push((stage, Segment::File { run: run.number, offset, bytes }));
            }
            file.seek_relative(bytes as i64).map_err(damaged)?;
            offset = end;
        }
        if heads.finalize() != run.heads
            || segments.iter().any(|(stage, _)| *stage > run.last_stage)
        {
            return Err(self.damaged(&path));
        }
        Ok(segments)
    }

    /// The bytes of a segment of a stage, checked.
    pub(super) fn read(
        &self,
        stage: usize,
        run: u64,
        offset: u64,
        bytes: u64,
    ) -> Result<Box<[u8]>, CensusError> {
        let path = self.run_path(run);
        let damaged = |_| self.damaged(&path);
        let mut file = File::open(&path).map_err(damaged)?;
        file.seek(SeekFrom::Start(offset)).map_err(damaged)?;
        let (mut head, mut body) = ([0; HEAD], vec![0; bytes as usize].into_boxed_slice());
        file.read_exact(&mut head).and_then(|()| file.read_exact(&mut body)).map_err(damaged)?;
        if Head::from_bytes(head) != Head::of(stage, &body) {
            return Err(self.damaged(&path));
        }
        Ok(body)
    }

    /// The error of a file that is not what was written.
    pub(super) fn damaged_run(&self, run: u64) -> CensusError {
        self.damaged(&self.run_path(run))
    }

    fn damaged(&self, path: &Path) -> CensusError {
        let name = path.file_name().unwrap_or_default().display();
        CensusError::Folder(self.dir.clone(), format!("{name} is damaged: begin anew in another"))
    }

    /// Removes what the count has put there.
    pub(super) fn remove(mut self) {
        self.runs.clear();
        // What cannot be removed is only in the way. Without its note the rest is of no use.
        let _ = helper::remove(&self.note_path(), NOTE_SIGNATURES);
        self.sweep_out();
    }
}

/// What stands above the checksum in the last line, if that is right.
fn checked(text: &str) -> Option<&str> {
    let (body, sum) = text.strip_suffix('\n')?.rsplit_once("\nsum ")?;
    let body = &text[..body.len() + 1];
    (sum == format!("{:08x}", crc32fast::hash(body.as_bytes()))).then_some(body)
}

fn field<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

const RUN: &str = "boards-";

fn run_name(number: u64) -> String {
    format!("{RUN}{number:05}")
}

fn failed(dir: &Path) -> impl Fn(std::io::Error) -> CensusError {
    let dir = dir.to_path_buf();
    move |error| CensusError::Folder(dir.clone(), error.to_string())
}
