//! Tables in files that others change while a solver uses them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing_rules::{Family, Game, Position};
use sowing_solver::{
    Book, BookError, Checkpointer, Exchange, Goal, Query, SolveError, Solver, SolverOptions,
};
use sowing_tables::{Tables, build_in_directory, build_in_memory};

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
            let (next, _) = start.play(action);
            let error = solver.value(&next).unwrap_err();
            assert!(matches!(error, SolveError::Tables(_)), "{change}: {error}");
            assert!(
                error.to_string().contains("level-09.table: ")
                    && error.to_string().ends_with("while in use"),
                "{change}: {error}"
            );
        }
    }
}

/// Negates the values of every layer in place. Each is one that its layer can have.
fn negate(folder: &Path) {
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let head = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
        bytes[head..].iter_mut().for_each(|byte| *byte = byte.wrapping_neg());
        use std::io::{Seek, SeekFrom, Write};
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(head as u64)).unwrap();
        file.write_all(&bytes[head..]).unwrap();
    }
}

/// Tables of a game in a folder, opened at a time that no later change has.
fn tables(dir: &Path, game: &Game, layer: u32) -> Option<Arc<Tables>> {
    build_in_directory(dir, game, layer, &Default::default()).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    Some(Arc::new(Tables::open(dir, game).unwrap()))
}

fn is_table_error<T: std::fmt::Debug>(answer: Result<T, SolveError>) -> bool {
    matches!(answer, Err(SolveError::Tables(_)))
}

/// From the moment that a table has changed, a search hands nothing out: not to its keeper, not to
/// an exchange, not when it is asked. All that it handed out before is true.
#[test]
fn nothing_is_handed_out_after_a_change() {
    let game: Game = "kalah(4,6)".parse().unwrap();
    let start = Position::start(game);
    let clean = build_in_memory(&game, 24, &Default::default()).unwrap();
    for threads in [1, 3] {
        let dir = tempfile::tempdir().unwrap();
        let tables = tables(dir.path(), &game, 12);
        let handed: Arc<Mutex<Vec<Book>>> = Arc::default();
        let keep = Arc::clone(&handed);
        let save = move |book, _| keep.lock().unwrap().push(book);
        let family = Family::for_game(&game).unwrap();
        let exchange = Arc::new(Exchange::new(&game, 1, 0).unwrap());
        let options = SolverOptions {
            threads,
            memory: 1 << 24,
            tables,
            build_tables: false,
            checkpointer: Some(Checkpointer::new(family, Duration::ZERO, 1 << 20, save)),
            exchange: Some(Arc::clone(&exchange)),
            ..SolverOptions::default()
        };
        let mut solver = Solver::with_options(game, options).unwrap();
        let (mut steps, mut before) = (0, 0);
        let searched = solver.search(&start, &Query::new(Goal::Value), &mut |_| {
            steps += 1;
            if steps == 4 {
                handed.lock().unwrap().push(exchange.drain().unwrap());
                negate(&dir.path().join("kalah-4"));
                before = handed.lock().unwrap().len();
            }
        });
        assert!(before > 0 && is_table_error(searched), "{threads} threads");
        assert_eq!(handed.lock().unwrap().len(), before, "{threads} threads");
        assert!(is_table_error(solver.export_book(1 << 20)));
        assert!(matches!(exchange.drain(), Err(BookError::Tables(_))));
        assert!(is_table_error(solver.turn_achieving(&start, 0)));
        let mut compared = 0;
        for line in handed.lock().unwrap().iter().flat_map(|book| book.lines().collect::<Vec<_>>())
        {
            if let Some(value) = clean.value(&line.position).unwrap() {
                assert!(line.bounds.low <= value && value <= line.bounds.high, "{line:?}");
                compared += 1;
            }
        }
        assert!(compared > 100, "{compared} entries compared");
    }
}

/// Tables that a solver builds for itself may take the place of those in files. What was concluded
/// from the files is still remembered, and they are still watched.
#[test]
fn files_are_watched_after_better_tables_are_built() {
    let game: Game = "kalah(4,6)".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let tables = tables(dir.path(), &game, 6);
    let options = SolverOptions { threads: 1, tables, ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    solver.value(&Position::start(game)).unwrap();
    assert!(solver.table_layer() > 6, "better tables were built");
    assert!(!solver.export_book(1 << 20).unwrap().is_empty());
    negate(&dir.path().join("kalah-4"));
    assert!(is_table_error(solver.export_book(1 << 20)));
    let (next, _) = Position::start(game).play("1".parse().unwrap());
    assert!(is_table_error(solver.value(&next)));
}

/// A change that is undone is not forgotten: what was concluded in between is still remembered.
#[test]
fn a_change_that_is_undone_is_not_forgotten() {
    let game: Game = "kalah(4,6)".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = SolverOptions {
        threads: 1,
        tables: tables(dir.path(), &game, 12),
        build_tables: false,
        ..SolverOptions::default()
    };
    let mut solver = Solver::with_options(game, options).unwrap();
    let folder = dir.path().join("kalah-4");
    let times: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), path.metadata().unwrap().modified().unwrap()))
        .collect();
    negate(&folder);
    assert!(is_table_error(solver.value(&Position::start(game))));
    negate(&folder);
    for (path, modified) in times {
        fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(modified).unwrap();
    }
    assert!(!solver.is_sound());
    assert!(is_table_error(solver.export_book(1 << 20)));
    let (next, _) = Position::start(game).play("1".parse().unwrap());
    assert!(is_table_error(solver.value(&next)));
}
