//! A report as text.

use std::fmt::Write as _;

use sowing_lab::study::{Cell, Comparison, Computed, FigureSource, StudyKind, StudyReport};

use super::{figure, printed, source_text};

/// Grids that are wider together are set one below the other, wider ones as lists.
const WIDTH: usize = 79;

/// The print and the computation side by side, or the computation alone where nothing is printed,
/// then what is to be said of them.
pub fn text(report: &StudyReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", report.title);
    let _ = writeln!(out, "{}", fold(&report.citation));
    let _ = writeln!(out);
    let printed = grid(report, |cell| printed(report, cell));
    let computed = grid(report, |cell| computed(report, cell));
    let labels = labels(report);
    let left = labels[0].chars().count();
    let width = |grid: &[String]| grid[0].chars().count();
    let nothing = nothing(report);
    let unprinted = report.cells.iter().all(|cell| cell.printed.is_none());
    let widest = left + width(&printed).max(width(&computed));
    if unprinted && left + width(&computed) <= WIDTH {
        for (label, computed) in labels.iter().zip(&computed) {
            let _ = writeln!(out, "{}", format!("{label}{computed}").trim_end());
        }
    } else if !nothing && left + width(&printed) + 3 + width(&computed) <= WIDTH {
        let heading = format!("{:<1$}", "  printed", width(&printed));
        let _ = writeln!(out, "{:left$}{heading}     computed", "");
        for ((label, printed), computed) in labels.iter().zip(&printed).zip(&computed) {
            let _ = writeln!(out, "{}", format!("{label}{printed}   {computed}").trim_end());
        }
    } else if widest <= WIDTH {
        let grids = [("printed", printed), ("computed", computed)];
        for (heading, grid) in grids.into_iter().take(if nothing { 1 } else { 2 }) {
            let _ = writeln!(out, "{heading}");
            for (label, line) in labels.iter().zip(grid) {
                let _ = writeln!(out, "{}", format!("{label}{line}").trim_end());
            }
        }
    } else {
        list(report, &mut out);
    }
    remarks(report, &mut out);
    out
}

/// One line a cell, for what is too wide as a grid.
fn list(report: &StudyReport, out: &mut String) {
    let head = [&*report.row_label, &*report.column_label, "printed", "computed"];
    let mut lines = vec![head.map(str::to_string)];
    lines.extend(report.cells.iter().map(|cell| {
        [cell.row.clone(), cell.column.clone(), printed(report, cell), computed(report, cell)]
    }));
    let width = |field: usize| lines.iter().map(|line| line[field].chars().count()).max();
    let widths = [0, 1, 2, 3].map(|field| width(field).unwrap_or(0));
    for line in &lines {
        let fields = line.iter().zip(widths).map(|(field, width)| format!("{field:>width$}"));
        let _ = writeln!(out, "{}", fields.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Whether the report shows the print alone.
fn nothing(report: &StudyReport) -> bool {
    report
        .cells
        .iter()
        .all(|cell| cell.verdict == Comparison::NotRecomputed && cell.computed == Computed::Nothing)
}

/// The labels of the rows, with that of the head first, all of the same width.
fn labels(report: &StudyReport) -> Vec<String> {
    let head = report.corner();
    // Places in a list need no label.
    let rows = report.rows().into_iter();
    let rows = rows.map(|row| if report.kind == StudyKind::Starts { "" } else { row });
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(rows).collect();
    let width = all.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    all.iter().map(|label| format!("{label:<width$}")).collect()
}

/// The columns' labels and the rows, each column as wide as it must be.
fn grid(report: &StudyReport, text: impl Fn(&Cell) -> String) -> Vec<String> {
    let rows = report.rows();
    let mut lines = vec![String::new(); rows.len() + 1];
    for column in report.columns() {
        let cells = rows.iter().map(|row| report.cell(row, column).map_or(String::new(), &text));
        let entries: Vec<String> = std::iter::once(column.to_string()).chain(cells).collect();
        let width = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0);
        for (line, entry) in lines.iter_mut().zip(entries) {
            line.push_str(&format!("  {entry:>width$}"));
        }
    }
    lines
}

/// What was computed, and a mark where that is not simply what was printed.
fn computed(report: &StudyReport, cell: &Cell) -> String {
    let mark = match &cell.verdict {
        Comparison::Differs => "≠",
        Comparison::Misprint { .. } => "!",
        Comparison::NotReached | Comparison::NotRecomputed => "?",
        _ => "",
    };
    let kept = if cell.source() == FigureSource::Kept { "*" } else { "" };
    format!("{}{mark}{kept}", figure(report, cell))
}

fn remarks(report: &StudyReport, out: &mut String) {
    let count =
        |of: fn(&Comparison) -> bool| report.cells.iter().filter(|cell| of(&cell.verdict)).count();
    let counts = [
        (count(|verdict| *verdict == Comparison::Equal), "as printed"),
        (
            count(|verdict| matches!(verdict, Comparison::Within { .. })),
            "near the printed estimate",
        ),
        (count(|verdict| *verdict == Comparison::Proven), "proven"),
        (count(|verdict| matches!(verdict, Comparison::Misprint { .. })), "misprinted (!)"),
        (count(|verdict| *verdict == Comparison::Differs), "different (≠)"),
        (
            count(|verdict| *verdict == Comparison::NotRecomputed),
            if nothing(report) { "not recomputed" } else { "not recomputed (?)" },
        ),
        (count(|verdict| *verdict == Comparison::Unprinted), "never printed"),
        (count(|verdict| *verdict == Comparison::NotReached), "not reached in the time (?)"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let _ = writeln!(out);
    let _ = writeln!(out, "{} cells: {}.", report.cells.len(), counts.join(", "));
    for cell in &report.cells {
        if let Comparison::Misprint { why } = &cell.verdict {
            let _ = writeln!(out, "{}", fold(&format!("! {}: {why}.", place(report, cell))));
        }
    }
    if let Some(furthest) = furthest(report) {
        let _ = writeln!(out, "Furthest off: {furthest}.");
    }
    let _ = writeln!(out, "{}", fold(&sources(report)));
    if report.unreached() > 0 {
        let _ = writeln!(out, "The time did not suffice for {}.", report.unreached());
    }
    if !report.note.is_empty() {
        let _ = writeln!(out, "{}", fold(&report.note));
    }
}

/// Where the figures come from, in a sentence.
fn sources(report: &StudyReport) -> String {
    let words = report.sources().into_iter().map(|(source, count)| {
        let mark = if source == FigureSource::Kept { " (*)" } else { "" };
        format!("{count} {}{mark}", source_text(report, source))
    });
    format!("Figures: {}.", words.collect::<Vec<_>>().join(", "))
}

/// Where a cell is, in words.
fn place(report: &StudyReport, cell: &Cell) -> String {
    match report.kind {
        StudyKind::Starts => format!("({},{})", cell.column, cell.computed),
        _ => format!("({},{})", cell.row, cell.column),
    }
}

/// The estimate that lies furthest from the print.
fn furthest(report: &StudyReport) -> Option<String> {
    let off = |cell: &Cell| match cell.verdict {
        Comparison::Within { deviations, .. } => Some(deviations),
        _ => None,
    };
    let cells = report.cells.iter().filter(|cell| off(cell).is_some());
    let cell = cells.max_by(|a, b| off(a).partial_cmp(&off(b)).expect("numbers"))?;
    Some(format!("{}, {}", place(report, cell), cell.verdict))
}

/// Breaks a text into lines of at most 79 characters, between words.
pub fn fold(text: &str) -> String {
    folded(text, WIDTH).join("\n")
}

/// Breaks a text into lines of at most so many characters, between words.
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
