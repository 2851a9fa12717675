//! What colours, patterns and marks of a picture mean.

use sowing_lab::study::{Cell, FigureSource, StudyKind, StudyReport};

use super::picture::{BOUNDED, COLOURS, PRINTED};
use super::{is_odd, source_text};

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
pub(super) fn legend(report: &StudyReport) -> Vec<(Mark, String)> {
    let mut lines = Vec::new();
    if report.kind == StudyKind::Margins {
        let any = |sign: fn(f64) -> bool| report.cells.iter().filter_map(Cell::number).any(sign);
        let signs = [
            (any(|n| n > 0.0), COLOURS[0], "the first player wins, by the more the darker"),
            (any(|n| n < 0.0), COLOURS[1], "the first player loses, by the more the darker"),
            (any(|n| n == 0.0), "#ffffff", "a draw"),
        ];
        let signs = signs.into_iter().filter(|(occurs, ..)| *occurs);
        lines.extend(signs.map(|(_, fill, says)| (Mark::Fill(fill), says.to_string())));
        if report.cells.iter().any(|cell| cell.number().is_none() && pattern(cell).is_none()) {
            let words = "win (W), draw (D) or loss (L), without a margin".to_string();
            lines.push((Mark::Fill(WORD), words));
        }
    }
    lines.extend(report.sources().into_iter().map(|(source, count)| {
        let (mark, before) = match source {
            FigureSource::Computed => (Mark::None, "no mark: "),
            FigureSource::Estimated => (Mark::None, ""),
            FigureSource::Bounded => (Mark::Fill(BOUNDED), ""),
            FigureSource::Kept => (Mark::Star, ""),
            FigureSource::Printed | FigureSource::Unknown => (Mark::Fill(PRINTED), ""),
        };
        (mark, format!("{before}{}: {count}", source_text(report, source)))
    }));
    if report.cells.iter().any(is_odd) && report.kind != StudyKind::Starts {
        lines.push((Mark::Edge, "red edge: not as printed".to_string()));
    }
    lines
}

/// The pattern of a cell that has no exact figure to be coloured by.
pub(super) fn pattern(cell: &Cell) -> Option<&'static str> {
    match cell.source() {
        FigureSource::Printed | FigureSource::Unknown => Some(PRINTED),
        FigureSource::Bounded => Some(BOUNDED),
        FigureSource::Computed | FigureSource::Estimated | FigureSource::Kept => None,
    }
}
