//! Searches that tell each other what they find.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use sowing_rules::{Game, Position};
use sowing_solver::{Book, Exchange, Solver, SolverOptions};

fn options() -> SolverOptions {
    SolverOptions { threads: 1, memory: 1 << 28, build_tables: false, ..SolverOptions::default() }
}

/// Three searches with different orders find one value, and nothing that they tell is false.
#[test]
fn searches_that_tell_each_other_agree() {
    let game: Game = "kalah(5,3)".parse().unwrap();
    let start = Position::start(game);
    let value = Solver::with_options(game, options()).unwrap().value(&start).unwrap().value();
    let exchanges: Vec<Arc<Exchange>> =
        (0..3).map(|number| Arc::new(Exchange::new(&game, 64, number).unwrap())).collect();
    let mut all = Book::new(&game).unwrap();
    std::thread::scope(|scope| {
        let searches: Vec<_> = exchanges
            .iter()
            .map(|exchange| {
                scope.spawn(move || {
                    let exchange = Some(Arc::clone(exchange));
                    let options = SolverOptions { exchange, ..options() };
                    let mut solver = Solver::with_options(game, options).unwrap();
                    solver.value(&start).unwrap().value()
                })
            })
            .collect();
        while searches.iter().any(|search| !search.is_finished()) {
            for from in &exchanges {
                let book = from.drain().unwrap();
                all.merge(&book).unwrap();
                for to in exchanges.iter().filter(|to| !Arc::ptr_eq(from, to)) {
                    to.import(&book).unwrap();
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        for search in searches {
            assert_eq!(search.join().unwrap(), value);
        }
    });
    for from in &exchanges {
        all.merge(&from.drain().unwrap()).unwrap();
    }
    assert!(all.len() > 100, "{}", all.len());
    // Each of a sample of what was told, once more without any help.
    let mut solver = Solver::with_options(game, options()).unwrap();
    for line in all.lines().step_by(all.len() / 50) {
        let free = *line.position.game();
        let mut other;
        let by = if free == game {
            &mut solver
        } else {
            other = Solver::with_options(free, options()).unwrap();
            &mut other
        };
        let found = by.value(&line.position).unwrap().value().unwrap();
        assert!(line.bounds.low <= found && found <= line.bounds.high, "{line:?}: {found}");
    }
}

/// A search that is told the answer ends with it.
#[test]
fn an_answer_from_elsewhere_is_enough() {
    let game: Game = "kalah(6,6)".parse().unwrap();
    let start = Position::start(game);
    let exchange = Arc::new(Exchange::new(&game, 1 << 20, 1).unwrap());
    let options = SolverOptions { exchange: Some(Arc::clone(&exchange)), ..options() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let switch = solver.stop_switch();
    let mut book = Book::new(&game).unwrap();
    // Whether it is true does not matter here.
    let told = sowing_rules::Bounds { low: 12, high: 12 };
    book.add(&start, told, 1 << 30).unwrap();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| solver.value(&start).unwrap().value());
        std::thread::sleep(Duration::from_millis(300));
        exchange.import(&book).unwrap();
        for _ in 0..600 {
            if search.is_finished() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        switch.store(true, Relaxed);
        assert_eq!(search.join().unwrap(), Some(12));
    });
}
