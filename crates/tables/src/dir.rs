//! Tables on disk: their paths, building, compressing and opening them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing_files::{Lock, LockError, data_directory, helper, make_folder};
use sowing_platform::available_memory;
use sowing_rules::Game;

use crate::build::{
    BuildOptions, BuildProgress, PairBuilder, check_layer, run_parallel, working_memory,
};
use crate::file::{
    CHUNK, Chunk, Encoding, Header, LayerFile, PAIR_SIGNATURES, PartialLayer, SIGNATURES,
};
use crate::layer::{memory, signed, signed_mut};
use crate::layer_file_layout::LayerFileLayout;
use crate::layers::{Data, Layers};
use crate::{Error, RowIndex, Tables, live_positions, live_positions_to, pack};
use sowing_rules::Family;

/// The default directory of tables: `tables` in the [`data_directory`].
pub fn default_directory() -> Option<PathBuf> {
    data_directory().map(|dir| dir.join("tables"))
}

/// The directory of a family's tables inside the directory `dir` of all tables.
pub fn family_directory(dir: &Path, family: &Family) -> PathBuf {
    dir.join(family.slug())
}

pub(crate) fn layer_path(dir: &Path, family: &Family, layer: u32) -> PathBuf {
    family_directory(dir, family).join(format!("level-{layer:02}.table"))
}

/// Removes the partial files of a build by this process, which is about to exit. Finished layers stay. Does
/// nothing if another process holds the lock.
pub fn remove_partial_files(dir: &Path, family: &Family) {
    let lock = lock_path(dir, family);
    if Lock::is_ours(&lock) {
        remove_leftovers(dir, family, None);
        // A lock file that stays is free.
        let _ = fs::remove_file(lock);
    }
}

/// Removes the partial files of interrupted builds, except those with the file stem `kept`. The caller holds
/// the lock.
pub(crate) fn remove_leftovers(dir: &Path, family: &Family, kept: Option<&OsStr>) {
    let entries = fs::read_dir(family_directory(dir, family)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let signatures = match path.extension().and_then(OsStr::to_str).unwrap_or_default() {
            "partial" => SIGNATURES,
            ending if ending.starts_with("pair-") => PAIR_SIGNATURES,
            _ => continue,
        };
        let is_layer =
            path.file_stem().and_then(OsStr::to_str).is_some_and(|stem| stem.starts_with("level-"));
        if is_layer && (kept.is_none() || path.file_stem() != kept) {
            // Files without the signature stay. A partial file that stays is harmless.
            let _ = helper::remove(&path, signatures);
        }
    }
}

/// Fails if anything but a layer file has a name that these layers need.
pub(crate) fn check_names(
    dir: &Path,
    family: &Family,
    layers: std::ops::RangeInclusive<u32>,
) -> Result<(), Error> {
    for layer in layers {
        let name = layer_path(dir, family, layer);
        let free = |path: &Path| {
            helper::exists(path, SIGNATURES).map_err(Error::io(&family_directory(dir, family)))
        };
        free(&name)?;
        free(&name.with_extension("partial"))?;
    }
    Ok(())
}

/// The work and the resources of a build into a directory.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// The family of games.
    pub family: Family,
    /// The highest layer that exists; 1 if there is none.
    pub present: u32,
    /// The highest layer to build.
    pub layer: u32,
    /// The number of positions in the layers to build.
    pub positions: u64,
    /// The bytes to write.
    pub disk: u64,
    /// The least memory in bytes.
    pub memory: u64,
    /// The number of threads for which the memory suffices.
    pub threads: usize,
}

/// The highest layer in a directory, from 2 on without a gap; 1 if there is none.
fn present(dir: &Path, family: &Family) -> u32 {
    (2..).take_while(|layer| layer_path(dir, family, *layer).exists()).last().unwrap_or(1)
}

/// Plans a build of layers 2 to `layer` into a directory. Layers that exist are not built again.
pub fn plan_build(
    dir: &Path,
    game: &Game,
    layer: u32,
    options: &BuildOptions,
) -> Result<BuildPlan, Error> {
    let family = Family::for_game(game)?;
    check_layer(&family, layer)?;
    let present = present(dir, &family);
    let row_index = RowIndex::new(family.houses());
    let done = live_positions_to(family.houses(), present.min(layer));
    let positions = live_positions_to(family.houses(), layer) - done;
    let positions = u64::try_from(positions).unwrap_or(u64::MAX);
    let headers = (present + 1..=layer).map(|layer| {
        let chunks = live_positions(family.houses(), layer) / CHUNK as u128 + 2 * u128::from(layer);
        Header::len(chunks as usize, Encoding::Plain) as u64
    });
    let disk = positions.saturating_add(headers.sum());
    let need = |threads| {
        let buffers = pair_sizes(&row_index, layer as usize).take(threads).sum::<u64>();
        let work = (present + 1..=layer)
            .map(|layer| working_memory(&family, &row_index, layer, threads))
            .max();
        work.map_or(0, |work| work + buffers)
    };
    let threads =
        (1..=options.threads.max(1)).rev().find(|threads| need(*threads) <= options.memory);
    let threads = threads.unwrap_or(1);
    Ok(BuildPlan { family, present, layer, positions, disk, memory: need(threads), threads })
}

/// The sizes of a layer's pairs in bytes, largest first.
pub(crate) fn pair_sizes(row_index: &RowIndex, layer: usize) -> impl Iterator<Item = u64> {
    let size = |q: usize| (row_index.count(q) * row_index.count(layer - q)) as u64;
    let mut sizes: Vec<u64> =
        (1..=layer / 2).map(|q| size(q) * if 2 * q == layer { 1 } else { 2 }).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.into_iter()
}

/// Builds layers 2 to `layer` of a game's tables into a directory, and opens all layers that are there. Layers that
/// exist are kept, and checked if another is built on them.
///
/// Each layer is written to a partial file, synced, and renamed when it is complete: whatever interrupts a
/// build, layers are complete or absent. A build that fails removes its partial files. A layer that changes
/// during the build is an error. Memory is bounded by `options.memory`; finished layers are memory maps.
///
/// One build at a time runs in the directory of a family; a second one fails with [`Error::Busy`]. Tables that
/// are open stay valid.
pub fn build_in_directory(
    dir: &Path,
    game: &Game,
    layer: u32,
    options: &BuildOptions,
) -> Result<Tables, Error> {
    // Fail before a directory is created.
    let BuildPlan { family, .. } = affordable(dir, game, layer, options)?;
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family, None);
    // Another build may have held the lock until now.
    let plan = affordable(dir, game, layer, options)?;
    if plan.present < layer {
        check_names(dir, &family, plan.present + 1..=layer)?;
        let mut layers = open_layers(dir, &family, Some(layer))?;
        check_all(&layers, options.threads)?;
        let unpacked = unpack_all(&mut layers, &plan, options)?;
        let memory = options.memory - unpacked;
        build_layers(dir, &plan, layers, &BuildOptions { memory, ..*options })?;
    }
    Tables::open(dir, game)
}

/// A plan for which memory and disk suffice.
pub(crate) fn affordable(
    dir: &Path,
    game: &Game,
    layer: u32,
    options: &BuildOptions,
) -> Result<BuildPlan, Error> {
    let plan = plan_build(dir, game, layer, options)?;
    if plan.present < layer {
        check_resources(&plan, dir, options)?;
    }
    Ok(plan)
}

fn lock_path(dir: &Path, family: &Family) -> PathBuf {
    family_directory(dir, family).join("lock")
}

/// Takes the lock of a family's directory, which is created if it does not exist.
pub(crate) fn lock(dir: &Path, family: &Family) -> Result<Lock, Error> {
    let (folder, path) = (family_directory(dir, family), lock_path(dir, family));
    make_folder(&folder).map_err(Error::io(&folder))?;
    Lock::acquire(&path).map_err(|error| match error {
        LockError::Held(holder) => Error::Busy { folder, holder },
        LockError::Io(error) => Error::io(&folder)(error),
    })
}

fn free_disk(dir: &Path) -> Result<u64, Error> {
    // A directory that does not exist yet will be on the disk of its nearest ancestor.
    let existing = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    sowing_files::available_space(existing).map_err(Error::io(existing))
}

fn check_resources(plan: &BuildPlan, dir: &Path, options: &BuildOptions) -> Result<(), Error> {
    let free = free_disk(dir)?;
    if plan.disk > free {
        return Err(Error::Disk { dir: dir.to_path_buf(), need: plan.disk, have: free });
    }
    let what = || format!("building {} to {} seeds", plan.family, plan.layer);
    if plan.memory > options.memory {
        let (need, have) = (plan.memory, options.memory);
        return Err(Error::Memory { what: what(), need, have, why: "are allowed" });
    }
    if let Some(have) = available_memory().filter(|have| plan.memory > *have) {
        let need = plan.memory;
        return Err(Error::Memory { what: what(), need, have, why: "are available" });
    }
    Ok(())
}

fn build_layers(
    dir: &Path,
    plan: &BuildPlan,
    mut layers: Layers,
    options: &BuildOptions,
) -> Result<(), Error> {
    let family = &plan.family;
    let buffers =
        pair_sizes(&layers.row_index, plan.layer as usize).take(plan.threads).sum::<u64>();
    let builder =
        PairBuilder::new(family, plan.layer, options, options.memory.saturating_sub(buffers));
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // A finished layer is synced while the next one is computed.
        let mut pending: Option<std::thread::ScopedJoinHandle<'_, Result<(), Error>>> = None;
        for layer in plan.present + 1..=plan.layer {
            let name = layer_path(dir, family, layer);
            let report = |values: usize| {
                let done = done.fetch_add(values as u64, Ordering::Relaxed) + values as u64;
                (options.progress)(BuildProgress { layer, done, total: plan.positions });
            };
            let partial = write_layer(
                &name,
                family,
                layer,
                &layers,
                &builder,
                (plan.threads, options),
                report,
            )?;
            // A change of a layer below may have entered the values.
            layers.check_unchanged()?;
            let mut file = LayerFile::open(partial.path(), family, layer)?;
            file.path.clone_from(&name);
            layers.push(Data::File(file));
            if let Some(earlier) = pending.take() {
                joined(earlier)?;
            }
            pending = Some(scope.spawn(move || partial.finish()));
        }
        pending.map_or(Ok(()), joined)
    })
}

fn joined(thread: std::thread::ScopedJoinHandle<'_, Result<(), Error>>) -> Result<(), Error> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn write_layer(
    name: &Path,
    family: &Family,
    layer: u32,
    layers: &Layers,
    builder: &PairBuilder,
    (threads, options): (usize, &BuildOptions),
    report: impl Fn(usize) + Sync,
) -> Result<PartialLayer, Error> {
    let layout = LayerFileLayout::new(family, &layers.row_index, layer);
    let partial = Mutex::new(PartialLayer::create(name)?);
    let crcs = Mutex::new(vec![0_u32; layout.chunk_count()]);
    run_parallel(threads, layout.pairs().collect(), |q| {
        if (options.should_stop)() {
            return Err(Error::Stopped);
        }
        let filled = layout.fill(layers, builder, q)?;
        crcs.lock().expect("nothing panics with the checksums")[layout.pair_chunks(q)]
            .copy_from_slice(&filled.crcs);
        let start = layout.pair_bytes(q).start;
        partial.lock().expect("nothing panics with the file").write(start, filled.bytes())?;
        report(filled.bytes().len());
        Ok(())
    })?;
    let crcs = crcs.into_inner().expect("nothing panics with the checksums");
    let mut partial = partial.into_inner().expect("nothing panics with the file");
    partial.write(0, &layout.header(&crcs).to_bytes())?;
    Ok(partial)
}

/// Opens the layers that exist, up to `max`.
pub(crate) fn open_layers(dir: &Path, family: &Family, max: Option<u32>) -> Result<Layers, Error> {
    let mut layers = Layers::new(family.houses());
    let present = present(dir, family).min(max.unwrap_or(u32::MAX));
    for layer in 2..=present {
        let file = LayerFile::open(&layer_path(dir, family, layer), family, layer)?;
        layers.push(Data::File(file));
    }
    Ok(layers)
}

/// Checks every chunk of every layer in a file.
pub(crate) fn check_all(layers: &Layers, threads: usize) -> Result<(), Error> {
    run_parallel(threads, layers.data.iter().collect(), |data| match data {
        Data::File(file) => file.check(),
        Data::Memory(_) => Ok(()),
    })
}

/// Unpacks packed layers into memory, since a build reads plain bytes. Returns their size in bytes. Each layer is
/// checked against its checksums first: afterwards there is no file to check.
///
/// Fails before the first one is unpacked if the memory does not suffice for them and the build.
pub(crate) fn unpack_all(
    layers: &mut Layers,
    plan: &BuildPlan,
    options: &BuildOptions,
) -> Result<u64, Error> {
    let sizes = layers.data.iter().zip(&layers.layouts).filter(|(data, _)| data.is_packed());
    let sizes: Vec<u64> = sizes.map(|(_, layout)| layout.len() as u64).collect();
    let unpacked = sizes.iter().sum::<u64>();
    // While a layer is unpacked it is in memory twice; the build starts later.
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let need = unpacked.saturating_add(plan.memory.max(largest));
    if unpacked > 0 && need > options.memory {
        let what = format!("building {} to {} seeds on packed layers", plan.family, plan.layer);
        return Err(Error::Memory { what, need, have: options.memory, why: "are allowed" });
    }
    for data in layers.data.iter_mut().filter(|data| data.is_packed()) {
        let Data::File(file) = &*data else { continue };
        file.check()?;
        let values = data.unpacked().ok_or_else(|| Error::file(&file.path, "damaged"))?;
        file.check_unchanged()?;
        let mut map = memory(values.len())?;
        signed_mut(&mut map).copy_from_slice(&values);
        drop(values);
        *data = Data::Memory(map);
    }
    Ok(unpacked)
}

/// Packs all layers of a game's tables in a directory. Returns their bytes before and after.
pub fn compress_directory(
    dir: &Path,
    game: &Game,
    options: &BuildOptions,
) -> Result<(u64, u64), Error> {
    let family = Family::for_game(game)?;
    if present(dir, &family) < 2 {
        return Err(Error::Missing { family, dir: dir.to_path_buf() });
    }
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family, None);
    let layers = open_layers(dir, &family, None)?;
    check_names(dir, &family, 2..=layers.max_layer() as u32)?;
    // Packed and plain file coexist until the packed one is complete.
    let mut sizes: Vec<u64> = layers.data.iter().map(|data| data.values().len() as u64).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let (need, have) = (sizes.iter().take(options.threads).sum::<u64>() * 5 / 8, free_disk(dir)?);
    if need > have {
        return Err(Error::Disk { dir: dir.to_path_buf(), need, have });
    }
    let (before, after) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = live_positions_to(family.houses(), layers.max_layer() as u32) as u64;
    let done = AtomicU64::new(0);
    run_parallel(options.threads, layers.data.iter().collect(), |data| {
        let Data::File(file) = data else { return Ok(()) };
        before.fetch_add(file.len() as u64, Ordering::Relaxed);
        let packed = if file.header.encoding == Encoding::Plain {
            pack_layer(dir, &family, file)?
        } else {
            file.len()
        };
        after.fetch_add(packed as u64, Ordering::Relaxed);
        let positions: usize = file.header.chunks.iter().map(|chunk| chunk.len).sum();
        let done = done.fetch_add(positions as u64, Ordering::Relaxed) + positions as u64;
        (options.progress)(BuildProgress { layer: file.header.layer, done, total });
        Ok(())
    })?;
    Ok((before.into_inner(), after.into_inner()))
}

fn pack_layer(dir: &Path, family: &Family, file: &LayerFile) -> Result<usize, Error> {
    file.check()?;
    let step = family.step();
    let encoding = Encoding::Packed(step);
    let name = layer_path(dir, family, file.header.layer);
    let mut partial = PartialLayer::create(&name)?;
    let start = Header::len(file.header.chunks.len(), encoding);
    let mut chunks = Vec::with_capacity(file.header.chunks.len());
    let mut data = 0;
    for chunk in &file.header.chunks {
        let bytes = pack::pack(signed(&file.values()[chunk.start..chunk.end]), step);
        partial.write(start + data, &bytes)?;
        let end = data + bytes.len();
        chunks.push(Chunk { start: data, end, crc: crc32fast::hash(&bytes), ..*chunk });
        data = end;
    }
    let header = Header { family: *family, layer: file.header.layer, encoding, data, chunks };
    partial.write(0, &header.to_bytes())?;
    file.check_unchanged()?;
    partial.finish()?;
    Ok(start + data)
}

impl Tables {
    /// Opens the tables of a game in a directory: all layers from 2 on without a gap.
    ///
    /// Headers are checked now, values on their first use. Installs the [handler for SIGBUS](crate#sigbus).
    pub fn open(dir: &Path, game: &Game) -> Result<Tables, Error> {
        Tables::open_to(dir, game, None)
    }

    /// Opens the tables of a game; `None` if there are none.
    pub fn open_if_any(dir: &Path, game: &Game) -> Result<Option<Tables>, Error> {
        if !Family::for_game(game).is_ok_and(|family| family_directory(dir, &family).is_dir()) {
            return Ok(None);
        }
        match Tables::open(dir, game) {
            // The first layer is not complete.
            Err(Error::Missing { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Like [`open`](Tables::open), up to layer `max`.
    pub fn open_to(dir: &Path, game: &Game, max: Option<u32>) -> Result<Tables, Error> {
        let family = Family::for_game(game)?;
        let layers = open_layers(dir, &family, max)?;
        if layers.data.is_empty() {
            return Err(Error::Missing { family, dir: dir.to_path_buf() });
        }
        Ok(Tables::new(family, layers))
    }
}
