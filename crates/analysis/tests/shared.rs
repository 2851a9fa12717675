//! An analysis that several solvers share.

use sowing_analysis::{AnalysisOptions, Plan, Task, analyze};
use sowing_rules::{Game, Move, Playthrough, Position, SeededRng};
use sowing_solver::{Solver, SolverOptions};

fn solver(game: Game) -> Solver {
    let options = SolverOptions { threads: 1, memory: 1 << 26, ..SolverOptions::default() };
    Solver::with_options(game, options).unwrap()
}

/// Some moves from the start, at random.
fn play(game: Game, random: &mut SeededRng) -> Playthrough {
    let mut play = Playthrough::new(Position::start(game));
    for _ in 0..random.below(12) {
        let moves: Vec<Move> = play.position().moves().collect();
        if play.result().is_some() || moves.is_empty() {
            break;
        }
        play.try_play(moves[random.below(moves.len() as u64) as usize]).unwrap();
    }
    play
}

/// Free solvers perform the next task and report in any order: value, moves and turns are those that one solver finds,
/// and the best turn achieves the value.
#[test]
fn several_solvers_find_the_same() {
    let mut random = SeededRng::new(18, 0);
    let games =
        ["kalah(4,3)", "s-kalaha(3,3)", "kalah(3,3,pie)", "kalah(3,2,clockwise)", "kalah(5,2)"];
    for round in 0..60 {
        let game: Game = games[round % games.len()].parse().unwrap();
        let play = play(game, &mut random);
        let options = AnalysisOptions {
            line: round % 3 == 0,
            turns: round % 4 == 0,
            ..AnalysisOptions::default()
        };
        let alone = analyze(&mut solver(game), &play, &options, &mut |_| {}).unwrap();

        let mut plan = Plan::new(&play, &options, &|_| None, 0);
        let mut solvers: Vec<Solver> = (0..3).map(|_| solver(game)).collect();
        let mut free: Vec<usize> = (0..solvers.len()).collect();
        let mut busy: Vec<(usize, Task)> = Vec::new();
        let mut states = Vec::new();
        while !plan.is_over() {
            while let Some(worker) = free.pop() {
                match plan.next_task(false) {
                    Some(task) => busy.push((worker, task)),
                    None => {
                        free.push(worker);
                        break;
                    }
                }
            }
            let (worker, task) = busy.swap_remove(random.below(busy.len() as u64) as usize);
            let report = task.perform(&mut solvers[worker], &play, &mut |report| {
                plan.progress(task.id, &report);
            });
            plan.report(task.id, report.unwrap()).unwrap();
            states.push(plan.found().clone());
            free.push(worker);
        }
        let shared = plan.finish();
        assert_eq!(shared.known, alone.known, "{play:?}");
        assert!(shared.complete, "{play:?}");
        let values = |moves: &[sowing_analysis::MoveFound]| {
            let mut values: Vec<_> =
                moves.iter().map(|found| (found.action.to_string(), found.known)).collect();
            values.sort_by(|a, b| a.0.cmp(&b.0));
            values
        };
        assert_eq!(values(&shared.moves), values(&alone.moves), "{play:?}");
        assert_eq!(shared.turns, alone.turns, "{play:?}");
        assert_eq!(shared.line.is_some(), alone.line.is_some());
        // A value comes with its turn, and bounds only tighten.
        for pair in states.windows(2) {
            let [before, after] = pair else { unreachable!() };
            assert!(after.known.value().is_none() || after.best.is_some());
            let (old, new) = (before.known, after.known);
            assert!(old.low <= new.low && new.high <= old.high);
        }
        if let Some(best) = shared.best.as_ref().filter(|_| shared.to_move.is_some()) {
            let first = shared.moves.iter().find(|found| Some(&found.action) == best.first());
            assert_eq!(first.map(|found| found.known), Some(shared.known), "{play:?}");
        }
    }
}
