//! Counts: the published table, and a plain search with sets of whole positions beside it.

use std::collections::HashSet;

use sowing::{Game, Rules};
use sowing_lab::{Census, CensusError, CensusOptions};
use sowing_plain::Plain;

#[test]
fn the_published_table_cell_by_cell() {
    let text = include_str!("../../../published/s_kalaha_states.csv");
    let mut cells = 0;
    for row in text.lines().filter(|line| !line.starts_with(['#', 'h'])) {
        let numbers: Vec<u64> = row.split(',').map(|field| field.parse().unwrap()).collect();
        let game = Game::new(Rules::S_KALAHA, numbers[0] as u8, numbers[1]).unwrap();
        assert_eq!(Census::of(&game, 1 << 28).unwrap().total(), numbers[2], "{game}");
        cells += 1;
    }
    assert_eq!(cells, 17);
}

/// Live positions and finished boards, as many as there are.
fn plain(game: &Game) -> (u64, u64) {
    let start = (Plain::start(game), true);
    let mut live = HashSet::from([start.clone()]);
    let mut finished = HashSet::new();
    let mut open = vec![start];
    while let Some((position, first)) = open.pop() {
        for house in (0..position.houses()).filter(|house| position.rows[0][*house] > 0) {
            let (mut next, again) = position.play(house);
            let first = first == again;
            if next.finished() {
                if !first {
                    next.rows.swap(0, 1);
                    next.stores.swap(0, 1);
                }
                finished.insert((next.rows, next.stores));
            } else if live.insert((next.clone(), first)) {
                open.push((next, first));
            }
        }
    }
    (live.len() as u64, finished.len() as u64)
}

#[test]
fn a_plain_search_agrees() {
    let names = [
        "s-kalaha(3,4)",
        "s-kalaha(4,2)",
        "s-kalaha(3,3)",
        "s-kalaha(4,1)",
        "s-kalaha(2,6)",
        "kalah(3,2)",
        "kalah(2,3,clockwise)",
        "kalah(3,2,empty-capture)",
        "kalah(5,1,last-seed-capture)",
        // More seeds than a word has bits, and than two have.
        "s-kalaha(1,37)",
        "s-kalaha(2,17)",
        "kalah(1,90,clockwise)",
        "kalah(2,7,relay,empty-capture)",
        "s-kalaha(1,127)",
    ];
    for name in names {
        let game: Game = name.parse().unwrap();
        let census = Census::of(&game, 1 << 30).unwrap();
        assert_eq!((census.live(), census.finished()), plain(&game), "{name}");
    }
}

#[test]
fn layers_are_in_order_and_memory_is_kept_to() {
    let game: Game = "kalah(4,2)".parse().unwrap();
    let layers = Census::of(&game, 1 << 28).unwrap().layers;
    assert!(layers.is_sorted_by(|one, next| one.level > next.level));
    assert_eq!((layers[0].level, layers[0].finished), (16, 0));
    let error = Census::of(&"kalah(4,4)".parse().unwrap(), 3 << 20).unwrap_err();
    assert!(matches!(error, CensusError::MemoryFull { limit: 3_145_728, .. }), "{error}");
    let error = Census::of(&game, 1_000).unwrap_err();
    assert!(matches!(error, CensusError::TooLittleMemory { given: 1_000, .. }), "{error}");
}

/// Packed over and over in little memory, or in a folder, the count is the same.
#[test]
fn packing_and_folders_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("boards");
    for name in ["s-kalaha(4,3)", "kalah(4,2)", "kalah(3,2,clockwise)"] {
        let game: Game = name.parse().unwrap();
        let expected = Census::of(&game, 1 << 30).unwrap();
        assert_eq!(Census::of(&game, 6 << 20).as_ref(), Ok(&expected), "{name}");
        let options = CensusOptions { memory: 2 << 20, folder: Some(&folder), progress: &|_| {} };
        assert_eq!(Census::with_options(&game, &options).as_ref(), Ok(&expected), "{name}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{name}");
    }
}

/// Stopped at every turn and resumed, the count is the same; another game's folder is refused, and
/// so is a damaged one.
#[test]
fn a_count_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("boards");
    let game: Game = "s-kalaha(4,3)".parse().unwrap();
    let expected = Census::of(&game, 1 << 30).unwrap();
    let stop_at = |game: &Game, positions| {
        let options = CensusOptions {
            memory: 2 << 20,
            folder: Some(&folder),
            progress: &|progress| assert!(progress.positions < positions, "stopped"),
        };
        let count = || Census::with_options(game, &options);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(count))
    };
    let note = || std::fs::read_to_string(folder.join("note")).unwrap();
    let mut stage = String::new();
    for positions in [400_000, 700_000, 1_100_000] {
        assert!(stop_at(&game, positions).is_err());
        let next = note().lines().nth(1).unwrap().to_string();
        assert_ne!(stage, next, "nothing was noted");
        stage = next;
    }
    let error = stop_at(&"s-kalaha(3,5)".parse().unwrap(), 1_000).unwrap().unwrap_err();
    assert!(error.to_string().contains("belongs to the count of s-kalaha(4,3)"), "{error}");

    let last = note().lines().last().unwrap().split(' ').nth(1).unwrap().to_string();
    let boards = folder.join(format!("boards-{last:0>5}"));
    let bytes = std::fs::read(&boards).unwrap();
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    let shorter = bytes[1..].to_vec();
    for bad in [changed, shorter] {
        std::fs::write(&boards, bad).unwrap();
        let error = stop_at(&game, u64::MAX).unwrap().unwrap_err();
        assert!(error.to_string().contains("is damaged"), "{error}");
        // The stages before the damage may be done and gone.
        if !boards.exists() {
            break;
        }
    }
    std::fs::write(&boards, bytes).unwrap();
    assert_eq!(stop_at(&game, u64::MAX).unwrap(), Ok(expected));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
