//! Tables on disk: where they are, building them there, opening them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing::Game;
use sowing_files::{Lock, LockError, make_folder};

use crate::build::{Filler, Levels, Options, Progress, check_level, side_by_side, working_memory};
use crate::file::{CHUNK, Chunk, Form, Head, LevelFile, Partial, chunks};
use crate::level::{Data, Layout, memory, signed, signed_mut, unsigned};
use crate::{Error, Family, Ranks, Tables, live_positions, live_positions_to, pack};

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

fn level_path(dir: &Path, family: &Family, level: u32) -> PathBuf {
    folder(dir, family).join(format!("level-{level:02}.table"))
}

/// Removes what a build by this process has aside, for a process that is about to end. Finished
/// levels stay, and so does everything while another process builds there.
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
    let entries = fs::read_dir(folder(dir, family)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "partial") {
            // If it cannot be removed it is only in the way.
            let _ = fs::remove_file(path);
        }
    }
}

/// What a build into a directory will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The games.
    pub family: Family,
    /// The highest level that is there already; 1 if none is.
    pub present: u32,
    /// The highest level to build.
    pub level: u32,
    /// Positions of the levels to build.
    pub positions: u64,
    /// Bytes to be written.
    pub disk: u64,
    /// Bytes of memory that the work takes at least.
    pub memory: u64,
    /// Threads that fit the memory.
    pub threads: usize,
}

/// The levels of a family in a directory, from 2 on as far as they go without a gap.
fn present(dir: &Path, family: &Family) -> u32 {
    (2..).take_while(|level| level_path(dir, family, *level).exists()).last().unwrap_or(1)
}

/// What building levels to `level` into a directory will take.
pub fn plan(dir: &Path, game: &Game, level: u32, options: &Options) -> Result<Plan, Error> {
    let family = Family::of(game)?;
    check_level(&family, level)?;
    let present = present(dir, &family);
    let ranks = Ranks::new(family.houses());
    let done = live_positions_to(family.houses(), present.min(level));
    let positions = live_positions_to(family.houses(), level) - done;
    let positions = u64::try_from(positions).unwrap_or(u64::MAX);
    let heads = (present + 1..=level).map(|level| {
        let chunks = live_positions(family.houses(), level) / CHUNK as u128 + 2 * u128::from(level);
        Head::len(chunks as usize, Form::Bytes) as u64
    });
    let disk = positions.saturating_add(heads.sum());
    let need = |threads| {
        let buffers = pair_sizes(&ranks, level as usize).take(threads).sum::<u64>();
        let work = (present + 1..=level)
            .map(|level| working_memory(&family, &ranks, level, threads))
            .max();
        work.map_or(0, |work| work + buffers)
    };
    let threads =
        (1..=options.threads.max(1)).rev().find(|threads| need(*threads) <= options.memory);
    let threads = threads.unwrap_or(1);
    Ok(Plan { family, present, level, positions, disk, memory: need(threads), threads })
}

/// The bytes of the pairs of a level, largest first.
fn pair_sizes(ranks: &Ranks, level: usize) -> impl Iterator<Item = u64> {
    let size = |q: usize| (ranks.count(q) * ranks.count(level - q)) as u64;
    let mut sizes: Vec<u64> =
        (1..=level / 2).map(|q| size(q) * if 2 * q == level { 1 } else { 2 }).collect();
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

/// Builds levels 2 to `level` of a game's tables into a directory, from the last finished one on.
///
/// Each level is written aside, brought to the disk and renamed when it is complete, so that a build
/// that is interrupted, whatever by, leaves finished levels only; one that fails leaves nothing
/// aside. Levels that are there are checked first, and one that changes while it is built upon is
/// an error. Memory is bounded by `options.memory`; finished levels are read through memory maps.
///
/// One build at a time works in the folder of a family: another gets [`Error::Busy`]. Whoever has
/// opened the tables can go on reading them.
pub fn build_in_directory(
    dir: &Path,
    game: &Game,
    level: u32,
    options: &Options,
) -> Result<Tables, Error> {
    // What cannot be done is refused before a folder is made.
    let Plan { family, .. } = affordable(dir, game, level, options)?;
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family);
    // Another build may have been at work until now.
    let plan = affordable(dir, game, level, options)?;
    if plan.present < level {
        let mut levels = open_levels(dir, &family, Some(level))?;
        check_all(&levels, options.threads)?;
        unpack_all(&mut levels)?;
        build_levels(dir, &plan, levels, options)?;
    }
    Tables::open(dir, game)
}

/// A plan that memory and disk suffice for.
fn affordable(dir: &Path, game: &Game, level: u32, options: &Options) -> Result<Plan, Error> {
    let plan = plan(dir, game, level, options)?;
    if plan.present < level {
        check_resources(&plan, dir, options)?;
    }
    Ok(plan)
}

fn lock_path(dir: &Path, family: &Family) -> PathBuf {
    folder(dir, family).join("lock")
}

/// Keeps other builds out of a family's folder, which is made if need be, until it is dropped.
fn lock(dir: &Path, family: &Family) -> Result<Lock, Error> {
    let (folder, path) = (folder(dir, family), lock_path(dir, family));
    make_folder(&folder).map_err(Error::io(&folder))?;
    Lock::take(&path).map_err(|error| match error {
        LockError::Held(who) => Error::Busy { folder, who },
        LockError::Io(error) => Error::io(&path)(error),
    })
}

fn free_disk(dir: &Path) -> Result<u64, Error> {
    // A folder that is still to be made will lie on the disk of the one that it is made in.
    let made = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    fs4::available_space(made).map_err(Error::io(made))
}

fn check_resources(plan: &Plan, dir: &Path, options: &Options) -> Result<(), Error> {
    let free = free_disk(dir)?;
    if plan.disk > free {
        return Err(Error::Disk { dir: dir.to_path_buf(), need: plan.disk, have: free });
    }
    let what = || format!("building {} to {} seeds", plan.family, plan.level);
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

fn build_levels(dir: &Path, plan: &Plan, levels: Levels, options: &Options) -> Result<(), Error> {
    let mut levels = levels;
    let family = &plan.family;
    let buffers = pair_sizes(&levels.ranks, plan.level as usize).take(plan.threads).sum::<u64>();
    let filler = Filler::new(family, plan.level, options, options.memory.saturating_sub(buffers));
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // A finished level is made to last while the next one is computed.
        let mut pending: Option<std::thread::ScopedJoinHandle<'_, Result<(), Error>>> = None;
        for level in plan.present + 1..=plan.level {
            let name = level_path(dir, family, level);
            let report = |values: usize| {
                let done = done.fetch_add(values as u64, Ordering::Relaxed) + values as u64;
                (options.progress)(Progress { level, done, total: plan.positions });
            };
            let partial =
                write_level(&name, family, level, &levels, &filler, plan.threads, report)?;
            // What changed below it while it was computed may have gone into it.
            levels.still()?;
            let mut file = LevelFile::open(partial.path(), family, level)?;
            file.path.clone_from(&name);
            levels.push(Data::File(file));
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

fn write_level(
    name: &Path,
    family: &Family,
    level: u32,
    levels: &Levels,
    filler: &Filler,
    threads: usize,
    report: impl Fn(usize) + Sync,
) -> Result<Partial, Error> {
    let layout = Layout::new(&levels.ranks, level as usize);
    let stretches = chunks(&levels.ranks, level as usize);
    let start = Head::len(stretches.len(), Form::Bytes);
    let partial = Mutex::new(Partial::create(name)?);
    let crcs = Mutex::new(vec![0_u32; stretches.len()]);
    side_by_side(threads, (1..=level as usize / 2).collect(), |q| {
        let pair = layout.pair(q);
        let mut map = memory(pair.len())?;
        let values = &mut signed_mut(&mut map)[..pair.len()];
        filler.fill(levels, level as usize, q, values)?;
        let bytes = unsigned(values);
        let first = stretches.partition_point(|(first, _)| *first < pair.start);
        let last = stretches.partition_point(|(first, _)| *first < pair.end);
        let found: Vec<u32> = stretches[first..last]
            .iter()
            .map(|(at, len)| crc32fast::hash(&bytes[at - pair.start..][..*len]))
            .collect();
        crcs.lock().expect("nothing panics with the checksums")[first..last]
            .copy_from_slice(&found);
        partial.lock().expect("nothing panics with the file").write(start + pair.start, bytes)?;
        report(values.len());
        Ok(())
    })?;
    let crcs = crcs.into_inner().expect("nothing panics with the checksums");
    let chunk = |((first, len), crc): (&(usize, usize), u32)| Chunk {
        first: *first,
        len: *len,
        start: *first,
        end: first + len,
        crc,
    };
    let chunks = stretches.iter().zip(crcs).map(chunk).collect();
    let head = Head { family: *family, level, form: Form::Bytes, data: layout.len(), chunks };
    let mut partial = partial.into_inner().expect("nothing panics with the file");
    partial.write(0, &head.to_bytes())?;
    Ok(partial)
}

/// Opens the levels that are there, to `max` at most.
pub(crate) fn open_levels(dir: &Path, family: &Family, max: Option<u32>) -> Result<Levels, Error> {
    let mut levels = Levels::new(family.houses());
    let present = present(dir, family).min(max.unwrap_or(u32::MAX));
    for level in 2..=present {
        let file = LevelFile::open(&level_path(dir, family, level), family, level)?;
        levels.push(Data::File(file));
    }
    Ok(levels)
}

/// Checks every chunk of every level.
pub(crate) fn check_all(levels: &Levels, threads: usize) -> Result<(), Error> {
    side_by_side(threads, levels.data.iter().collect(), |data| match data {
        Data::File(file) => file.check(),
        Data::Memory(_) => Ok(()),
    })
}

/// Unpacks packed levels into memory, since building reads bytes.
fn unpack_all(levels: &mut Levels) -> Result<(), Error> {
    for data in &mut levels.data {
        let Data::File(file) = &*data else { continue };
        if file.head.form == Form::Bytes {
            continue;
        }
        let values = data.unpacked().ok_or_else(|| Error::file(&file.path, "damaged"))?;
        file.still()?;
        let mut map = memory(values.len())?;
        signed_mut(&mut map).copy_from_slice(&values);
        drop(values);
        *data = Data::Memory(map);
    }
    Ok(())
}

/// Packs the levels of a game's tables that are not packed yet. Returns bytes before and after.
pub fn compress(dir: &Path, game: &Game, options: &Options) -> Result<(u64, u64), Error> {
    let family = Family::of(game)?;
    if present(dir, &family) < 2 {
        return Err(Error::Missing { family, dir: dir.to_path_buf() });
    }
    let _lock = lock(dir, &family)?;
    remove_leftovers(dir, &family);
    let levels = open_levels(dir, &family, None)?;
    // A packed level stands beside the other until it is complete.
    let mut sizes: Vec<u64> = levels.data.iter().map(|data| data.values().len() as u64).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let (need, have) = (sizes.iter().take(options.threads).sum::<u64>() * 5 / 8, free_disk(dir)?);
    if need > have {
        return Err(Error::Disk { dir: dir.to_path_buf(), need, have });
    }
    let (before, after) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = live_positions_to(family.houses(), levels.max_level() as u32) as u64;
    let done = AtomicU64::new(0);
    side_by_side(options.threads, levels.data.iter().collect(), |data| {
        let Data::File(file) = data else { return Ok(()) };
        before.fetch_add(file.len() as u64, Ordering::Relaxed);
        let packed = if file.head.form == Form::Bytes {
            pack_level(dir, &family, file)?
        } else {
            file.len()
        };
        after.fetch_add(packed as u64, Ordering::Relaxed);
        let positions: usize = file.head.chunks.iter().map(|chunk| chunk.len).sum();
        let done = done.fetch_add(positions as u64, Ordering::Relaxed) + positions as u64;
        (options.progress)(Progress { level: file.head.level, done, total });
        Ok(())
    })?;
    Ok((before.into_inner(), after.into_inner()))
}

fn pack_level(dir: &Path, family: &Family, file: &LevelFile) -> Result<usize, Error> {
    file.check()?;
    let step = if family.rules().remaining_lost { 1 } else { 2 };
    let form = Form::Packed(step);
    let name = level_path(dir, family, file.head.level);
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
    let head = Head { family: *family, level: file.head.level, form, data, chunks };
    partial.write(0, &head.to_bytes())?;
    file.still()?;
    partial.finish()?;
    Ok(start + data)
}

impl Tables {
    /// Opens the tables of a game in a directory: all levels from 2 on as far as they go.
    ///
    /// Heads are checked at once, values when they are first read.
    pub fn open(dir: &Path, game: &Game) -> Result<Tables, Error> {
        Tables::open_to(dir, game, None)
    }

    /// Opens tables like [`open`](Tables::open), but no level above `max`.
    pub fn open_to(dir: &Path, game: &Game, max: Option<u32>) -> Result<Tables, Error> {
        let family = Family::of(game)?;
        let levels = open_levels(dir, &family, max)?;
        if levels.data.is_empty() {
            return Err(Error::Missing { family, dir: dir.to_path_buf() });
        }
        Ok(Tables::new(family, levels))
    }
}
