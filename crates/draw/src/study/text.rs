//! A report as text.

use std::fmt::Write as _;

use sowing_lab::study::{FigureSource, StudyKind, StudyReport};

use super::{Agreement, StudyTable, TableCell};

/// Grids that are wider together are set one below the other, wider ones as lists.
const WIDTH: usize = 79;

/// The print and the computation side by side, or the computation alone if nothing is printed, then remarks.
pub fn text(report: &StudyReport) -> String {
    let table = StudyTable::new(report);
    let mut out = String::new();
    let _ = writeln!(out, "{}", table.title);
    let _ = writeln!(out, "{}", fold(&table.citation));
    let _ = writeln!(out);
    let printed = grid(&table, |cell| cell.printed.clone());
    let computed = grid(&table, computed);
    let labels = labels(&table);
    let left = labels[0].chars().count();
    let width = |grid: &[String]| grid[0].chars().count();
    let is_print = table.is_print();
    let unprinted = table.cells().all(|cell| cell.printed.is_empty());
    let widest = left + width(&printed).max(width(&computed));
    if unprinted && left + width(&computed) <= WIDTH {
        for (label, computed) in labels.iter().zip(&computed) {
            let _ = writeln!(out, "{}", format!("{label}{computed}").trim_end());
        }
    } else if !is_print && left + width(&printed) + 3 + width(&computed) <= WIDTH {
        let heading = format!("{:<1$}", "  printed", width(&printed));
        let _ = writeln!(out, "{:left$}{heading}     computed", "");
        for ((label, printed), computed) in labels.iter().zip(&printed).zip(&computed) {
            let _ = writeln!(out, "{}", format!("{label}{printed}   {computed}").trim_end());
        }
    } else if widest <= WIDTH {
        let grids = [("printed", printed), ("computed", computed)];
        for (heading, grid) in grids.into_iter().take(if is_print { 1 } else { 2 }) {
            let _ = writeln!(out, "{heading}");
            for (label, line) in labels.iter().zip(grid) {
                let _ = writeln!(out, "{}", format!("{label}{line}").trim_end());
            }
        }
    } else {
        list(report, &table, &mut out);
    }
    remarks(report, &table, &mut out);
    out
}

/// One line per cell, for a table that is too wide as a grid.
fn list(report: &StudyReport, table: &StudyTable, out: &mut String) {
    let head = [&*report.row_label, &*report.column_label, "printed", "computed"];
    let mut lines = vec![head.map(str::to_string)];
    lines.extend(table.placed().map(|(row, column, cell)| {
        let labels = (&table.rows[row].label, &table.columns[column]);
        [labels.0.clone(), labels.1.clone(), cell.printed.clone(), computed(cell)]
    }));
    let width = |field: usize| lines.iter().map(|line| line[field].chars().count()).max();
    let widths = [0, 1, 2, 3].map(|field| width(field).unwrap_or(0));
    for line in &lines {
        let fields = line.iter().zip(widths).map(|(field, width)| format!("{field:>width$}"));
        let _ = writeln!(out, "{}", fields.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// The labels of the rows, with that of the head first, all of the same width.
fn labels(table: &StudyTable) -> Vec<String> {
    // Places in a list need no label.
    let rows = table.rows.iter().map(|row| match table.kind {
        StudyKind::Starts => "",
        _ => row.label.as_str(),
    });
    let all: Vec<&str> = std::iter::once(table.corner.as_str()).chain(rows).collect();
    let width = all.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    all.iter().map(|label| format!("{label:<width$}")).collect()
}

/// The heads of the columns and the rows, each column as wide as it must be.
fn grid(table: &StudyTable, text: impl Fn(&TableCell) -> String) -> Vec<String> {
    let mut lines = vec![String::new(); table.rows.len() + 1];
    for (index, column) in table.columns.iter().enumerate() {
        let cells =
            table.rows.iter().map(|row| row.cells[index].as_ref().map_or(String::new(), &text));
        let entries: Vec<String> = std::iter::once(column.clone()).chain(cells).collect();
        let width = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0);
        for (line, entry) in lines.iter_mut().zip(entries) {
            line.push_str(&format!("  {entry:>width$}"));
        }
    }
    lines
}

/// Our figure, with a mark unless it was computed and is as printed.
fn computed(cell: &TableCell) -> String {
    let kept = if cell.source == FigureSource::Kept { "*" } else { "" };
    format!("{}{}{kept}", cell.figure, mark(cell.agreement))
}

fn mark(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Differs => "≠",
        Agreement::Misprint => "!",
        Agreement::NotReached | Agreement::NotRecomputed => "?",
        Agreement::Equal | Agreement::Within | Agreement::Proven | Agreement::Unprinted => "",
    }
}

fn remarks(report: &StudyReport, table: &StudyTable, out: &mut String) {
    let counts = table.agreements.iter().map(|one| {
        let mark = match mark(one.agreement) {
            mark if mark.is_empty() || table.is_print() => String::new(),
            mark => format!(" ({mark})"),
        };
        format!("{} {}{mark}", one.count, one.text)
    });
    let counts: Vec<String> = counts.collect();
    let _ = writeln!(out);
    let _ = writeln!(out, "{} cells: {}.", table.cells().count(), counts.join(", "));
    for misprint in &table.misprints {
        let _ = writeln!(out, "{}", fold(&format!("! {misprint}")));
    }
    if let Some(furthest) = &table.furthest {
        let _ = writeln!(out, "{furthest}");
    }
    let sources = table.sources.iter().map(|one| {
        let mark = if one.source == FigureSource::Kept { " (*)" } else { "" };
        format!("{} {}{mark}", one.count, one.text)
    });
    let sources = sources.collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "{}", fold(&format!("Figures: {sources}.")));
    if report.unreached() > 0 {
        let _ = writeln!(out, "The time did not suffice for {}.", report.unreached());
    }
    if !table.note.is_empty() {
        let _ = writeln!(out, "{}", fold(&table.note));
    }
}

/// Breaks a text into lines of at most 79 characters, between words.
pub fn fold(text: &str) -> String {
    folded(text, WIDTH).join("\n")
}

/// Breaks a text into lines of at most `width` characters, between words.
pub fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}
