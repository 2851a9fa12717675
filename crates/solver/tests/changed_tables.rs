//! Tables in files that others change while a solver uses them.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use sowing::{Game, Position};
use sowing_solver::{SolveError, Solver, SolverOptions};
use sowing_tables::{Tables, build_in_directory};

/// A file that is cut or written to in place, checksums looked at or not: the next answer is an
/// error that names it, never a value.
#[test]
fn a_changed_file_is_an_error_that_names_it() {
    let game: Game = "kalah(6,2)".parse().unwrap();
    let start = Position::start(game);
    for change in ["cut", "written"] {
        let dir = tempfile::tempdir().unwrap();
        build_in_directory(dir.path(), &game, 12, &Default::default()).unwrap();
        // So that the change has another time.
        std::thread::sleep(Duration::from_millis(20));
        let tables = Some(Arc::new(Tables::open(dir.path(), &game).unwrap()));
        let options = SolverOptions { tables, build_tables: false, ..SolverOptions::default() };
        let mut solver = Solver::with_options(game, options).unwrap();
        let value = solver.value(&start).unwrap().value().unwrap();
        let plain = SolverOptions { build_tables: false, ..SolverOptions::default() };
        let mut plain = Solver::with_options(game, plain).unwrap();
        assert_eq!(plain.value(&start).unwrap().value(), Some(value));

        let path = dir.path().join("kalah-6/level-09.table");
        let mut bytes = fs::read(&path).unwrap();
        if change == "cut" {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(5000).unwrap();
        } else {
            bytes[4096..].iter_mut().for_each(|byte| *byte ^= 2);
            fs::write(&path, &bytes).unwrap();
        }
        for action in start.moves() {
            let (next, _) = start.play(action).unwrap();
            let error = solver.value(&next).unwrap_err();
            assert!(matches!(error, SolveError::Tables(_)), "{change}: {error}");
            assert!(error.to_string().contains("level-09.table: it was "), "{change}: {error}");
        }
    }
}
