//! The article's endgame tables, and what they were used for.

use sowing_tables::live_positions;

use super::published::{self, number};
use super::{ARTICLE, Cell, Comparison, Figure, Study, StudyKind, Work};

pub(super) const ARTICLE_ENDGAMES: Study = Study {
    name: "article-endgames",
    title: "Positions of Kalah's endgame tables, six houses a row",
    citation: ARTICLE,
    kind: StudyKind::Counts,
    labels: ["seeds", ""],
    note: "Positions with so many seeds in the twelve houses and neither row empty. Seeds 2 to 25 \
           were printed as one sum.",
    cells: endgames,
};

pub(super) const ARTICLE_COST: Study = Study {
    name: "article-6-cost",
    title: "Cost of the first turns of Kalah(6,6), empty capture",
    citation: ARTICLE,
    kind: StudyKind::Counts,
    labels: ["turn", ""],
    note: "What it took the author, with 34-seed tables in 32 GB of memory. Shown as printed.",
    cells: cost,
};

fn endgames(work: &Work) -> Vec<Cell> {
    let rows = published::endgame_counts().columns(["seeds", "positions", "cumulative"]);
    let cells = rows.iter().flat_map(|[seeds, positions, cumulative]| {
        let cell = |column, printed| Cell::new(seeds, column, Some(printed));
        [cell("positions", positions), cell("cumulative", cumulative)]
    });
    work.each(cells, |cell| {
        let (first, last) = cell.row.split_once('-').unwrap_or((&cell.row, &cell.row));
        let first = if cell.column == "cumulative" { 2 } else { number(first) };
        let positions: u128 = (first..=number(last)).map(|layer| live_positions(6, layer)).sum();
        cell.exact(Figure::Number(positions as i64));
    })
}

fn cost(work: &Work) -> Vec<Cell> {
    let rows = published::cost_66().columns(["turn", "seconds", "nodes"]);
    let cells = rows.iter().flat_map(|[turn, seconds, nodes]| {
        [Cell::new(turn, "seconds", Some(seconds)), Cell::new(turn, "nodes", Some(nodes))]
    });
    work.each(cells, |cell| cell.verdict = Comparison::NotRecomputed)
}
