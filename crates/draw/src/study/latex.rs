//! A report as a LaTeX table.

use std::fmt::Write as _;
use std::ops::Range;

use sowing_lab::study::{FigureSource, StudyKind, StudyReport};

use super::{Agreement, StudyTable, TableCell};
use crate::latex::{escaped, number, polynomial, width};

/// The width of a page's text, in points: what `article` leaves at ten points.
const PAGE: f64 = 345.0;

/// The sizes that a table is tried in, with what they make of a letter's width and the room beside
/// each column. Smaller ones would not be read.
const SIZES: [Size; 3] = [
    Size { command: "", scale: 1.0, room: 6.0 },
    Size { command: "\\small\n", scale: 0.93, room: 5.0 },
    Size { command: "\\footnotesize\n", scale: 0.86, room: 4.0 },
];

#[derive(Clone, Copy)]
struct Size {
    command: &'static str,
    scale: f64,
    room: f64,
}

/// The marks of figures that are not exact values of now.
const KEPT: &str = "$^{*}$";
const BOUNDED: &str = "$^{\\circ}$";

/// Room above exponents in the line after a rule.
const STRUT: &str = "\\rule{0pt}{2.6ex}";

/// One `table` that fits the page, and needs no package, with what was computed; where the print
/// has something else, it follows in parentheses. Of a table that is too wide, the print stands
/// below; then the type is smaller; then some columns follow below the others. What was not
/// computed now has a mark or is in italics, as the caption says, and so it does who computed it,
/// as in `sow 0.2.0`.
pub fn latex(report: &StudyReport, by: &str) -> String {
    let table = StudyTable::new(report);
    let (blocks, size) = Layout::new(&table).fitted();
    let mut out = format!("\\begin{{table}}\n\\centering\n{}", size.command);
    if !size.command.is_empty() {
        let _ = writeln!(out, "\\setlength{{\\tabcolsep}}{{{}pt}}", size.room);
    }
    for (index, lines) in blocks.iter().enumerate() {
        if index > 0 {
            out.push_str("\n\\medskip\n");
        }
        let columns = lines[0].len() - 1;
        let _ = writeln!(out, "\\begin{{tabular}}{{l|{}}}", "r".repeat(columns));
        for (index, line) in lines.iter().enumerate() {
            let strut = if index == 1 { STRUT } else { "" };
            let rule = if index == 0 { "\n\\hline" } else { "" };
            let _ = writeln!(out, "{strut}{} \\\\{rule}", line.join(" & "));
        }
        out.push_str("\\end{tabular}\n");
    }
    if !size.command.is_empty() {
        out.push_str("\\normalsize\n");
    }
    let (source, legend, credit) =
        (escaped(&source(report)), legend(&table), escaped(&table.credit(by)));
    let _ = writeln!(out, "\\caption{{{source} {legend} ({credit})}}");
    let _ = writeln!(out, "\\label{{tab:{}}}", report.name);
    out.push_str("\\end{table}\n");
    out
}

/// The title and the citation. LaTeX numbers the caption itself, so that the number in print follows the citation.
fn source(report: &StudyReport) -> String {
    let StudyReport { title, citation, .. } = report;
    let Some((number, rest)) = title.split_once(": ").filter(|(number, _)| is_number(number))
    else {
        return format!("{title}. {citation}.");
    };
    let mut rest = rest.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}. {citation}, {number}.", rest.as_str())
}

/// Whether a text is the number of a table or a figure in print, as in `Table 5` or `Figures 4 and 5`.
fn is_number(text: &str) -> bool {
    ["Table ", "Figure ", "Figures "].iter().any(|word| text.starts_with(word))
}

/// Cells of lines.
type Lines = Vec<Vec<String>>;

/// Whether lines fit the page in a size.
fn fits(lines: &Lines, size: Size) -> bool {
    let columns = lines[0].len();
    let widest = |column: usize| {
        let cells = lines.iter().map(|line| width(&line[column]));
        cells.fold(0.0, f64::max)
    };
    let text: f64 = (0..columns).map(widest).sum();
    size.scale * text + 2.0 * size.room * columns as f64 <= PAGE
}

/// A table before its width is known.
struct Layout {
    head: Vec<String>,
    /// The label of each row, and its cells: what is known, and what stands in parentheses.
    rows: Vec<(String, Vec<(String, String)>)>,
    columns: usize,
}

impl Layout {
    fn new(table: &StudyTable) -> Layout {
        let mut head = vec![escaped(&table.corner)];
        head.extend(table.columns.iter().map(|column| escaped(column)));
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.iter();
            let cells = cells.map(|cell| cell.as_ref().map_or_else(Default::default, entry));
            // Places in a list need no label, and polynomials are formulas.
            let label = match (table.kind, row.label.starts_with('l')) {
                (StudyKind::Starts, false) => String::new(),
                (_, true) => polynomial(&row.label),
                (_, false) => escaped(&row.label),
            };
            (label, cells.collect())
        });
        Layout { head, rows: rows.collect(), columns: table.columns.len() }
    }

    /// The lines of the table as they fit the page, in one block of columns or several.
    fn fitted(&self) -> (Vec<Lines>, Size) {
        let whole = 0..self.columns;
        let beside = self.lines(whole.clone(), false);
        if fits(&beside, SIZES[0]) {
            return (vec![beside], SIZES[0]);
        }
        let below = self.lines(whole, true);
        if let Some(size) = SIZES.into_iter().find(|size| fits(&below, *size)) {
            return (vec![below], size);
        }
        let blocks = |columns: usize| -> Vec<Lines> {
            let starts = (0..self.columns).step_by(columns);
            let ranges = starts.map(|start| start..self.columns.min(start + columns));
            ranges.map(|range| self.lines(range, true)).collect()
        };
        let fewer = (1..self.columns).rev().map(blocks);
        let fitting = |blocks: &Vec<Lines>| blocks.iter().all(|lines| fits(lines, SIZES[0]));
        (fewer.into_iter().find(fitting).unwrap_or_else(|| blocks(1)), SIZES[0])
    }

    /// The lines of some columns, with what stands in parentheses beside or below the rest.
    fn lines(&self, columns: Range<usize>, below: bool) -> Lines {
        let head = std::iter::once(&self.head[0]).chain(&self.head[1..][columns.clone()]);
        let mut lines: Lines = vec![head.cloned().collect()];
        for (label, cells) in &self.rows {
            let cells = &cells[columns.clone()];
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

/// The meaning of the marks that occur.
fn legend(table: &StudyTable) -> String {
    let words = table.sources.iter().map(|one| {
        let mark = match one.source {
            FigureSource::Computed | FigureSource::Estimated => "Unmarked",
            FigureSource::Bounded => BOUNDED,
            FigureSource::Kept => KEPT,
            FigureSource::Printed => "\\textit{Italics}",
            FigureSource::Unknown => "Empty",
        };
        // Names of files are long: lines may break in them.
        let words = escaped(&one.text).replace('/', "/\\allowbreak{}");
        format!("{mark}: {}.", words.replace("\\_", "\\_\\allowbreak{}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The figure of a cell, and the print in parentheses.
fn entry(cell: &TableCell) -> (String, String) {
    let mark = match cell.source {
        FigureSource::Kept => KEPT,
        FigureSource::Bounded => BOUNDED,
        FigureSource::Computed
        | FigureSource::Estimated
        | FigureSource::Printed
        | FigureSource::Unknown => "",
    };
    let (shown, aside) = (format!("{}{mark}", number(&cell.shown)), number(&cell.aside));
    match cell.agreement {
        Agreement::NotReached | Agreement::NotRecomputed if cell.figure.is_empty() => {
            (format!("\\textit{{{shown}}}"), aside)
        }
        Agreement::NotReached | Agreement::NotRecomputed => (shown, format!("\\textit{{{aside}}}")),
        Agreement::Misprint | Agreement::Differs => (format!("\\textbf{{{shown}}}"), aside),
        Agreement::Equal | Agreement::Unprinted | Agreement::Within | Agreement::Proven => {
            (shown, aside)
        }
    }
}

#[cfg(test)]
mod tests {
    use sowing_lab::study::{Cell, Comparison, Computed};

    use super::*;

    fn report(columns: usize, figure: i64) -> StudyReport {
        let cell = |column: usize| Cell {
            row: "1".to_string(),
            column: column.to_string(),
            printed: Some("1.5e7".to_string()),
            computed: Computed::Exact { value: sowing_lab::study::Figure::Number(figure) },
            verdict: Comparison::Differs,
            note: None,
        };
        StudyReport {
            name: "x".to_string(),
            title: "b^d".to_string(),
            citation: "A & B".to_string(),
            kind: StudyKind::Counts,
            row_label: "h".to_string(),
            column_label: "s".to_string(),
            note: String::new(),
            cells: (1..=columns).map(cell).collect(),
        }
    }

    #[test]
    fn wide_tables_stack_their_cells_and_then_shrink() {
        let narrow = latex(&report(2, 7), "sow 0");
        assert!(narrow.contains("{2.6ex}1 & \\textbf{7} ($1.5 \\cdot 10^{7}$) & "), "{narrow}");
        assert!(narrow.contains("b\\textasciicircum{}d. A \\& B. Unmarked: computed now."));
        assert!(narrow.contains("(computed by sow 0)}") && !narrow.contains("\\small"));
        assert!(narrow.contains("\\label{tab:x}\n\\end{table}\n"), "{narrow}");
        let stacked = latex(&report(4, 7), "sow 0");
        assert!(stacked.contains("{2.6ex}1 & \\textbf{7} & ") && !stacked.contains("\\small"));
        assert!(stacked.contains("\n & ($1.5 \\cdot 10^{7}$) & "), "{stacked}");
        let small = latex(&report(6, 7), "sow 0");
        assert!(small.contains("size\n\\setlength{\\tabcolsep}"), "{small}");
        let split = latex(&report(6, 1_234_567_890), "sow 0");
        assert_eq!(split.matches("\\begin{tabular}").count(), 2, "{split}");
        assert_eq!(split.matches("\\textbf").count(), 6);
    }

    /// LaTeX numbers tables itself: a caption has one number.
    #[test]
    fn captions_have_no_number_of_their_own() {
        let title = "Table 5: value of Kalah".to_string();
        let text = latex(&StudyReport { title, ..report(2, 7) }, "sow 0");
        assert!(text.contains("\\caption{Value of Kalah. A \\& B, Table 5. Unmarked: "), "{text}");
    }
}
