//! A layer file of which a few bytes were changed is refused, or no value that it gives is wrong.
#![no_main]
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

use libfuzzer_sys::fuzz_target;
use sowing_rules::{CompactBoard, Family, Game};
use sowing_tables::{
    BuildOptions, Tables, build_in_directory, compress_directory, family_directory,
};

const LAYER: u32 = 4;

/// Tables on disk, with their highest layer as it should be, in both forms, and its values.
struct Honest {
    game: Game,
    dir: PathBuf,
    layer: PathBuf,
    files: [Vec<u8>; 2],
    values: Vec<(CompactBoard, i8)>,
}

static HONEST: LazyLock<Honest> = LazyLock::new(|| {
    let game: Game = "kalah(3,2)".parse().unwrap();
    let dir = env::temp_dir().join(format!("sow-fuzz-level-{}", process::id()));
    let tables = build_in_directory(&dir, &game, LAYER, &BuildOptions::default()).unwrap();
    let places = (0..3_u64.pow(6)).map(|code| (0..6).map(move |at| code / 3_u64.pow(at) % 3));
    let boards = places.map(|pits| pits.fold(0_u64, |row, pit| row << 8 | pit));
    let boards = boards.map(|pits| CompactBoard::from_rows(pits & 0xff_ffff, pits >> 24));
    let values = boards.filter_map(|board| Some((board, tables.probe(board)?))).collect();
    drop(tables);
    let family = Family::for_game(&game).unwrap();
    let layer = family_directory(&dir, &family).join(format!("level-{LAYER:02}.table"));
    let bytes = fs::read(&layer).unwrap();
    compress_directory(&dir, &game, &BuildOptions::default()).unwrap();
    let packed = fs::read(&layer).unwrap();
    Honest { game, dir, layer, files: [bytes, packed], values }
});

fn differences(one: &[u8], two: &[u8]) -> usize {
    one.iter().zip(two).filter(|(a, b)| a != b).count() + one.len().abs_diff(two.len())
}

fuzz_target!(|file: &[u8]| {
    let Honest { game, dir, layer, files, values } = &*HONEST;
    fs::write(layer, file).unwrap();
    let changed = files.iter().map(|honest| differences(file, honest)).min().unwrap();
    let tables = Tables::open(dir, game);
    assert!(changed > 0 || tables.is_ok());
    let Ok(tables) = tables else { return };
    for (board, value) in values {
        match tables.probe(*board) {
            // A file that was made up as a whole may say what it likes.
            Some(found) => {
                assert!(found == *value || changed > 5, "{board:?}: {found}, not {value}")
            }
            None => assert!(changed > 0, "{board:?} has no value"),
        }
    }
});
