//! A report as text: the print and the computation side by side, then what is to be said of it.

use std::io::Write;

use sowing_lab::study::{Cell, Computed, Kind, Report, Value, Verdict};

use crate::failure::Failure;
use crate::units::grouped;

/// Wider grids are set one below the other.
const WIDTH: usize = 79;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}", report.title)?;
    writeln!(out, "{}", fold(&report.citation))?;
    writeln!(out)?;
    let printed = grid(report, |cell| printed(report, cell));
    let computed = grid(report, |cell| computed(report, cell));
    let labels = labels(report);
    let left = labels[0].chars().count();
    let width = |grid: &[String]| grid[0].chars().count();
    let nothing = nothing(report);
    let beside = !nothing && left + width(&printed) + 3 + width(&computed) <= WIDTH;
    let blank = " ".repeat(left);
    if beside {
        let heading = format!("{:<1$}", "  printed", width(&printed));
        writeln!(out, "{blank}{heading}     computed")?;
        for ((label, printed), computed) in labels.iter().zip(&printed).zip(&computed) {
            writeln!(out, "{}", format!("{label}{printed}   {computed}").trim_end())?;
        }
    } else {
        let grids = [("printed", printed), ("computed", computed)];
        for (heading, grid) in grids.into_iter().take(if nothing { 1 } else { 2 }) {
            writeln!(out, "{heading}")?;
            for (label, line) in labels.iter().zip(grid) {
                writeln!(out, "{}", format!("{label}{line}").trim_end())?;
            }
        }
    }
    remarks(report, out)
}

/// Whether the report shows the print alone.
fn nothing(report: &Report) -> bool {
    report
        .cells
        .iter()
        .all(|cell| cell.verdict == Verdict::NotRecomputed && cell.computed == Computed::Nothing)
}

/// The labels of the rows, with that of the head first, all of the same width.
fn labels(report: &Report) -> Vec<String> {
    let head = match (report.row_label.as_str(), report.column_label.as_str()) {
        ("", column) => column.to_string(),
        (row, column) => format!("{row} \\ {column}"),
    };
    // Places in a list need no label.
    let rows = report.rows().into_iter();
    let rows = rows.map(|row| if report.kind == Kind::Starts { "" } else { row });
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(rows).collect();
    let width = all.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    all.iter().map(|label| format!("{label:<width$}")).collect()
}

/// The columns' labels and the rows, each column as wide as it must be.
fn grid(report: &Report, text: impl Fn(&Cell) -> String) -> Vec<String> {
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

pub(super) fn printed(report: &Report, cell: &Cell) -> String {
    let Some(printed) = &cell.printed else { return String::new() };
    match printed.parse::<i64>() {
        Ok(number) => number_text(report.kind, number),
        Err(_) => printed.clone(),
    }
}

/// What was computed, and a mark where that is not simply what was printed.
fn computed(report: &Report, cell: &Cell) -> String {
    let mark = match (&cell.verdict, &cell.computed) {
        (Verdict::Differs, _) => "≠",
        (Verdict::Misprint { .. }, _) => "!",
        (Verdict::NotReached | Verdict::NotRecomputed, _) => "?",
        (_, Computed::Kept { .. }) => "*",
        _ => "",
    };
    let text = match &cell.verdict {
        Verdict::Proven => "proven".to_string(),
        _ => figure(report, cell),
    };
    format!("{text}{mark}")
}

pub(super) fn figure(report: &Report, cell: &Cell) -> String {
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

fn remarks(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let count =
        |of: fn(&Verdict) -> bool| report.cells.iter().filter(|cell| of(&cell.verdict)).count();
    let counts = [
        (count(|verdict| *verdict == Verdict::Equal), "as printed"),
        (count(|verdict| matches!(verdict, Verdict::Within { .. })), "near the printed estimate"),
        (count(|verdict| *verdict == Verdict::Proven), "proven"),
        (count(|verdict| matches!(verdict, Verdict::Misprint { .. })), "misprinted (!)"),
        (count(|verdict| *verdict == Verdict::Differs), "different (≠)"),
        (
            count(|verdict| *verdict == Verdict::NotRecomputed),
            if nothing(report) { "not recomputed" } else { "not recomputed (?)" },
        ),
        (count(|verdict| *verdict == Verdict::NotReached), "not reached in the time (?)"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    writeln!(out)?;
    writeln!(out, "{} cells: {}.", report.cells.len(), counts.join(", "))?;
    for cell in &report.cells {
        if let Verdict::Misprint { why } = &cell.verdict {
            writeln!(out, "{}", fold(&format!("! {}: {why}.", place(report, cell))))?;
        }
    }
    if let Some(furthest) = furthest(report) {
        writeln!(out, "Furthest off: {furthest}.")?;
    }
    let files: Vec<&str> = report
        .cells
        .iter()
        .filter_map(|cell| match &cell.computed {
            Computed::Kept { file, .. } => Some(file.as_str()),
            _ => None,
        })
        .collect();
    if let Some(file) = files.first() {
        writeln!(out, "* {} of them not computed now but taken from {file}.", files.len())?;
    }
    if report.unreached() > 0 {
        let (count, name) = (report.unreached(), &report.name);
        writeln!(out, "The time did not suffice for {count}: sow study {name} --time 1h may.")?;
    }
    if !report.note.is_empty() {
        writeln!(out, "{}", fold(&report.note))?;
    }
    Ok(())
}

/// Where a cell is, in words.
fn place(report: &Report, cell: &Cell) -> String {
    match report.kind {
        Kind::Starts => format!("({},{})", cell.column, cell.computed),
        _ => format!("({},{})", cell.row, cell.column),
    }
}

/// The estimate that lies furthest from the print.
fn furthest(report: &Report) -> Option<String> {
    let off = |cell: &Cell| match cell.verdict {
        Verdict::Within { deviations, .. } => Some(deviations),
        _ => None,
    };
    let cells = report.cells.iter().filter(|cell| off(cell).is_some());
    let cell = cells.max_by(|a, b| off(a).partial_cmp(&off(b)).expect("numbers"))?;
    Some(format!("{}, {}", place(report, cell), cell.verdict))
}

/// Breaks a text into lines.
fn fold(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines.join("\n")
}
