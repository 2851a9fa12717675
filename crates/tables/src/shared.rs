//! One build by several processes, in a directory that all of them share.
//!
//! The file of a layer has its full length from the start, under the name `level-NN.partial`; each process
//! writes pairs to it. After a pair its progress file is written, `level-NN.pair-QQ`: the checksums of the
//! pair's chunks. A pair whose bytes match its progress file is never computed again, so that an interrupted
//! build resumes with the next pair. Progress files are not synced: if a power failure loses some of their
//! bytes or the pair's, the checksums differ and the pair is computed again. After the last pair one process
//! seals the file: it writes the header and renames it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sowing_files::Lock;
use sowing_files::helper;
use sowing_rules::Game;

use crate::Error;
use crate::build::{BuildOptions, PairBuilder};
use crate::dir::{self, BuildPlan};
use crate::file::{LayerFile, PAIR_MAGIC, PAIR_SIGNATURES, SIGNATURES};
use crate::layer::memory;
use crate::layer_file_layout::LayerFileLayout;
use crate::layers::{Data, Layers};
use sowing_rules::Family;

/// One process's share in a build by several processes.
///
/// The processes coordinate among themselves. One of them holds the [`Lock`], [cleans](SharedBuild::clean)
/// the directory, and [begins](SharedBuild::begin) and [seals](SharedBuild::seal) each layer. In between all of
/// them [fill](SharedBuild::fill) pairs, no two the same; then all of them [advance](SharedBuild::advance). The
/// files equal those of [`build_in_directory`](crate::build_in_directory), byte for byte.
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
    plan: BuildPlan,
    layers: Layers,
    builder: PairBuilder,
    layout: LayerFileLayout,
}

/// A complete layer file that is neither synced nor renamed yet.
#[derive(Debug)]
#[must_use = "call finish to rename the layer file"]
pub struct PendingLayer {
    name: PathBuf,
    progress_files: Vec<PathBuf>,
}

/// The result of [`SharedBuild::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilledPair {
    /// The number of positions of the pair.
    pub positions: u64,
    /// Whether the file had its values already.
    pub found: bool,
}

impl SharedBuild {
    /// Takes the lock of a family's directory, which is created if it does not exist.
    pub fn lock(dir: &Path, game: &Game) -> Result<Lock, Error> {
        dir::lock(dir, &Family::for_game(game)?)
    }

    /// Opens the existing layers. Memory and threads of `options` are those of this process.
    ///
    /// Packed layers are unpacked into memory. Fails if memory or disk do not suffice.
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
        for path in (plan.present + 1..=layer).flat_map(|layer| progress_paths(dir, &family, layer))
        {
            helper::exists(&path, PAIR_SIGNATURES)
                .map_err(Error::io(&dir::family_directory(dir, &family)))?;
        }
        let unpacked = dir::unpack_all(&mut layers, &plan, options)?;
        let pairs = dir::pair_sizes(&layers.row_index, layer as usize);
        let buffers = pairs.take(plan.threads).sum::<u64>() + unpacked;
        let builder =
            PairBuilder::new(&family, layer, options, options.memory.saturating_sub(buffers));
        let layout =
            LayerFileLayout::new(&family, &layers.row_index, layers.max_layer() as u32 + 1);
        Ok(SharedBuild { dir: dir.to_path_buf(), plan, layers, builder, layout })
    }

    /// The plan of the build when it was opened.
    pub fn plan(&self) -> &BuildPlan {
        &self.plan
    }

    /// The layer to build next; `None` after the last one.
    pub fn layer(&self) -> Option<u32> {
        Some(self.layers.max_layer() as u32 + 1).filter(|layer| *layer <= self.plan.layer)
    }

    /// Checks every chunk of a finished layer. Each existing layer should be checked once before it is built upon.
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

    fn progress_path(&self, q: usize) -> PathBuf {
        progress_path(&self.name(), q)
    }

    /// Removes the partial files of interrupted builds, except those of the next layer. One process calls this
    /// before the first layer.
    pub fn clean(&self) {
        dir::remove_leftovers(&self.dir, &self.plan.family, self.name().file_stem());
    }

    /// Creates the file of the next layer, or reuses that of an interrupted build.
    pub fn begin(&self) -> Result<(), Error> {
        let partial = self.partial();
        let prepare = |mut file: File| {
            if file.metadata()?.len() == 0 {
                file.write_all(SIGNATURES[0])?;
            }
            file.set_len(self.layout.len() as u64)
        };
        helper::open(&partial, SIGNATURES).and_then(prepare).map_err(Error::io(&partial))
    }

    /// The number of pairs of the next layer.
    pub fn pairs(&self) -> usize {
        self.layout.pairs().len()
    }

    /// The pair with this number in order of size, largest first, by the seeds of its shorter row.
    fn pair(&self, number: usize) -> usize {
        let mut pairs: Vec<usize> = self.layout.pairs().collect();
        pairs.sort_by_key(|q| std::cmp::Reverse(self.layout.pair_bytes(*q).len()));
        pairs[number]
    }

    /// Computes a pair and writes it to the layer's file, unless it is there already. Pairs are numbered from
    /// 0, largest first.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn fill(&self, number: usize) -> Result<FilledPair, Error> {
        let q = self.pair(number);
        let range = self.layout.pair_bytes(q);
        let positions = range.len() as u64;
        if let Some(crcs) = self.read_progress(q)
            && self.read_crcs(q)? == crcs
        {
            return Ok(FilledPair { positions, found: true });
        }
        let filled = self.layout.fill(&self.layers, &self.builder, q)?;
        // A change of a layer below may have entered the values.
        self.layers.check_unchanged()?;
        let path = self.partial();
        // The file is closed before the progress file exists: on network file systems, closing makes the bytes
        // visible to others.
        let write = |mut file: File| {
            if file.metadata()?.len() != self.layout.len() as u64 {
                return Err(std::io::Error::other("another process removed it"));
            }
            file.seek(SeekFrom::Start(range.start as u64))?;
            file.write_all(filled.bytes())
        };
        helper::open(&path, SIGNATURES).and_then(write).map_err(Error::io(&path))?;
        let progress = self.progress_path(q);
        let write = |mut file: File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&self.progress_bytes(q, &filled.crcs))
        };
        helper::open(&progress, PAIR_SIGNATURES).and_then(write).map_err(Error::io(&progress))?;
        Ok(FilledPair { positions, found: false })
    }

    /// The checksums of the bytes of a pair in the file.
    fn read_crcs(&self, q: usize) -> Result<Vec<u32>, Error> {
        let (path, range) = (self.partial(), self.layout.pair_bytes(q));
        let mut bytes = memory(range.len())?;
        let bytes = &mut bytes[..range.len()];
        let read = |mut file: File| {
            file.seek(SeekFrom::Start(range.start as u64))?;
            file.read_exact(bytes)
        };
        File::open(&path).and_then(read).map_err(Error::io(&path))?;
        Ok(self.layout.crcs(q, bytes))
    }

    fn progress_bytes(&self, q: usize, crcs: &[u32]) -> Vec<u8> {
        let mut bytes = PAIR_MAGIC.to_vec();
        let numbers = [self.layers.max_layer() as u32 + 1, q as u32];
        for number in numbers.iter().chain(crcs) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The checksums in a progress file; `None` if it does not exist or is damaged.
    fn read_progress(&self, q: usize) -> Option<Vec<u32>> {
        let bytes = helper::read(&self.progress_path(q)).ok()?;
        let words = bytes.get(PAIR_MAGIC.len() + 8..bytes.len().checked_sub(4)?)?;
        let word = |word: &[u8]| Some(u32::from_le_bytes(word.try_into().ok()?));
        let crcs: Vec<u32> = words.chunks(4).map(word).collect::<Option<_>>()?;
        let sound = crcs.len() == self.layout.pair_chunks(q).len()
            && self.progress_bytes(q, &crcs) == bytes;
        sound.then_some(crcs)
    }

    /// Completes the file of the layer; all pairs must be filled. [`PendingLayer::finish`] syncs and renames it,
    /// possibly while the next layer is computed.
    pub fn seal(&self) -> Result<PendingLayer, Error> {
        let mut crcs = Vec::with_capacity(self.layout.chunk_count());
        for q in self.layout.pairs() {
            let progress = self.progress_path(q);
            let missing =
                || Error::file(&progress, "not there, or damaged: another process removed it");
            crcs.extend(self.read_progress(q).ok_or_else(missing)?);
        }
        let path = self.partial();
        let header = self.layout.header(&crcs).to_bytes();
        let write = |mut file: File| {
            file.rewind()?;
            file.write_all(&header)
        };
        helper::open(&path, SIGNATURES).and_then(write).map_err(Error::io(&path))?;
        let progress_files = self.layout.pairs().map(|q| self.progress_path(q)).collect();
        Ok(PendingLayer { name: self.name(), progress_files })
    }

    /// Advances to the next layer. The current one must be sealed.
    pub fn advance(&mut self) -> Result<(), Error> {
        let (layer, name, partial) =
            (self.layers.max_layer() as u32 + 1, self.name(), self.partial());
        // Another process may rename it at any time.
        let at = |path: &Path| LayerFile::open(path, &self.plan.family, layer);
        let mut file = at(&partial).or_else(|_| at(&name))?;
        file.path = name;
        // On network file systems the pairs of other processes may not be visible yet.
        for q in self.layout.pairs() {
            file.check_chunk(self.layout.pair_chunks(q).start)?;
        }
        self.layers.push(Data::File(file));
        self.layout = LayerFileLayout::new(&self.plan.family, &self.layers.row_index, layer + 1);
        Ok(())
    }
}

/// The progress file of a pair of the layer file `name`.
fn progress_path(name: &Path, q: usize) -> PathBuf {
    name.with_extension(format!("pair-{q:02}"))
}

/// The progress files of a layer's pairs.
fn progress_paths(dir: &Path, family: &Family, layer: u32) -> impl Iterator<Item = PathBuf> {
    let name = dir::layer_path(dir, family, layer);
    (1..=layer as usize / 2).map(move |q| progress_path(&name, q))
}

impl PendingLayer {
    /// Syncs the file and renames it. Layers must be finished in order.
    pub fn finish(self) -> Result<(), Error> {
        let partial = self.name.with_extension("partial");
        sowing_files::sync_and_rename(&partial, &self.name).map_err(Error::io(&partial))?;
        for path in &self.progress_files {
            // A progress file that stays is harmless.
            let _ = helper::remove(path, PAIR_SIGNATURES);
        }
        Ok(())
    }
}
