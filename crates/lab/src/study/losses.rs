//! Starts of S-Kalaha that the first player does not win.

use sowing_rules::Outcome;
use sowing_rules::{Game, Rules};

use super::published::{self, number};
use super::{Cell, Comparison, Figure, Study, StudyKind, THESIS, Work};
use crate::{Polynomial, Start, non_wins};

pub(super) const TABLE_7: Study = Study {
    name: "thesis-7",
    title: "Table 7: first ten non-wins of S-Kalaha(h,s), s from 2h on",
    citation: THESIS,
    kind: StudyKind::Starts,
    labels: ["", "h"],
    note: "Every start from 2h to the last one printed is solved. All that are no wins are losses.",
    cells: table_7,
};

pub(super) const TABLE_8: Study = Study {
    name: "thesis-8",
    title: "Table 8: loss polynomials in l = 2h + 1 and their values",
    citation: THESIS,
    kind: StudyKind::Counts,
    labels: ["s", "h"],
    note: "S-Kalaha(h,s) is a loss for each value s printed. sow polynomials searches for more.",
    cells: table_8,
};

pub(super) const TABLE_9: Study = Study {
    name: "thesis-9",
    title: "Table 9: further non-wins of S-Kalaha(h,s), s to 100,000",
    citation: THESIS,
    kind: StudyKind::Starts,
    labels: ["", "h"],
    note: "Every start from 2h to 100,000 is solved, and the values of Table 8 are left out. All that \
           are no wins are losses.",
    cells: table_9,
};

pub(super) const LOSSES: Study = Study {
    name: "s-kalaha-losses",
    title: "All losses of S-Kalaha(h,s), s from 2h to 100,000",
    citation: "S-Kalaha(h,s): the losses of the thesis's Tables 7 to 9 and those that it leaves out",
    note: "Every start from 2h to 100,000 is solved. All that are no wins are losses.",
    cells: losses,
    ..TABLE_9
};

const HOUSES: std::ops::RangeInclusive<u8> = 2..=6;

/// Starts that are solved between two looks at the clock.
const STRETCH: u64 = 1 << 12;

/// The starts of a column that are no wins, up to a last one, if the time suffices.
fn found(work: &Work, houses: u8, last: u64) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    let mut first = 2 * u64::from(houses);
    while first <= last {
        if work.left().is_zero() {
            return None;
        }
        let end = last.min(first + STRETCH - 1);
        let starts = non_wins(Rules::S_KALAHA, houses, first..=end).ok()?;
        found.extend(starts.iter().map(|start| start.game.seeds()));
        first = end + 1;
    }
    Some(found)
}

/// The printed losses of a column; sporadic ones only, or all.
fn printed(houses: u8, sporadic_only: bool) -> Vec<u64> {
    let rows = published::losses().columns(["h", "s", "kind"]);
    let column = rows
        .iter()
        .filter(|[h, _, kind]| *h == houses.to_string() && (*kind == "sporadic" || !sporadic_only));
    column.map(|[_, s, _]| number(s)).collect()
}

/// Both lists in one: what is in one of them only stands alone in its row.
fn side_by_side(
    work: &Work,
    houses: u8,
    printed: &[u64],
    found: Option<Vec<u64>>,
    why: impl Fn(u64) -> Option<String>,
) -> Vec<Cell> {
    let mut all: Vec<u64> =
        printed.iter().copied().chain(found.iter().flatten().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let cells = (1..).zip(&all).map(|(place, seeds)| {
        let text = seeds.to_string();
        let mut cell = Cell::new(place, houses, printed.contains(seeds).then_some(text.as_str()));
        match &found {
            Some(found) if found.contains(seeds) => cell.exact(Figure::Number(*seeds as i64)),
            Some(_) => cell.exact(Figure::Word("win".to_string())),
            None => {}
        }
        if let Some(why) = why(*seeds) {
            cell.explain(why);
        }
        cell
    });
    work.each(cells.collect::<Vec<_>>(), |_| {})
}

fn table_7(work: &Work) -> Vec<Cell> {
    let mut cells = Vec::new();
    for houses in HOUSES {
        // The print leaves 32 out with three houses, so that its list goes one further.
        let missing = if houses == 3 { 1 } else { 0 };
        let all = printed(houses, false);
        let mut first_ten = all[..10 + missing].to_vec();
        first_ten.retain(|seeds| (houses, *seeds) != (3, 32));
        let reached = found(work, houses, first_ten[9]);
        cells.extend(side_by_side(work, houses, &first_ten, reached, |seeds| {
            let known = (houses, seeds) == (3, 32);
            known.then(|| "a loss that Table 7 leaves out; Table 9 has it".to_string())
        }));
    }
    cells
}

fn table_8(work: &Work) -> Vec<Cell> {
    let rows = published::loss_polynomials().columns(["polynomial", "h2", "h3", "h4", "h5", "h6"]);
    let cells = rows.iter().flat_map(|row| {
        HOUSES.map(|houses| Cell::new(row[0], houses, Some(row[usize::from(houses) - 1])))
    });
    work.each(cells, |cell| {
        let polynomial: Polynomial = cell.row.parse().expect("a printed polynomial");
        let houses = number(&cell.column);
        let seeds = polynomial.seeds(houses).expect("within a board's seeds");
        let game = Game::new(Rules::S_KALAHA, houses, seeds).expect("a printed game");
        match Start::of(game).map(|start| start.outcome) {
            Ok(Outcome::Loss) => cell.exact(Figure::Number(seeds as i64)),
            Ok(other) => cell.exact(Figure::Word(format!("{seeds}: {other}"))),
            Err(_) => {}
        }
    })
}

fn table_9(work: &Work) -> Vec<Cell> {
    let polynomials = published::loss_polynomials();
    let polynomials = polynomials.columns(["h2", "h3", "h4", "h5", "h6"]);
    let mut cells = Vec::new();
    for houses in HOUSES {
        let reached = found(work, houses, 100_000);
        let of_table_8 = |seeds: &u64| {
            polynomials.iter().any(|row| row[usize::from(houses) - 2] == seeds.to_string())
        };
        let others =
            reached.map(|found| found.into_iter().filter(|seeds| !of_table_8(seeds)).collect());
        cells.extend(side_by_side(work, houses, &printed(houses, true), others, |seeds| {
            let polynomial = UNPRINTED.iter().find(|(s, _)| houses == 2 && *s == seeds)?.1;
            Some(format!(
                "a loss that no table prints: {polynomial}, of higher degree than Table 8's"
            ))
        }));
    }
    cells
}

fn losses(work: &Work) -> Vec<Cell> {
    let cells = HOUSES.flat_map(|houses| match found(work, houses, 100_000) {
        Some(found) => (1..).zip(found).map(|(place, seeds)| loss(place, houses, seeds)).collect(),
        None => vec![Cell::new(1, houses, None)],
    });
    work.each(cells.collect::<Vec<_>>(), |_| {})
}

/// A loss that is set beside no print.
fn loss(place: usize, houses: u8, seeds: u64) -> Cell {
    let mut cell = Cell::new(place, houses, None);
    cell.exact(Figure::Number(seeds as i64));
    cell.verdict = Comparison::Unprinted;
    cell
}

/// Losses with two houses a row that neither Table 8 nor Table 9 has.
const UNPRINTED: [(u64, &str); 4] = [
    (62_500, "l^7-l^6"),
    (62_600, "l^7-l^6+l^3-l^2"),
    (65_104, "l^7-l^6+l^5-l^4+l^3-l^2+l-1"),
    (78_125, "l^7"),
];
