//! Tables in files: the same values as in memory, whole or refused.

use std::fs;
use std::path::{Path, PathBuf};

use sowing::{Game, Small};
use sowing_tables::{
    Extent, Form, Options, Ranks, Tables, build_in_directory, build_in_memory, compress, plan,
};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn options() -> Options<'static> {
    Options { threads: 2, ..Options::default() }
}

fn boards(houses: u8, level: u32) -> Vec<Small> {
    let ranks = Ranks::new(houses);
    let mut boards = Vec::new();
    for level in 2..=level as usize {
        for p in 1..level {
            for own in ranks.rows(p) {
                let others = ranks.rows(level - p);
                boards.extend(others.into_iter().map(|other| Small::from_rows(own, other)));
            }
        }
    }
    boards
}

fn assert_same(one: &Tables, two: &Tables, houses: u8, level: u32) {
    for board in boards(houses, level) {
        let value = one.probe(board);
        assert!(value.is_some());
        assert_eq!(value, two.probe(board), "{board:?}");
    }
}

/// All files of a folder, by name; the lock has nothing in it.
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
    for (name, level) in [
        ("kalah(4,1)", 12),
        ("kalah(6,4)", 11),
        ("kalah(6,4,empty-capture)", 10),
        ("kalah(3,1,remaining-lost)", 14),
        ("s-kalaha(4,2)", 10),
    ] {
        let game = game(name);
        let dir = tempfile::tempdir().unwrap();
        let files = build_in_directory(dir.path(), &game, level, &options()).unwrap();
        let memory = build_in_memory(&game, level, &options()).unwrap();
        assert_eq!((files.max_level(), files.family()), (level, memory.family()));
        assert_same(&files, &memory, game.houses(), level);
        files.verify(Extent::All, &options()).unwrap();
        memory.verify(Extent::Sample(50), &options()).unwrap();
        assert!(files.damage().is_none());

        let (before, after) = compress(dir.path(), &game, &options()).unwrap();
        assert!(before > 0 && after > 0);
        let packed = Tables::open(dir.path(), &game).unwrap();
        assert!(packed.info().iter().all(|info| info.form != Form::Bytes));
        assert_same(&packed, &memory, game.houses(), level);
        packed.verify(Extent::All, &options()).unwrap();
        assert_eq!(packed.checksum(), memory.checksum());
        assert_eq!(packed.entropy(level), memory.entropy(level));
    }
}

#[test]
fn a_build_goes_on_where_it_stopped() {
    let game = game("kalah(4,3)");
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_in_directory(whole.path(), &game, 12, &options()).unwrap();
    for level in [5, 5, 9, 12] {
        let tables = build_in_directory(parts.path(), &game, level, &options()).unwrap();
        assert_eq!(tables.max_level(), level);
        let folder = parts.path().join("kalah-4");
        fs::write(folder.join(format!("level-{}.partial", level + 1)), "half a level").unwrap();
    }
    build_in_directory(parts.path(), &game, 12, &options()).unwrap();
    let [whole, parts] = [&whole, &parts].map(|dir| contents(&dir.path().join("kalah-4")));
    assert_eq!(whole.len(), 12, "eleven levels and the lock");
    assert!(whole == parts);
}

/// Packed levels are unpacked to build on.
#[test]
fn a_build_goes_on_from_packed_levels() {
    let game = game("kalah(4,3)");
    let dir = tempfile::tempdir().unwrap();
    build_in_directory(dir.path(), &game, 8, &options()).unwrap();
    compress(dir.path(), &game, &options()).unwrap();
    let tables = build_in_directory(dir.path(), &game, 11, &options()).unwrap();
    let memory = build_in_memory(&game, 11, &options()).unwrap();
    assert_same(&tables, &memory, 4, 11);
}

#[test]
fn little_memory_gives_the_same_files() {
    let game = game("kalah(6,4)");
    let (plenty, little) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build_in_directory(plenty.path(), &game, 12, &options()).unwrap();
    let one = Options { threads: 1, ..Options::default() };
    let memory = plan(little.path(), &game, 12, &one).unwrap().memory;
    let least = Options { memory, ..options() };
    assert_eq!(plan(little.path(), &game, 12, &least).unwrap().threads, 1);
    build_in_directory(little.path(), &game, 12, &least).unwrap();
    let [plenty, little] = [&plenty, &little].map(|dir| contents(&dir.path().join("kalah-6")));
    assert!(plenty == little);
    let too_little = Options { memory: memory - 1, ..options() };
    let dir = tempfile::tempdir().unwrap();
    let refused = build_in_directory(dir.path(), &game, 12, &too_little).unwrap_err();
    assert!(refused.to_string().contains("are allowed"), "{refused}");
}

/// A flipped bit in any byte of a file: in the head the file is refused, in the values it is found
/// by a check, and probing gives the right value or none.
#[test]
fn a_flipped_byte_is_found() {
    let game = game("kalah(3,1)");
    for packed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let good = build_in_memory(&game, 6, &options()).unwrap();
        build_in_directory(dir.path(), &game, 6, &options()).unwrap();
        if packed {
            compress(dir.path(), &game, &options()).unwrap();
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
            let found = tables.verify(Extent::Sample(1), &options());
            assert!(found.unwrap_err().to_string().contains("checksum"), "byte {at}");
            assert!(tables.damage().is_some());
            for board in &boards {
                let value = tables.probe(*board);
                assert!(value.is_none() || value == good.probe(*board), "byte {at}");
            }
            let further = build_in_directory(dir.path(), &game, 7, &options());
            assert!(further.unwrap_err().to_string().contains("checksum"), "byte {at}");
        }
        fs::write(&path, &bytes).unwrap();
        Tables::open(dir.path(), &game).unwrap().verify(Extent::All, &options()).unwrap();
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
    assert!(refused(&lower).ends_with("holds level 5, not 6"));
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
    let error = tables.verify(Extent::All, &options()).unwrap_err().to_string();
    assert!(error.contains("the table says"), "{error}");
}

#[test]
fn nothing_there() {
    let dir = tempfile::tempdir().unwrap();
    let error = Tables::open(dir.path(), &game("kalah(6,4)")).unwrap_err().to_string();
    assert!(error.contains("no tables of kalah(6,.)"), "{error}");
    let clockwise = game("kalah(6,4,clockwise)");
    assert!(build_in_directory(dir.path(), &clockwise, 4, &options()).is_err());
}
