//! The solver and the analysis against a plain negamax, on random positions of all games.

use proptest::prelude::*;
use proptest::sample::select;
use sowing_analysis::{Analysis, AnalysisOptions, analyze};
use sowing_plain::{Negamax, Plain};
use sowing_rules::{
    Bounds, Capture, Direction, Game, Move, Outcome, Playthrough, Position, Rules, SeededRng,
    Setup, WideBoard,
};
use sowing_solver::{Answer, Solver, SolverOptions};

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
            let setup = Setup::from(WideBoard::new(own, store, other, other_store));
            Position::free(Game::new(rules, houses, 1).unwrap(), &setup).unwrap()
        })
    })
}

fn options(threads: usize, memory: u64) -> SolverOptions {
    SolverOptions { threads, memory, ..SolverOptions::default() }
}

fn check(position: &Position, options: SolverOptions) -> Result<(), TestCaseError> {
    let plain = Plain::from_position(position);
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
    prop_assert_eq!(solver.value(position).unwrap(), Answer::exact(value));
    for margin in [value - 1, value, value + 1] {
        prop_assert_eq!(solver.at_least(position, margin).unwrap(), margin <= value);
    }
    if position.is_finished() {
        return Ok(());
    }
    let options = AnalysisOptions { turns: true, line: true, ..AnalysisOptions::default() };
    let mut states = Vec::new();
    let play = Playthrough::new(*position);
    let found =
        analyze(&mut solver, &play, &options, &mut |found| states.push(found.clone())).unwrap();
    prop_assert!(found.complete);
    prop_assert_eq!(found.known.value(), Some(value));
    tightens(&states, value, &mut negamax)?;
    let mut expected: Vec<(usize, i64)> = negamax.moves(&plain);
    expected.sort_by_key(|(_, value)| -value);
    let moves: Vec<(usize, i64)> = found
        .moves
        .iter()
        .map(|found| {
            let Move::House(house) = found.action else { panic!("no swaps") };
            (house.index(), found.known.value().unwrap())
        })
        .collect();
    prop_assert_eq!(moves, expected, "{} {}", position.game(), position);
    prop_assert_eq!(found.turns.as_ref().unwrap()[0].known.value(), Some(value));
    prop_assert_eq!(&found.line.as_ref().unwrap()[0], found.best.as_ref().unwrap());
    // A perfect line keeps the value at every move, to the end.
    let (mut at, mut value) = (*position, value);
    for action in found.line.unwrap().into_iter().flatten() {
        let (next, report) = at.play(action);
        value = if report.again { value } else { -value };
        prop_assert_eq!(negamax.value(&Plain::from_position(&next)), value);
        at = next;
    }
    prop_assert!(at.is_finished());
    Ok(())
}

/// Each state agrees with the value and with the states before it; the value comes with a turn that achieves it.
fn tightens(states: &[Analysis], value: i64, negamax: &mut Negamax) -> Result<(), TestCaseError> {
    prop_assert!(states[0].estimate.is_some() && states[0].best.is_none());
    prop_assert!(states[0].moves.iter().all(|found| found.estimate.is_some()));
    for pair in states.windows(2) {
        let within =
            |earlier: Bounds, later: Bounds| earlier.low <= later.low && later.high <= earlier.high;
        prop_assert!(within(pair[0].known, pair[1].known), "{:?}", pair);
        for found in &pair[0].moves {
            let later = pair[1].moves.iter().find(|later| later.action == found.action).unwrap();
            prop_assert!(within(found.known, later.known), "{:?}", pair);
        }
    }
    for state in states {
        let bounds = state.known;
        prop_assert!(bounds.low <= value && value <= bounds.high, "{:?}", state);
        // No bound of a move exceeds that of the position, and estimates lie within the bounds.
        let within = |estimate: Option<i64>, known: Bounds| {
            (known.low..=known.high).contains(&estimate.unwrap())
        };
        prop_assert!(within(state.estimate, state.known), "{:?}", state);
        for found in &state.moves {
            prop_assert!(found.known.high <= bounds.high, "{:?}", state);
            prop_assert!(within(found.estimate, found.known), "{:?}", state);
        }
        prop_assert_eq!(state.known.value().is_some(), state.best.is_some());
        if let Some(best) = &state.best {
            let (mut at, mut again) = (state.position, true);
            for action in best {
                prop_assert!(again && !at.is_finished());
                let (next, report) = at.play(*action);
                (at, again) = (next, report.again);
            }
            let after = negamax.value(&Plain::from_position(&at));
            prop_assert_eq!(if again { after } else { -after }, value);
        }
    }
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
    fn with_tables(position in position(2..=4, 12), layer in 2..9_u32) {
        let game = position.game();
        let built = sowing_tables::build_in_memory(game, layer, &Default::default()).unwrap();
        let tables = Some(std::sync::Arc::new(built));
        check(&position, SolverOptions { tables, ..options(1, 1 << 24) })?;
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
            let options = SolverOptions { build_tables, ..options(1, 1 << 28) };
            let mut solver = Solver::with_options(game, options).unwrap();
            let play = Playthrough::new(start);
            let found =
                analyze(&mut solver, &play, &AnalysisOptions::default(), &mut |_| {}).unwrap();
            assert_eq!(solver.table_layer() > 0, build_tables, "{name}");
            found.moves.iter().map(|found| (found.action, found.known)).collect::<Vec<_>>()
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
            Solver::with_options(game, SolverOptions { time, ..options(2, 1 << 26) }).unwrap();
        let bounds = solver.value(&start).unwrap().bounds;
        assert!(bounds.low <= value && value <= bounds.high);
    }
    let mut solver =
        Solver::with_options("kalah(6,4)".parse().unwrap(), options(2, 1 << 26)).unwrap();
    let switch = solver.stop_switch();
    let play = Playthrough::new(Position::start(*solver.game()));
    let mut stop = |found: &Analysis| {
        if found.nodes > 0 {
            switch.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let found = analyze(&mut solver, &play, &AnalysisOptions::default(), &mut stop).unwrap();
    assert!(found.known.value().is_none() && !found.complete);
    let bounds = found.known;
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
                let expected = negamax.value(&Plain::from_position(&position));
                let verdict = solver.value(&position).unwrap();
                assert_eq!(verdict, Answer::exact(expected), "{game} {position}");
                if depth == 0 || position.is_finished() {
                    continue;
                }
                let options =
                    AnalysisOptions { line: true, turns: true, ..AnalysisOptions::default() };
                let play = Playthrough::new(position);
                let found = analyze(&mut solver, &play, &options, &mut |_| {}).unwrap();
                assert!(
                    found.complete && found.known.value() == Some(expected),
                    "{game} {position}"
                );
                let best = found.moves.iter().map(|found| found.known.value().unwrap()).max();
                assert_eq!(best, Some(expected), "{game} {position}");
                let turns = found.turns.unwrap();
                let best = turns.iter().map(|turn| turn.known.value().unwrap()).max();
                assert_eq!(best, Some(expected), "{game} {position}");
                let moves = position.moves().map(|action| position.play(action).0);
                pending.extend(moves.map(|next| (next, depth - 1)));
                let line = found.line.unwrap();
                let mut at = position;
                line.into_iter().flatten().for_each(|action| at = at.play(action).0);
                assert!(at.is_finished());
            }
        }
    }
}

#[test]
fn clockwise_moves_and_lines() {
    for name in ["kalah(3,2,clockwise)", "s-kalaha(3,2,clockwise)", "kalah(2,3,clockwise,pie)"] {
        let game: Game = name.parse().unwrap();
        let mut solver = Solver::new(game).unwrap();
        let start = Position::start(game);
        let value = solver.value(&start).unwrap();
        let options = AnalysisOptions { line: true, ..AnalysisOptions::default() };
        let found = analyze(&mut solver, &Playthrough::new(start), &options, &mut |_| {}).unwrap();
        assert_eq!(found.moves[0].known, value.bounds, "{name}");
        let mut at = (start, value.value().unwrap());
        for action in found.line.unwrap().into_iter().flatten() {
            let (next, report) = at.0.play(action);
            at = (next, if report.again { at.1 } else { -at.1 });
            assert_eq!(solver.value(&at.0).unwrap(), Answer::exact(at.1), "{name}");
        }
        // A line stops short of the end only where nothing more can be had.
        assert!(at.0.is_finished() || at.1 == at.0.lead(), "{name}");
    }
}

/// A game that went round in a circle three times is over, whatever its position could still give.
#[test]
fn an_endless_game_is_over() {
    let game: Game = "kalah(2,2,clockwise)".parse().unwrap();
    let mut play = Playthrough::new(Position::start(game));
    let mut random = SeededRng::new(7, 0);
    let mut tries = 0;
    while !play.is_endless() {
        let moves: Vec<Move> = play.position().moves().collect();
        if moves.is_empty() {
            tries += 1;
            assert!(tries < 10_000, "some random game goes round");
            play = Playthrough::new(Position::start(game));
            continue;
        }
        play.try_play(moves[random.below(moves.len() as u64) as usize]).unwrap();
    }
    let mut solver = Solver::new(game).unwrap();
    let found = analyze(&mut solver, &play, &AnalysisOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(found.known.value(), Some(play.position().lead()));
    assert!(found.complete && found.to_move.is_none() && found.moves.is_empty());
    assert!(found.words.starts_with("The game is over: "), "{}", found.words);
}
