//! A folder that a count keeps its boards in, so that it can be resumed.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs4::fs_std::FileExt;

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
    _lock: File,
    count: String,
    runs: Vec<Run>,
}

/// A file of segments, each after its stage, its length and its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    number: u64,
    bytes: u64,
    last_stage: usize,
}

const HEAD: usize = 16;

impl Folder {
    /// Opens or makes the folder for the count of a game, and says how far that has come.
    pub(super) fn open(dir: &Path, game: &str) -> Result<(Folder, Note), CensusError> {
        let failed = failed(dir);
        fs::create_dir_all(dir).map_err(&failed)?;
        let lock = File::create(dir.join("lock")).map_err(&failed)?;
        if !matches!(lock.try_lock_exclusive(), Ok(true)) {
            return Err(CensusError::Folder(dir.into(), "another count is at work there".into()));
        }
        let count = format!("count of {game}");
        let mut folder = Folder { dir: dir.into(), _lock: lock, count, runs: Vec::new() };
        let note = match fs::read_to_string(folder.note_path()) {
            Ok(text) => folder.parse(&text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Note::default(),
            Err(error) => return Err(failed(error)),
        };
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

    fn run_path(&self, number: u64) -> PathBuf {
        self.dir.join(run_name(number))
    }

    fn parse(&mut self, text: &str) -> Result<Note, CensusError> {
        let first = text.lines().next().unwrap_or_default();
        if first != self.count {
            let why = format!("it belongs to the {first}: give its command again, or name another");
            return Err(CensusError::Folder(self.dir.clone(), why));
        }
        let mut note = Note::default();
        for line in text.lines().skip(1) {
            let mut words = line.split(' ');
            let (key, mut numbers) = (words.next(), words.map_while(|word| word.parse().ok()));
            let mut number = || numbers.next().ok_or_else(|| self.damaged(&self.note_path()));
            match key {
                Some("stage") => note.stage = number()? as usize,
                Some("layer") => note.layers.push(Layer {
                    level: number()? as u32,
                    live: number()?,
                    finished: number()?,
                }),
                _ => {
                    let (number, bytes, last) = (number()?, number()?, number()? as usize);
                    self.runs.push(Run { number, bytes, last_stage: last });
                }
            }
        }
        Ok(note)
    }

    fn put_note(&self, note: &Note) -> Result<(), CensusError> {
        let mut text = format!("{}\nstage {}\n", self.count, note.stage);
        for Layer { level, live, finished } in &note.layers {
            text += &format!("layer {level} {live} {finished}\n");
        }
        for Run { number, bytes, last_stage } in &self.runs {
            text += &format!("run {number} {bytes} {last_stage}\n");
        }
        let fresh = self.dir.join("note.new");
        fs::write(&fresh, text)
            .and_then(|()| fs::rename(&fresh, self.note_path()))
            .map_err(failed(&self.dir))
    }

    /// Notes how far the count has come, and removes what it needs no more.
    pub(super) fn note(&mut self, note: &Note) -> Result<(), CensusError> {
        let done = self.runs.extract_if(.., |run| run.last_stage < note.stage);
        let done: Vec<PathBuf> = done.map(|run| run.number).map(run_name).collect();
        self.put_note(note)?;
        for name in done {
            // If it cannot be removed it is only in the way.
            let _ = fs::remove_file(self.dir.join(name));
        }
        Ok(())
    }

    /// Removes files of boards that the note does not name.
    fn sweep_out(&self) {
        let kept: Vec<PathBuf> = self.runs.iter().map(|run| run_name(run.number)).collect();
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = PathBuf::from(entry.file_name());
            if name.to_string_lossy().starts_with(RUN) && !kept.contains(&name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Writes packed boards to a new file.
    pub(super) fn write(
        &mut self,
        packed: &[(usize, Vec<u8>)],
    ) -> Result<Vec<(usize, Segment)>, CensusError> {
        let Some((last_stage, _)) = packed.last() else {
            return Ok(Vec::new());
        };
        let number = self.runs.last().map_or(1, |run| run.number + 1);
        let failed = failed(&self.dir);
        let file = File::create(self.run_path(number)).map_err(&failed)?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let mut offset = 0;
        let mut segments = Vec::new();
        for (stage, bytes) in packed {
            let mut head = [0; HEAD];
            head[..4].copy_from_slice(&(*stage as u32).to_le_bytes());
            head[4..12].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
            head[12..].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
            file.write_all(&head).and_then(|()| file.write_all(bytes)).map_err(&failed)?;
            let segment = Segment::File { run: number, offset, bytes: bytes.len() as u64 };
            segments.push((*stage, segment));
            offset += (HEAD + bytes.len()) as u64;
        }
        file.flush().map_err(&failed)?;
        self.runs.push(Run { number, bytes: offset, last_stage: *last_stage });
        Ok(segments)
    }

    /// The segments of a file that belong to stages from this one on.
    fn segments(&self, run: &Run, from: usize) -> Result<Vec<(usize, Segment)>, CensusError> {
        let path = self.run_path(run.number);
        let damaged = |_| self.damaged(&path);
        let file = File::open(&path).map_err(damaged)?;
        if file.metadata().map_err(damaged)?.len() != run.bytes {
            return Err(self.damaged(&path));
        }
        let mut file = BufReader::new(file);
        let (mut offset, mut segments) = (0, Vec::new());
        while offset < run.bytes {
            let mut head = [0; HEAD];
            file.read_exact(&mut head).map_err(damaged)?;
            let stage = u32::from_le_bytes(head[..4].try_into().expect("four bytes")) as usize;
            let bytes = u64::from_le_bytes(head[4..12].try_into().expect("eight bytes"));
            if stage >= from {
                segments.push((stage, Segment::File { run: run.number, offset, bytes }));
            }
            file.seek_relative(bytes as i64).map_err(damaged)?;
            offset += HEAD as u64 + bytes;
        }
        Ok(segments)
    }

    /// The bytes of a segment, checked.
    pub(super) fn read(&self, run: u64, offset: u64, bytes: u64) -> Result<Box<[u8]>, CensusError> {
        let path = self.run_path(run);
        let damaged = |_| self.damaged(&path);
        let mut file = File::open(&path).map_err(damaged)?;
        file.seek(SeekFrom::Start(offset)).map_err(damaged)?;
        let (mut head, mut body) = ([0; HEAD], vec![0; bytes as usize].into_boxed_slice());
        file.read_exact(&mut head).and_then(|()| file.read_exact(&mut body)).map_err(damaged)?;
        if head[12..] != crc32fast::hash(&body).to_le_bytes() {
            return Err(self.damaged(&path));
        }
        Ok(body)
    }

    fn damaged(&self, path: &Path) -> CensusError {
        let name = path.file_name().unwrap_or_default().display();
        CensusError::Folder(self.dir.clone(), format!("{name} is damaged: begin anew in another"))
    }

    /// Removes what the count has put there.
    pub(super) fn remove(mut self) {
        self.runs.clear();
        self.sweep_out();
        // What cannot be removed is only in the way.
        let _ = fs::remove_file(self.note_path());
        let _ = fs::remove_file(self.dir.join("lock"));
    }
}

const RUN: &str = "boards-";

fn run_name(number: u64) -> PathBuf {
    format!("{RUN}{number:05}").into()
}

fn failed(dir: &Path) -> impl Fn(std::io::Error) -> CensusError {
    let dir = dir.to_path_buf();
    move |error| CensusError::Folder(dir.clone(), error.to_string())
}
