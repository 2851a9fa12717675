//! The figures of Mancala Matrices: winning boards of Tchoukaillon and their moves.

use sowing_solitaire::Winning;

use super::published::{self, number};
use super::{Cell, Figure, MATRICES, Study, StudyKind, Work};

pub(super) const BOARDS: Study = Study {
    name: "matrices-boards",
    title: "Figures 4 and 5: winning boards of Tchoukaillon",
    citation: MATRICES,
    kind: StudyKind::Counts,
    labels: ["n", "bin"],
    note: "The stones in each bin of the one winning board with n stones, bin 1 nearest the Ruma.",
    cells: |work| figures(work, "board", |winning| winning.bins().collect()),
};

pub(super) const MOVES: Study = Study {
    name: "matrices-moves",
    title: "Figures 4 and 5: move vectors of Tchoukaillon",
    note: "How often the play that clears the winning board with n stones plays each bin.",
    cells: |work| figures(work, "moves", |winning| winning.moves().collect()),
    ..BOARDS
};

fn figures(work: &Work, column: &str, computed: fn(&Winning) -> Vec<u64>) -> Vec<Cell> {
    let rows = published::tchoukaillon().columns(["n", column]);
    let cells = rows.iter().flat_map(|[stones, figures]| {
        let bins = (1..).zip(figures.split_whitespace());
        bins.map(move |(bin, figure): (u64, _)| Cell::new(stones, bin, Some(figure)))
    });
    work.each(cells, |cell| {
        let winning = Winning::new(number(&cell.row)).expect("at least one stone");
        let bin: usize = number(&cell.column);
        if let Some(figure) = computed(&winning).get(bin - 1) {
            cell.exact(Figure::Number(*figure as i64));
        }
    })
}
