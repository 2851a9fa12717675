//! The solver against a plain negamax, on random positions of all games that do not repeat positions.

use std::sync::Arc;

use sowing_plain::{Negamax, Plain};
use sowing_rules::{Game, Position, SeededRng};
use sowing_solver::{Answer, Solver, SolverOptions};
use sowing_tables::build_in_memory;

fn pick<'a>(random: &mut SeededRng, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

fn random_position(random: &mut SeededRng) -> Position {
    let houses = 1 + random.below(6);
    let capture = pick(random, &["", ",empty-capture", ",last-seed-capture", ",no-capture"]);
    let relay = pick(random, &["", ",relay"]);
    let lost = pick(random, &["", "", ",remaining-lost"]);
    let game: Game = format!("kalah({houses},1{relay}{capture}{lost})").parse().unwrap();
    let mut pits = vec![0_u64; 2 * houses as usize];
    for _ in 0..2 + random.below(8) {
        let pit = random.below(pits.len() as u64) as usize;
        pits[pit] += 1;
    }
    let row = |row: &[u64]| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let (own, other) = pits.split_at(houses as usize);
    let stores = [random.below(4), random.below(4)];
    let setup = format!("{},{}|{},{}", row(own), stores[0], row(other), stores[1]);
    Position::free(game, &setup.parse().unwrap()).unwrap()
}

/// Values, turns and tests agree with the plain search, whatever the threads, the memory and the tables.
#[test]
fn values_and_turns_agree_with_a_plain_search() {
    for index in 0..150 {
        let mut random = SeededRng::new(21, index);
        let position = random_position(&mut random);
        let game = *position.game();
        let mut negamax = Negamax::default();
        let value = negamax.value(&Plain::from_position(&position));
        let tables = (random.below(2) == 0)
            .then(|| Arc::new(build_in_memory(&game, 4, &Default::default()).unwrap()));
        let options = SolverOptions {
            threads: 1 + random.below(3) as usize,
            memory: [1 << 16, 1 << 24][random.below(2) as usize],
            build_tables: random.below(2) == 0,
            tables,
            ..SolverOptions::default()
        };
        let mut solver = Solver::with_options(game, options).unwrap();
        assert_eq!(solver.value(&position).unwrap(), Answer::exact(value), "{game} {position}");
        for margin in [value - 1, value, value + 1] {
            assert_eq!(solver.at_least(&position, margin).unwrap(), margin <= value);
        }
        if position.is_finished() {
            continue;
        }
        let (mut at, mut again) = (position, true);
        for action in solver.turn_achieving(&position, value).unwrap() {
            let (next, report) = at.play(action);
            (at, again) = (next, report.again);
        }
        let after = negamax.value(&Plain::from_position(&at));
        assert_eq!(if again { after } else { -after }, value, "{game} {position}");
        let turns = solver.turns(&position).unwrap();
        assert_eq!(turns[0].bounds.value(), Some(value), "{game} {position}");
    }
}
