use std::sync::atomic::AtomicBool;

use super::*;
use crate::control::{Limits, Progress};
use crate::query::Work;
use crate::resources::MemoryBudget;
use sowing_platform::Instant;
use sowing_rules::{CompactBoard, Position, WideBoard};
use sowing_tables::BuildCache;

fn resources(work: &mut Work) -> Resources<'_> {
    Resources {
        threads: 1,
        memory: MemoryBudget::from_bytes(1 << 26),
        build_tables: false,
        work,
        build_cache: BuildCache::default(),
        expected_queries: 1,
        checkpointer: None,
        exchange: None,
    }
}

/// Calls `run` with a control without limits.
fn unlimited<T>(run: impl FnOnce(&mut Control<'_>) -> T) -> T {
    let cancelled = AtomicBool::new(false);
    let limits = Limits { cancelled: &cancelled, deadline: None, max_nodes: u64::MAX };
    let mut ignore = |_: Progress| {};
    run(&mut Control::new(limits, Instant::now(), 0, &mut ignore))
}

fn solver<B: SearchBoard>(game: &Game) -> BoardSolver<B> {
    BoardSolver::new(game, None, None, 0).unwrap()
}

/// A false bound in the transposition table, as a faulty memory might hold, ends the search where it comes to
/// light: the value is 6. Every false bound that the search meets is found; the start's own entry decides a
/// test only where its target is in between.
#[test]
fn a_contradiction_is_an_error() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    let start = CompactBoard::new(Position::start(game).board()).unwrap();
    for low in (8..=24).step_by(2) {
        let mut solver = solver::<CompactBoard>(&game);
        let slot = solver.transpositions.slot(&start, game.total()).unwrap();
        solver.transpositions.store(slot, Bounds { low, high: 24 }, 1).unwrap();
        let mut bounds = Bounds { low: -24, high: 6 };
        let narrowed = unlimited(|control| {
            let mut work = Work::default();
            // The true upper bound is known, and the first test is below it.
            solver.narrow(start, &mut bounds, 2, &|_| false, &mut resources(&mut work), control)
        });
        assert!(matches!(narrowed, Err(SolveError::Contradiction)), "{low}: {narrowed:?}");
    }
}

/// A turn found move by move is worth just what the board is worth.
#[test]
fn turns_by_moves_keep_the_value() {
    for name in ["kalah(4,3)", "s-kalaha(3,3)", "kalah(3,3,remaining-lost)"] {
        let game: Game = name.parse().unwrap();
        let mut solver = solver::<WideBoard>(&game);
        let mut work = Work::default();
        let resources = &mut resources(&mut work);
        unlimited(|control| {
            let mut value = |solver: &mut BoardSolver<WideBoard>,
                             board,
                             control: &mut Control<'_>| {
                let mut bounds = Bounds::from_layer(game.total() as i64);
                let narrowed = solver.narrow(board, &mut bounds, 1, &|_| false, resources, control);
                assert_eq!(narrowed.unwrap(), None);
                bounds.low
            };
            let start = *Position::start(game).board();
            let worth = value(&mut solver, start, control);
            let (slots, none) = {
                let mut work = Work::default();
                let resources = &mut super::tests::resources(&mut work);
                let slots = solver.turn_by_moves(start, worth, resources, control).unwrap();
                let by_moves = solver.turn_by_moves(start, worth + 1, resources, control);
                assert!(matches!(by_moves, Err(SolveError::NoSuchTurn { .. })));
                (slots, solver.turn_achieving(start, worth + 1, resources, control))
            };
            assert!(matches!(none, Err(SolveError::NoSuchTurn { .. })));
            let (mut board, mut gain) = (start, 0);
            for slot in &slots {
                let played = solver.rules.play_unchecked(board, *slot);
                assert!(!played.finished, "{name} is not over after one turn");
                gain += played.gain as i64;
                board = played.board;
            }
            assert_eq!(gain - value(&mut solver, board, control), worth, "{name}: {slots:?}");
        });
    }
}

/// Each limit is reported as the reason, and the bounds are true. Memory is the reason where a swap is open: see
/// `tests/limits.rs`.
#[test]
fn every_stop_reason_is_reached() {
    let game: Game = "kalah(6,6)".parse().unwrap();
    let board = CompactBoard::new(Position::start(game).board()).unwrap();
    let narrow = |cancelled: bool, deadline: Option<Instant>, max_nodes: u64| {
        let cancelled = AtomicBool::new(cancelled);
        let limits = Limits { cancelled: &cancelled, deadline, max_nodes };
        let mut ignore = |_: Progress| {};
        let mut control = Control::new(limits, Instant::now(), 0, &mut ignore);
        let (mut work, mut bounds) = (Work::default(), Bounds::from_layer(72));
        let resources = &mut resources(&mut work);
        let narrowed = solver::<CompactBoard>(&game)
            .narrow(board, &mut bounds, 1, &|_| false, resources, &mut control)
            .unwrap();
        assert!(bounds.low <= 4 && 4 <= bounds.high);
        (narrowed, work.nodes)
    };
    assert_eq!(narrow(true, None, u64::MAX), (Some(StopReason::Cancelled), 0));
    let now = Some(Instant::now());
    assert_eq!(narrow(false, now, u64::MAX), (Some(StopReason::Time), 0));
    let (narrowed, nodes) = narrow(false, None, 100_000);
    assert_eq!(narrowed, Some(StopReason::Nodes));
    assert!((100_000..110_000).contains(&nodes), "{nodes}");
}
