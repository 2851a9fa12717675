//! Books: what is written is read, what is damaged is found, what is kept is used.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use sowing_plain::{Negamax, Plain};
use sowing_rules::Family;
use sowing_rules::{Bounds, Game, Move, Position, SeededRng};
use sowing_solver::{
    Book, BookError, BookFile, Checkpointer, Goal, Query, SolveError, Solver, SolverOptions,
};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn alone() -> SolverOptions {
    SolverOptions { threads: 1, memory: 1 << 26, ..SolverOptions::default() }
}

/// Live positions that random play comes through.
fn positions(game: Game, count: usize) -> Vec<Position> {
    let mut random = SeededRng::new(3, 0);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::start(game);
        for _ in 0..random.below(20) {
            let moves: Vec<Move> = position.moves().collect();
            let next = position.play(moves[random.below(moves.len() as u64) as usize]).0;
            if next.is_finished() {
                break;
            }
            position = next;
        }
        found.push(position);
    }
    found
}

/// A book of values that a solver found.
fn some_book(name: &str, count: usize) -> Book {
    let mut solver = Solver::with_options(game(name), alone()).unwrap();
    let mut book = Book::new(&game(name)).unwrap();
    for position in positions(game(name), count) {
        let before = solver.nodes();
        let bounds = solver.value(&position).unwrap().bounds;
        book.add(&position, bounds, solver.nodes() - before).unwrap();
    }
    book
}

#[test]
fn what_is_written_is_read() {
    for name in ["kalah(3,3)", "kalah(3,2,empty-capture)", "s-kalaha(3,2)", "kalah(4,2)"] {
        let mut book = some_book(name, 60);
        book.add(&Position::start(game(name)), Bounds { low: -3, high: 90 }, 1 << 40).ok();
        let read = Book::parse(&book.to_bytes()).unwrap();
        let mut plain = Negamax::default();
        assert_eq!(read.lines().collect::<Vec<_>>(), book.lines().collect::<Vec<_>>());
        assert_eq!(read.family(), book.family());
        for position in positions(game(name), 60) {
            let value = read.probe(&position).expect("it was put");
            let plain = plain.value(&Plain::from_position(&position));
            assert!(value.low == plain && value.high == plain, "{name} {position}");
        }
    }
}

/// A file names the program that wrote it. The first version of the format, which names none, is read.
#[test]
fn files_name_their_program() {
    let book = some_book("kalah(4,3)", 20);
    assert_eq!(book.program(), None);
    let bytes = book.to_bytes();
    let read = Book::parse(&bytes).unwrap();
    assert_eq!(read.program(), Some(sowing_rules::PROGRAM));
    // The head of the first version: no program.
    let (family, program) = (book.family().to_string(), sowing_rules::PROGRAM);
    let (before, after) = (10 + family.len(), 12 + family.len() + program.len());
    let mut old = [b"SOWBOOK1", &bytes[8..before], &bytes[after..after + 8]].concat();
    old.extend(crc32fast::hash(&old).to_le_bytes());
    old.extend(&bytes[after + 12..]);
    let read = Book::parse(&old).unwrap();
    assert_eq!(read.program(), None);
    assert!(read.lines().eq(book.lines()));
}

/// Every byte counts: each flipped bit and each cut is found.
#[test]
fn a_flipped_byte_is_found() {
    let book = some_book("kalah(4,3)", 400);
    let bytes = book.to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(Book::parse(&flipped).is_err(), "byte {at}, bit {bit}");
        }
        assert!(Book::parse(&bytes[..at]).is_err(), "cut after {at}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(Book::parse(&longer).is_err());
}

#[test]
fn a_book_of_other_games_is_refused() {
    let book = Arc::new(some_book("kalah(4,3)", 10));
    for name in ["kalah(4,3,empty-capture)", "kalah(5,3)", "s-kalaha(4,3)", "kalah(4,3,clockwise)"]
    {
        assert!(book.require(&game(name)).is_err(), "{name}");
        let options = SolverOptions { book: Some(Arc::clone(&book)), ..alone() };
        let refused = Solver::with_options(game(name), options);
        assert!(matches!(refused, Err(SolveError::Book(_))), "{name}");
    }
    // The pie is over when values matter, and seeds do not.
    for name in ["kalah(4,6)", "kalah(4,3,pie)"] {
        assert!(book.require(&game(name)).is_ok(), "{name}");
    }
    let mut other = Book::new(&game("s-kalaha(4,3)")).unwrap();
    assert!(matches!(other.merge(&book), Err(BookError::OtherFamily { .. })));
    assert!(matches!(Book::new(&game("kalah(9,1)")), Err(BookError::Family(_))));
}

/// A book neither answers for positions of another family nor takes them in; nor finished ones, nor
/// those in which a swap is still possible.
#[test]
fn positions_of_other_games_are_refused() {
    let mut book = some_book("kalah(3,3)", 20);
    let bounds = Bounds { low: 2, high: 2 };
    book.add(&Position::start(game("kalah(3,3)")), bounds, 1).unwrap();
    for name in ["kalah(3,3,empty-capture)", "s-kalaha(3,3)", "kalah(4,3)", "kalah(3,3,clockwise)"]
    {
        let start = Position::start(game(name));
        assert_eq!(book.probe(&start), None, "{name}");
        assert!(book.add(&start, bounds, 1).is_err(), "{name}");
    }
    let pie = Position::start(game("kalah(3,3,pie)"));
    assert_eq!(book.probe(&pie), None);
    assert!(matches!(book.add(&pie, bounds, 1), Err(BookError::NotOpen { .. })));
    let setup = "0,0,0,9|3,3,3,0".parse().unwrap();
    let finished = Position::new(game("kalah(3,3)"), &setup).unwrap();
    assert!(matches!(book.add(&finished, bounds, 1), Err(BookError::NotOpen { .. })));
}

/// As many stay as there is room for, though all took as much work.
#[test]
fn what_took_most_work_stays() {
    let mut book = Book::new(&game("kalah(3,3)")).unwrap();
    for (position, work) in
        positions(game("kalah(3,3)"), 200).iter().zip((0..).map(|i| 8 + i % 2 * 8))
    {
        let all = Bounds { low: position.lead() - position.layer() as i64, high: position.lead() };
        book.add(position, all, work).unwrap();
    }
    let (all, costly) = (book.len(), book.lines().filter(|line| line.work == 16).count());
    for most in [all, all - 1, costly + 1, costly, costly - 1, 1] {
        book.keep_most(most);
        assert_eq!(book.len(), most);
        let kept = book.lines().filter(|line| line.work == 16).count();
        assert_eq!(kept, most.min(costly), "{most}");
    }
}

/// A book has one lock by whatever name it goes, and a link to it stays one.
#[cfg(unix)]
#[test]
fn links_lead_to_one_book() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("a.book"), dir.path().join("link.book"));
    let three = game("kalah(3,3)");
    let (file, book) = BookFile::for_game(&path, &three).unwrap();
    file.write(&book).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(BookFile::for_game(&link, &three), Err(BookError::Busy { .. })));
    drop(file);
    let (file, _) = BookFile::for_game(&link, &three).unwrap();
    file.write(&some_book("kalah(3,3)", 5)).unwrap();
    assert!(link.is_symlink());
    assert!(!Book::open(&path).unwrap().is_empty());
    let other = BookFile::for_game(&link, &game("kalah(4,3)"));
    assert!(other.is_err());
    drop(file);
    let error = BookFile::for_game(&link, &game("kalah(4,3)")).unwrap_err().to_string();
    assert!(error.contains("link.book") && error.contains("kalah(3,.)"), "{error}");
}

#[test]
fn contradictions_are_refused() {
    let start = Position::start(game("kalah(4,3)"));
    let mut book = Book::new(start.game()).unwrap();
    book.add(&start, Bounds { low: 2, high: 9 }, 1).unwrap();
    let crossing = book.add(&start, Bounds { low: 10, high: 12 }, 1);
    assert!(matches!(crossing, Err(BookError::Contradiction { .. })));
    assert_eq!(book.probe(&start), Some(Bounds { low: 2, high: 9 }));
    book.add(&start, Bounds { low: -4, high: 6 }, 1).unwrap();
    assert_eq!(book.probe(&start), Some(Bounds { low: 2, high: 6 }));
    let mut other = Book::new(start.game()).unwrap();
    other.add(&start, Bounds { low: 7, high: 7 }, 1).unwrap();
    assert!(matches!(book.merge(&other), Err(BookError::Contradiction { .. })));
    // No board is worth more than its seeds.
    assert!(book.add(&start, Bounds { low: 25, high: 30 }, 1).is_err());
}

/// The solver trusts its book: it gives out a false value without a search, and searches other positions.
#[test]
fn values_of_a_book_are_trusted() {
    let start = Position::start(game("kalah(4,3)"));
    let mut book = Book::new(start.game()).unwrap();
    book.add(&start, Bounds::exact(7), 1).unwrap();
    let options = SolverOptions { book: Some(Arc::new(book)), ..alone() };
    let mut solver = Solver::with_options(*start.game(), options).unwrap();
    assert_eq!(solver.value(&start).unwrap().value(), Some(7), "the value is 6");
    assert_eq!(solver.nodes(), 0);
    let (next, _) = start.play(Move::house(2));
    assert_eq!(solver.value(&next).unwrap().value(), Some(6));
}

/// What follows from its moves is told from what does not, and what is wrong is named.
#[test]
fn entries_are_checked_against_each_other() {
    let start = Position::start(game("kalah(3,2)"));
    let mut solver = Solver::with_options(*start.game(), alone()).unwrap();
    let mut book = Book::new(start.game()).unwrap();
    let value = solver.value(&start).unwrap().bounds;
    book.add(&start, value, 1).unwrap();
    assert_eq!(book.check().alone, 1);
    for action in start.moves() {
        let (next, _) = start.play(action);
        book.add(&next, solver.value(&next).unwrap().bounds, 1).unwrap();
    }
    let check = book.check();
    assert!(check.follow >= 1 && check.wrong.is_empty(), "{check:?}");
    let mut false_book = book.clone();
    let (next, _) = start.play(Move::house(1));
    let mut lie = Book::new(start.game()).unwrap();
    lie.add(&next, Bounds { low: -6, high: -6 }, 1).unwrap();
    for line in book.lines().filter(|line| line.position.board() != next.board()) {
        lie.add(&line.position, line.bounds, line.work).unwrap();
    }
    assert!(false_book.merge(&lie).is_err());
    assert!(!lie.check().wrong.is_empty());
}

/// A search that is put down and taken up finds the same with less work.
#[test]
fn a_search_goes_on_from_its_book() {
    let game = game("kalah(5,3)");
    let start = Position::start(game);
    let options = SolverOptions { build_tables: false, ..alone() };
    let mut whole = Solver::with_options(game, options.clone()).unwrap();
    let value = whole.value(&start).unwrap();
    let book = whole.export_book(usize::MAX).unwrap();
    assert!(book.len() > 100);
    assert!(book.check().wrong.is_empty());
    // Nothing is left to do.
    let known = SolverOptions { book: Some(Arc::new(book.clone())), ..options.clone() };
    let mut again = Solver::with_options(game, known).unwrap();
    assert_eq!(again.value(&start).unwrap(), value);
    assert_eq!(again.nodes(), 0);
    // The costly part alone saves most of the work.
    let mut part = book;
    part.keep_work(64);
    let mut part_without_start = Book::new(&game).unwrap();
    for line in part.lines().filter(|line| line.position.board() != start.board()) {
        part_without_start.add(&line.position, line.bounds, line.work).unwrap();
    }
    let known = SolverOptions { book: Some(Arc::new(part_without_start)), ..options };
    let mut again = Solver::with_options(game, known).unwrap();
    assert_eq!(again.value(&start).unwrap(), value);
    assert!(again.nodes() < whole.nodes() / 4, "{} of {}", again.nodes(), whole.nodes());
}

/// What is handed out on the way is true.
#[test]
fn what_is_kept_on_the_way_is_true() {
    let game = game("kalah(5,4)");
    let kept = Arc::<Mutex<Vec<Book>>>::default();
    let keep = Arc::clone(&kept);
    let save = move |book, nodes| {
        assert!(nodes > 0);
        keep.lock().unwrap().push(book);
    };
    let family = Family::for_game(&game).unwrap();
    let checkpointer = Some(Checkpointer::new(family, Duration::ZERO, 20_000, save));
    let options = SolverOptions { build_tables: false, checkpointer, ..alone() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let value = solver.value(&Position::start(game)).unwrap();
    let kept = kept.lock().unwrap();
    let last = kept.last().expect("it takes long enough to be told of");
    assert!((1000..=20_000).contains(&last.len()), "{}", last.len());
    assert!(last.check().wrong.is_empty());
    let known = SolverOptions { book: Some(Arc::new(last.clone())), ..alone() };
    let mut again = Solver::with_options(game, known).unwrap();
    assert_eq!(again.value(&Position::start(game)).unwrap(), value);
}

#[test]
fn the_turn_that_proves_a_value_is_found_in_the_book() {
    for name in ["kalah(4,3)", "s-kalaha(3,3)"] {
        let game = game(name);
        let start = Position::start(game);
        let mut solver = Solver::with_options(game, alone()).unwrap();
        let value = solver.value(&start).unwrap().value().unwrap();
        let turn = solver.turn_achieving(&start, value).unwrap();
        let mut book = Book::new(&game).unwrap();
        let mut at = start;
        for action in &turn {
            at = at.play(*action).0;
            if !at.is_finished() {
                book.add(&at, solver.value(&at).unwrap().bounds, 1).unwrap();
            }
        }
        let known = SolverOptions { book: Some(Arc::new(book)), ..alone() };
        let mut fresh = Solver::with_options(game, known).unwrap();
        let found = fresh.turn_achieving(&start, value).unwrap();
        assert_eq!((found, fresh.nodes()), (turn, 0), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes that nobody wrote are refused, whatever they are, and nothing breaks.
    #[test]
    fn foreign_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), keep in 0..60_usize) {
        let mut whole = Book::new(&game("kalah(4,3)")).unwrap().to_bytes();
        prop_assert!(Book::parse(&whole).is_ok());
        whole.truncate(keep);
        whole.extend(&bytes);
        let empty = Book::new(&game("kalah(4,3)")).unwrap().to_bytes();
        prop_assert!(Book::parse(&whole).is_err() || whole == empty);
    }
}

/// What is kept of a book is what so many turns lead to, however a board is reached: boards also lie on
/// the way of a turn that others start with.
#[test]
fn an_opening_is_what_its_turns_lead_to() {
    for (name, turns) in
        [("kalah(3,2)", 5), ("kalah(2,6)", 6), ("kalah(2,4)", 8), ("kalah(3,3)", 3)]
    {
        let start = Position::start(name.parse().unwrap());
        // By the number of turns behind them, the fewest first.
        let mut behind: HashMap<Position, u32> = HashMap::from([(start, 0)]);
        let mut queue = VecDeque::from([start]);
        while let Some(position) = queue.pop_front() {
            let turns = behind[&position];
            for action in position.moves() {
                let (next, report) = position.play(action);
                let after = turns + u32::from(!report.again);
                if next.is_finished() || behind.get(&next).is_some_and(|known| *known <= after) {
                    continue;
                }
                behind.insert(next, after);
                // What is reached with fewer turns later on is looked at again.
                queue.push_back(next);
            }
        }
        let mut book = Book::new(start.game()).unwrap();
        for position in behind.keys() {
            let seeds = position.layer() as i64;
            let (low, high) = (position.lead() - seeds, position.lead() + seeds);
            book.add(position, Bounds { low, high }, 1).unwrap();
        }
        book.keep_opening(&start, turns).unwrap();
        for (position, behind) in &behind {
            if *behind <= turns {
                assert!(book.probe(position).is_some(), "{name} {position}");
            }
        }
        let near: HashSet<String> = (behind.iter().filter(|(_, behind)| **behind <= turns))
            .map(|(position, _)| houses(position))
            .collect();
        assert_eq!(book.len(), near.len(), "{name}");
    }
}

/// The seeds in houses as the mover sees them.
fn houses(position: &Position) -> String {
    format!("{:?}", (position.board().own(), position.board().other()))
}

/// A false book comes to light as a contradiction that names it, and from then on the solver gives
/// nothing out.
#[test]
fn nothing_is_given_out_after_a_contradiction() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    let start = Position::start(game);
    let mut book = Book::new(&game).unwrap();
    // Every position after a move is said to be lost for its mover; some are won.
    for action in start.moves() {
        let (next, _) = start.play(action);
        let most = next.lead() + next.layer() as i64;
        book.add(&next, Bounds { low: most, high: most }, 1 << 20).unwrap();
    }
    let options =
        SolverOptions { threads: 1, book: Some(Arc::new(book)), ..SolverOptions::default() };
    let mut solver = Solver::with_options(game, options).unwrap();
    let known = Some(Bounds { low: 6, high: 6 });
    let contradiction = start.moves().find_map(|action| {
        let (next, _) = start.play(action);
        let ask = Query { known, ..Query::new(Goal::Value) };
        solver.search(&next, &ask, &mut |_| {}).err()
    });
    let error = contradiction.expect("the book is false");
    assert!(matches!(error, SolveError::Contradiction) && error.to_string().contains("a book"));
    assert!(!solver.is_sound());
    assert!(matches!(solver.export_book(100), Err(SolveError::Contradiction)));
    assert!(matches!(solver.value(&start), Err(SolveError::Contradiction)));
    assert!(matches!(solver.turn_achieving(&start, 6), Err(SolveError::Contradiction)));
}
