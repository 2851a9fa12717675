//! Every value against the plain implementation's negamax.

use sowing_plain::{Negamax, Plain};
use sowing_rules::{CompactBoard, Game, Position, Rules, SeededRng};
use sowing_tables::{
    BuildOptions, Method, RowIndex, Tables, build_in_memory, live_positions, memory_to_build,
};

const OPTIONS: [&str; 10] = [
    "",
    ",empty-capture",
    ",last-seed-capture",
    ",no-capture",
    ",remaining-lost",
    ",empty-capture,remaining-lost",
    ",relay",
    ",relay,no-capture",
    ",relay,empty-capture",
    ",relay,no-capture,remaining-lost",
];

fn row(row: u64, houses: usize) -> Vec<u64> {
    (0..houses).map(|house| row >> (8 * house) & 0xff).collect()
}

fn plain(game: &Game, own: u64, other: u64) -> Plain {
    let houses = game.houses().into();
    Plain {
        rules: Rules { pie: false, ..game.rules() },
        rows: [row(own, houses), row(other, houses)],
        stores: [0, 0],
        first_turn: false,
        may_swap: false,
    }
}

fn build(game: &Game, layer: u32) -> Tables {
    build_in_memory(game, layer, &BuildOptions { threads: 2, ..BuildOptions::default() }).unwrap()
}

/// Holds every position of layers 2 to `layer` to the negamax, and counts them.
fn check_all(game: &Game, layer: u32) {
    let tables = build(game, layer);
    assert_eq!(tables.max_layer(), layer);
    let row_index = RowIndex::new(game.houses());
    let mut negamax = Negamax::default();
    for layer in 2..=layer as usize {
        let mut count = 0;
        for p in 1..layer {
            for own in row_index.rows(p) {
                for other in row_index.rows(layer - p) {
                    let expected = negamax.value(&plain(game, own, other));
                    let found = tables.probe(CompactBoard::from_rows(own, other));
                    assert_eq!(found.map(i64::from), Some(expected), "{game}: {own:x}|{other:x}");
                    count += 1;
                }
            }
        }
        assert_eq!(count, live_positions(game.houses(), layer as u32));
    }
}

#[test]
fn whole_layers_of_one_to_four_houses() {
    for (houses, layer) in [(1, 40), (2, 20), (3, 13), (4, 10)] {
        for options in OPTIONS {
            check_all(&format!("kalah({houses},1{options})").parse().unwrap(), layer);
        }
    }
}

/// Laps and captures after laps need many seeds in few houses.
#[test]
fn many_laps() {
    for options in OPTIONS {
        check_all(&format!("kalah(2,1{options})").parse().unwrap(), 24);
    }
    check_all(&"kalah(1,1)".parse().unwrap(), 127);
    check_all(&"kalah(3,1)".parse().unwrap(), 16);
}

#[test]
fn whole_layers_of_wide_rows() {
    for options in OPTIONS {
        for (houses, layer) in [(5, 6), (6, 5), (7, 5), (8, 4)] {
            check_all(&format!("kalah({houses},1{options})").parse().unwrap(), layer);
        }
    }
}

fn check_sample(game: &str, layers: std::ops::RangeInclusive<u32>, each: usize) {
    let game: Game = game.parse().unwrap();
    let tables = build(&game, *layers.end());
    let row_index = RowIndex::new(game.houses());
    let mut negamax = Negamax::default();
    let mut rng = SeededRng::new(1, 0);
    let mut random = |below: usize| rng.below(below as u64) as usize;
    for layer in layers {
        for _ in 0..each {
            let p = 1 + random(layer as usize - 1);
            let q = layer as usize - p;
            let own = row_index.row(p, random(row_index.count(p)));
            let other = row_index.row(q, random(row_index.count(q)));
            let expected = negamax.value(&plain(&game, own, other));
            let found = tables.probe(CompactBoard::from_rows(own, other));
            assert_eq!(found.map(i64::from), Some(expected), "{game}: {own:x}|{other:x}");
        }
    }
}

#[test]
fn samples_of_six_houses() {
    for options in ["", ",empty-capture", ",last-seed-capture", ",no-capture", ",remaining-lost"] {
        check_sample(&format!("kalah(6,4{options})"), 12..=14, 3);
    }
}

#[test]
fn samples_of_larger_layers_and_s_kalaha() {
    check_sample("kalah(6,4)", 15..=16, 2);
    check_sample("s-kalaha(6,4)", 12..=13, 3);
}

/// Every value of a layer, in a fixed order.
fn values(tables: &Tables, houses: u8, layer: usize) -> Vec<i8> {
    let row_index = RowIndex::new(houses);
    let mut values = Vec::new();
    for p in 1..layer {
        for own in row_index.rows(p) {
            for other in row_index.rows(layer - p) {
                values.push(tables.probe(CompactBoard::from_rows(own, other)).unwrap());
            }
        }
    }
    values
}

/// The streaming pass gives the values of the move-by-move pass: with and without vectors, on one thread and three,
/// with plenty of memory and with the least.
#[test]
fn all_ways_of_building_agree() {
    for (houses, layer) in [(2, 30), (3, 18), (4, 15), (6, 12), (8, 9)] {
        for options in &OPTIONS[..6] {
            let game: Game = format!("kalah({houses},1{options})").parse().unwrap();
            let build = |options: BuildOptions| build_in_memory(&game, layer, &options).unwrap();
            let plain = build(BuildOptions {
                method: Method::MoveByMove,
                threads: 2,
                ..BuildOptions::default()
            });
            let least = memory_to_build(&game, layer, 1).unwrap();
            let ways = [
                build(BuildOptions { threads: 1, ..BuildOptions::default() }),
                build(BuildOptions { threads: 1, memory: least, ..BuildOptions::default() }),
                build(BuildOptions { threads: 3, vectors: false, ..BuildOptions::default() }),
            ];
            for way in &ways {
                for layer in 2..=layer as usize {
                    let same = values(way, houses, layer) == values(&plain, houses, layer);
                    assert!(same, "{game}, layer {layer}");
                }
            }
        }
    }
}

#[test]
fn outside_the_tables() {
    let tables = build(&"kalah(3,1)".parse().unwrap(), 6);
    assert_eq!(tables.probe(CompactBoard::from_rows(0, 3)), None, "finished");
    assert_eq!(tables.probe(CompactBoard::from_rows(3, 0)), None, "finished");
    assert_eq!(tables.probe(CompactBoard::from_rows(4, 3)), None, "too many seeds");
    assert_eq!(tables.probe(CompactBoard::from_rows(u64::MAX, u64::MAX)), None);
    // More houses than the game has have no meaning, and do no harm.
    for house in 3..8 {
        if let Some(location) = tables.locate(CompactBoard::from_rows(1 << (8 * house), 2)) {
            tables.prefetch(location);
        }
        let _ = tables.probe(CompactBoard::from_rows(1 << (8 * house), 2));
    }
}

#[test]
fn refusals() {
    let refused = |game: &str, layer, memory| {
        let options = BuildOptions { memory, ..BuildOptions::default() };
        build_in_memory(&game.parse().unwrap(), layer, &options).unwrap_err().to_string()
    };
    assert!(refused("kalah(6,4,clockwise)", 8, u64::MAX).contains("clockwise"));
    assert!(refused("kalah(9,4)", 8, u64::MAX).contains("at most 8 houses"));
    assert!(refused("kalah(6,4)", 1, u64::MAX).contains("2 to"));
    assert!(refused("kalah(6,4)", 128, u64::MAX).contains("2 to"));
    assert!(refused("kalah(6,4)", 20, 1 << 20).contains("of memory"));
    let game = "kalah(6,4)".parse().unwrap();
    let memory = memory_to_build(&game, 10, 1).unwrap();
    let with = |memory| {
        build_in_memory(&game, 10, &BuildOptions { threads: 1, memory, ..BuildOptions::default() })
    };
    assert!(with(memory).is_ok() && with(memory - 1).is_err());
}

/// Tables say whether they are for a game: every option but pie makes another one.
#[test]
fn tables_are_for_one_family() {
    let tables = build(&"kalah(4,2)".parse().unwrap(), 6);
    for (name, fits) in [
        ("kalah(4,2)", true),
        ("kalah(4,31)", true),
        ("kalah(4,2,pie)", true),
        ("kalah(3,2)", false),
        ("kalah(5,2)", false),
        ("kalah(16,2)", false),
        ("s-kalaha(4,2)", false),
        ("kalah(4,2,relay)", false),
        ("kalah(4,2,empty-capture)", false),
        ("kalah(4,2,last-seed-capture)", false),
        ("kalah(4,2,no-capture)", false),
        ("kalah(4,2,clockwise)", false),
        ("kalah(4,2,remaining-lost)", false),
    ] {
        let required = tables.require(&name.parse().unwrap());
        assert_eq!(required.is_ok(), fits, "{name}");
        if let Err(error) = required {
            let said = error.to_string();
            assert!(said.contains("kalah(4,.)") && said.contains(name), "{said}");
        }
    }
}

/// Values of positions have the stores in them, and are not given where they would be another's.
#[test]
fn values_of_positions() {
    let game: Game = "kalah(3,2)".parse().unwrap();
    let tables = build(&game, 12);
    let at = |game: &Game, setup: &str| Position::new(*game, &setup.parse().unwrap()).unwrap();
    let start = Position::start(game);
    assert_eq!(tables.value(&start).unwrap(), Some(Negamax::default().value(&Plain::start(&game))));
    // The last seed is the opponent's two, and five against four lie in the stores.
    assert_eq!(tables.value(&at(&game, "0,0,1,5|2,0,0,4")).unwrap(), Some(0));
    assert_eq!(tables.value(&at(&game, "0,0,0,5|2,1,0,4")).unwrap(), Some(5 - 7));
    // A pie does not change tables, but the value of positions before it is over.
    let pie: Game = "kalah(3,2,pie)".parse().unwrap();
    assert_eq!(tables.value(&Position::start(pie)).unwrap(), None);
    assert_eq!(tables.value(&at(&pie, "0,0,1,5|2,0,0,4")).unwrap(), Some(0));
    // More seeds than there are tables for, and another game.
    let more: Game = "kalah(3,3)".parse().unwrap();
    assert_eq!(tables.value(&Position::start(more)).unwrap(), None);
    let other: Game = "kalah(3,2,no-capture)".parse().unwrap();
    assert!(tables.value(&Position::start(other)).is_err());
}

/// The entries of a layer are all its live boards, each once and in order, with their values.
#[test]
fn entries_and_histograms() {
    for name in ["kalah(3,2)", "s-kalaha(2,3)", "kalah(4,1,remaining-lost)"] {
        let game: Game = name.parse().unwrap();
        let tables = build(&game, 7);
        let mut negamax = Negamax::default();
        for layer in 2..=7 {
            let entries: Vec<_> = tables.entries(layer).unwrap().map(Result::unwrap).collect();
            assert_eq!(entries.len() as u128, live_positions(game.houses(), layer), "{name}");
            assert!(entries.is_sorted_by_key(|entry| entry.index), "{name}");
            let mut histogram = std::collections::BTreeMap::<i8, u64>::new();
            for entry in &entries {
                let value = negamax.value(&plain(&game, entry.board.own(), entry.board.other()));
                assert_eq!(i64::from(entry.value), value, "{name} {:?}", entry.board);
                *histogram.entry(entry.value).or_default() += 1;
            }
            assert_eq!(tables.histogram(layer).unwrap(), histogram, "{name}");
        }
        for layer in [0, 1, 8] {
            assert!(tables.entries(layer).is_err() && tables.histogram(layer).is_err(), "{name}");
        }
    }
}
