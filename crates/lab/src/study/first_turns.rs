//! The worth of every first turn of Kalah with six houses a row.

use sowing::{Game, Move, Position};
use sowing_solver::{Bounds, SolveError, Solver};

use super::published::{self, number};
use super::{ARTICLE, Cell, Comparison, Figure, Study, StudyKind, Work};

pub(super) const ARTICLE_4: Study = Study {
    name: "article-4",
    title: "First turns of Kalah(6,4)",
    cells: |work| first_turns(work, "4"),
    ..ARTICLE_5
};

pub(super) const ARTICLE_5: Study = Study {
    name: "article-5",
    title: "First turns of Kalah(6,5)",
    citation: ARTICLE,
    kind: StudyKind::Margins,
    labels: ["turn", "capture"],
    note: "The first player's margin after each first turn, with perfect play. 3-6 is house 3, \
           then house 6.",
    cells: |work| first_turns(work, "5"),
};

pub(super) const ARTICLE_6: Study = Study {
    name: "article-6",
    title: "First turns of Kalah(6,6), empty capture",
    note: "The first player's margin after each first turn, with perfect play. It took the author \
           106 days; here the time is shared out and what is proven by then is given.",
    cells: |work| first_turns(work, "6"),
    ..ARTICLE_5
};

pub(super) const ARTICLE_6_OPEN: Study = Study {
    name: "article-6-open",
    title: "First turns of Kalah(6,6), standard capture: 2018's bounds",
    labels: ["turn", ""],
    note: "The first player's margin after each first turn. The time is shared out; a bound that \
           it suffices for is marked as proven.",
    cells: open_66,
    ..ARTICLE_5
};

const COLUMNS: [(&str, &str); 2] = [("standard", ""), ("empty capture", ",empty-capture")];

/// A first turn, played; what it is worth to the first player is minus what this is worth.
fn after(game: Game, turn: &str) -> Position {
    turn.split('-').fold(Position::start(game), |position, house| {
        position.play(Move::house(number(house))).expect("a legal printed turn").0
    })
}

fn first_turns(work: &Work, seeds: &'static str) -> Vec<Cell> {
    let names = ["s", "turn", "standard", "empty_capture"];
    let printed = published::first_turns().columns(names);
    let kept = published::kept_first_turns().columns(names);
    let mut cells = Vec::new();
    for (index, (column, option)) in COLUMNS.into_iter().enumerate() {
        let rows = printed.iter().filter(|row| row[0] == seeds && !row[2 + index].is_empty());
        let new: Vec<Cell> =
            rows.map(|row| Cell::new(row[1], column, Some(row[2 + index]))).collect();
        let game: Game = format!("kalah(6,{seeds}{option})").parse().expect("a game");
        let open = seeds == "6";
        // The second game gets what the first leaves.
        let time = if index == 0 { work.left() / 2 } else { work.left() };
        let time = if open { time / new.len().max(1) as u32 } else { time };
        let mut solver = Solver::with_options(game, work.solver(time));
        let mut done = work.each(new, |cell| {
            if open {
                let _ = solver.as_mut().map(Solver::restart_clock);
            }
            let end = after(game, &cell.row);
            if let Ok(bounds) = worth(&mut solver, &end) {
                cell.bounds(bounds, end.layer());
            }
        });
        for cell in done.iter_mut().filter(|cell| cell.verdict == Comparison::NotReached) {
            match kept.iter().find(|row| row[0] == seeds && row[1] == cell.row) {
                Some(row) => {
                    cell.exact(Figure::Number(number(row[2 + index])));
                    cell.keep("results/kalah_first_turns.csv");
                }
                None if open => cell.verdict = Comparison::NotRecomputed,
                None => {}
            }
        }
        cells.extend(done);
    }
    cells
}

/// What is proven of the mover's margin in the position before, of which this is the turn's end.
fn worth(solver: &mut Result<Solver, SolveError>, end: &Position) -> Result<Bounds, ()> {
    let solver = solver.as_mut().map_err(|_| ())?;
    let Bounds { low, high } = solver.value(end).map_err(|_| ())?.bounds();
    Ok(Bounds { low: -high, high: -low })
}

fn open_66(work: &Work) -> Vec<Cell> {
    let rows = published::open_66().columns(["turn", "bound"]);
    let game: Game = "kalah(6,6)".parse().expect("a game");
    let time = work.left() / rows.len() as u32;
    let mut solver = Solver::with_options(game, work.solver(time));
    let cells = rows.iter().map(|[turn, bound]| Cell::new(turn, "standard", Some(bound)));
    work.each(cells, |cell| {
        cell.verdict = Comparison::NotRecomputed;
        let Ok(solver) = &mut solver else { return };
        solver.restart_clock();
        let end = after(game, &cell.row);
        let bound = cell.printed.as_deref().unwrap_or_default();
        // A margin of at least b for the mover is one of less than 1 - b for the other.
        let proven = match bound.strip_prefix(">=") {
            Some(low) => solver.at_least(&end, 1 - number::<i64>(low)).map(|more| !more),
            None => solver.at_least(&end, -number::<i64>(bound.trim_start_matches("<="))),
        };
        match proven {
            Ok(true) => cell.verdict = Comparison::Proven,
            Ok(false) => cell.verdict = Comparison::Differs,
            Err(_) => {}
        }
    })
}
