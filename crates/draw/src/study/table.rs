//! A study as a table: the one place that decides what a cell shows.

use std::collections::BTreeMap;

use serde::Serialize;
use sowing_lab::study::{Cell, Comparison, Computed, Figure, FigureSource, StudyKind, StudyReport};

use crate::grouped;

/// A study as a table, which text, LaTeX, picture and page show.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StudyTable {
    /// What the table shows.
    pub title: String,
    /// Where it was printed.
    pub citation: String,
    /// How the figures are to be read; may be empty.
    pub note: String,
    /// What its figures are.
    pub kind: StudyKind,
    /// The labels of rows and columns, as in `h / s`; may be empty.
    pub corner: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<StudyRow>,
    /// How the figures compare with the print.
    pub agreements: Vec<AgreementCount>,
    /// Where the figures come from.
    pub sources: Vec<SourceCount>,
    /// Where misprints are, and why, each as `(row,column): reason.`
    pub misprints: Vec<String>,
    /// The estimate that lies furthest from the print; `null` if there is none.
    #[cfg_attr(feature = "schema", schema(required))]
    pub furthest: Option<String>,
    /// Row and column of each cell, in the order of the report.
    #[serde(skip)]
    order: Vec<(usize, usize)>,
}

/// A row of a study's table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StudyRow {
    /// The head of the row.
    pub label: String,
    /// A cell for each column; `null` where the table has none.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Option<TableCell>>))]
    pub cells: Vec<Option<TableCell>>,
}

/// A cell of a study's table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TableCell {
    /// The figure that was computed or kept; empty if there is none.
    pub figure: String,
    /// The figure that was printed; empty if there is none.
    pub printed: String,
    /// The figure to be shown: ours, or the printed one if there is none of ours.
    pub shown: String,
    /// The printed figure, if it is to stand beside the shown one; else empty.
    pub aside: String,
    /// Where the shown figure comes from.
    pub source: FigureSource,
    /// How our figure compares with the print.
    pub agreement: Agreement,
    /// A sentence about source and agreement.
    pub about: String,
    /// The figure as a number, for colours.
    #[serde(skip)]
    pub(super) number: Option<f64>,
}

/// How our figure compares with the print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The same, to the digits printed.
    Equal,
    /// A printed estimate that lies near ours.
    Within,
    /// The printed bound is proven.
    Proven,
    /// Not the same, and the print is wrong.
    Misprint,
    /// Not the same, for an unknown reason.
    Differs,
    /// Beyond what is recomputed.
    NotRecomputed,
    /// There is no print.
    Unprinted,
    /// The time did not suffice.
    NotReached,
}

/// How many figures compare with the print in one way.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgreementCount {
    /// The way.
    pub agreement: Agreement,
    /// How many.
    pub count: usize,
    /// The same in words, as in `as printed`.
    pub text: &'static str,
}

/// How many figures come from one source.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SourceCount {
    /// The source.
    pub source: FigureSource,
    /// How many.
    pub count: usize,
    /// The same in words, as in `computed now`; files are named.
    pub text: String,
}

impl StudyTable {
    /// The table of a report.
    pub fn new(report: &StudyReport) -> StudyTable {
        let (labels, columns) = (report.rows(), report.columns());
        let rows = labels.iter().map(|row| {
            let cell = |column: &&str| Some(TableCell::new(report.kind, report.cell(row, column)?));
            StudyRow { label: row.to_string(), cells: columns.iter().map(cell).collect() }
        });
        let order = report.cells.iter().filter_map(|cell| {
            let row = labels.iter().position(|row| *row == cell.row)?;
            Some((row, columns.iter().position(|column| *column == cell.column)?))
        });
        let sources = report.sources().into_iter().map(|(source, count)| SourceCount {
            source,
            count,
            text: source_text(report, source),
        });
        StudyTable {
            title: report.title.clone(),
            citation: report.citation.clone(),
            note: report.note.clone(),
            kind: report.kind,
            corner: report.corner(),
            rows: rows.collect(),
            columns: columns.iter().map(ToString::to_string).collect(),
            agreements: agreements(report),
            sources: sources.collect(),
            misprints: misprints(report),
            furthest: furthest(report),
            order: order.collect(),
        }
    }

    /// All cells with the indices of their row and column, in the order of the report.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, usize, &TableCell)> {
        let cell = |&(row, column): &(usize, usize)| {
            Some((row, column, self.rows[row].cells[column].as_ref()?))
        };
        self.order.iter().filter_map(cell)
    }

    /// All cells, in the order of the report.
    pub(super) fn cells(&self) -> impl Iterator<Item = &TableCell> {
        self.placed().map(|(_, _, cell)| cell)
    }

    /// Whether the report shows the print alone, and was to show no more.
    pub(super) fn is_print(&self) -> bool {
        self.cells()
            .all(|cell| cell.agreement == Agreement::NotRecomputed && cell.figure.is_empty())
    }

    /// The author of the figures, as under a table: `computed by sow 0.2.0`.
    pub(super) fn credit(&self, by: &str) -> String {
        let computed = |count: &SourceCount| {
            !matches!(count.source, FigureSource::Printed | FigureSource::Unknown)
        };
        if self.sources.iter().any(computed) {
            format!("computed by {by}")
        } else {
            format!("nothing computed; set by {by}")
        }
    }
}

impl TableCell {
    fn new(kind: StudyKind, cell: &Cell) -> TableCell {
        let (figure, printed) = (figure(kind, cell), printed(kind, cell));
        let agreement = Agreement::from(&cell.verdict);
        let is_beside = match agreement {
            Agreement::Equal | Agreement::Unprinted => false,
            // Proven bounds are more than the print alone.
            Agreement::NotReached | Agreement::NotRecomputed => cell.computed != Computed::Nothing,
            Agreement::Misprint | Agreement::Differs | Agreement::Within | Agreement::Proven => {
                true
            }
        };
        TableCell {
            shown: if cell.computed == Computed::Nothing { &printed } else { &figure }.clone(),
            aside: if is_beside { printed.clone() } else { String::new() },
            about: format!("{}; printed {printed}, {}", cell.source(), cell.verdict),
            source: cell.source(),
            number: cell.number(),
            agreement,
            figure,
            printed,
        }
    }

    /// Whether the print is not what was computed.
    pub(super) fn is_odd(&self) -> bool {
        matches!(self.agreement, Agreement::Misprint | Agreement::Differs)
    }
}

impl From<&Comparison> for Agreement {
    fn from(verdict: &Comparison) -> Agreement {
        match verdict {
            Comparison::Equal => Agreement::Equal,
            Comparison::Differs => Agreement::Differs,
            Comparison::Misprint { .. } => Agreement::Misprint,
            Comparison::Within { .. } => Agreement::Within,
            Comparison::Proven => Agreement::Proven,
            Comparison::NotReached => Agreement::NotReached,
            Comparison::NotRecomputed => Agreement::NotRecomputed,
            Comparison::Unprinted => Agreement::Unprinted,
        }
    }
}

impl Agreement {
    fn text(self) -> &'static str {
        match self {
            Agreement::Equal => "as printed",
            Agreement::Within => "near the printed estimate",
            Agreement::Proven => "proven",
            Agreement::Misprint => "misprinted",
            Agreement::Differs => "different",
            Agreement::NotRecomputed => "not recomputed",
            Agreement::Unprinted => "never printed",
            Agreement::NotReached => "not reached in the time",
        }
    }
}

/// A printed figure as it is shown.
fn printed(kind: StudyKind, cell: &Cell) -> String {
    let Some(printed) = &cell.printed else { return String::new() };
    match printed.parse::<i64>() {
        Ok(number) => number_text(kind, number),
        Err(_) => printed.clone(),
    }
}

/// The figure that was computed or kept; empty if there is none.
fn figure(kind: StudyKind, cell: &Cell) -> String {
    match &cell.computed {
        Computed::Exact { value: Figure::Number(number) }
        | Computed::Kept { value: Figure::Number(number), .. } => number_text(kind, *number),
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

fn agreements(report: &StudyReport) -> Vec<AgreementCount> {
    let mut counts = BTreeMap::new();
    for cell in &report.cells {
        *counts.entry(Agreement::from(&cell.verdict)).or_default() += 1;
    }
    let counts = counts.into_iter();
    counts
        .map(|(agreement, count)| AgreementCount { agreement, count, text: agreement.text() })
        .collect()
}

fn misprints(report: &StudyReport) -> Vec<String> {
    let misprint = |cell: &Cell| match &cell.verdict {
        Comparison::Misprint { why } => Some(format!("{}: {why}.", place(report, cell))),
        _ => None,
    };
    report.cells.iter().filter_map(misprint).collect()
}

fn place(report: &StudyReport, cell: &Cell) -> String {
    match report.kind {
        StudyKind::Starts => format!("({},{})", cell.column, cell.computed),
        _ => format!("({},{})", cell.row, cell.column),
    }
}

fn furthest(report: &StudyReport) -> Option<String> {
    let off = |cell: &Cell| match cell.verdict {
        Comparison::Within { deviations, .. } => Some(deviations),
        _ => None,
    };
    let cells = report.cells.iter().filter(|cell| off(cell).is_some());
    let cell = cells.max_by(|a, b| off(a).partial_cmp(&off(b)).expect("numbers"))?;
    Some(format!("Furthest off: {}, {}.", place(report, cell), cell.verdict))
}
