//! Game-tree complexity by random games.

use std::f64::consts::LN_10;
use std::time::Instant;

use sowing_rules::{Game, Rules};

use super::published::{self, number};
use super::{Cell, Comparison, Computed, Figure, Study, StudyKind, THESIS, Work};
use crate::Playouts;

pub(super) const TABLE_3: Study = Study {
    name: "thesis-3",
    title: "Table 3: game-tree complexity b^d of S-Kalaha(h,s)",
    citation: THESIS,
    kind: StudyKind::Estimates,
    labels: ["h", "s"],
    note: "Estimates by random games: d is the mean number of moves of a game, b the mean over games of each game's mean number \
           of legal moves, as the thesis takes it. The print is from 100 games a cell: its \
           standard deviation follows from the spread of our games, and a printed value up to four \
           of those away is taken to agree. A small error of d or b is a large one of b^d, but no \
           printed value is off by a factor of ten.",
    cells: table_3,
};

/// The games that each printed value comes from.
const PRINTED_GAMES: f64 = 100.0;

/// The most standard deviations between two estimates of the same.
const MOST_DEVIATIONS: f64 = 4.0;

fn table_3(work: &Work) -> Vec<Cell> {
    let rows = published::tree_complexity().columns(["h", "s", "complexity"]);
    let cells = rows.iter().map(|[h, s, complexity]| Cell::new(h, s, Some(complexity)));
    work.each(cells, |cell| {
        let (houses, seeds) = (number(&cell.row), number(&cell.column));
        let game = Game::new(Rules::S_KALAHA, houses, seeds).expect("a printed game");
        let (games, seed) = (work.options.games, work.options.seed);
        let end = work.end;
        let Some(played) = Playouts::play_while(game, games, seed, |_| Instant::now() < end) else {
            return;
        };
        let ours = played.complexity_by_game();
        let printed: f64 = number(cell.printed.as_deref().unwrap_or_default());
        // Of the difference between an estimate by as many games as the print's and ours.
        let of_a_game = (ours.ln_high - ours.ln) / 1.96 * (played.games as f64).sqrt();
        let deviation = of_a_game * (1.0 / PRINTED_GAMES + 1.0 / played.games as f64).sqrt();
        let off = printed.ln() - ours.ln;
        let deviations = off.abs() / deviation;
        let decades = off / LN_10;
        cell.computed = Computed::LogEstimate {
            value: Figure::Real(ours.ln.exp()),
            low: ours.ln_low.exp(),
            high: ours.ln_high.exp(),
        };
        cell.verdict = if deviations <= MOST_DEVIATIONS {
            Comparison::Within { decades, deviations }
        } else {
            Comparison::Differs
        };
        if (houses, seeds) == (5, 1) {
            let other = (off - LN_10).abs() / deviation;
            cell.explain(format!(
                "{deviations:.1} standard deviations from ours; 2.83e5 would be {other:.1}: most \
                 likely the exponent is one too high"
            ));
        }
    })
}
