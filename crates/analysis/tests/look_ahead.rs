//! Looking ahead within limits, by a clock that counts how often it is asked.

use std::cell::Cell;

use sowing_analysis::{Limits, NODES_BETWEEN_CHECKS, iterative_deepening, search_to_depth};
use sowing_rules::{Move, Position};

const GAMES: [&str; 8] = [
    "kalah(6,4)",
    "s-kalaha(6,5)",
    "kalah(6,6,clockwise)",
    "kalah(8,31,relay,pie)",
    "kalah(16,99,no-capture)",
    "s-kalaha(16,10000000000000000)",
    "kalah(16,10000000000000000,pie)",
    "kalah(16,10000000000000000,clockwise,relay,pie)",
];

fn start(name: &str) -> Position {
    Position::start(name.parse().unwrap())
}

/// Between two looks at the clock lies a bounded number of boards, however long their relays are.
#[test]
fn the_clock_is_asked_often() {
    let work = 20 * NODES_BETWEEN_CHECKS;
    for name in GAMES {
        let looks = Cell::new(0);
        let should_stop = || {
            looks.set(looks.get() + 1);
            false
        };
        iterative_deepening(
            &start(name),
            99,
            &Limits { max_work: work, should_stop: &should_stop },
        );
        assert!(looks.get() >= 19, "{name}: {} looks", looks.get());
    }
}

/// Once the clock says so nothing more is looked at, and every legal move has the value of the last
/// whole depth.
#[test]
fn a_halt_ends_it_with_what_is_known() {
    for name in GAMES {
        let position = start(name);
        let moves: Vec<Move> = position.moves().collect();
        for last in [1, 2, 5, 20, 100] {
            let looks = Cell::new(0);
            let should_stop = || {
                looks.set(looks.get() + 1);
                looks.get() >= last
            };
            let limits = Limits { max_work: u64::MAX, should_stop: &should_stop };
            let (depth, ranking) = iterative_deepening(&position, 99, &limits);
            assert_eq!(looks.get(), last, "{name}");
            let ranked: Vec<Move> = ranking.iter().map(|(action, _)| *action).collect();
            assert_eq!(ranked, moves, "{name} {last}");
            if depth > 0 {
                let unhurried = Limits { max_work: u64::MAX, should_stop: &|| false };
                let whole = search_to_depth(&position, depth, &moves, &unhurried).unwrap();
                assert_eq!(ranking, whole, "{name} {last}, depth {depth}");
            }
        }
    }
}
