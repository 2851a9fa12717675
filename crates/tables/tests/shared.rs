//! Builds by several processes: the files of one, whatever happens to what lies aside.

use std::fs;
use std::path::Path;

use sowing_rules::{Game, SeededRng};
use sowing_tables::{
    BuildOptions, Error, SharedBuild, Tables, build_in_directory, compress_directory,
};

const LAYER: u32 = 9;

fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| name != "lock")
        .collect();
    files.sort();
    files
}

fn by_one(game: &Game) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    build_in_directory(dir.path(), game, LAYER, &BuildOptions::default()).unwrap();
    files(dir.path())
}

/// Builds with two that take turns, up to a pair after which it stops. How many pairs were there.
fn build(dir: &Path, game: &Game, stop: usize) -> usize {
    let options = BuildOptions { threads: 1, ..BuildOptions::default() };
    let _lock = SharedBuild::lock(dir, game).unwrap();
    let mut two = [0, 1].map(|_| SharedBuild::open(dir, game, LAYER, &options).unwrap());
    two[0].clean();
    let (mut found, mut filled) = (0, 0);
    while two[0].layer().is_some() {
        two[0].begin().unwrap();
        for pair in 0..two[0].pairs() {
            if filled == stop {
                return found;
            }
            found += usize::from(two[pair % 2].fill(pair).unwrap().found);
            filled += 1;
        }
        let seal = two[0].seal().unwrap();
        // One of them opens the layer before it has its name, one after.
        two[0].advance().unwrap();
        seal.finish().unwrap();
        two[1].advance().unwrap();
    }
    found
}

#[test]
fn two_build_what_one_builds() {
    for game in ["kalah(4,3)", "s-kalaha(5,3)", "kalah(3,3,relay)", "kalah(4,3,remaining-lost)"] {
        let game: Game = game.parse().unwrap();
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(build(dir.path(), &game, usize::MAX), 0);
        assert!(files(dir.path()) == by_one(&game), "{game}");
    }
}

/// Stopped after any pair, and with anything done to what lies aside, it goes on to the same files;
/// pairs that nothing happened to are not computed again. What no longer begins like a file of ours
/// is in the way, and stays.
#[test]
fn taken_up_after_any_pair() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    let expected = by_one(&game);
    let pairs: usize = (2..=LAYER as usize).map(|layer| layer / 2).sum();
    let mut random = SeededRng::new(1, 0);
    let (mut kept, mut computed) = (0, 0);
    for case in 0..4 * pairs {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &game, 1 + case / 4);
        let folder = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
        let aside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let aside: Vec<_> = aside
            .filter(|path| path.extension().is_some_and(|ending| ending != "table"))
            .filter(|path| path.file_name().is_some_and(|name| name != "lock"))
            .collect();
        let notes = aside.len().saturating_sub(1);
        if case % 4 != 0 && !aside.is_empty() {
            let path = &aside[random.below(aside.len() as u64) as usize];
            let mut bytes = fs::read(path).unwrap();
            let at = random.below(bytes.len() as u64) as usize;
            match case % 4 {
                1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes.truncate(at),
                _ => bytes.extend([7; 9]),
            }
            fs::write(path, &bytes).unwrap();
            let mark: &[u8] =
                if path.extension().unwrap() == "partial" { b"SOWTABLE" } else { b"SOWPAIR1" };
            if !bytes.is_empty() && !bytes.starts_with(mark) {
                let options = BuildOptions::default();
                let refused = SharedBuild::open(dir.path(), &game, LAYER, &options).unwrap_err();
                assert!(refused.to_string().contains(" is in the way: "), "{refused}");
                assert!(fs::read(path).unwrap() == bytes, "{}", path.display());
                fs::remove_file(path).unwrap();
            }
        }
        let found = build(dir.path(), &game, usize::MAX);
        assert!(files(dir.path()) == expected, "case {case}");
        if case % 4 == 0 {
            assert_eq!(found, notes, "all that was there is found");
        }
        kept += found;
        computed += notes - found;
    }
    assert!(kept > 40 && computed > 10, "{kept} kept, {computed} computed again");
}

/// What a shared build left is cleared away by a build of one process, and never taken for a layer.
#[test]
fn one_goes_on_after_many() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &game, 11);
    build_in_directory(dir.path(), &game, LAYER, &BuildOptions::default()).unwrap();
    assert!(files(dir.path()) == by_one(&game));
}

/// A packed layer with a changed byte is refused where it is opened, by a build of many as by a build of one, and has
/// no checksum.
#[test]
fn damaged_packed_layers_are_refused() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = BuildOptions::default();
    build_in_directory(dir.path(), &game, 6, &options).unwrap();
    compress_directory(dir.path(), &game, &options).unwrap();
    let path = dir.path().join("kalah-4/level-06.table");
    let honest = fs::read(&path).unwrap();
    assert!(Tables::open(dir.path(), &game).unwrap().checksum().is_some());
    let mut refused = 0;
    for at in (honest.len() / 2..honest.len()).step_by(97) {
        let mut bytes = honest.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let shared = SharedBuild::open(dir.path(), &game, 7, &options);
        let alone = build_in_directory(dir.path(), &game, 7, &options);
        assert!(matches!((&shared, &alone), (Err(Error::File { .. }), Err(Error::File { .. }))));
        let tables = Tables::open_to(dir.path(), &game, None);
        assert!(tables.is_err() || tables.unwrap().checksum().is_none());
        refused += 1;
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn limits_hold() {
    let game: Game = "kalah(6,4)".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = BuildOptions { threads: 1, memory: 1 << 20, ..BuildOptions::default() };
    let small = SharedBuild::open(dir.path(), &game, 16, &options);
    assert!(matches!(small, Err(Error::Memory { .. })), "{small:?}");
    // A layer is sealed only when all of its pairs are there.
    let build = SharedBuild::open(dir.path(), &game, 4, &BuildOptions::default()).unwrap();
    let _lock = SharedBuild::lock(dir.path(), &game).unwrap();
    assert!(matches!(SharedBuild::lock(dir.path(), &game), Err(Error::Busy { .. })));
    build.begin().unwrap();
    assert!(build.seal().is_err());
}
