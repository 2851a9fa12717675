//! The solver against a plain negamax, on random positions of all games.

use proptest::prelude::*;
use proptest::sample::select;
use sowing::{Capture, Direction, Game, Move, Position, Rules, Setup, Wide};
use sowing_plain::{Negamax, Plain};
use sowing_solver::{Options, Outcome, Solver, Verdict};

fn rules() -> impl Strategy<Value = Rules> {
    let captures = vec![Capture::Standard, Capture::Empty, Capture::LastSeed, Capture::None];
    (select(captures), any::<bool>(), any::<bool>()).prop_map(|(capture, relay, remaining_lost)| {
        let direction = Direction::CounterClockwise;
        Rules { capture, relay, direction, remaining_lost, pie: false }
    })
}

/// A position with up to this many seeds in its houses.
fn position(houses: std::ops::RangeInclusive<u8>, most: usize) -> impl Strategy<Value = Position> {
    (rules(), houses).prop_flat_map(move |(rules, houses)| {
        let slots = 2 * usize::from(houses);
        let seeds = proptest::collection::vec(0..slots, 2..=most);
        (seeds, 0..5_u64, 0..5_u64).prop_map(move |(seeds, store, other_store)| {
            let mut pits = vec![0; slots];
            seeds.iter().for_each(|slot| pits[*slot] += 1);
            let (own, other) = pits.split_at(slots / 2);
            let setup = Setup::from(Wide::new(own, store, other, other_store));
            Position::free(Game::new(rules, houses, 1).unwrap(), &setup).unwrap()
        })
    })
}

fn options(threads: usize, memory: u64) -> Options {
    Options { threads, memory, ..Options::default() }
}

fn check(position: &Position, options: Options) -> Result<(), TestCaseError> {
    let plain = Plain::of(position);
    let mut negamax = Negamax::default();
    let value = negamax.value(&plain);
    let mut solver = Solver::with_options(*position.game(), options).unwrap();
    let outcome = solver.outcome(position).unwrap().outcome().unwrap();
    prop_assert_eq!(
        outcome,
        match value {
            1.. => Outcome::Win,
            0 => Outcome::Draw,
            _ => Outcome::Loss,
        }
    );
    prop_assert_eq!(solver.value(position).unwrap(), Verdict::Exact(value));
    for margin in [value - 1, value, value + 1] {
        prop_assert_eq!(solver.at_least(position, margin).unwrap(), margin <= value);
    }
    if position.is_finished() {
        return Ok(());
    }
    let scores = solver.analyze(position).unwrap();
    let mut expected: Vec<(usize, i64)> = negamax.moves(&plain);
    expected.sort_by_key(|(_, value)| -value);
    let found: Vec<(usize, i64)> = scores
        .iter()
        .map(|score| {
            let Move::House(house) = score.action else { panic!("no swaps") };
            (house.index(), score.verdict.value().unwrap())
        })
        .collect();
    prop_assert_eq!(found, expected, "{} {}", position.game(), position);
    let turns = solver.turns(position).unwrap();
    prop_assert_eq!(turns[0].verdict, Verdict::Exact(value));
    // A perfect line keeps the value at every move, to the end.
    let (mut at, mut value) = (*position, value);
    for action in solver.line(position).unwrap().into_iter().flatten() {
        let (next, report) = at.play(action).unwrap();
        value = if report.again { value } else { -value };
        prop_assert_eq!(negamax.value(&Plain::of(&next)), value);
        at = next;
    }
    prop_assert!(at.is_finished());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn up_to_three_houses(position in position(1..=3, 16)) {
        check(&position, options(1, 1 << 24))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn four_to_six_houses(position in position(4..=6, 12)) {
        check(&position, options(1, 1 << 24))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn seven_and_eight_houses(position in position(7..=8, 9)) {
        check(&position, options(1, 1 << 24))?;
    }

    #[test]
    fn wide_boards(position in position(9..=12, 7)) {
        check(&position, options(1, 1 << 24))?;
    }

    /// Tables that know some of the positions change no value.
    #[test]
    fn with_tables(position in position(2..=4, 12), level in 2..9_u32) {
        let game = position.game();
        let built = sowing_tables::build_in_memory(game, level, &Default::default()).unwrap();
        let tables = Some(std::sync::Arc::new(built));
        check(&position, Options { tables, ..options(1, 1 << 24) })?;
    }

    /// However little is remembered, the values are the same.
    #[test]
    fn hardly_any_memory(position in position(1..=5, 10)) {
        check(&position, options(1, 1))?;
    }
}

/// Tables that are built in the middle of the work change no value.
#[test]
fn tables_built_on_the_way() {
    for name in ["kalah(6,3)", "kalah(5,3,empty-capture)", "s-kalaha(6,2)"] {
        let game: Game = name.parse().unwrap();
        let start = Position::start(game);
        let value = |build_tables| {
            let options = Options { build_tables, ..options(1, 1 << 28) };
            let mut solver = Solver::with_options(game, options).unwrap();
            let scores = solver.analyze(&start).unwrap();
            assert_eq!(solver.table_level() > 0, build_tables, "{name}");
            scores.iter().map(|score| score.verdict.value().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(value(true), value(false), "{name}");
    }
}

/// Values do not depend on the number of threads, and one thread's work is always the same.
#[test]
fn threads() {
    for name in ["kalah(4,5)", "s-kalaha(6,2)", "kalah(5,3,relay,remaining-lost)"] {
        let game: Game = name.parse().unwrap();
        let start = Position::start(game);
        let solve = |threads| {
            let mut solver = Solver::with_options(game, options(threads, 1 << 28)).unwrap();
            let value = solver.value(&start).unwrap().value().unwrap();
            (value, solver.nodes())
        };
        let alone = solve(1);
        assert_eq!(solve(1), alone, "{name}");
        for threads in [2, 3, 8] {
            assert_eq!(solve(threads).0, alone.0, "{name}");
        }
    }
}

/// A search that is stopped tells what it has proven, and that is true.
#[test]
fn stopped_searches_give_true_bounds() {
    let game: Game = "kalah(5,3)".parse().unwrap();
    let start = Position::start(game);
    let value = Solver::new(game).unwrap().value(&start).unwrap().value().unwrap();
    for micros in [0, 300, 1000, 3000, 10_000] {
        let time = Some(std::time::Duration::from_micros(micros));
        let mut solver =
            Solver::with_options(game, Options { time, ..options(2, 1 << 26) }).unwrap();
        let bounds = solver.value(&start).unwrap().bounds();
        assert!(bounds.low <= value && value <= bounds.high);
    }
    let mut solver =
        Solver::with_options("kalah(6,4)".parse().unwrap(), options(2, 1 << 26)).unwrap();
    let switch = solver.stop_switch();
    solver.on_progress(move |progress| {
        if progress.nodes > 0 {
            switch.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let verdict = solver.value(&Position::start(*solver.game())).unwrap();
    assert!(verdict.value().is_none());
    let bounds = verdict.bounds();
    assert!(bounds.low <= 8 && 8 <= bounds.high, "{bounds:?}");
}

/// The pie rule, against a negamax in which a swap is one more move.
#[test]
fn pie() {
    for rules in ["", ",empty-capture", ",relay", ",relay,no-capture", ",remaining-lost"] {
        for (houses, seeds) in [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)] {
            let game: Game = format!("kalah({houses},{seeds}{rules},pie)").parse().unwrap();
            let mut solver = Solver::with_options(game, options(1, 1 << 22)).unwrap();
            let mut negamax = Negamax::default();
            let mut pending = vec![(Position::start(game), 3)];
            while let Some((position, depth)) = pending.pop() {
                let expected = negamax.value(&Plain::of(&position));
                let verdict = solver.value(&position).unwrap();
                assert_eq!(verdict, Verdict::Exact(expected), "{game} {position}");
                if depth == 0 || position.is_finished() {
                    continue;
                }
                let best = solver.analyze(&position).unwrap()[0].verdict;
                assert_eq!(best, verdict, "{game} {position}");
                let moves = position.moves().map(|action| position.play(action).unwrap().0);
                pending.extend(moves.map(|next| (next, depth - 1)));
                let line = solver.line(&position).unwrap();
                let mut at = position;
                line.into_iter().flatten().for_each(|action| at = at.play(action).unwrap().0);
                assert!(at.is_finished());
            }
        }
    }
}
