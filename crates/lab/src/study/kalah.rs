//! Kalah(h,s) by itself: what the start is worth, and what the search for that takes.

use sowing_rules::{Game, Position, Rules};
use sowing_solver::{Solver, SolverOptions};

use super::published::{self, number};
use super::{Cell, Comparison, Computed, Figure, Study, StudyKind, Work};

pub(super) const VALUES: Study = Study {
    name: "kalah-values",
    title: "Value of Kalah(h,s)",
    citation: "Kalah(h,s), standard capture, for h and s to 6; the table is printed nowhere",
    kind: StudyKind::Margins,
    labels: ["h", "s"],
    note: "The first player's margin with perfect play. Small games come first, and no game takes \
           more than half of the time that is left; one that it does not suffice for is shown as \
           it was computed before.",
    cells: values,
};

pub(super) const NODES: Study = Study {
    name: "kalah-nodes",
    title: "Nodes of the search for the value of Kalah(h,s)",
    kind: StudyKind::Growth,
    note: "Boards whose moves were generated, by one thread without a book; endgame tables are built \
           on the way. The same memory gives the same nodes in every run. Small games come first.",
    cells: nodes,
    ..VALUES
};

/// Where the values are that were computed before.
const KEPT: &str = "results/kalah_values.csv";

fn game(cell: &Cell) -> Game {
    Game::new(Rules::KALAH, number(&cell.row), number(&cell.column)).expect("a size of the table")
}

/// All cells, row by row, computed in the order of the seeds of their games: a slow game does not
/// take the time of the quick ones.
fn each(work: &Work, compute: impl FnMut(&mut Cell)) -> Vec<Cell> {
    let cells = (1..=6).flat_map(|houses| (1..=6).map(move |seeds| Cell::new(houses, seeds, None)));
    let mut cells: Vec<Cell> = cells.collect();
    cells.sort_by_key(|cell| game(cell).total());
    let mut done = work.each(cells, compute);
    done.sort_by_key(|cell| (number::<u8>(&cell.row), number::<u8>(&cell.column)));
    done
}

fn values(work: &Work) -> Vec<Cell> {
    let kept = published::kept_values().columns(["h", "s", "standard"]);
    let mut cells = each(work, |cell| {
        let game = game(cell);
        let answer = Solver::with_options(game, work.solver(work.left() / 2))
            .and_then(|mut solver| solver.value(&Position::start(game)));
        if let Some(value) = answer.ok().and_then(|answer| answer.value()) {
            cell.exact(Figure::Number(value));
        }
    });
    for cell in cells.iter_mut().filter(|cell| cell.computed == Computed::Nothing) {
        let row = kept.iter().find(|row| row[0] == cell.row && row[1] == cell.column);
        let [.., value] = row.expect("every size is kept");
        cell.exact(Figure::Number(number(value)));
        cell.keep(KEPT);
    }
    for cell in &mut cells {
        cell.verdict = Comparison::Unprinted;
    }
    cells
}

fn nodes(work: &Work) -> Vec<Cell> {
    each(work, |cell| {
        let game = game(cell);
        let options = SolverOptions { threads: 1, ..work.solver(work.left()) };
        let Ok(mut solver) = Solver::with_options(game, options) else { return };
        let answer = solver.value(&Position::start(game));
        if answer.is_ok_and(|answer| answer.value().is_some()) {
            cell.exact(Figure::Number(solver.nodes() as i64));
            cell.verdict = Comparison::Unprinted;
        }
    })
}
