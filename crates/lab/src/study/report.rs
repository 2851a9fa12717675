//! What a study found, cell by cell.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Serialize, Serializer};
use sowing_rules::Bounds;

/// A published table and ours.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StudyReport {
    /// The study's name.
    pub name: String,
    /// What the table shows.
    pub title: String,
    /// Where it was printed.
    pub citation: String,
    /// What its figures are.
    pub kind: StudyKind,
    /// What the rows are labelled with; may be empty.
    pub row_label: String,
    /// What the columns are labelled with; may be empty.
    pub column_label: String,
    /// How the figures are to be read; may be empty.
    pub note: String,
    /// The cells, row by row or column by column. Not every row has every column.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<CellForm>))]
    pub cells: Vec<Cell>,
}

/// What the figures of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StudyKind {
    /// Numbers of things.
    Counts,
    /// Estimates of very large numbers.
    Estimates,
    /// Words: win, draw and loss, or yes and no.
    Outcomes,
    /// The first player's margins.
    Margins,
    /// Seeds a house, in order, column by column.
    Starts,
    /// Numbers of things that grow from column to column.
    Growth,
}

/// One figure.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The label of its row.
    pub row: String,
    /// The label of its column.
    pub column: String,
    /// What was printed, `None` if the print has nothing there.
    pub printed: Option<String>,
    /// What was computed.
    pub computed: Computed,
    /// Whether the two agree.
    pub verdict: Comparison,
    /// More about it, if there is more to say.
    pub note: Option<String>,
}

/// Where the figure that a cell shows comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FigureSource {
    /// Computed now, exactly.
    Computed,
    /// Estimated now, by random games.
    Estimated,
    /// Bounded now: what is shown is proven, but not the exact figure.
    Bounded,
    /// Not computed now, but kept in a file of this project, which computed it before.
    Kept,
    /// Nothing was computed: the print is all there is.
    Printed,
    /// Nothing was computed, and nothing was printed.
    Unknown,
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// A whole number.
    Number(i64),
    /// A number that may be far out of the range of whole ones.
    Real(f64),
    /// A mean of things that can be counted: two digits after the point are enough.
    Mean(f64),
    /// A word.
    Word(String),
}

/// A whole number is a number too, which a choice between both would forbid.
#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Figure {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
        let of = |kind: Type| ObjectBuilder::new().schema_type(kind);
        OneOfBuilder::new()
            .description(Some("A figure: a number or a word."))
            .item(of(Type::Number))
            .item(of(Type::String))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Figure {}

/// What was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = StudyComputed))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Computed {
    /// The exact value.
    Exact {
        /// The value.
        value: Figure,
    },
    /// An estimate and its 95 % interval.
    LogEstimate {
        /// The estimate.
        value: Figure,
        /// The interval's lower end.
        low: f64,
        /// The interval's upper end.
        high: f64,
    },
    /// Proven bounds.
    Bounds {
        /// At least this.
        low: i64,
        /// At most this.
        high: i64,
    },
    /// An exact value that was not computed now but is kept in a file of this project.
    Kept {
        /// The value.
        value: Figure,
        /// The file.
        file: String,
    },
    /// Nothing.
    Nothing,
}

/// How the print and the computation compare.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Comparison {
    /// The same, to the digits printed.
    Equal,
    /// Not the same, and nobody knows why.
    Differs,
    /// Not the same, and the print is wrong.
    Misprint {
        /// Why.
        why: String,
    },
    /// A printed estimate that lies near ours.
    Within {
        /// How far it lies from ours, in powers of ten.
        decades: f64,
        /// How far, in standard deviations of the printed estimate.
        deviations: f64,
    },
    /// The printed bound is proven.
    Proven,
    /// The time did not suffice.
    NotReached,
    /// Beyond what is recomputed here: shown as printed.
    NotRecomputed,
    /// There is no print to compare with.
    Unprinted,
}

impl StudyReport {
    /// Whether no cell differs from the print, known misprints aside.
    pub fn agrees(&self) -> bool {
        self.cells.iter().all(|cell| cell.verdict != Comparison::Differs)
    }

    /// The sources of its figures, and how many each has.
    pub fn sources(&self) -> BTreeMap<FigureSource, usize> {
        let mut sources = BTreeMap::new();
        for cell in &self.cells {
            *sources.entry(cell.source()).or_default() += 1;
        }
        sources
    }

    /// The files that figures are kept in.
    pub fn files(&self) -> BTreeSet<&str> {
        self.cells.iter().filter_map(Cell::file).collect()
    }

    /// How many cells the time did not reach.
    pub fn unreached(&self) -> usize {
        self.cells.iter().filter(|cell| cell.verdict == Comparison::NotReached).count()
    }

    /// The labels of the rows; numbers in order, others as they come.
    pub fn rows(&self) -> Vec<&str> {
        distinct(self.cells.iter().map(|cell| cell.row.as_str()))
    }

    /// The labels of the columns; numbers in order, others as they come.
    pub fn columns(&self) -> Vec<&str> {
        distinct(self.cells.iter().map(|cell| cell.column.as_str()))
    }

    /// What rows and columns are labelled with, as one: `h / s`.
    pub fn corner(&self) -> String {
        let both = [self.row_label.as_str(), self.column_label.as_str()];
        both.into_iter().filter(|label| !label.is_empty()).collect::<Vec<_>>().join(" / ")
    }

    /// The cell of a row and a column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.row == row && cell.column == column)
    }
}

fn distinct<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list: Vec<&str> = Vec::new();
    for label in labels {
        if !list.contains(&label) {
            list.push(label);
        }
    }
    if list.iter().all(|label| label.parse::<u64>().is_ok()) {
        list.sort_by_key(|label| label.parse::<u64>().ok());
    }
    list
}

impl Cell {
    /// Where the figure comes from.
    pub fn source(&self) -> FigureSource {
        match (&self.computed, &self.verdict) {
            (Computed::Exact { .. }, _) => FigureSource::Computed,
            (Computed::LogEstimate { .. }, _) => FigureSource::Estimated,
            (Computed::Bounds { .. }, _) => FigureSource::Bounded,
            (Computed::Nothing, _) if self.printed.is_none() => FigureSource::Unknown,
            (Computed::Nothing, _) => FigureSource::Printed,
            (Computed::Kept { .. }, _) => FigureSource::Kept,
        }
    }

    /// The figure as a number, if it is one and known: not if it is bounded or printed only.
    pub fn number(&self) -> Option<f64> {
        match &self.computed {
            Computed::Exact { value }
            | Computed::LogEstimate { value, .. }
            | Computed::Kept { value, .. } => match value {
                Figure::Number(number) => Some(*number as f64),
                Figure::Real(number) | Figure::Mean(number) => Some(*number),
                Figure::Word(_) => None,
            },
            Computed::Bounds { .. } | Computed::Nothing => None,
        }
    }

    /// The file that the figure is kept in, if it was not computed now.
    pub fn file(&self) -> Option<&str> {
        match &self.computed {
            Computed::Kept { file, .. } => Some(file),
            _ => None,
        }
    }

    /// A cell of which nothing is computed yet.
    pub(crate) fn new(row: impl ToString, column: impl ToString, printed: Option<&str>) -> Cell {
        Cell {
            row: row.to_string(),
            column: column.to_string(),
            printed: printed.map(str::to_string),
            computed: Computed::Nothing,
            verdict: Comparison::NotReached,
            note: None,
        }
    }

    /// Puts an exact value beside the print.
    pub(crate) fn exact(&mut self, value: Figure) {
        let equal = self.printed.as_ref().is_some_and(|printed| value.prints_as(printed));
        self.verdict = if equal { Comparison::Equal } else { Comparison::Differs };
        self.computed = Computed::Exact { value };
    }

    /// Puts proven bounds of a margin beside the print: an exact value if they meet, and a
    /// difference if they leave no room for what was printed. With so many seeds in houses, bounds
    /// that are no closer than all of them for one player say nothing.
    pub(crate) fn bounds(&mut self, Bounds { low, high }: Bounds, layer: u64) {
        if low == high {
            return self.exact(Figure::Number(low));
        }
        if high - low >= 2 * layer as i64 {
            return;
        }
        let printed = self.printed.as_ref().and_then(|printed| printed.parse::<i64>().ok());
        if printed.is_some_and(|printed| !(low..=high).contains(&printed)) {
            self.verdict = Comparison::Differs;
        }
        self.computed = Computed::Bounds { low, high };
    }

    /// Marks an exact value as taken from a file of this project.
    pub(crate) fn keep(&mut self, file: &str) {
        if let Computed::Exact { value } = &self.computed {
            self.computed = Computed::Kept { value: value.clone(), file: file.to_string() };
        }
    }

    /// If the cell differs from the print, says why the print is wrong.
    pub(crate) fn explain(&mut self, why: impl ToString) {
        if self.verdict == Comparison::Differs {
            self.verdict = Comparison::Misprint { why: why.to_string() };
        }
    }
}

impl Figure {
    /// Whether this value, rounded to the digits printed, is what was printed.
    pub fn prints_as(&self, printed: &str) -> bool {
        let number = match self {
            Figure::Word(word) => return word == printed,
            Figure::Number(number) => *number as f64,
            Figure::Real(number) | Figure::Mean(number) => *number,
        };
        match printed.split_once('e') {
            Some((digits, _)) => {
                let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
                let ours = format!("{number:.places$e}");
                ours == printed
            }
            None => self.to_string() == printed.trim_start_matches('+'),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Number(number) => number.fmt(f),
            Figure::Real(number) => write!(f, "{number:.2e}"),
            Figure::Mean(number) => write!(f, "{number:.2}"),
            Figure::Word(word) => word.fmt(f),
        }
    }
}

/// A cell as it is written down: with its source, which follows from the rest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = StudyCell))]
struct CellForm<'a> {
    row: &'a str,
    column: &'a str,
    /// What was printed; `null` if the print has nothing there.
    #[cfg_attr(feature = "schema", schema(required))]
    printed: Option<&'a str>,
    computed: &'a Computed,
    source: FigureSource,
    verdict: &'a Comparison,
    /// More about it, if there is more to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Cell { row, column, printed, computed, verdict, note } = self;
        let (printed, note, source) = (printed.as_deref(), note.as_deref(), self.source());
        CellForm { row, column, printed, computed, source, verdict, note }.serialize(serializer)
    }
}

impl fmt::Display for FigureSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FigureSource::Computed => "computed",
            FigureSource::Estimated => "estimated",
            FigureSource::Bounded => "bounded",
            FigureSource::Kept => "kept",
            FigureSource::Printed => "printed",
            FigureSource::Unknown => "unknown",
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comparison::Equal => f.write_str("equal"),
            Comparison::Differs => f.write_str("differs"),
            Comparison::Misprint { why } => write!(f, "misprint: {why}"),
            Comparison::Within { decades, deviations } => {
                write!(f, "{decades:+.2} decades off, {deviations:.1} standard deviations")
            }
            Comparison::Proven => f.write_str("proven"),
            Comparison::NotReached => f.write_str("not reached in the time"),
            Comparison::NotRecomputed => f.write_str("not recomputed"),
            Comparison::Unprinted => f.write_str("nothing printed"),
        }
    }
}

impl fmt::Display for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Computed::Exact { value } | Computed::LogEstimate { value, .. } => value.fmt(f),
            Computed::Kept { value, .. } => value.fmt(f),
            Computed::Bounds { low, high } => write!(f, "{low:+} to {high:+}"),
            Computed::Nothing => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_are_compared_to_their_digits() {
        let bound = Figure::Number(95_252_033_940);
        assert!(bound.prints_as("9.53e10") && bound.prints_as("95252033940"));
        assert!(!bound.prints_as("9.52e10") && !bound.prints_as("95252033941"));
        assert!(Figure::Number(17_992_924_950).prints_as("1.8e10"));
        assert!(Figure::Number(10).prints_as("+10") && !Figure::Number(-10).prints_as("10"));
        assert!(
            Figure::Word("W".into()).prints_as("W") && !Figure::Word("W".into()).prints_as("L")
        );
    }
}
