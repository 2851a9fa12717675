//! A report as a LaTeX table.

use std::io::Write;

use sowing_lab::study::{Cell, Computed, Report, Source, Verdict};

use super::text::{figure, printed};
use crate::failure::Failure;

/// One `table` with what was computed; where the print has something else, it follows in
/// parentheses. What was not computed now has a mark or is in italics, as the caption says.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let columns = report.columns();
    writeln!(out, "\\begin{{table}}")?;
    writeln!(out, "\\centering")?;
    writeln!(out, "\\begin{{tabular}}{{l|{}}}", "r".repeat(columns.len()))?;
    let head = escaped(&report.corner());
    let labels: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
    writeln!(out, "{head} & {} \\\\", labels.join(" & "))?;
    writeln!(out, "\\hline")?;
    for row in report.rows() {
        let cells = columns.iter().map(|column| {
            report.cell(row, column).map_or(String::new(), |cell| entry(report, cell))
        });
        let cells: Vec<String> = cells.collect();
        writeln!(out, "{} & {} \\\\", row_label(row), cells.join(" & "))?;
    }
    writeln!(out, "\\end{{tabular}}")?;
    let (title, citation) = (escaped(&report.title), escaped(&report.citation));
    writeln!(out, "\\caption{{{title}. {citation}. {}}}", legend(report))?;
    Ok(writeln!(out, "\\end{{table}}")?)
}

/// The marks of figures that are not exact values of now.
const KEPT: &str = "$^{*}$";
const BOUNDED: &str = "$^{\\circ}$";

/// What the marks that occur mean.
fn legend(report: &Report) -> String {
    let files: Vec<String> = report.files().into_iter().map(escaped).collect();
    let words = report.sources().into_keys().map(|source| match source {
        Source::Computed => "Unmarked: computed now.".to_string(),
        Source::Estimated => "Estimated now by random games.".to_string(),
        Source::Bounded => format!("{BOUNDED}: bounds, proven now."),
        Source::Kept => format!("{KEPT}: not computed now but kept in {}.", files.join(", ")),
        Source::Printed => "\\textit{Italics}: as printed, not computed.".to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A polynomial is set as a formula.
fn row_label(row: &str) -> String {
    if row.starts_with('l') { format!("${row}$") } else { escaped(row) }
}

fn entry(report: &Report, cell: &Cell) -> String {
    let print = number(&printed(report, cell));
    let ours = match cell.source() {
        Source::Kept => format!("{}{KEPT}", number(&figure(report, cell))),
        Source::Bounded => format!("{}{BOUNDED}", number(&figure(report, cell))),
        Source::Computed | Source::Estimated | Source::Printed => number(&figure(report, cell)),
    };
    match &cell.verdict {
        // Proven bounds are more than the print alone.
        Verdict::NotReached | Verdict::NotRecomputed if cell.source() != Source::Printed => {
            format!("{ours} (\\textit{{{print}}})")
        }
        Verdict::Equal => ours,
        Verdict::Proven => format!("{print}{BOUNDED}"),
        Verdict::NotReached | Verdict::NotRecomputed => format!("\\textit{{{print}}}"),
        Verdict::Differs if cell.computed == Computed::Nothing => {
            format!("\\textbf{{refuted}}{BOUNDED} ({print})")
        }
        Verdict::Misprint { .. } | Verdict::Differs if print.is_empty() => {
            format!("\\textbf{{{ours}}}")
        }
        Verdict::Misprint { .. } | Verdict::Differs => format!("\\textbf{{{ours}}} ({print})"),
        Verdict::Within { .. } => format!("{ours} ({print})"),
    }
}

/// A figure as LaTeX writes it: powers of ten, minus signs, relations.
fn number(text: &str) -> String {
    if let Some((digits, power)) = text.split_once('e')
        && let (Ok(_), Ok(_)) = (digits.parse::<f64>(), power.parse::<i32>())
    {
        return format!("${digits} \\cdot 10^{{{power}}}$");
    }
    match text.strip_prefix("<=").or(text.strip_prefix(">=")) {
        Some(rest) => {
            let relation = if text.starts_with('<') { "\\le" } else { "\\ge" };
            format!("${relation} {rest}$")
        }
        None if text.starts_with(['-', '+']) => format!("${text}$"),
        None => escaped(text),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if "&%$#_{}".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
