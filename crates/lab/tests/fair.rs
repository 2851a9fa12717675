//! The starts of Kalah(6,4) beside the usual one, as they are kept: as many are fair as is published.

use std::collections::HashMap;

use sowing_lab::{NearStarts, SHIPPED_MOVED, fair_starts, seeds_moved};
use sowing_rules::{Game, Position};
use sowing_solver::{Answer, Solver};

/// A game, the values of the starts that move up to two seeds between houses, how many of these are
/// fair; the outcomes where seeds go into stores too, and how many of those are published to be fair.
struct List {
    game: &'static str,
    values: &'static str,
    fair: usize,
    with_stores: &'static str,
    published: usize,
}

const LISTS: [List; 2] = [
    List {
        game: "kalah(6,4)",
        values: include_str!("../../../results/fair_kalah_6_4.csv"),
        fair: 252,
        with_stores: include_str!("../../../results/fair_kalah_6_4_stores.csv"),
        published: 323,
    },
    List {
        game: "kalah(6,4,empty-capture)",
        values: include_str!("../../../results/fair_kalah_6_4_empty_capture.csv"),
        fair: 202,
        with_stores: include_str!("../../../results/fair_kalah_6_4_empty_capture_stores.csv"),
        published: 254,
    },
];

/// The value, if it is there, and the outcome of each start, which are those and as the command writes
/// them.
fn read(near: &NearStarts, list: &str) -> HashMap<String, (Option<i64>, String)> {
    let mut lines = list.lines();
    assert_eq!(lines.next(), Some("position,moved,value,outcome"));
    let mut found = HashMap::new();
    for start in near.positions() {
        let line = lines.next().expect("a line for each start");
        let (position, rest) = line.strip_prefix('"').unwrap().split_once("\",").unwrap();
        let [moved, value, outcome] = rest.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert_eq!((position, moved), (&*start.to_string(), &*seeds_moved(start).to_string()));
        let value: Option<i64> = (!value.is_empty()).then(|| value.parse().unwrap());
        if let Some(value) = value {
            assert!(value % 2 == 0 && value.abs() <= 48, "{line}");
            assert_eq!(outcome, ["loss", "draw", "win"][(value.signum() + 1) as usize], "{line}");
        }
        found.insert(position.to_string(), (value, outcome.to_string()));
    }
    assert_eq!((lines.next(), found.len()), (None, near.positions().len()));
    found
}

/// Those of the published lists may have a seed or two in a store.
#[test]
fn as_many_are_fair_as_is_published() {
    let known = include_str!("../../../results/kalah_values.csv");
    let row = known.lines().find(|line| line.starts_with("6,4,")).unwrap();
    let row: Vec<&str> = row.split(',').collect();
    for (list, usual) in LISTS.into_iter().zip([row[2], row[5]]) {
        let game: Game = list.game.parse().unwrap();
        let values = read(&NearStarts::of(game, SHIPPED_MOVED).unwrap(), list.values);
        let fair = |found: &HashMap<String, (Option<i64>, String)>| {
            found.values().filter(|(_, outcome)| outcome == "draw").count()
        };
        assert_eq!(fair(&values), list.fair, "{game}");
        let built_in = fair_starts(&game).unwrap();
        assert_eq!(built_in.len(), list.fair);
        assert!(built_in.iter().all(|start| values[&start.to_string()].0 == Some(0)));
        let start = values[&Position::start(game).to_string()].0.unwrap();
        assert_eq!(start.to_string(), usual, "{game}");
        let stores = NearStarts::with_stores(game, SHIPPED_MOVED).unwrap();
        let with_stores = read(&stores, list.with_stores);
        assert_eq!(fair(&with_stores), list.published, "{game}");
        for (position, (_, outcome)) in &values {
            assert_eq!(with_stores[position].1, *outcome, "{position}");
        }
    }
}

/// The lists of smaller games: each start moves no more seeds than it may, and is a draw.
#[test]
fn starts_of_smaller_games_are_draws() {
    for (name, fair) in [("kalah(4,3)", 127), ("kalah(6,3)", 596), ("s-kalaha(6,3)", 88)] {
        let game: Game = name.parse().unwrap();
        let near = NearStarts::of(game, SHIPPED_MOVED).unwrap();
        let starts = fair_starts(&game).unwrap();
        assert_eq!(starts.len(), fair, "{name}");
        let places = starts.iter().map(|start| near.positions().iter().position(|at| at == start));
        let places: Vec<usize> = places.collect::<Option<_>>().expect("all are near");
        assert!(places.is_sorted_by(|one, next| one < next), "{name}: each once, in order");
        let mut solver = Solver::new(game).unwrap();
        for start in starts.iter().step_by(fair / 40) {
            assert_eq!(solver.value(start).unwrap(), Answer::exact(0), "{name} {start}");
        }
    }
}
