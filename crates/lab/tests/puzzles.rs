//! The puzzles that are built in: each as it says, by the tables and by plain negamax.

use std::collections::HashMap;

use sowing_lab::{Puzzle, Theme, puzzles};
use sowing_plain::{Negamax, Plain};
use sowing_rules::Move;
use sowing_tables::{BuildOptions, build_in_memory};

/// Grades that there are puzzles of, and how many of each.
const GRADES: std::ops::RangeInclusive<u32> = 2..=6;
const EACH: usize = 40;

#[test]
fn two_hundred_that_come_out_again() {
    let all = puzzles();
    assert_eq!(all.len(), 200);
    for grade in GRADES {
        assert_eq!(all.iter().filter(|puzzle| puzzle.grade == grade).count(), EACH);
    }
    for theme in [Theme::Chain, Theme::Capture, Theme::Starving, Theme::Sacrifice, Theme::Quiet] {
        assert!(all.iter().any(|puzzle| puzzle.themes.contains(&theme)), "{theme}");
    }
    let most = all.iter().map(|puzzle| puzzle.position.layer()).max().unwrap();
    let tables = build_in_memory(&all[0].game, most as u32, &BuildOptions::default()).unwrap();
    let mut boards: Vec<String> = all.iter().map(|puzzle| puzzle.position.to_string()).collect();
    for puzzle in &all {
        assert_eq!(Puzzle::of(&puzzle.position, &tables, 4).as_ref(), Some(puzzle));
    }
    boards.sort_unstable();
    boards.dedup();
    assert_eq!(boards.len(), 200);
}

/// A sequence of moves that ends a turn: the houses, the seeds that come home, the margin after it.
type Turn = (Vec<usize>, u64, i64);

/// Every sequence of moves that ends the turn, by the plain rules.
fn turns(plain: &mut Negamax, at: &Plain, before: &[usize], start: u64, found: &mut Vec<Turn>) {
    for house in (0..at.houses()).filter(|house| at.rows[0][*house] > 0) {
        let (next, again) = at.play(house);
        let moves = [before, &[house]].concat();
        if again && !next.finished() {
            turns(plain, &next, &moves, start, found);
            continue;
        }
        let (home, value) = match again {
            true => (next.stores[0], plain.value(&next)),
            false => (next.stores[1], -plain.value(&next)),
        };
        found.push((moves, home - start, value));
    }
}

/// Ten of each grade, those with the fewest seeds in houses: by plain negamax the turn is the only one
/// of its value, by the margin that is said, it decides the game, and another brings home more at once.
#[test]
fn ten_of_each_grade_by_plain_negamax() {
    let mut plain = Negamax::default();
    let mut checked: HashMap<u32, usize> = HashMap::new();
    let mut all = puzzles();
    all.sort_by_key(|puzzle| puzzle.position.layer());
    for puzzle in &all {
        let count = checked.entry(puzzle.grade).or_default();
        if *count == 10 {
            continue;
        }
        *count += 1;
        let at = Plain::from_position(&puzzle.position);
        let mut found = Vec::new();
        turns(&mut plain, &at, &[], at.stores[0], &mut found);
        found.sort_by_key(|(_, _, value)| -value);
        let [best, next, ..] = &found[..] else { panic!("{} has one turn", puzzle.position) };
        let turn: Vec<Move> = best.0.iter().map(|house| Move::house(*house as u8 + 1)).collect();
        assert_eq!((&turn, best.2), (&puzzle.turn, puzzle.value), "{}", puzzle.position);
        assert_eq!(next.2, puzzle.next_best, "{}", puzzle.position);
        assert!(best.2 - next.2 >= 4 && best.2.signum() > next.2.signum(), "{}", puzzle.position);
        assert!(found.iter().any(|(_, home, _)| *home > best.1), "{}", puzzle.position);
        assert_eq!(best.1 == 0, puzzle.themes.contains(&Theme::Quiet), "{}", puzzle.position);
    }
    assert!(GRADES.clone().all(|grade| checked[&grade] == 10), "{checked:?}");
}
