//! Published tables beside what was computed: as text, as a LaTeX table, as a picture.
//!
//! Every form tells figures that were computed now from those that are kept, bounded or only
//! printed, in the same words.

mod curves;
mod grid;
mod latex;
mod legend;
mod outcomes;
mod picture;
mod text;

pub use latex::latex;
pub use picture::picture;
pub use text::{fold, text};

use sowing_lab::study::{Cell, Computed, Kind, Report, Source, Value, Verdict};

use crate::grouped;

/// A printed figure as it is shown.
fn printed(report: &Report, cell: &Cell) -> String {
    let Some(printed) = &cell.printed else { return String::new() };
    match printed.parse::<i64>() {
        Ok(number) => number_text(report.kind, number),
        Err(_) => printed.clone(),
    }
}

/// What was computed or kept; nothing if that is nothing.
fn figure(report: &Report, cell: &Cell) -> String {
    match &cell.computed {
        Computed::Exact { value: Value::Number(number) }
        | Computed::Kept { value: Value::Number(number), .. } => number_text(report.kind, *number),
        other => other.to_string(),
    }
}

fn number_text(kind: Kind, number: i64) -> String {
    match kind {
        Kind::Margins if number != 0 => format!("{number:+}"),
        _ if number < 0 => number.to_string(),
        _ => grouped(number.unsigned_abs()),
    }
}

/// What it says of a figure that it is from a source.
fn source_text(report: &Report, source: Source) -> String {
    match source {
        Source::Computed => "computed now".to_string(),
        Source::Estimated => "estimated now by random games".to_string(),
        Source::Bounded => {
            "bounded now (a range, or a bound that is proven or refuted)".to_string()
        }
        Source::Kept => {
            let files: Vec<&str> = report.files().into_iter().collect();
            format!("not computed now but kept in {}", files.join(", "))
        }
        Source::Printed => "printed only".to_string(),
    }
}

/// Who computed the figures, as it stands under a table: `computed by sow 0.1.0`.
fn credit(report: &Report, by: &str) -> String {
    if report.sources().into_keys().all(|source| source == Source::Printed) {
        return format!("nothing computed; set by {by}");
    }
    format!("computed by {by}")
}

/// Whether the print is not what was computed.
fn is_odd(cell: &Cell) -> bool {
    matches!(cell.verdict, Verdict::Misprint { .. } | Verdict::Differs)
}
