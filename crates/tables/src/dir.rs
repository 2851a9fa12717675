//! Tables on disk: where they are, building them there, opening them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing::Game;
use sowing_files::{Lock, LockError, helper, make_folder};

use crate::build::{
    BuildOptions, BuildProgress, Filler, Layers, check_layer, side_by_side, working_memory,
};
use crate::file::{CHUNK, Chunk, Form, Head, LayerFile, MARKS, Partial};
use crate::layer::{Data, memory, signed, signed_mut};
use crate::shared::PAIR_MARKS;
use crate::sheet::Sheet;
use crate::{Error, Family, RowRanks, Tables, live_positions, live_positions_to, pack};

/// Where data of the family's programs lies: `$SOW_DATA`, else `$XDG_DATA_HOME/sow`, else
/// `~/.local/share/sow`. `None` if there is no home either.
pub fn data_directory() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    variable("SOW_DATA").map(PathBuf::from).or_else(|| {
        variable("XDG_DATA_HOME").map(PathBuf::from).or_else(home).map(|dir| dir.join("sow"))
    })
}

/// Where tables lie unless told otherwise: `tables` in the [`data_directory`].
pub fn default_directory() -> Option<PathBuf> {
    data_directory().map(|dir| dir.join("tables"))
}

/// The folder of a family's tables.
pub fn folder(dir: &Path, family: &Family) -> PathBuf {
    dir.join(family.slug())
}

pub(crate) fn layer_path(dir: &Path, family: &Family, layer: u32) -> PathBuf {
    folder(dir, family).join(format!("level-{layer:02}.table"))
}

/// Removes what a build by this process has aside, for a process that is about to end. Finished
/// layers stay, and so does everything while another process builds there.
pub fn remove_partials(dir: &Path, family: &Family) {
    let lock = lock_path(dir, family);
    if Lock::is_ours(&lock) {
        remove_leftovers(dir, family);
        // If it cannot be removed it is only in the way: nobody holds it then.
        let _ = fs::remove_file(lock);
    }
}

/// Removes what an interrupted build left aside. The lock must be held.
fn remove_leftovers(dir: &Path, family: &Family) {
    remove_leftovers_but(dir, family, None);
}

/// The same, but for what is of one layer.
pub(crate) fn remove_leftovers_but(dir: &Path, family: &Family, layer: Option<&OsStr>) {
    let entries = fs::read_dir(folder(dir, family)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let marks = match path.extension().and_then(OsStr::to_str).unwrap_or_default() {
            "partial" => MARKS,
            ending if ending.starts_with("pair-") => PAIR_MARKS,
            _ => continue,
        };
        let is_layer =
            path.file_stem().and_then(OsStr::to_str).is_some_and(|stem| stem.starts_with("level-"));
        if is_layer && (layer.is_none() || path.file_stem() != layer) {
            // What is not ours stays, and what cannot be removed is only in the way.
            let _ = helper::remove(&path, marks);
        }
    }
}

/// Fails if something else has a name that files of these layers need.
pub(crate) fn check_names(
    dir: &Path,
    family: &Family,
    layers: std::ops::RangeInclusive<u32>,
) -> Result<(), Error> {
    for layer in layers {
        let name = layer_path(dir, family, layer);
        let free = |path: &Path| helper::look(path, MARKS).map_err(Error::io(&folder(dir, family)));
        free(&name)?;
        free(&name.with_extension("partial"))?;
    }
    Ok(())
}

/// What a build into a directory will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The games.
    pub family: Family,
    /// The highest layer that is there already; 1 if none is.
    pub present: u32,
    /// The highest layer to build.
    pub layer: u32,
    /// Positions of the layers to build.
    pub positions: u64,
    /// Bytes to be written.
    pub disk: u64,
    /// Bytes of memory that the work takes at least.
    pub memory: u64,
    /// Threads that fit the memory.
    pub threads: usize,
}

/// The layers of a family in a directory, from 2 on as far as they go without a gap.
fn present(dir: &Path, family: &Family) -> u32 {
    (2..).take_while(|layer| layer_path(dir, family, *layer).exists()).last().unwrap_or(1)
}

/// What building layers to `layer` into a directory will take.
pub fn plan(dir: &Path, game: &Game, layer: u32, options: &BuildOptions) -> Result<Plan, Error> {
    let family = Family::of(game)?;
    check_layer(&family, layer)?;
    let present = present(dir, &family);
    let ranks = RowRanks::new(family.houses());
    let done = live_positions_to(family.houses(), present.min(layer));
    let positions = live_positions_to(family.houses(), layer) - done;
    let positions = u64::try_from(positions).unwrap_or(u64::MAX);
    let heads = (present + 1..=layer).map(|layer| {
        let chunks = live_positions(family.houses(), layer) / CHUNK as u128 + 2 * u128::from(layer);
        Head::len(chunks as usize, Form::Bytes) as u64
    });
    let disk = positions.saturating_add(heads.sum());
    let need = |threads| {
        let buffers = pair_sizes(&ranks, layer as usize).take(threads).sum::<u64>();
        let work = (present + 1..=layer)
            .map(|layer| working_memory(&family, &ranks, layer, threads))
            .max();
        work.map_or(0, |work| work + buffers)
    };
    let threads =
        (1..=options.threads.max(1)).rev().find(|threads| need(*threads) <= options.memory);
    let threads = threads.unwrap_or(1);
    Ok(Plan { family, present, layer, positions, disk, memory: need(threads), threads })
}

/// The bytes of the pairs of a layer, largest first.
pub(crate) fn pair_sizes(ranks: &RowRanks, layer: usize) -> impl Iterator<Item = u64> {
    let size = |q: usize| (ranks.count(q) * ranks.count(layer - q)) as u64;
    let mut sizes: Vec<u64> =
        (1..=layer / 2).map(|q| size(q) * if 2 * q == layer { 1 } else { 2 }).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.into_iter()
}

/// Memory that the system could give, where it says so.
pub fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Builds layers 2 to `layer` of a game's tables into a directory, from the last finished one on.
///
/// Each layer is written aside, brought to the disk and renamed when it is complete, so that a build
/// that is interrupted, whatever by, leaves finished layers only; one that fails leaves nothing
/// aside. Layers that are there are checked first, and one that changes while it is built upon is
/// an error. Memory is bounded by `options.memory`; finished layers are read through memory maps.
///
/// One build at a time works in the folder of a family: another gets [`Error::Busy`]. Whoever has
/// opened the tables can go on reading them.
pub fn build_in_directory(
    dir: &Path,
    game: &Game,
    layer: u32,
    options: &BuildOptions,
) -> Result<Tables, Error> {
    // What cannot be done is refused before a folder is made.
    let Plan { family, .. } = affordable(dir, game, layer, options)?;
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family);
    // Another build may have been at work until now.
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

/// A plan that memory and disk suffice for.
pub(crate) fn affordable(
    dir: &Path,
    game: &Game,
    layer: u32,
    options: &BuildOptions,
) -> Result<Plan, Error> {
    let plan = plan(dir, game, layer, options)?;
    if plan.present < layer {
        check_resources(&plan, dir, options)?;
    }
    Ok(plan)
}

fn lock_path(dir: &Path, family: &Family) -> PathBuf {
    folder(dir, family).join("lock")
}

/// Keeps other builds out of a family's folder, which is made if need be, until it is dropped.
pub(crate) fn lock(dir: &Path, family: &Family) -> Result<Lock, Error> {
    let (folder, path) = (folder(dir, family), lock_path(dir, family));
    make_folder(&folder).map_err(Error::io(&folder))?;
    Lock::take(&path).map_err(|error| match error {
        LockError::Held(who) => Error::Busy { folder, who },
        LockError::Io(error) => Error::io(&folder)(error),
    })
}

fn free_disk(dir: &Path) -> Result<u64, Error> {
    // A folder that is still to be made will lie on the disk of the one that it is made in.
    let made = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    sowing_files::available_space(made).map_err(Error::io(made))
}

fn check_resources(plan: &Plan, dir: &Path, options: &BuildOptions) -> Result<(), Error> {
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
    plan: &Plan,
    layers: Layers,
    options: &BuildOptions,
) -> Result<(), Error> {
    let mut layers = layers;
    let family = &plan.family;
    let buffers = pair_sizes(&layers.ranks, plan.layer as usize).take(plan.threads).sum::<u64>();
    let filler = Filler::new(family, plan.layer, options, options.memory.saturating_sub(buffers));
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // A finished layer is made to last while the next one is computed.
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
                &filler,
                (plan.threads, options),
                report,
            )?;
            // What changed below it while it was computed may have gone into it.
            layers.still()?;
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
    filler: &Filler,
    (threads, options): (usize, &BuildOptions),
    report: impl Fn(usize) + Sync,
) -> Result<Partial, Error> {
    let sheet = Sheet::new(family, &layers.ranks, layer);
    let partial = Mutex::new(Partial::create(name)?);
    let crcs = Mutex::new(vec![0_u32; sheet.chunks_in_all()]);
    side_by_side(threads, sheet.pairs().collect(), |q| {
        if (options.halted)() {
            return Err(Error::Halted);
        }
        let filled = sheet.fill(layers, filler, q)?;
        crcs.lock().expect("nothing panics with the checksums")[sheet.chunks(q)]
            .copy_from_slice(&filled.crcs);
        let place = sheet.place(q).start;
        partial.lock().expect("nothing panics with the file").write(place, filled.bytes())?;
        report(filled.bytes().len());
        Ok(())
    })?;
    let crcs = crcs.into_inner().expect("nothing panics with the checksums");
    let mut partial = partial.into_inner().expect("nothing panics with the file");
    partial.write(0, &sheet.head(&crcs).to_bytes())?;
    Ok(partial)
}

/// Opens the layers that are there, to `max` at most.
pub(crate) fn open_layers(dir: &Path, family: &Family, max: Option<u32>) -> Result<Layers, Error> {
    let mut layers = Layers::new(family.houses());
    let present = present(dir, family).min(max.unwrap_or(u32::MAX));
    for layer in 2..=present {
        let file = LayerFile::open(&layer_path(dir, family, layer), family, layer)?;
        layers.push(Data::File(file));
    }
    Ok(layers)
}

/// Checks every chunk of every layer.
pub(crate) fn check_all(layers: &Layers, threads: usize) -> Result<(), Error> {
    side_by_side(threads, layers.data.iter().collect(), |data| match data {
        Data::File(file) => file.check(),
        Data::Memory(_) => Ok(()),
    })
}

/// Unpacks packed layers into memory, since building reads bytes. Returns the bytes that they take.
///
/// It fails before anything is unpacked if they and the work do not fit the memory.
pub(crate) fn unpack_all(
    layers: &mut Layers,
    plan: &Plan,
    options: &BuildOptions,
) -> Result<u64, Error> {
    let is_packed = |data: &Data| matches!(data, Data::File(file) if file.head.form != Form::Bytes);
    let sizes = layers.data.iter().zip(&layers.layouts).filter(|(data, _)| is_packed(data));
    let sizes: Vec<u64> = sizes.map(|(_, layout)| layout.len() as u64).collect();
    let unpacked = sizes.iter().sum::<u64>();
    // A layer is there twice while it is unpacked; the work begins later.
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let need = unpacked.saturating_add(plan.memory.max(largest));
    if unpacked > 0 && need > options.memory {
        let what = format!("building {} to {} seeds on packed layers", plan.family, plan.layer);
        return Err(Error::Memory { what, need, have: options.memory, why: "are allowed" });
    }
    for data in layers.data.iter_mut().filter(|data| is_packed(data)) {
        let Data::File(file) = &*data else { continue };
        let values = data.unpacked().ok_or_else(|| Error::file(&file.path, "damaged"))?;
        file.still()?;
        let mut map = memory(values.len())?;
        signed_mut(&mut map).copy_from_slice(&values);
        drop(values);
        *data = Data::Memory(map);
    }
    Ok(unpacked)
}

/// Packs the layers of a game's tables that are not packed yet. Returns bytes before and after.
pub fn compress(dir: &Path, game: &Game, options: &BuildOptions) -> Result<(u64, u64), Error> {
    let family = Family::of(game)?;
    if present(dir, &family) < 2 {
        return Err(Error::Missing { family, dir: dir.to_path_buf() });
    }
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family);
    let layers = open_layers(dir, &family, None)?;
    check_names(dir, &family, 2..=layers.max_layer() as u32)?;
    // A packed layer stands beside the other until it is complete.
    let mut sizes: Vec<u64> = layers.data.iter().map(|data| data.values().len() as u64).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let (need, have) = (sizes.iter().take(options.threads).sum::<u64>() * 5 / 8, free_disk(dir)?);
    if need > have {
        return Err(Error::Disk { dir: dir.to_path_buf(), need, have });
    }
    let (before, after) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = live_positions_to(family.houses(), layers.max_layer() as u32) as u64;
    let done = AtomicU64::new(0);
    side_by_side(options.threads, layers.data.iter().collect(), |data| {
        let Data::File(file) = data else { return Ok(()) };
        before.fetch_add(file.len() as u64, Ordering::Relaxed);
        let packed = if file.head.form == Form::Bytes {
            pack_layer(dir, &family, file)?
        } else {
            file.len()
        };
        after.fetch_add(packed as u64, Ordering::Relaxed);
        let positions: usize = file.head.chunks.iter().map(|chunk| chunk.len).sum();
        let done = done.fetch_add(positions as u64, Ordering::Relaxed) + positions as u64;
        (options.progress)(BuildProgress { layer: file.head.layer, done, total });
        Ok(())
    })?;
    Ok((before.into_inner(), after.into_inner()))
}

fn pack_layer(dir: &Path, family: &Family, file: &LayerFile) -> Result<usize, Error> {
    file.check()?;
    let step = family.step();
    let form = Form::Packed(step);
    let name = layer_path(dir, family, file.head.layer);
    let mut partial = Partial::create(&name)?;
    let start = Head::len(file.head.chunks.len(), form);
    let mut chunks = Vec::with_capacity(file.head.chunks.len());
    let mut data = 0;
    for chunk in &file.head.chunks {
        let bytes = pack::pack(signed(&file.values()[chunk.start..chunk.end]), step);
        partial.write(start + data, &bytes)?;
        let end = data + bytes.len();
        chunks.push(Chunk { start: data, end, crc: crc32fast::hash(&bytes), ..*chunk });
        data = end;
    }
    let head = Head { family: *family, layer: file.head.layer, form, data, chunks };
    partial.write(0, &head.to_bytes())?;
    file.still()?;
    partial.finish()?;
    Ok(start + data)
}

impl Tables {
    /// Opens the tables of a game in a directory: all layers from 2 on as far as they go.
    ///
    /// Heads are checked at once, values when they are first read.
    pub fn open(dir: &Path, game: &Game) -> Result<Tables, Error> {
        Tables::open_to(dir, game, None)
    }

    /// Opens the tables of a game, if there are any.
    pub fn open_if_any(dir: &Path, game: &Game) -> Result<Option<Tables>, Error> {
        if !Family::of(game).is_ok_and(|family| folder(dir, &family).is_dir()) {
            return Ok(None);
        }
        match Tables::open(dir, game) {
            // The first layer is still being built, or never was.
            Err(Error::Missing { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens tables like [`open`](Tables::open), but no layer above `max`.
    pub fn open_to(dir: &Path, game: &Game, max: Option<u32>) -> Result<Tables, Error> {
        let family = Family::of(game)?;
        let layers = open_layers(dir, &family, max)?;
        if layers.data.is_empty() {
            return Err(Error::Missing { family, dir: dir.to_path_buf() });
        }
        Ok(Tables::new(family, layers))
    }
}
