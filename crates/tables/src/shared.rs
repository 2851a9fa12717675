//! One build by many processes, in a folder that all of them see.
//!
//! A layer's file lies at full length beside its place, as `level-NN.partial`, and each process puts
//! pairs into it. After a pair its note is written, `level-NN.pair-QQ`: the checksums of the pair's
//! chunks. A pair whose note and bytes agree is never computed again, so that a build that was
//! killed goes on at the pair. Notes are not brought to the disk one by one: what a power cut takes
//! of notes or bytes does not agree any more, and is computed again. When all pairs are there one
//! process seals the file: it writes the head and gives it its name.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sowing::Game;
use sowing_files::Lock;
use sowing_files::helper::{self, Marks};

use crate::build::{BuildOptions, Filler, Layers};
use crate::dir::{self, Plan};
use crate::file::{LayerFile, MARKS};
use crate::layer::{Data, memory};
use crate::sheet::Sheet;
use crate::{Error, Family};

const MAGIC: &[u8; 8] = b"SOWPAIR1";

/// What the note of a pair begins with.
pub(crate) const PAIR_MARKS: Marks<'static> = &[MAGIC];

/// Tables that several processes build together, each with one of these.
///
/// Who does what is theirs to agree on: one process has the [`Lock`], [cleans](SharedBuild::clean) the
/// folder, [begins](SharedBuild::begin) a
/// layer and [seals](SharedBuild::seal) it; in between all of them [fill](SharedBuild::fill) pairs, no
/// two the same; and all of them [advance](SharedBuild::advance) after that. The files are those that
/// [`build_in_directory`](crate::build_in_directory) writes, byte for byte.
///
/// ```
/// use sowing_tables::{BuildOptions, SharedBuild, Tables};
///
/// let dir = tempfile::tempdir()?;
/// let game = "kalah(4,3)".parse()?;
/// let _lock = SharedBuild::lock(dir.path(), &game)?;
/// let mut build = SharedBuild::open(dir.path(), &game, 8, &BuildOptions::default())?;
/// build.clean();
/// while build.layer().is_some() {
///     build.begin()?;
///     for pair in 0..build.pairs() {
///         build.fill(pair)?;
///     }
///     build.seal()?.finish()?;
///     build.advance()?;
/// }
/// assert_eq!(Tables::open(dir.path(), &game)?.max_layer(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedBuild {
    dir: PathBuf,
    plan: Plan,
    layers: Layers,
    filler: Filler,
    sheet: Sheet,
}

/// A layer that is complete and has its head, but not yet its name.
#[derive(Debug)]
#[must_use = "a layer without its name is not there"]
pub struct Seal {
    name: PathBuf,
    notes: Vec<PathBuf>,
}

/// A pair that is in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilledPair {
    /// Its positions.
    pub positions: u64,
    /// Whether it was there already.
    pub found: bool,
}

impl SharedBuild {
    /// Keeps other builds out of a family's folder, which is made if need be, until it is dropped.
    pub fn lock(dir: &Path, game: &Game) -> Result<Lock, Error> {
        dir::lock(dir, &Family::of(game)?)
    }

    /// Opens the layers that are there. Memory and threads are those of this process.
    ///
    /// It fails if memory or disk will not do. Packed layers are unpacked into memory, as far as it
    /// goes, since building reads bytes.
    pub fn open(
        dir: &Path,
        game: &Game,
        layer: u32,
        options: &BuildOptions,
    ) -> Result<SharedBuild, Error> {
        let mut plan = dir::affordable(dir, game, layer, options)?;
        let family = plan.family;
        let mut layers = dir::open_layers(dir, &family, Some(layer))?;
        plan.present = layers.max_layer() as u32;
        dir::check_names(dir, &family, plan.present + 1..=layer)?;
        for path in (plan.present + 1..=layer).flat_map(|layer| notes(dir, &family, layer)) {
            helper::look(&path, PAIR_MARKS).map_err(Error::io(&dir::folder(dir, &family)))?;
        }
        let unpacked = dir::unpack_all(&mut layers, &plan, options)?;
        let pairs = dir::pair_sizes(&layers.ranks, layer as usize);
        let buffers = pairs.take(plan.threads).sum::<u64>() + unpacked;
        let filler = Filler::new(&family, layer, options, options.memory.saturating_sub(buffers));
        let sheet = Sheet::new(&family, &layers.ranks, layers.max_layer() as u32 + 1);
        Ok(SharedBuild { dir: dir.to_path_buf(), plan, layers, filler, sheet })
    }

    /// What there was to do when it was opened.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The layer to build next; `None` when all are there.
    pub fn layer(&self) -> Option<u32> {
        Some(self.layers.max_layer() as u32 + 1).filter(|layer| *layer <= self.plan.layer)
    }

    /// Checks every chunk of a layer that is there. A build should have all of them checked once.
    pub fn check(&self, layer: u32) -> Result<(), Error> {
        match self.layers.data.get((layer as usize).wrapping_sub(2)) {
            Some(Data::File(file)) => file.check(),
            _ => Ok(()),
        }
    }

    fn name(&self) -> PathBuf {
        dir::layer_path(&self.dir, &self.plan.family, self.layers.max_layer() as u32 + 1)
    }

    fn partial(&self) -> PathBuf {
        self.name().with_extension("partial")
    }

    fn note(&self, q: usize) -> PathBuf {
        note(&self.name(), q)
    }

    /// Removes what killed builds left aside, but for what is of the next layer. One process does
    /// this, before any layer is begun.
    pub fn clean(&self) {
        dir::remove_leftovers_but(&self.dir, &self.plan.family, self.name().file_stem());
    }

    /// Makes the file of the next layer, or takes up the one that a killed build left.
    pub fn begin(&self) -> Result<(), Error> {
        let partial = self.partial();
        let make = |mut file: File| {
            if file.metadata()?.len() == 0 {
                file.write_all(MARKS[0])?;
            }
            file.set_len(self.sheet.len() as u64)
        };
        helper::open(&partial, MARKS).and_then(make).map_err(Error::io(&partial))
    }

    /// How many pairs the next layer has.
    pub fn pairs(&self) -> usize {
        self.sheet.pairs().len()
    }

    /// The pair that comes so late when they are taken by size, the largest first.
    fn pair(&self, number: usize) -> usize {
        let mut pairs: Vec<usize> = self.sheet.pairs().collect();
        pairs.sort_by_key(|q| std::cmp::Reverse(self.sheet.place(*q).len()));
        pairs[number]
    }

    /// Finds the values of a pair and puts them into their place, unless they are there. Pairs are
    /// numbered from 0, the largest first.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn fill(&self, number: usize) -> Result<FilledPair, Error> {
        let q = self.pair(number);
        let place = self.sheet.place(q);
        let positions = place.len() as u64;
        if let Some(crcs) = self.read_note(q)
            && self.read(q)? == crcs
        {
            return Ok(FilledPair { positions, found: true });
        }
        let filled = self.sheet.fill(&self.layers, &self.filler, q)?;
        // What changed below it while it was computed may have gone into it.
        self.layers.still()?;
        let path = self.partial();
        // Closed before the note is there: on file systems over a network, others see it then.
        let put = |mut file: File| {
            if file.metadata()?.len() != self.sheet.len() as u64 {
                return Err(std::io::Error::other("another process removed it"));
            }
            file.seek(SeekFrom::Start(place.start as u64))?;
            file.write_all(filled.bytes())
        };
        helper::open(&path, MARKS).and_then(put).map_err(Error::io(&path))?;
        let note = self.note(q);
        let put = |mut file: File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&self.note_bytes(q, &filled.crcs))
        };
        helper::open(&note, PAIR_MARKS).and_then(put).map_err(Error::io(&note))?;
        Ok(FilledPair { positions, found: false })
    }

    /// The checksums of a pair as it lies in the file.
    fn read(&self, q: usize) -> Result<Vec<u32>, Error> {
        let (path, place) = (self.partial(), self.sheet.place(q));
        let mut bytes = memory(place.len())?;
        let bytes = &mut bytes[..place.len()];
        let get = |mut file: File| {
            file.seek(SeekFrom::Start(place.start as u64))?;
            file.read_exact(bytes)
        };
        File::open(&path).and_then(get).map_err(Error::io(&path))?;
        Ok(self.sheet.crcs(q, bytes))
    }

    fn note_bytes(&self, q: usize, crcs: &[u32]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [self.layers.max_layer() as u32 + 1, q as u32];
        for number in numbers.iter().chain(crcs) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The checksums that a note gives; `None` if there is no note, or none that can be trusted.
    fn read_note(&self, q: usize) -> Option<Vec<u32>> {
        let bytes = helper::read(&self.note(q)).ok()?;
        let words = bytes.get(MAGIC.len() + 8..bytes.len().checked_sub(4)?)?;
        let word = |word: &[u8]| Some(u32::from_le_bytes(word.try_into().ok()?));
        let crcs: Vec<u32> = words.chunks(4).map(word).collect::<Option<_>>()?;
        let sound = crcs.len() == self.sheet.chunks(q).len() && self.note_bytes(q, &crcs) == bytes;
        sound.then_some(crcs)
    }

    /// Completes the file of the layer: all pairs must be filled. It is made to last and gets its
    /// name by [`Seal::finish`], which can be done while the next layer is computed.
    pub fn seal(&self) -> Result<Seal, Error> {
        let mut crcs = Vec::with_capacity(self.sheet.chunks_in_all());
        for q in self.sheet.pairs() {
            let note = self.note(q);
            let missing =
                || Error::file(&note, "not there, or damaged: another process removed it");
            crcs.extend(self.read_note(q).ok_or_else(missing)?);
        }
        let path = self.partial();
        let head = self.sheet.head(&crcs).to_bytes();
        let put = |mut file: File| {
            file.rewind()?;
            file.write_all(&head)
        };
        helper::open(&path, MARKS).and_then(put).map_err(Error::io(&path))?;
        let notes = self.sheet.pairs().map(|q| self.note(q)).collect();
        Ok(Seal { name: self.name(), notes })
    }

    /// Goes on to the layer above one that is sealed.
    pub fn advance(&mut self) -> Result<(), Error> {
        let (layer, name, partial) =
            (self.layers.max_layer() as u32 + 1, self.name(), self.partial());
        // It may have its name already, or get it just now.
        let at = |path: &Path| LayerFile::open(path, &self.plan.family, layer);
        let mut file = at(&partial).or_else(|_| at(&name))?;
        file.path = name;
        // A file of the right length and head can still lack what others wrote.
        for q in self.sheet.pairs() {
            file.check_chunk(self.sheet.chunks(q).start)?;
        }
        self.layers.push(Data::File(file));
        self.sheet = Sheet::new(&self.plan.family, &self.layers.ranks, layer + 1);
        Ok(())
    }
}

/// The note of a pair of the layer with this name.
fn note(name: &Path, q: usize) -> PathBuf {
    name.with_extension(format!("pair-{q:02}"))
}

/// The notes of a layer's pairs.
fn notes(dir: &Path, family: &Family, layer: u32) -> impl Iterator<Item = PathBuf> {
    let name = dir::layer_path(dir, family, layer);
    (1..=layer as usize / 2).map(move |q| note(&name, q))
}

impl Seal {
    /// Makes the layer last, and gives it its name. Layers get theirs in order.
    pub fn finish(self) -> Result<(), Error> {
        let partial = self.name.with_extension("partial");
        sowing_files::settle(&partial, &self.name).map_err(Error::io(&partial))?;
        for note in &self.notes {
            // If it cannot be removed it is only in the way.
            let _ = helper::remove(note, PAIR_MARKS);
        }
        Ok(())
    }
}
