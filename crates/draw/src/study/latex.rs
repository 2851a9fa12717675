//! A report as a LaTeX table.

use std::fmt::Write as _;

use sowing_lab::study::{Cell, Computed, Kind, Report, Source, Verdict};

use super::{credit, figure, printed, source_text};
use crate::latex::{escaped, number, polynomial, width};

/// The width of a page's text, in points: what `article` leaves at ten points.
const PAGE: f64 = 345.0;

/// The sizes that a table is tried in, with what they make of a letter's width and the room beside each
/// column.
const SIZES: [(&str, f64, f64); 5] = [
    ("", 1.0, 6.0),
    ("\\small\n", 0.93, 5.0),
    ("\\footnotesize\n", 0.86, 4.0),
    ("\\scriptsize\n", 0.8, 3.0),
    ("\\tiny\n", 0.69, 2.0),
];

/// The marks of figures that are not exact values of now.
const KEPT: &str = "$^{*}$";
const BOUNDED: &str = "$^{\\circ}$";

/// One `table` that fits the page, and needs no package, with what was computed; where the print
/// has something else, it follows in parentheses, or stands below if the table were too wide. What
/// was not computed now has a mark or is in italics, as the caption says, and so it does who
/// computed it, as in `sow 0.1.0`.
pub fn latex(report: &Report, by: &str) -> String {
    let table = Table::new(report);
    let beside = table.lines(false);
    let (lines, (size, _, room)) = if fits(&beside, SIZES[0]) {
        (beside, SIZES[0])
    } else {
        let below = table.lines(true);
        let size = SIZES.into_iter().find(|size| fits(&below, *size));
        (below, size.unwrap_or(SIZES[SIZES.len() - 1]))
    };
    let mut out = format!("\\begin{{table}}\n\\centering\n{size}");
    if !size.is_empty() {
        let _ = writeln!(out, "\\setlength{{\\tabcolsep}}{{{room}pt}}");
    }
    let _ = writeln!(out, "\\begin{{tabular}}{{l|{}}}", "r".repeat(table.columns));
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "{} \\\\", line.join(" & "));
        if index == 0 {
            out.push_str("\\hline\n");
        }
    }
    out.push_str("\\end{tabular}\n");
    if !size.is_empty() {
        out.push_str("\\normalsize\n");
    }
    let (title, citation) = (escaped(&report.title), escaped(&report.citation));
    let credit = escaped(&credit(report, by));
    let legend = legend(report);
    let _ = writeln!(out, "\\caption{{{title}. {citation}. {legend} ({credit})}}");
    out.push_str("\\end{table}\n");
    out
}

/// Whether lines fit the page in a size.
fn fits(lines: &[Vec<String>], (_, scale, room): (&str, f64, f64)) -> bool {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| width(cell)).fold(0.0, f64::max)
    };
    let text: f64 = (0..columns).map(widest).sum();
    scale * text + 2.0 * room * columns as f64 <= PAGE
}

/// A table before it is known how wide it is.
struct Table {
    head: Vec<String>,
    /// The label of each row, and its cells: what is known, and what stands in parentheses.
    rows: Vec<(String, Vec<(String, String)>)>,
    columns: usize,
}

impl Table {
    fn new(report: &Report) -> Table {
        let columns = report.columns();
        let mut head = vec![escaped(&report.corner())];
        head.extend(columns.iter().map(|column| escaped(column)));
        let rows = report.rows().into_iter().map(|row| {
            let cells = columns.iter().map(|column| {
                report.cell(row, column).map_or_else(Default::default, |cell| entry(report, cell))
            });
            // Places in a list need no label, and polynomials are formulas.
            let label = match (report.kind, row.starts_with('l')) {
                (Kind::Starts, false) => String::new(),
                (_, true) => polynomial(row),
                (_, false) => escaped(row),
            };
            (label, cells.collect())
        });
        Table { head, rows: rows.collect(), columns: columns.len() }
    }

    /// The lines of the table, with what stands in parentheses beside or below the rest.
    fn lines(&self, below: bool) -> Vec<Vec<String>> {
        let mut lines = vec![self.head.clone()];
        for (label, cells) in &self.rows {
            let both = |known: &String, print: &String| match print.as_str() {
                "" => known.clone(),
                print => format!("{known} ({print})"),
            };
            let print = |print: &String| match print.as_str() {
                "" => String::new(),
                print => format!("({print})"),
            };
            let cell = |(known, print): &(String, String)| {
                if below { known.clone() } else { both(known, print) }
            };
            lines.push(std::iter::once(label.clone()).chain(cells.iter().map(cell)).collect());
            if below && cells.iter().any(|(_, print)| !print.is_empty()) {
                let prints = cells.iter().map(|(_, second)| print(second));
                lines.push(std::iter::once(String::new()).chain(prints).collect());
            }
        }
        lines
    }
}

/// What the marks that occur mean.
fn legend(report: &Report) -> String {
    let words = report.sources().into_keys().map(|source| {
        let mark = match source {
            Source::Computed | Source::Estimated => "Unmarked",
            Source::Bounded => BOUNDED,
            Source::Kept => KEPT,
            Source::Printed => "\\textit{Italics}",
        };
        // Names of files are long: lines may break in them.
        let words = escaped(&source_text(report, source)).replace('/', "/\\allowbreak{}");
        format!("{mark}: {}.", words.replace("\\_", "\\_\\allowbreak{}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What a cell shows, and what it shows in parentheses.
fn entry(report: &Report, cell: &Cell) -> (String, String) {
    let print = number(&printed(report, cell));
    let mark = match cell.source() {
        Source::Kept => KEPT,
        Source::Bounded => BOUNDED,
        Source::Computed | Source::Estimated | Source::Printed => "",
    };
    let ours = format!("{}{mark}", number(&figure(report, cell)));
    match &cell.verdict {
        Verdict::Equal => (ours, String::new()),
        Verdict::Proven => (format!("{print}{BOUNDED}"), String::new()),
        Verdict::NotReached | Verdict::NotRecomputed => {
            let print = format!("\\textit{{{print}}}");
            // Proven bounds are more than the print alone.
            if cell.source() == Source::Printed { (print, String::new()) } else { (ours, print) }
        }
        Verdict::Differs if cell.computed == Computed::Nothing => {
            (format!("\\textbf{{refuted}}{BOUNDED}"), print)
        }
        Verdict::Misprint { .. } | Verdict::Differs => (format!("\\textbf{{{ours}}}"), print),
        Verdict::Within { .. } => (ours, print),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(columns: usize, figure: i64) -> Report {
        let cell = |column: usize| Cell {
            row: "1".to_string(),
            column: column.to_string(),
            printed: Some("1.5e7".to_string()),
            computed: Computed::Exact { value: sowing_lab::study::Value::Number(figure) },
            verdict: Verdict::Differs,
            note: None,
        };
        Report {
            name: "x".to_string(),
            title: "b^d".to_string(),
            citation: "A & B".to_string(),
            kind: Kind::Counts,
            row_label: "h".to_string(),
            column_label: "s".to_string(),
            note: String::new(),
            cells: (1..=columns).map(cell).collect(),
        }
    }

    #[test]
    fn wide_tables_stack_their_cells_and_then_shrink() {
        let narrow = latex(&report(2, 7), "sow 0");
        assert!(narrow.contains("\n1 & \\textbf{7} ($1.5 \\cdot 10^{7}$) & "), "{narrow}");
        assert!(narrow.contains("b\\textasciicircum{}d. A \\& B. Unmarked: computed now."));
        assert!(narrow.contains("(computed by sow 0)}") && !narrow.contains("\\small"));
        let stacked = latex(&report(4, 7), "sow 0");
        assert!(stacked.contains("\n1 & \\textbf{7} & ") && !stacked.contains("\\small"));
        assert!(stacked.contains("\n & ($1.5 \\cdot 10^{7}$) & "), "{stacked}");
        let small = latex(&report(6, 12_345_678), "sow 0");
        assert!(small.contains("size\n\\setlength{\\tabcolsep}"), "{small}");
    }
}
