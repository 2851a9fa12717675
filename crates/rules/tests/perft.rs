//! Counts of lines of play, one file a game, checked by two implementations.
//!
//! `SOW_PERFT_LIMIT=1000000000 cargo test --release perft` checks the long lines too.

use std::fs;
use std::path::Path;

use sowing_plain::Plain;
use sowing_rules::{Game, Position, Setup, perft};

#[test]
fn counts_agree_with_the_files() {
    let limit = std::env::var("SOW_PERFT_LIMIT").ok().and_then(|text| text.parse().ok());
    let limit: u64 = limit.unwrap_or(20_000_000);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut checked = 0;
        let mut position: Option<Position> = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once(' ').unwrap();
            if key == "game" {
                position = Some(Position::start(value.parse::<Game>().unwrap()));
                continue;
            }
            let start = position.as_mut().expect("a game comes first");
            if key == "position" {
                *start = Position::free(*start.game(), &value.parse::<Setup>().unwrap()).unwrap();
                continue;
            }
            let (depth, leaves): (u32, u64) = (key.parse().unwrap(), value.parse().unwrap());
            if leaves > limit {
                continue;
            }
            let counted = perft(start, depth);
            assert_eq!(counted.leaves, leaves, "{} depth {depth} {start}", start.game());
            let sum: u64 = counted.moves.iter().map(|(_, leaves)| leaves).sum();
            assert_eq!(sum, leaves);
            if leaves <= limit / 40 {
                assert_eq!(
                    Plain::from_position(start).perft(depth),
                    leaves,
                    "plain: {} depth {depth}",
                    start.game()
                );
                checked += 1;
            }
        }
        assert!(checked >= 3, "{}", file.display());
    }
}
