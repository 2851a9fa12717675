//! The worth of every first turn of Kalah with six houses a row.

use sowing_rules::{Bounds, Game, Move, Position};
use sowing_solver::{SolveError, Solver};

use super::published::{self, number};
use super::{ARTICLE, Cell, Comparison, Computed, Figure, Study, StudyKind, Work};

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
           106 days. The time is shared out; a turn that it does not suffice for is shown as it was \
           computed before.",
    cells: |work| first_turns(work, "6"),
    ..ARTICLE_5
};

pub(super) const ARTICLE_6_OPEN: Study = Study {
    name: "article-6-open",
    title: "First turns of Kalah(6,6), standard capture: 2018's bounds",
    labels: ["turn", ""],
    note: "The first player's margin after each first turn, with perfect play; printed are bounds, and \
           of four turns only. The time is shared out; a turn that it does not suffice for is shown \
           as it was computed before.",
    cells: open_66,
    ..ARTICLE_5
};

/// Where the first turns are that were computed before.
const KEPT: &str = "results/kalah_first_turns.csv";

const COLUMNS: [(&str, &str); 2] = [("standard", ""), ("empty capture", ",empty-capture")];

/// A first turn, played; what it is worth to the first player is minus what this is worth.
fn after(game: Game, turn: &str) -> Position {
    turn.split('-')
        .fold(Position::start(game), |position, house| position.play(Move::house(number(house))).0)
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
            let row = kept.iter().find(|row| row[0] == seeds && row[1] == cell.row);
            match row.filter(|row| !row[2 + index].is_empty()) {
                Some(row) => {
                    cell.exact(Figure::Number(number(row[2 + index])));
                    cell.keep(KEPT);
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
    Ok(-solver.value(end).map_err(|_| ())?.bounds)
}

fn open_66(work: &Work) -> Vec<Cell> {
    let printed = published::open_66().columns(["turn", "bound"]);
    let kept = published::kept_first_turns().columns(["s", "turn", "standard"]);
    let turns = published::first_turns().columns(["s", "turn"]);
    let turns: Vec<&str> = turns.iter().filter(|row| row[0] == "6").map(|row| row[1]).collect();
    let game: Game = "kalah(6,6)".parse().expect("a game");
    let time = work.left() / turns.len() as u32;
    let mut solver = Solver::with_options(game, work.solver(time));
    let cells = turns.iter().map(|turn| {
        let bound = printed.iter().find(|row| row[0] == *turn).map(|row| row[1]);
        Cell::new(turn, "standard", bound)
    });
    let mut cells = work.each(cells, |cell| {
        let _ = solver.as_mut().map(Solver::restart_clock);
        let end = after(game, &cell.row);
        if let Ok(bounds) = worth(&mut solver, &end) {
            cell.bounds(bounds, end.layer());
            cell.verdict = beside(cell.printed.as_deref(), bounds);
        }
    });
    for cell in cells.iter_mut().filter(|cell| !matches!(cell.computed, Computed::Exact { .. })) {
        let row = kept.iter().find(|row| row[0] == "6" && row[1] == cell.row);
        if let Some(row) = row.filter(|row| !row[2].is_empty()) {
            let value = number(row[2]);
            cell.exact(Figure::Number(value));
            cell.keep(KEPT);
            cell.verdict = beside(cell.printed.as_deref(), Bounds { low: value, high: value });
        }
    }
    cells
}

/// What proven bounds say to a printed one.
fn beside(printed: Option<&str>, Bounds { low, high }: Bounds) -> Comparison {
    let Some(printed) = printed else { return Comparison::Unprinted };
    let (holds, fails) = match printed.strip_prefix(">=") {
        Some(least) => (low >= number(least), high < number(least)),
        None => {
            let most = number(printed.trim_start_matches("<="));
            (high <= most, low > most)
        }
    };
    match (holds, fails) {
        (true, _) => Comparison::Proven,
        (_, true) => Comparison::Differs,
        _ => Comparison::NotRecomputed,
    }
}
