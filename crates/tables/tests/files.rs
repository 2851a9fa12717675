//! Tables in files: the same values as in memory, whole or refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use sowing_rules::{Board, CompactBoard, Game};
use sowing_tables::{
    BuildOptions, Encoding, Error, RowIndex, Tables, VerifyScope, build_in_directory,
    build_in_memory, compress_directory, plan_build,
};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn options() -> BuildOptions<'static> {
    BuildOptions { threads: 2, ..BuildOptions::default() }
}

fn boards(houses: u8, layer: u32) -> Vec<CompactBoard> {
    let row_index = RowIndex::new(houses);
    let mut boards = Vec::new();
    for layer in 2..=layer as usize {
        for p in 1..layer {
            for own in row_index.rows(p) {
                let others = row_index.rows(layer - p);
                boards.extend(others.into_iter().map(|other| CompactBoard::from_rows(own, other)));
            }
        }
    }
    boards
}

fn assert_same(one: &Tables, two: &Tables, houses: u8, layer: u32) {
    for board in boards(houses, layer) {
        let value = one.probe(board);
        assert!(value.is_some());
        assert_eq!(value, two.probe(board), "{board:?}");
    }
}

/// All files of a folder, by name.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn files_and_memory_agree() {
    for (name, layer) in [
        ("kalah(4,1)", 12),
        ("kalah(6,4)", 11),
        ("kalah(6,4,empty-capture)", 10),
        ("kalah(3,1,remaining-lost)", 14),
        ("s-kalaha(4,2)", 10),
    ] {
        let game = game(name);
        let dir = tempfile::tempdir().unwrap();
        let files = build_in_directory(dir.path(), &game, layer, &options()).unwrap();
        let memory = build_in_memory(&game, layer, &options()).unwrap();
        assert_eq!((files.max_layer(), files.family()), (layer, memory.family()));
        assert_same(&files, &memory, game.houses(), layer);
        files.verify(VerifyScope::All, &options()).unwrap();
        memory.verify(VerifyScope::Sample(50), &options()).unwrap();
        assert!(files.integrity_error().is_none());

        let (before, after) = compress_directory(dir.path(), &game, &options()).unwrap();
        assert!(before > 0 && after > 0);
        let packed = Tables::open(dir.path(), &game).unwrap();
        assert!(packed.info().iter().all(|info| info.encoding != Encoding::Plain));
        assert_same(&packed, &memory, game.houses(), layer);
        packed.verify(VerifyScope::All, &options()).unwrap();
        assert_eq!(packed.checksum(), memory.checksum());
        assert_eq!(packed.entropy(layer), memory.entropy(layer));
    }
}

#[test]
fn a_build_goes_on_where_it_stopped() {
    let game = game("kalah(4,3)");
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_in_directory(whole.path(), &game, 12, &options()).unwrap();
    for layer in [5, 5, 9, 12] {
        let tables = build_in_directory(parts.path(), &game, layer, &options()).unwrap();
        assert_eq!(tables.max_layer(), layer);
        let folder = parts.path().join("kalah-4");
        fs::write(folder.join(format!("level-{}.partial", layer + 1)), "SOWTABLE, half a layer")
            .unwrap();
    }
    build_in_directory(parts.path(), &game, 12, &options()).unwrap();
    let [whole, parts] = [&whole, &parts].map(|dir| contents(&dir.path().join("kalah-4")));
    assert_eq!(whole.len(), 11, "layers 2 to 12, and no lock");
    assert!(whole == parts);
}

#[test]
fn a_build_that_is_stopped_goes_on() {
    let game = game("kalah(4,3)");
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_in_directory(whole.path(), &game, 12, &options()).unwrap();
    let asked = AtomicU32::new(0);
    let should_stop = || asked.fetch_add(1, Ordering::Relaxed) > 20;
    let stopping = BuildOptions { should_stop: &should_stop, ..options() };
    let built = build_in_directory(parts.path(), &game, 12, &stopping);
    assert!(matches!(built, Err(Error::Stopped)));
    let layers = contents(&parts.path().join("kalah-4")).len();
    assert!((1..11).contains(&layers), "{layers} files, all of them finished layers");
    build_in_directory(parts.path(), &game, 12, &options()).unwrap();
    let [whole, parts] = [&whole, &parts].map(|dir| contents(&dir.path().join("kalah-4")));
    assert!(whole == parts);
}

/// Packed layers are unpacked to build on.
#[test]
fn a_build_goes_on_from_packed_layers() {
    let game = game("kalah(4,3)");
    let dir = tempfile::tempdir().unwrap();
    build_in_directory(dir.path(), &game, 8, &options()).unwrap();
    compress_directory(dir.path(), &game, &options()).unwrap();
    let tables = build_in_directory(dir.path(), &game, 11, &options()).unwrap();
    let memory = build_in_memory(&game, 11, &options()).unwrap();
    assert_same(&tables, &memory, 4, 11);
    // Layers that are unpacked take memory, which is refused where it is not there.
    compress_directory(dir.path(), &game, &options()).unwrap();
    let need = plan_build(dir.path(), &game, 12, &options()).unwrap().memory;
    let unpacked = tables.info().iter().map(|layer| layer.positions).sum::<u64>();
    let with = |memory| BuildOptions { memory, ..options() };
    let refused =
        build_in_directory(dir.path(), &game, 12, &with(need + unpacked - 1)).unwrap_err();
    assert!(refused.to_string().contains("on packed layers needs"), "{refused}");
    build_in_directory(dir.path(), &game, 12, &with(need + unpacked)).unwrap();
}

#[test]
fn little_memory_gives_the_same_files() {
    let game = game("kalah(6,4)");
    let (plenty, little) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_in_directory(plenty.path(), &game, 12, &options()).unwrap();
    let one = BuildOptions { threads: 1, ..BuildOptions::default() };
    let memory = plan_build(little.path(), &game, 12, &one).unwrap().memory;
    let least = BuildOptions { memory, ..options() };
    assert_eq!(plan_build(little.path(), &game, 12, &least).unwrap().threads, 1);
    build_in_directory(little.path(), &game, 12, &least).unwrap();
    let [plenty, little] = [&plenty, &little].map(|dir| contents(&dir.path().join("kalah-6")));
    assert!(plenty == little);
    let too_little = BuildOptions { memory: memory - 1, ..options() };
    let dir = tempfile::tempdir().unwrap();
    let refused = build_in_directory(dir.path(), &game, 12, &too_little).unwrap_err();
    assert!(refused.to_string().contains("are allowed"), "{refused}");
}

/// A flipped bit in any byte of a file: in the header the file is refused, in the values it is found
/// by a check, and probing gives the right value or none.
#[test]
fn a_flipped_byte_is_found() {
    let game = game("kalah(3,1)");
    for packed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let good = build_in_memory(&game, 6, &options()).unwrap();
        build_in_directory(dir.path(), &game, 6, &options()).unwrap();
        if packed {
            compress_directory(dir.path(), &game, &options()).unwrap();
        }
        let path = dir.path().join("kalah-3/level-06.table");
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() > 4096);
        let boards = boards(3, 6);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, &changed).unwrap();
            let opened = Tables::open(dir.path(), &game);
            if at < 4096 {
                let error = opened.err().unwrap_or_else(|| panic!("byte {at} of the head"));
                assert!(error.to_string().contains("level-06.table"), "{error}");
                continue;
            }
            let tables = opened.unwrap();
            let found = tables.verify(VerifyScope::Sample(1), &options());
            assert!(found.unwrap_err().to_string().contains("checksum"), "byte {at}");
            let tables = Tables::open(dir.path(), &game).unwrap();
            assert!(tables.integrity_error().is_none(), "no value was asked for");
            let mut missing = 0;
            for board in &boards {
                let value = tables.probe(*board);
                assert!(value.is_none() || value == good.probe(*board), "byte {at}");
                missing += usize::from(value.is_none());
            }
            let damage = tables.integrity_error().expect("some value is missing").to_string();
            assert!(missing > 0 && damage.contains("level-06.table: damaged: "), "{damage}");
            let further = build_in_directory(dir.path(), &game, 7, &options());
            assert!(further.unwrap_err().to_string().contains("checksum"), "byte {at}");
        }
        fs::write(&path, &bytes).unwrap();
        Tables::open(dir.path(), &game).unwrap().verify(VerifyScope::All, &options()).unwrap();
    }
}

#[test]
fn truncated_and_foreign_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (kalah, other) = (game("kalah(3,1)"), game("kalah(3,1,empty-capture)"));
    build_in_directory(dir.path(), &kalah, 6, &options()).unwrap();
    build_in_directory(dir.path(), &other, 6, &options()).unwrap();
    let path = dir.path().join("kalah-3/level-06.table");
    let bytes = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Tables::open(dir.path(), &kalah).unwrap_err().to_string()
    };
    for len in [0, 1, 8, 191, 192, 4095, 4096, bytes.len() - 1] {
        let error = refused(&bytes[..len]);
        assert!(error.contains("level-06.table"), "{len} bytes: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(refused(&longer).contains("too long"));
    let foreign = fs::read(dir.path().join("kalah-3-empty-capture/level-06.table")).unwrap();
    assert!(refused(&foreign).ends_with("holds kalah(3,.,empty-capture), not kalah(3,.)"));
    let lower = fs::read(dir.path().join("kalah-3/level-05.table")).unwrap();
    assert!(refused(&lower).ends_with("holds layer 5, not 6"));
    assert!(refused(b"something else").contains("not a table"));
}

/// A wrong value with a right checksum is found by computing it again.
#[test]
fn wrong_values_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let (kalah, other) = (game("kalah(3,1)"), game("kalah(3,1,last-seed-capture)"));
    build_in_directory(dir.path(), &kalah, 6, &options()).unwrap();
    build_in_directory(dir.path(), &other, 6, &options()).unwrap();
    // The other game's values under this game's name.
    let path = dir.path().join("kalah-3/level-06.table");
    let mut foreign =
        fs::read(dir.path().join("kalah-3-last-seed-capture/level-06.table")).unwrap();
    foreign[64..192].fill(0);
    foreign[64..74].copy_from_slice(b"kalah(3,.)");
    foreign[8..12].fill(0);
    let crc = crc32fast::hash(&foreign[..4096]);
    foreign[8..12].copy_from_slice(&crc.to_le_bytes());
    fs::write(&path, &foreign).unwrap();
    let tables = Tables::open(dir.path(), &kalah).unwrap();
    let error = tables.verify(VerifyScope::All, &options()).unwrap_err().to_string();
    assert!(error.contains("the table says"), "{error}");
}

#[test]
fn nothing_there() {
    let dir = tempfile::tempdir().unwrap();
    let error = Tables::open(dir.path(), &game("kalah(6,4)")).unwrap_err().to_string();
    assert!(error.contains("no tables of kalah(6,.)"), "{error}");
    assert!(Tables::open_if_any(dir.path(), &game("kalah(6,4)")).unwrap().is_none());
    // As long as the first layer is being built, or if that was never finished.
    fs::create_dir(dir.path().join("kalah-6")).unwrap();
    assert!(Tables::open_if_any(dir.path(), &game("kalah(6,4)")).unwrap().is_none());
    build_in_directory(dir.path(), &game("kalah(6,4)"), 4, &options()).unwrap();
    assert!(Tables::open_if_any(dir.path(), &game("kalah(6,4)")).unwrap().is_some());
    let clockwise = game("kalah(6,4,clockwise)");
    assert!(build_in_directory(dir.path(), &clockwise, 4, &options()).is_err());
}

/// A file of a layer that others do something to while it is open.
fn open_while(change: impl Fn(&Path)) -> (Tables, Tables, Vec<CompactBoard>) {
    let game = game("kalah(6,4)");
    let dir = tempfile::tempdir().unwrap();
    build_in_directory(dir.path(), &game, 11, &options()).unwrap();
    let good = build_in_memory(&game, 11, &options()).unwrap();
    // So that the change has another time.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let tables = Tables::open(dir.path(), &game).unwrap();
    let boards = boards(6, 11);
    // Half of the chunks are found right before, the others are asked for after.
    for board in boards.iter().take(boards.len() / 2) {
        assert_eq!(tables.probe(*board), good.probe(*board));
    }
    assert!(tables.integrity_error().is_none());
    change(&dir.path().join("kalah-6"));
    (tables, good, boards)
}

/// Cut at any place while it is mapped, a file gives right values or none, and says what happened.
#[test]
fn a_file_that_is_cut_while_in_use_is_noticed() {
    for keep in [0, 4096, 8192, 70_000] {
        let layer = |folder: &Path| folder.join("level-10.table");
        let (tables, good, boards) = open_while(|folder| {
            let file = fs::OpenOptions::new().write(true).open(layer(folder)).unwrap();
            assert!(file.metadata().unwrap().len() > 70_000);
            file.set_len(keep).unwrap();
        });
        let mut missing = 0;
        for board in boards.iter().rev() {
            match tables.probe(*board) {
                None => missing += 1,
                value => assert_eq!(value, good.probe(*board), "{board:?}"),
            }
        }
        assert!(missing > 0, "cut to {keep}");
        let damage = tables.integrity_error().unwrap().to_string();
        assert!(damage.ends_with("level-10.table: truncated while in use"), "{damage}");
        let verified = tables.verify(VerifyScope::Sample(10), &options()).unwrap_err();
        assert_eq!(verified.to_string(), damage);
        assert_eq!((tables.checksum(), tables.entropy(10)), (None, None));
    }
}

/// A file that is written to in place after its checksums were checked may give wrong values, but `integrity_error`
/// reports it.
#[test]
fn a_file_that_is_written_to_while_in_use_is_noticed() {
    for byte in [0, 200, 4096, 4096 + 30_000] {
        let (tables, _, _) = open_while(|folder| {
            let path = folder.join("level-09.table");
            let mut bytes = fs::read(&path).unwrap();
            bytes[byte] ^= 1;
            fs::write(&path, bytes).unwrap();
        });
        let damage = tables.integrity_error().unwrap().to_string();
        assert!(damage.contains("level-09.table: modified while in use"), "{damage}");
        assert!(tables.verify(VerifyScope::Sample(10), &options()).is_err());
    }
}

/// Packing, building further and removing leave those alone who read.
#[test]
fn readers_are_not_disturbed_by_builds() {
    let kalah = game("kalah(6,4)");
    let (tables, good, boards) = open_while(|folder| {
        let dir = folder.parent().unwrap();
        build_in_directory(dir, &kalah, 12, &options()).unwrap();
        compress_directory(dir, &kalah, &options()).unwrap();
        fs::remove_dir_all(folder).unwrap();
    });
    for board in &boards {
        assert_eq!(tables.probe(*board), good.probe(*board));
    }
    assert!(tables.integrity_error().is_none());
    tables.verify(VerifyScope::All, &options()).unwrap();
}

/// Many builds and packings at once in one folder: one works, and the others say who does.
#[test]
fn two_at_work_in_one_folder() {
    let game = game("kalah(4,3)");
    let dir = tempfile::tempdir().unwrap();
    let busy = |error: Error| match error {
        Error::Busy { .. } => {
            let said = error.to_string();
            assert!(said.contains(&format!("process {}", std::process::id())), "{said}");
            assert!(said.contains("kalah-4: ") && said.contains(" is building there"), "{said}");
            1
        }
        other => panic!("{other}"),
    };
    let refused: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let (dir, game, busy) = (dir.path(), &game, &busy);
                scope.spawn(move || {
                    let mut refused = 0;
                    for layer in 4..14 {
                        let layer = layer + thread % 2;
                        if let Err(error) = build_in_directory(dir, game, layer, &options()) {
                            refused += busy(error);
                        } else if layer % 3 == 0 {
                            let _ = compress_directory(dir, game, &options()).map_err(busy);
                        }
                    }
                    refused
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(refused > 0, "nothing was at work at the same time");
    let tables = build_in_directory(dir.path(), &game, 14, &options()).unwrap();
    tables.verify(VerifyScope::All, &options()).unwrap();
    assert_eq!(tables.checksum(), build_in_memory(&game, 14, &options()).unwrap().checksum());
    assert!(!dir.path().join("kalah-4/lock").exists());
}

/// Values that no position of their layer has, under right checksums: no probe gives one, and what
/// would read them all is refused.
#[test]
fn impossible_values_are_found() {
    for value in [i8::MIN, i8::MAX, -7, 7, 4] {
        let dir = tempfile::tempdir().unwrap();
        let game = game("kalah(3,1)");
        build_in_directory(dir.path(), &game, 8, &options()).unwrap();
        let path = dir.path().join("kalah-3/level-05.table");
        let mut bytes = fs::read(&path).unwrap();
        // Every chunk of layer 5 has its checksum in the header.
        bytes[4096..].fill(value as u8);
        let row_index = RowIndex::new(3);
        let mut at = 4096;
        for (index, q) in [1, 4, 2, 3].into_iter().enumerate() {
            let len = row_index.count(q) * row_index.count(5 - q);
            let crc = crc32fast::hash(&bytes[at..at + len]);
            bytes[192 + 4 * index..][..4].copy_from_slice(&crc.to_le_bytes());
            at += len;
        }
        assert_eq!(at, bytes.len());
        seal_header(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let tables = Tables::open(dir.path(), &game).unwrap();
        for board in boards(3, 8) {
            let is_forged = board.own_seeds() + board.other_seeds() == 5;
            assert_eq!(tables.probe(board).is_none(), is_forged, "{value} {board:?}");
        }
        let impossible = "hold a value that no position of 5 seeds has";
        let refused = |error: Error| {
            assert!(error.to_string().contains(impossible), "{value}: {error}");
        };
        refused(tables.integrity_error().unwrap());
        for extent in [VerifyScope::All, VerifyScope::Sample(1_000)] {
            refused(tables.verify(extent, &options()).unwrap_err());
        }
        refused(build_in_directory(dir.path(), &game, 9, &options()).unwrap_err());
        refused(compress_directory(dir.path(), &game, &options()).unwrap_err());
        assert_eq!(Tables::open(dir.path(), &game).unwrap().max_layer(), 8);
    }
}

/// Gives the header of a layer that fits a page the checksum of what it holds.
fn seal_header(bytes: &mut [u8]) {
    bytes[8..12].fill(0);
    let crc = crc32fast::hash(&bytes[..4096]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
}

/// A header under a right checksum that no layer has is refused in one line, whatever its numbers are.
#[test]
fn impossible_headers_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let game = game("kalah(3,1)");
    build_in_directory(dir.path(), &game, 6, &options()).unwrap();
    compress_directory(dir.path(), &game, &options()).unwrap();
    let path = dir.path().join("kalah-3/level-05.table");
    let good = fs::read(&path).unwrap();
    let forms = [1, 3, 4, 16, 255].map(|encoding| (29, vec![encoding]));
    let lengths =
        [u64::MAX, u64::MAX - 4095, 1 << 63, 0].map(|len| (40, len.to_le_bytes().to_vec()));
    for (at, field) in forms.into_iter().chain(lengths) {
        let mut bytes = good.clone();
        bytes[at..at + field.len()].copy_from_slice(&field);
        seal_header(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let error = Tables::open(dir.path(), &game).unwrap_err().to_string();
        assert!(error.contains("unknown encoding") || error.contains("too long"), "{error}");
        let wraps = error.contains("bytes, not") && error.contains("not 4095");
        assert!(!wraps, "a length wraps: {error}");
    }
    fs::write(&path, &good).unwrap();
    Tables::open(dir.path(), &game).unwrap().verify(VerifyScope::All, &options()).unwrap();
}

/// `verify` returns the number of recomputed positions; a sample is at most the layer.
#[test]
fn recomputed_positions_are_counted() {
    let tables = build_in_memory(&game("kalah(3,1)"), 6, &options()).unwrap();
    let positions: u64 = tables.info().iter().map(|layer| layer.positions).sum();
    let computed = |scope| tables.verify(scope, &options()).unwrap();
    assert_eq!(computed(VerifyScope::All), positions);
    assert_eq!(computed(VerifyScope::Sample(u64::MAX)), positions);
    // Layer 2 has 9 positions, layer 3 has 36; the others more than 40.
    assert_eq!(computed(VerifyScope::Sample(40)), 9 + 36 + 3 * 40);
}

/// Foreign files with the names that a build needs stay as they are.
#[cfg(unix)]
#[test]
fn foreign_files_stay() {
    use std::os::unix::fs::symlink;

    let game = game("kalah(4,3)");
    for (name, needed) in [
        ("lock", true),
        ("level-07.partial", true),
        ("level-07.table", true),
        ("level-04.partial", false),
        ("level-07.pair-01", false),
        ("holiday.partial", false),
        ("holiday.pair-01", false),
    ] {
        for kind in ["a file", "a link", "a link to nowhere", "a folder"] {
            let dir = tempfile::tempdir().unwrap();
            build_in_directory(dir.path(), &game, 5, &options()).unwrap();
            let [name, precious] = [dir.path().join("kalah-4").join(name), dir.path().join("mine")];
            match kind {
                "a file" => fs::write(&name, "mine").unwrap(),
                "a link" => {
                    fs::write(&precious, "mine").unwrap();
                    symlink(&precious, &name).unwrap();
                }
                "a folder" => fs::create_dir(&name).unwrap(),
                _ => symlink(&precious, &name).unwrap(),
            }
            let before = contents_of(&name);
            let shown = format!("{} as {kind}", name.display());
            let built = build_in_directory(dir.path(), &game, 8, &options());
            match built {
                Err(error) => {
                    assert!(needed, "{shown}: {error}");
                    let message = error.to_string();
                    let file = name.file_name().unwrap().to_str().unwrap();
                    assert!(
                        message.contains(&format!("{file} is in the way: ")),
                        "{shown}: {message}"
                    );
                    assert!(!dir.path().join("kalah-4/level-06.table").exists(), "{shown}");
                }
                Ok(_) => assert!(!needed, "{shown}"),
            }
            assert_eq!(contents_of(&name), before, "{shown}");
            assert_eq!(precious.exists(), kind == "a link", "{shown}");
        }
    }
}

/// Whether a name is a folder, the target of its link, and its content.
#[cfg(unix)]
fn contents_of(name: &Path) -> (bool, Option<std::path::PathBuf>, Option<Vec<u8>>) {
    (name.is_dir(), fs::read_link(name).ok(), fs::read(name).ok())
}
