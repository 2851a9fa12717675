//! Layer files: format, checksums, reading and writing.
//!
//! ```text
//!   0  magic "SOWTABLE"
//!   8  CRC-32 of the header, computed with these four bytes zero
//!  12  format version, 1
//!  16  length of the header: where the values start, a multiple of 4096
//!  24  layer: seeds in houses
//!  28  houses per row
//!  29  encoding: 0 one byte per position; 1 or 2 packed, with this step between values
//!  30  zero
//!  32  positions
//!  40  bytes of values
//!  48  positions per chunk
//!  52  chunks
//!  56  zero
//!  64  the family's name, as in kalah(6,.,empty-capture), then zeros to 192
//! 192  one entry per chunk: the CRC-32 of its bytes; if packed, also its offset (8 bytes);
//!      then zeros to the end of the header
//! ```
//!
//! All numbers are little-endian. The blocks are in the order of [`Layout`]. Each block consists of chunks of
//! 65536 positions, the last one shorter.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sowing_files::AtomicFile;
use sowing_files::helper::Signatures;

use crate::layer::{Layout, is_possible, shared, signed};
use crate::map::FileMap;
use crate::pack;
use crate::{Error, RowIndex};
use sowing_rules::Family;

/// Positions per chunk.
pub(crate) const CHUNK: usize = 1 << 16;

const MAGIC: &[u8; 8] = b"SOWTABLE";

/// The signature of a layer file, complete or partial.
pub(crate) const SIGNATURES: Signatures<'static> = &[MAGIC];

pub(crate) const PAIR_MAGIC: &[u8; 8] = b"SOWPAIR1";

/// The signature of a pair's progress file in a build by several processes.
pub(crate) const PAIR_SIGNATURES: Signatures<'static> = &[PAIR_MAGIC];

const VERSION: u32 = 1;
const FIXED: usize = 192;
const NAME: usize = 64;
const PAGE: usize = 4096;

/// The encoding of a layer's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// One byte per position.
    Plain,
    /// Half a byte per position, in groups of one cache line; values differ by multiples of this step, 1 or 2.
    Packed(u8),
}

impl Encoding {
    /// `bytes` or `packed`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Plain => "bytes",
            Encoding::Packed(_) => "packed",
        }
    }

    /// The bytes per chunk in the header.
    fn entry_len(self) -> usize {
        match self {
            Encoding::Plain => 4,
            Encoding::Packed(_) => 12,
        }
    }
}

/// One chunk: its `len` values from `first` on, its bytes after the header, and their checksum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) crc: u32,
}

/// The header of a layer file.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) family: Family,
    pub(crate) layer: u32,
    pub(crate) encoding: Encoding,
    /// Bytes after the header.
    pub(crate) data: usize,
    pub(crate) chunks: Vec<Chunk>,
}

/// The first value and the length of each chunk of a layer.
pub(crate) fn chunk_ranges(row_index: &RowIndex, layer: usize) -> Vec<(usize, usize)> {
    let layout = Layout::new(row_index, layer);
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

impl Header {
    pub(crate) fn len(chunks: usize, encoding: Encoding) -> usize {
        (FIXED + chunks * encoding.entry_len()).next_multiple_of(PAGE)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let len = Header::len(self.chunks.len(), self.encoding);
        let positions: usize = self.chunks.iter().map(|chunk| chunk.len).sum();
        let mut bytes = Vec::with_capacity(len);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(len as u64).to_le_bytes());
        bytes.extend_from_slice(&self.layer.to_le_bytes());
        let encoding = match self.encoding {
            Encoding::Plain => 0,
            Encoding::Packed(step) => step,
        };
        bytes.extend_from_slice(&[self.family.houses(), encoding, 0, 0]);
        bytes.extend_from_slice(&(positions as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.data as u64).to_le_bytes());
        bytes.extend_from_slice(&(CHUNK as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.chunks.len() as u32).to_le_bytes());
        bytes.resize(NAME, 0);
        bytes.extend_from_slice(self.family.to_string().as_bytes());
        bytes.resize(FIXED, 0);
        for chunk in &self.chunks {
            bytes.extend_from_slice(&chunk.crc.to_le_bytes());
            if self.encoding != Encoding::Plain {
                bytes.extend_from_slice(&(chunk.start as u64).to_le_bytes());
            }
        }
        bytes.resize(len, 0);
        let crc = crc32fast::hash(&bytes);
        bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads and checks the header of a file, which must be of this family and layer.
    fn read(path: &Path, bytes: &[u8], family: &Family, layer: u32) -> Result<Header, Error> {
        let parse = || {
            let header = check_fixed(bytes)?;
            check_contents(&header, family, layer)?;
            let encoding = parse_encoding(&header, family)?;
            let (data, chunks) = parse_chunks(&header, bytes.len(), family, layer, encoding)?;
            Ok(Header { family: *family, layer, encoding, data, chunks })
        };
        parse().map_err(|what: String| Error::file(path, what))
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"))
}

/// A copy of the header, of this version and with the right checksum.
fn check_fixed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    if bytes.len() < FIXED || &bytes[..8] != MAGIC {
        return Err("not a table: it does not start with SOWTABLE".to_string());
    }
    let version = u32_at(bytes, 12);
    if version != VERSION {
        return Err(format!("format version {version}, not {VERSION}, or damaged"));
    }
    let len = usize::try_from(u64_at(bytes, 16)).unwrap_or(usize::MAX);
    if len < FIXED || len > bytes.len() {
        return Err("truncated, or its header is damaged".to_string());
    }
    let mut header = bytes[..len].to_vec();
    let crc = u32_at(&header, 8);
    header[8..12].fill(0);
    if crc32fast::hash(&header) != crc {
        return Err("its header is damaged: the checksum differs".to_string());
    }
    Ok(header)
}

/// Fails unless the header names this family and layer.
fn check_contents(header: &[u8], family: &Family, layer: u32) -> Result<(), String> {
    let name = header[NAME..FIXED].split(|byte| *byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    if name != family.to_string() || header[28] != family.houses() {
        return Err(format!("holds {name}, not {family}"));
    }
    match u32_at(header, 24) {
        found if found == layer => Ok(()),
        found => Err(format!("holds layer {found}, not {layer}")),
    }
}

fn parse_encoding(header: &[u8], family: &Family) -> Result<Encoding, String> {
    match header[29] {
        0 => Ok(Encoding::Plain),
        step if step == family.step() => Ok(Encoding::Packed(step)),
        step => Err(format!("damaged: {step} is an unknown encoding of {family}")),
    }
}

/// The number of bytes after the header, and the chunks that they consist of.
fn parse_chunks(
    header: &[u8],
    file_len: usize,
    family: &Family,
    layer: u32,
    encoding: Encoding,
) -> Result<(usize, Vec<Chunk>), String> {
    let misfit = || "its header does not fit its layer".to_string();
    let ranges = chunk_ranges(&RowIndex::new(family.houses()), layer as usize);
    let data = usize::try_from(u64_at(header, 40)).unwrap_or(usize::MAX);
    let sound = u32_at(header, 48) as usize == CHUNK
        && u32_at(header, 52) as usize == ranges.len()
        && Header::len(ranges.len(), encoding) == header.len();
    if !sound {
        return Err(misfit());
    }
    if header.len().checked_add(data) != Some(file_len) {
        let should = header.len() as u128 + data as u128;
        return Err(format!("truncated or too long: {file_len} bytes, not {should}"));
    }
    let entry = |index: usize| FIXED + index * encoding.entry_len();
    let start = |index: usize| match encoding {
        Encoding::Plain => ranges.get(index).map_or(data, |(first, _)| *first),
        Encoding::Packed(_) if index == ranges.len() => data,
        Encoding::Packed(_) => u64_at(header, entry(index) + 4) as usize,
    };
    let chunk = |(index, (first, len)): (usize, &(usize, usize))| {
        let crc = u32_at(header, entry(index));
        Chunk { first: *first, len: *len, start: start(index), end: start(index + 1), crc }
    };
    let chunks: Vec<Chunk> = ranges.iter().enumerate().map(chunk).collect();
    let fits = |chunk: &Chunk| {
        let inside = chunk.start <= chunk.end && chunk.end <= data;
        inside
            && match encoding {
                Encoding::Plain => chunk.end - chunk.start == chunk.len,
                Encoding::Packed(_) => chunk.end - chunk.start >= pack::groups_len(chunk.len),
            }
    };
    if chunks.iter().all(fits) { Ok((data, chunks)) } else { Err(misfit()) }
}

/// An open layer file.
#[derive(Debug)]
pub(crate) struct LayerFile {
    pub(crate) path: PathBuf,
    pub(crate) header: Header,
    map: FileMap,
    start: usize,
}

impl LayerFile {
    /// Opens and maps a file. Checks its header and its length, not its values.
    pub(crate) fn open(path: &Path, family: &Family, layer: u32) -> Result<LayerFile, Error> {
        // Opening a pipe would block.
        if !path.metadata().map_err(Error::io(path))?.is_file() {
            return Err(Error::file(path, "not a regular file"));
        }
        let file = File::open(path).map_err(Error::io(path))?;
        let map = FileMap::new(file).map_err(Error::io(path))?;
        let header = Header::read(path, map.bytes(), family, layer);
        map.check_unchanged().map_err(|what| Error::file(path, what))?;
        let header = header?;
        let start = Header::len(header.chunks.len(), header.encoding);
        Ok(LayerFile { path: path.to_path_buf(), header, map, start })
    }

    /// The length of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.map.bytes().len()
    }

    pub(crate) fn values(&self) -> &[u8] {
        &self.map.bytes()[self.start..]
    }

    /// Whether a value read so far may be a zero beyond the end of a truncated file.
    #[inline]
    pub(crate) fn is_truncated(&self) -> bool {
        self.map.is_truncated()
    }

    /// Fails if the file has changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), Error> {
        self.map.check_unchanged().map_err(|what| Error::file(&self.path, what))
    }

    /// Fails if the checksum of a chunk differs.
    pub(crate) fn check_chunk(&self, index: usize) -> Result<(), Error> {
        let chunk = &self.header.chunks[index];
        let sound = crc32fast::hash(&self.values()[chunk.start..chunk.end]) == chunk.crc;
        // A change of the file is the better explanation of a wrong checksum.
        self.check_unchanged()?;
        if sound { Ok(()) } else { Err(self.damaged(index)) }
    }

    fn damaged(&self, index: usize) -> Error {
        self.in_chunk(index, |from, to| format!("the checksum of bytes {from} to {to} differs"))
    }

    fn in_chunk(&self, index: usize, what: impl Fn(usize, usize) -> String) -> Error {
        let chunk = &self.header.chunks[index];
        let what = what(self.start + chunk.start, self.start + chunk.end);
        Error::file(&self.path, format!("damaged: {what}"))
    }

    /// Fails if a chunk has a value that no position of the layer can have, or a position without a value. The
    /// checksum does not exclude this: a forger can compute it.
    pub(crate) fn check_values(&self, index: usize) -> Result<(), Error> {
        let chunk = &self.header.chunks[index];
        let bytes = &self.values()[chunk.start..chunk.end];
        let (layer, step) = (self.header.layer as usize, self.header.family.step());
        let is_possible = |value: i8| is_possible(value, layer, step);
        let sound = match self.header.encoding {
            Encoding::Plain => signed(bytes).iter().all(|value| is_possible(*value)),
            Encoding::Packed(step) => (0..chunk.len).all(|index| {
                pack::unpack(shared(bytes), chunk.len, step, index).is_some_and(is_possible)
            }),
        };
        self.check_unchanged()?;
        if sound {
            return Ok(());
        }
        Err(self.in_chunk(index, |from, to| {
            format!("bytes {from} to {to} hold a value that no position of {layer} seeds has")
        }))
    }

    /// Checks the checksums and values of all chunks.
    pub(crate) fn check(&self) -> Result<(), Error> {
        (0..self.header.chunks.len()).try_for_each(|index| {
            self.check_chunk(index)?;
            self.check_values(index)
        })
    }
}

/// A layer file being written. It is removed when it is dropped before it is finished.
#[derive(Debug)]
pub(crate) struct PartialLayer {
    path: PathBuf,
    file: AtomicFile,
}

impl PartialLayer {
    /// Creates the partial file of the layer file `name`.
    pub(crate) fn create(name: &Path) -> Result<PartialLayer, Error> {
        let path = name.with_extension("partial");
        let file = AtomicFile::create_at(name, &path, SIGNATURES).map_err(Error::io(&path))?;
        let mut partial = PartialLayer { path, file };
        // Identifies the file until the header is written.
        partial.write(0, MAGIC)?;
        Ok(partial)
    }

    /// The path of the partial file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) -> Result<(), Error> {
        let file = self.file.file();
        file.seek(SeekFrom::Start(at as u64))
            .and_then(|_| file.write_all(bytes))
            .map_err(Error::io(&self.path))
    }

    /// Syncs the file and renames it to its final name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.finish().map_err(Error::io(&self.path))
    }
}
