//! A report as a LaTeX table.

use std::io::Write;

use sowing_lab::study::{Cell, Report, Verdict};

use super::text::{figure, printed};
use crate::failure::Failure;

/// One `table` with what was computed; where the print has something else, it follows in
/// parentheses, and what is not computed is the print alone, in italics.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let columns = report.columns();
    writeln!(out, "\\begin{{table}}")?;
    writeln!(out, "\\centering")?;
    writeln!(out, "\\begin{{tabular}}{{l|{}}}", "r".repeat(columns.len()))?;
    let head = match (report.row_label.as_str(), report.column_label.as_str()) {
        ("", column) => format!("${column}$"),
        (row, column) => format!("${row} \\backslash {column}$"),
    };
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
    writeln!(out, "\\caption{{{}. {}.}}", escaped(&report.title), escaped(&report.citation))?;
    Ok(writeln!(out, "\\end{{table}}")?)
}

/// A polynomial is set as a formula.
fn row_label(row: &str) -> String {
    if row.starts_with('l') { format!("${row}$") } else { escaped(row) }
}

fn entry(report: &Report, cell: &Cell) -> String {
    let print = number(&printed(report, cell));
    let ours = number(&figure(report, cell));
    match &cell.verdict {
        Verdict::Equal => ours,
        Verdict::Proven => format!("{print} (proven)"),
        Verdict::NotReached | Verdict::NotRecomputed => format!("\\textit{{{print}}}"),
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
