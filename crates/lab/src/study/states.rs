//! State-space complexity: how many positions there are.

use sowing_rules::{Game, Rules};

use super::published::{self, number};
use super::{Cell, Figure, IRVING, Study, StudyKind, THESIS, Work};
use crate::Census;

pub(super) const TABLE_1: Study = Study {
    name: "thesis-1",
    title: "Table 1: state-space complexity of S-Kalaha(h,s)",
    citation: THESIS,
    kind: StudyKind::Counts,
    labels: ["h", "s"],
    note: "Live positions with the player to move, and finished boards once each, seeds left where \
           they lie. Counted one by one; sow count goes on where the thesis stops.",
    cells: table_1,
};

pub(super) const TABLE_2: Study = Study {
    name: "thesis-2",
    title: "Table 2: bounds of the state space of S-Kalaha(h,s)",
    citation: THESIS,
    kind: StudyKind::Counts,
    labels: ["h", "s"],
    note: "Upper bounds: all ways to lay 2hs seeds in 2h + 2 pits, for two players to move: \
           2 C(2h+2hs+1, 2hs). Printed with three digits from 10^8 on.",
    cells: table_2,
};

pub(super) const IRVING_2: Study = Study {
    name: "irving-2",
    title: "Table 2: bounds of the state space of Kalah(h,s)",
    citation: IRVING,
    kind: StudyKind::Counts,
    labels: ["h", "s"],
    note: "The same bound as the thesis's, 2 C(2h+2hs+1, 2hs), which does not depend on the rules. \
           Of the printed cells only these two were at hand.",
    cells: irving_2,
};

fn table_1(work: &Work) -> Vec<Cell> {
    let rows = published::states().columns(["h", "s", "states"]);
    let cells = rows.iter().map(|[h, s, states]| Cell::new(h, s, Some(states)));
    work.each(cells, |cell| {
        let (houses, seeds) = (number(&cell.row), number(&cell.column));
        let game = Game::new(Rules::S_KALAHA, houses, seeds).expect("a printed game");
        if let Ok(census) = Census::of(&game, work.options.memory) {
            cell.exact(Figure::Number(census.total() as i64));
        }
    })
}

fn table_2(work: &Work) -> Vec<Cell> {
    let mut cells = bounds(work, published::states_bound());
    for cell in &mut cells {
        if (cell.row.as_str(), cell.column.as_str()) == ("6", "2") {
            cell.explain("2 C(37,24) = 7,124,934,600 rounds to 7.12e9");
        }
    }
    cells
}

fn irving_2(work: &Work) -> Vec<Cell> {
    bounds(work, published::irving_states())
}

fn bounds(work: &Work, table: published::Table) -> Vec<Cell> {
    let rows = table.columns(["h", "s", "bound"]);
    let cells = rows.iter().map(|[h, s, bound]| Cell::new(h, s, Some(bound)));
    work.each(cells, |cell| {
        let (houses, seeds): (u128, u128) = (number(&cell.row), number(&cell.column));
        let all = 2 * houses * seeds;
        // C(n, k) with the smaller k: 2h + 1 pits more than the seeds.
        let ways = (1..=2 * houses + 1).fold(1, |product, i| product * (all + i) / i);
        cell.exact(Figure::Number(2 * ways as i64));
    })
}
