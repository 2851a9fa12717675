//! What a solver refuses, and that it keeps within what it is given.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sowing_rules::{Game, Position};
use sowing_solver::{SolveError, Solver, SolverOptions, StopReason};
use sowing_tables::build_in_memory;

fn game(name: &str) -> Game {
    name.parse().expect("a game")
}

/// Tables of other rules or houses would give wrong exact values.
#[test]
fn foreign_tables_are_refused() {
    let tables = build_in_memory(&game("kalah(3,3,empty-capture)"), 12, &Default::default());
    let tables = Some(Arc::new(tables.expect("small")));
    for name in ["kalah(3,3)", "kalah(4,3,empty-capture)", "s-kalaha(3,3)", "kalah(3,3,clockwise)"]
    {
        let options = SolverOptions { tables: tables.clone(), ..SolverOptions::default() };
        let refused = Solver::with_options(game(name), options);
        assert!(matches!(refused, Err(SolveError::Tables(_))), "{name}: {refused:?}");
    }
    let options = SolverOptions { tables, ..SolverOptions::default() };
    assert!(Solver::with_options(game("kalah(3,2,empty-capture,pie)"), options).is_ok());
}

/// A turn that is worth more than the position does not exist, and saying so is no panic.
#[test]
fn a_false_margin_is_an_error() {
    for name in ["kalah(3,3)", "s-kalaha(3,2)", "kalah(10,1)", "kalah(3,2,remaining-lost)"] {
        let game = game(name);
        let start = Position::start(game);
        let mut solver = Solver::new(game).unwrap();
        let value = solver.value(&start).unwrap().value().expect("no limits");
        assert!(solver.turn_achieving(&start, value).is_ok());
        for margin in [value + 1, value + 2, 1 << 40, i64::MAX, i64::MAX - 1] {
            let none = solver.turn_achieving(&start, margin);
            assert!(
                matches!(none, Err(SolveError::NoSuchTurn { margin: of }) if of == margin),
                "{name}, {margin}: {none:?}"
            );
        }
        assert!(solver.at_least(&start, i64::MIN).unwrap());
        assert!(!solver.at_least(&start, i64::MAX).unwrap());
    }
    let clockwise = game("kalah(2,2,clockwise)");
    let none = Solver::new(clockwise).unwrap().turn_achieving(&Position::start(clockwise), 0);
    assert!(matches!(none, Err(SolveError::NoSuchTurn { .. })));
}

/// Games far longer than a thread's stack is deep, on a small one.
#[test]
fn long_games_need_no_stack() {
    let names = [
        "kalah(16,99,no-capture)",
        "kalah(16,2000)",
        "kalah(8,1000000000)",
        "kalah(16,10000000000000000,pie)",
        "kalah(8,31,no-capture)",
        "s-kalaha(16,10000000000000000)",
        "kalah(2,63,no-capture,pie)",
    ];
    for name in names {
        let search = move || {
            let game = game(name);
            let time = Some(Duration::from_millis(500));
            let options = SolverOptions { time, memory: 1 << 27, ..SolverOptions::default() };
            let start = Position::start(game);
            let mut solver = Solver::with_options(game, options).unwrap();
            let begun = Instant::now();
            let bounds = solver.value(&start).unwrap().bounds;
            let total = game.total() as i64;
            assert!(-total <= bounds.low && bounds.high <= total, "{name}: {bounds:?}");
            for action in start.moves() {
                solver.value(&start.play(action).0).unwrap();
            }
            // Without the limit it would not end at all.
            assert!(begun.elapsed() < Duration::from_secs(300), "{name}: {:?}", begun.elapsed());
        };
        let thread = thread::Builder::new().stack_size(1 << 18).spawn(search).unwrap();
        thread.join().unwrap_or_else(|_| panic!("{name}"));
    }
}

/// A turn with millions of ends is searched piece by piece in little memory.
#[test]
fn wide_turns_fit_a_small_memory() {
    let game = game("s-kalaha(6,3)");
    let start = Position::start(game);
    let value = |memory| {
        let options = SolverOptions { memory, build_tables: false, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        solver.outcome(&start).unwrap().outcome()
    };
    let known = value(1 << 30);
    assert!(known.is_some());
    // The megabyte that there is at least for turns holds a few thousand boards of one.
    assert_eq!(value(1 << 22), known);
}

/// The turns of a position are listed if they fit, and refused in time if they do not.
#[test]
fn too_many_turns_are_an_error() {
    let game = game("s-kalaha(6,6)");
    let options = SolverOptions { memory: 1 << 26, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let turns = solver.turns(&Position::start(game));
    assert!(matches!(turns, Err(SolveError::TooManyTurns { .. })), "{turns:?}");
    solver.set_time(Some(Duration::ZERO));
    let turns = solver.turns(&Position::start(game));
    assert!(matches!(turns, Err(SolveError::Stopped(StopReason::Time))), "{turns:?}");
}

/// An answer that is not exact says why: here the first turns do not fit the memory.
#[test]
fn memory_is_a_stop_reason() {
    let game = game("s-kalaha(6,6,pie)");
    let options = SolverOptions { memory: 1 << 26, ..SolverOptions::default() };
    let answer =
        Solver::with_options(game, options).unwrap().value(&Position::start(game)).unwrap();
    assert_eq!((answer.value(), answer.stopped), (None, Some(StopReason::Memory)));
}

/// A position of another game is an error.
#[test]
fn positions_of_other_games_are_refused() {
    let mut solver = Solver::new(game("kalah(3,2)")).unwrap();
    let other = Position::start(game("kalah(3,2,empty-capture)"));
    let refused = [
        solver.value(&other).map(drop),
        solver.turns(&other).map(drop),
        solver.turn_achieving(&other, 0).map(drop),
        solver.at_least(&other, 0).map(drop),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(SolveError::OtherGame { .. })), "{refused:?}");
    }
}

/// A move may bring home more seeds than fit a small number: what comes after does not depend on how
/// many there were.
#[test]
fn gains_of_any_size() {
    let game = game("kalah(6,4)");
    for seeds in [40_000, 1_000_000_000_000_000_u64] {
        let text = format!("4,4,4,1,0,4,0|4,{seeds},4,4,4,4,{}", seeds + 1);
        let position = Position::free(game, &text.parse().unwrap()).unwrap();
        let options = SolverOptions { threads: 1, memory: 1 << 27, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        assert_eq!(solver.value(&position).unwrap().value(), Some(2), "{text}");
    }
}

/// The turns of one position can be more than the nodes after which a search first pauses, and than
/// what there is memory for at first.
#[test]
fn one_turn_of_many_boards() {
    let game = game("kalah(4,6,relay)");
    let board = "18,10,17,8,0|16,7,1,9,0".parse().expect("a board");
    let position = Position::free(game, &board).expect("a position");
    let options = SolverOptions { threads: 1, memory: 1 << 32, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).expect("a solver");
    let value = solver.value(&position).expect("within its limits").value();
    assert_eq!(value, Some(86));
    assert!(solver.nodes() > 60_000, "{} nodes do not show it", solver.nodes());
}

/// The turns of some positions take more nodes than a search is first given: it is given more each time.
#[test]
fn turns_that_take_many_nodes_come_to_an_end() {
    let game: Game = "kalah(4,16,relay)".parse().unwrap();
    let time = Some(Duration::from_secs(60));
    let options =
        SolverOptions { threads: 1, build_tables: false, time, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    assert!(solver.value(&Position::start(game)).unwrap().value().is_some());
    assert!(solver.nodes() < 1_000_000, "{}", solver.nodes());
}
