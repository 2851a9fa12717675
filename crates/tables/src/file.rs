//! Layer files: their head, their checksums, writing and opening them.
//!
//! ```text
//!   0  magic "SOWTABLE"
//!   8  CRC-32 of the head, computed with these four bytes zero
//!  12  format version, 1
//!  16  length of the head: where the values start, a multiple of 4096
//!  24  layer: seeds in houses
//!  28  houses a row
//!  29  form: 0 one byte a position, 1 or 2 packed, as values that are so far apart
//!  30  zero
//!  32  positions
//!  40  bytes of values
//!  48  positions a chunk
//!  52  chunks
//!  56  zero
//!  64  the family's name, as in kalah(6,.,empty-capture), then zeros to 192
//! 192  one entry a chunk: the CRC-32 of its bytes; if packed, then where it starts (8 bytes);
//!      then zeros to the end of the head
//! ```
//!
//! All numbers are little-endian. A chunk is a stretch of positions of one block; blocks lie as
//! [`Layout`] says, and each is cut into chunks of 65536 positions, the last one shorter.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sowing_files::Aside;
use sowing_files::helper::Marks;

use crate::layer::{Layout, is_possible, shared, signed};
use crate::map::FileMap;
use crate::pack;
use crate::{Error, Family, RowRanks};

/// Positions a chunk.
pub(crate) const CHUNK: usize = 1 << 16;

const MAGIC: &[u8; 8] = b"SOWTABLE";

/// What a layer's file begins with, also while it is written.
pub(crate) const MARKS: Marks<'static> = &[MAGIC];
const VERSION: u32 = 1;
const FIXED: usize = 192;
const NAME: usize = 64;
const PAGE: usize = 4096;

/// How the values lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One byte a position.
    Bytes,
    /// Half a byte a position, in groups of one cache line; values are this far apart, 1 or 2.
    Packed(u8),
}

impl Form {
    /// The form's name: `bytes` or `packed`.
    pub fn name(self) -> &'static str {
        match self {
            Form::Bytes => "bytes",
            Form::Packed(_) => "packed",
        }
    }

    fn entry(self) -> usize {
        match self {
            Form::Bytes => 4,
            Form::Packed(_) => 12,
        }
    }
}

/// One chunk: which values, which bytes after the head, and their checksum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) crc: u32,
}

/// The head of a layer file.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) family: Family,
    pub(crate) layer: u32,
    pub(crate) form: Form,
    pub(crate) data: usize,
    pub(crate) chunks: Vec<Chunk>,
}

/// The chunks of a layer, as stretches of its values.
pub(crate) fn chunks(ranks: &RowRanks, layer: usize) -> Vec<(usize, usize)> {
    let layout = Layout::new(ranks, layer);
    let mut chunks = Vec::new();
    for block in layout.blocks() {
        let mut first = block.start;
        while first < block.end {
            let len = CHUNK.min(block.end - first);
            chunks.push((first, len));
            first += len;
        }
    }
    chunks
}

impl Head {
    pub(crate) fn len(chunks: usize, form: Form) -> usize {
        (FIXED + chunks * form.entry()).next_multiple_of(PAGE)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let len = Head::len(self.chunks.len(), self.form);
        let positions: usize = self.chunks.iter().map(|chunk| chunk.len).sum();
        let mut bytes = Vec::with_capacity(len);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(len as u64).to_le_bytes());
        bytes.extend_from_slice(&self.layer.to_le_bytes());
        let form = match self.form {
            Form::Bytes => 0,
            Form::Packed(step) => step,
        };
        bytes.extend_from_slice(&[self.family.houses(), form, 0, 0]);
        bytes.extend_from_slice(&(positions as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.data as u64).to_le_bytes());
        bytes.extend_from_slice(&(CHUNK as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.chunks.len() as u32).to_le_bytes());
        bytes.resize(NAME, 0);
        bytes.extend_from_slice(self.family.to_string().as_bytes());
        bytes.resize(FIXED, 0);
        for chunk in &self.chunks {
            bytes.extend_from_slice(&chunk.crc.to_le_bytes());
            if self.form != Form::Bytes {
                bytes.extend_from_slice(&(chunk.start as u64).to_le_bytes());
            }
        }
        bytes.resize(len, 0);
        let crc = crc32fast::hash(&bytes);
        bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads the head of a file that should hold this layer of this family.
    fn read(path: &Path, bytes: &[u8], family: &Family, layer: u32) -> Result<Head, Error> {
        let wrong = |what: &str| Error::file(path, what);
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
        if bytes.len() < FIXED || &bytes[..8] != MAGIC {
            return Err(wrong("not a table: it does not start with SOWTABLE"));
        }
        let version = u32_at(12);
        if version != VERSION {
            return Err(wrong(&format!("format version {version}, not {VERSION}, or damaged")));
        }
        let len = usize::try_from(u64_at(16)).unwrap_or(usize::MAX);
        if len < FIXED || len > bytes.len() {
            return Err(wrong("truncated, or its head is damaged"));
        }
        let mut head = bytes[..len].to_vec();
        head[8..12].fill(0);
        if crc32fast::hash(&head) != u32_at(8) {
            return Err(wrong("its head is damaged: the checksum differs"));
        }
        let name = &head[NAME..FIXED];
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        if name != family.to_string() || head[28] != family.houses() {
            return Err(wrong(&format!("holds {name}, not {family}")));
        }
        if u32_at(24) != layer {
            return Err(wrong(&format!("holds layer {}, not {layer}", u32_at(24))));
        }
        let form = match head[29] {
            0 => Form::Bytes,
            step if step == family.step() => Form::Packed(step),
            step => return Err(wrong(&format!("damaged: {family} has no form {step}"))),
        };
        let ranks = RowRanks::new(family.houses());
        let stretches = chunks(&ranks, layer as usize);
        let data = usize::try_from(u64_at(40)).unwrap_or(usize::MAX);
        let sound = u32_at(48) as usize == CHUNK
            && u32_at(52) as usize == stretches.len()
            && Head::len(stretches.len(), form) == len;
        if !sound {
            return Err(wrong("its head does not fit its layer"));
        }
        if len.checked_add(data) != Some(bytes.len()) {
            let found = bytes.len();
            let should = len as u128 + data as u128;
            return Err(wrong(&format!("truncated or too long: {found} bytes, not {should}")));
        }
        let table = &head[FIXED..];
        let start = |index: usize| match form {
            Form::Bytes => stretches.get(index).map_or(data, |(first, _)| *first),
            Form::Packed(_) if index == stretches.len() => data,
            Form::Packed(_) => {
                let entry = &table[index * 12 + 4..][..8];
                u64::from_le_bytes(entry.try_into().expect("eight")) as usize
            }
        };
        let chunk = |(index, (first, len)): (usize, &(usize, usize))| {
            let crc = &table[index * form.entry()..][..4];
            let crc = u32::from_le_bytes(crc.try_into().expect("four"));
            Chunk { first: *first, len: *len, start: start(index), end: start(index + 1), crc }
        };
        let chunks: Vec<Chunk> = stretches.iter().enumerate().map(chunk).collect();
        if chunks.iter().any(|chunk| chunk.start > chunk.end || chunk.end > data) {
            return Err(wrong("its head does not fit its layer"));
        }
        let short = |chunk: &Chunk| match form {
            Form::Bytes => chunk.end - chunk.start != chunk.len,
            Form::Packed(_) => chunk.end - chunk.start < pack::groups_len(chunk.len),
        };
        if chunks.iter().any(short) {
            return Err(wrong("its head does not fit its layer"));
        }
        Ok(Head { family: *family, layer, form, data, chunks })
    }
}

/// An open layer file.
#[derive(Debug)]
pub(crate) struct LayerFile {
    pub(crate) path: PathBuf,
    pub(crate) head: Head,
    map: FileMap,
    start: usize,
}

impl LayerFile {
    /// Opens and maps a file, and checks everything about it but its values.
    pub(crate) fn open(path: &Path, family: &Family, layer: u32) -> Result<LayerFile, Error> {
        // To open a pipe would be to wait for its writer.
        if !path.metadata().map_err(Error::io(path))?.is_file() {
            return Err(Error::File {
                path: path.to_path_buf(),
                what: "it is no file".to_string(),
            });
        }
        let file = File::open(path).map_err(Error::io(path))?;
        let map = FileMap::new(file).map_err(Error::io(path))?;
        let head = Head::read(path, map.bytes(), family, layer);
        map.still().map_err(|what| Error::file(path, what))?;
        let head = head?;
        let start = Head::len(head.chunks.len(), head.form);
        Ok(LayerFile { path: path.to_path_buf(), head, map, start })
    }

    /// The bytes of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.map.bytes().len()
    }

    pub(crate) fn values(&self) -> &[u8] {
        &self.map.bytes()[self.start..]
    }

    /// Whether a value that was just read may be one that is not in the file.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.map.is_lost()
    }

    /// Fails if the file is not as it was when it was opened: before what was read is given out.
    pub(crate) fn still(&self) -> Result<(), Error> {
        self.map.still().map_err(|what| Error::file(&self.path, what))
    }

    /// Fails if the bytes of a chunk are not those that were written.
    pub(crate) fn check_chunk(&self, index: usize) -> Result<(), Error> {
        let chunk = &self.head.chunks[index];
        let sound = crc32fast::hash(&self.values()[chunk.start..chunk.end]) == chunk.crc;
        // A change that shows explains the checksum.
        self.still()?;
        if sound { Ok(()) } else { Err(self.damaged(index)) }
    }

    fn damaged(&self, index: usize) -> Error {
        self.in_chunk(index, |from, to| format!("the checksum of bytes {from} to {to} differs"))
    }

    fn in_chunk(&self, index: usize, what: impl Fn(usize, usize) -> String) -> Error {
        let chunk = &self.head.chunks[index];
        let what = what(self.start + chunk.start, self.start + chunk.end);
        Error::file(&self.path, format!("damaged: {what}"))
    }

    /// Fails if a chunk holds a value that no position of the layer can have, or none where one
    /// should be. A forger can give such a chunk a right checksum.
    pub(crate) fn check_values(&self, index: usize) -> Result<(), Error> {
        let chunk = &self.head.chunks[index];
        let bytes = &self.values()[chunk.start..chunk.end];
        let (layer, step) = (self.head.layer as usize, self.head.family.step());
        let is_possible = |value: i8| is_possible(value, layer, step);
        let sound = match self.head.form {
            Form::Bytes => signed(bytes).iter().all(|value| is_possible(*value)),
            Form::Packed(step) => (0..chunk.len).all(|place| {
                pack::unpack(shared(bytes), chunk.len, step, place).is_some_and(is_possible)
            }),
        };
        self.still()?;
        if sound {
            return Ok(());
        }
        Err(self.in_chunk(index, |from, to| {
            format!("bytes {from} to {to} hold a value that no position of {layer} seeds has")
        }))
    }

    /// Checks all chunks: their checksums, and that each value is a possible one.
    pub(crate) fn check(&self) -> Result<(), Error> {
        (0..self.head.chunks.len()).try_for_each(|index| {
            self.check_chunk(index)?;
            self.check_values(index)
        })
    }
}

/// A layer being written aside. It goes when it is dropped before it is finished.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    aside: Aside,
}

impl Partial {
    /// Begins the file of this name.
    pub(crate) fn create(name: &Path) -> Result<Partial, Error> {
        let path = name.with_extension("partial");
        let aside = Aside::named(name, &path, MARKS).map_err(Error::io(&path))?;
        let mut partial = Partial { path, aside };
        // Until the head is there, this tells that it is ours.
        partial.write(0, MAGIC)?;
        Ok(partial)
    }

    /// Where it lies until it is finished.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) -> Result<(), Error> {
        let file = self.aside.file();
        file.seek(SeekFrom::Start(at as u64))
            .and_then(|_| file.write_all(bytes))
            .map_err(Error::io(&self.path))
    }

    /// Makes the file last, and gives it its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.aside.finish().map_err(Error::io(&self.path))
    }
}
