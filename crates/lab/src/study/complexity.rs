//! Game-tree complexity by random games.

use sowing::{Game, Rules};

use super::published::{self, number};
use super::{Cell, Computed, Kind, Study, THESIS, Value, Verdict, Work};
use crate::Playouts;

pub(super) const TABLE_3: Study = Study {
    name: "thesis-3",
    title: "Table 3: game-tree complexity b^d of S-Kalaha(h,s), estimated by random games",
    citation: THESIS,
    kind: Kind::Estimates,
    labels: ["h", "s"],
    note: "b is the mean number of legal moves, d the mean number of moves of a game. The print is \
           from 100 games a cell: an estimate whose standard deviation follows from the spread of \
           our games. A printed value up to four of those away is taken to agree.",
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
        let played = Playouts::play(game, work.options.games, work.options.seed);
        let ours = played.complexity();
        let printed: f64 = number(cell.printed.as_deref().unwrap_or_default());
        let deviation =
            (ours.ln_high - ours.ln) / 1.96 * (played.games as f64 / PRINTED_GAMES).sqrt();
        let off = printed.ln() - ours.ln;
        let deviations = off.abs() / deviation;
        let decades = off / std::f64::consts::LN_10;
        cell.computed = Computed::Estimate {
            value: Value::Real(ours.ln.exp()),
            low: ours.ln_low.exp(),
            high: ours.ln_high.exp(),
        };
        cell.verdict = if deviations <= MOST_DEVIATIONS {
            Verdict::Within { decades, deviations }
        } else {
            Verdict::Differs
        };
    })
}
