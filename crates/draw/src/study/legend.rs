//! The meaning of a picture's colours, patterns and marks.

use sowing_lab::study::{FigureSource, StudyKind};

use super::picture::{BOUNDED, COLOURS, PRINTED};
use super::{StudyTable, TableCell};

/// The height of a legend's line.
pub(super) const LINE: f64 = 20.0;

/// A word among margins: who wins, not by how much.
pub(super) const WORD: &str = "#e8d9f0";

/// What a line of a legend explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// What has no mark.
    None,
    /// A star after a figure.
    Star,
    /// A red edge.
    Edge,
    /// A colour or a pattern.
    Fill(&'static str),
}

/// The marks that occur, each with a sentence.
pub(super) fn legend(table: &StudyTable) -> Vec<(Mark, String)> {
    let mut lines = Vec::new();
    if table.kind == StudyKind::Margins {
        let any = |sign: fn(f64) -> bool| table.cells().filter_map(|cell| cell.number).any(sign);
        let signs = [
            (any(|n| n > 0.0), COLOURS[0], "the first player wins, by the more the darker"),
            (any(|n| n < 0.0), COLOURS[1], "the first player loses, by the more the darker"),
            (any(|n| n == 0.0), "#ffffff", "a draw"),
        ];
        let signs = signs.into_iter().filter(|(occurs, ..)| *occurs);
        lines.extend(signs.map(|(_, fill, says)| (Mark::Fill(fill), says.to_string())));
        if table.cells().any(|cell| cell.number.is_none() && pattern(cell).is_none()) {
            let words = "win (W), draw (D) or loss (L), without a margin".to_string();
            lines.push((Mark::Fill(WORD), words));
        }
    }
    lines.extend(table.sources.iter().map(|one| {
        let (mark, before) = match one.source {
            FigureSource::Computed => (Mark::None, "no mark: "),
            FigureSource::Estimated => (Mark::None, ""),
            FigureSource::Bounded => (Mark::Fill(BOUNDED), ""),
            FigureSource::Kept => (Mark::Star, ""),
            FigureSource::Printed | FigureSource::Unknown => (Mark::Fill(PRINTED), ""),
        };
        (mark, format!("{before}{}: {}", one.text, one.count))
    }));
    if table.cells().any(TableCell::is_odd) && table.kind != StudyKind::Starts {
        lines.push((Mark::Edge, "red edge: not as printed".to_string()));
    }
    lines
}

/// The pattern of a cell that has no exact figure to be coloured by.
pub(super) fn pattern(cell: &TableCell) -> Option<&'static str> {
    match cell.source {
        FigureSource::Printed | FigureSource::Unknown => Some(PRINTED),
        FigureSource::Bounded => Some(BOUNDED),
        FigureSource::Computed | FigureSource::Estimated | FigureSource::Kept => None,
    }
}
