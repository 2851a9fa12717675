//! Published tables beside what was computed: as text, as a LaTeX table, as a picture.
//!
//! Every form tells figures that were computed now from those that are kept, bounded or only
//! printed, in the same words.

mod curves;
mod grid;
mod growth;
mod latex;
mod legend;
mod outcomes;
mod picture;
mod text;

pub use latex::latex;
pub use picture::picture;
pub use text::{fold, folded, text};

use sowing_lab::study::{Cell, Comparison, Computed, Figure, FigureSource, StudyKind, StudyReport};

use crate::grouped;

/// A printed figure as it is shown.
fn printed(report: &StudyReport, cell: &Cell) -> String {
    let Some(printed) = &cell.printed else { return String::new() };
    match printed.parse::<i64>() {
        Ok(number) => number_text(report.kind, number),
        Err(_) => printed.clone(),
    }
}

/// What was computed or kept; nothing if that is nothing.
fn figure(report: &StudyReport, cell: &Cell) -> String {
    match &cell.computed {
        Computed::Exact { value: Figure::Number(number) }
        | Computed::Kept { value: Figure::Number(number), .. } => number_text(report.kind, *number),
        other => other.to_string(),
    }
}

fn number_text(kind: StudyKind, number: i64) -> String {
    match kind {
        StudyKind::Margins if number != 0 => format!("{number:+}"),
        _ if number < 0 => number.to_string(),
        _ => grouped(number.unsigned_abs()),
    }
}

/// What it says of a figure that it is from a source.
fn source_text(report: &StudyReport, source: FigureSource) -> String {
    match source {
        FigureSource::Computed => "computed now".to_string(),
        FigureSource::Estimated => "estimated now by random games".to_string(),
        FigureSource::Bounded => {
            "bounded now (a range, or a bound that is proven or refuted)".to_string()
        }
        FigureSource::Kept => {
            let files: Vec<&str> = report.files().into_iter().collect();
            format!("not computed now but kept in {}", files.join(", "))
        }
        FigureSource::Printed => "printed only".to_string(),
        FigureSource::Unknown => "not computed".to_string(),
    }
}

/// Who computed the figures, as it stands under a table: `computed by sow 0.1.0`.
fn credit(report: &StudyReport, by: &str) -> String {
    let nothing = [FigureSource::Printed, FigureSource::Unknown];
    if report.sources().into_keys().all(|source| nothing.contains(&source)) {
        return format!("nothing computed; set by {by}");
    }
    format!("computed by {by}")
}

/// Whether the print is not what was computed.
fn is_odd(cell: &Cell) -> bool {
    matches!(cell.verdict, Comparison::Misprint { .. } | Comparison::Differs)
}
