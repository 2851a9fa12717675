//! Counts: the published table, and a plain search with sets of whole positions beside it.

use std::collections::HashSet;

use sowing::{Game, Rules};
use sowing_lab::{Census, CensusError};
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
        "s-kalaha(3,3)",
        "s-kalaha(4,1)",
        "s-kalaha(2,6)",
        "kalah(3,2)",
        "kalah(2,3,clockwise)",
        "kalah(3,2,empty-capture)",
        "kalah(5,1,last-seed-capture)",
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
