//! Wins in the first turn.

use sowing_rules::{Game, Rules};

use super::published::{self, number};
use super::{Cell, Figure, Study, StudyKind, THESIS, Work};
use crate::Openings;

pub(super) const TABLE_4: Study = Study {
    name: "thesis-4",
    title: "Table 4: wins of S-Kalaha(h,s) in the first turn",
    citation: THESIS,
    kind: StudyKind::Outcomes,
    labels: ["h", "s"],
    note: "Whether the first player can win before the other has moved. The print has a mark or \
           nothing, given here as yes and no.",
    cells: table_4,
};

/// More positions than the first turn of any printed cell goes through.
const LIMIT: usize = 10_000_000;

fn table_4(work: &Work) -> Vec<Cell> {
    let marked = published::openings().columns(["h", "s"]);
    let cells = (1..=6u8).flat_map(|h| (1..=6u64).map(move |s| (h, s))).map(|(h, s)| {
        let mark = marked.contains(&[h.to_string().as_str(), s.to_string().as_str()]);
        Cell::new(h, s, Some(if mark { "yes" } else { "no" }))
    });
    work.each(cells, |cell| {
        let (houses, seeds) = (number(&cell.row), number(&cell.column));
        let game = Game::new(Rules::S_KALAHA, houses, seeds).expect("a printed game");
        if let Ok(shortest) = Openings::shortest_win(game, LIMIT) {
            let word = if shortest.is_some() { "yes" } else { "no" };
            cell.exact(Figure::Word(word.to_string()));
            cell.note = shortest.map(|turn| {
                let moves: Vec<String> = turn.moves.iter().map(ToString::to_string).collect();
                format!("shortest: {}", moves.join(" "))
            });
        }
    })
}
