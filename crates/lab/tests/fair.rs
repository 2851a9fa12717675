//! The values of all starts of Kalah(6,4) that move up to two seeds, as they are kept.

use std::collections::HashMap;

use sowing::{Game, Position};
use sowing_lab::{NearStarts, SHIPPED_MOVED, fair_starts, seeds_moved};
use sowing_solver::{Solver, SolverOptions, Until};

/// The games, their lists, and how many of their starts are published to be fair.
const LISTS: [(&str, &str, usize); 2] = [
    ("kalah(6,4)", include_str!("../../../results/fair_kalah_6_4.csv"), 323),
    (
        "kalah(6,4,empty-capture)",
        include_str!("../../../results/fair_kalah_6_4_empty_capture.csv"),
        254,
    ),
];

/// The values of a list by position, which is as the command writes it.
fn values(game: Game, list: &str) -> HashMap<String, i64> {
    let near = NearStarts::of(game, SHIPPED_MOVED).unwrap();
    let mut lines = list.lines();
    assert_eq!(lines.next(), Some("position,moved,value,outcome"));
    let mut values = HashMap::new();
    for start in near.positions() {
        let line = lines.next().expect("a line for each start");
        let (position, rest) = line.strip_prefix('"').unwrap().split_once("\",").unwrap();
        let [moved, value, outcome] = rest.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert_eq!((position, moved), (&*start.to_string(), &*seeds_moved(start).to_string()));
        let value: i64 = value.parse().unwrap();
        assert!(value % 2 == 0 && value.abs() <= 48, "{line}");
        assert_eq!(outcome, ["loss", "draw", "win"][(value.signum() + 1) as usize], "{line}");
        values.insert(position.to_string(), value);
    }
    assert_eq!((lines.next(), values.len()), (None, 4_555));
    values
}

/// As many are fair as is published (FairKalah, CG 2022, for empty capture), they are those that are built
/// in, and the usual start is worth what it is.
#[test]
fn as_many_are_fair_as_is_published() {
    let known = include_str!("../../../results/kalah_values.csv");
    let row = known.lines().find(|line| line.starts_with("6,4,")).unwrap();
    let row: Vec<&str> = row.split(',').collect();
    for ((name, list, fair), usual) in LISTS.into_iter().zip([row[2], row[5]]) {
        let game: Game = name.parse().unwrap();
        let values = values(game, list);
        assert_eq!(values.values().filter(|value| **value == 0).count(), fair, "{name}");
        let built_in = fair_starts(&game).unwrap();
        assert_eq!(built_in.len(), fair);
        assert!(built_in.iter().all(|start| values[&start.to_string()] == 0));
        assert_eq!(values[&Position::start(game).to_string()].to_string(), usual, "{name}");
    }
}

/// All of them again. `cargo test --release -p sowing-lab --test fair -- --ignored`
#[test]
#[ignore = "solves 9,110 positions, which takes an hour or more"]
fn every_start_again() {
    for (name, list, _) in LISTS {
        let game: Game = name.parse().unwrap();
        let (values, near) = (values(game, list), NearStarts::of(game, SHIPPED_MOVED).unwrap());
        let options = SolverOptions { memory: 4 << 30, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        let all = near.solve(&mut solver, Until::Value, 0, &mut |valued| {
            let kept = values[&valued.start.to_string()];
            assert_eq!(valued.verdict.value(), Some(kept), "{name} {}", valued.start);
            true
        });
        assert!(all.unwrap());
    }
}
