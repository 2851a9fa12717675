//! Grids of labelled cells, and heat maps.

use std::f64::consts::LN_10;

use sowing_lab::study::{Cell, FigureSource, StudyKind, StudyReport};

use super::legend::{WORD, pattern};
use super::picture::{Drawing, TOP};
use super::{figure, is_odd, printed};
use crate::Element;

/// The height of a row.
const HEIGHT: f64 = 40.0;

/// A grid whose cells are filled as told: a colour or a pattern, and whether that is dark. Cells
/// where the print is not what was computed have a red edge.
pub(super) fn grid(report: &StudyReport, fill: &dyn Fn(&Cell) -> (String, bool)) -> Drawing {
    let (left, width) = (margin(report), width(report));
    let (rows, columns) = (report.rows(), report.columns());
    let mut elements = vec![label(left - 10.0, TOP - 10.0, &report.corner(), "row")];
    for (index, column) in columns.iter().enumerate() {
        let x = left + (index as f64 + 0.5) * width;
        elements.push(label(x, TOP - 10.0, column, "label"));
    }
    for (index, row) in rows.iter().enumerate() {
        let y = TOP + (index as f64 + 0.5) * HEIGHT + 5.0;
        elements.push(label(left - 10.0, y, row, "row"));
    }
    // Red edges lie over their neighbours.
    let (last, first): (Vec<&Cell>, Vec<&Cell>) =
        report.cells.iter().partition(|cell| is_odd(cell));
    for cell in first.into_iter().chain(last) {
        let row = rows.iter().position(|row| *row == cell.row).unwrap_or(0);
        let column = columns.iter().position(|column| *column == cell.column).unwrap_or(0);
        let (x, y) = (left + column as f64 * width, TOP + row as f64 * HEIGHT);
        let (colour, dark) = fill(cell);
        let (source, verdict) = (cell.source(), &cell.verdict);
        let about = format!("{source}; printed {}, {verdict}", printed(report, cell));
        let class = if is_odd(cell) { "cell odd" } else { "cell" };
        let square = Element::rect(x, y, width, HEIGHT).with("fill", colour).class(class);
        let mut text = Element::text(x + width / 2.0, y + 25.0, text(report, cell));
        if dark {
            text = text.class("light");
        }
        let about = Element::new("title").say(about);
        elements.push(Element::new("g").hold(about).hold(square).hold(text));
    }
    let width = left + columns.len() as f64 * width + 16.0;
    Drawing { elements, width, bottom: TOP + rows.len() as f64 * HEIGHT + 16.0 }
}

fn label(x: f64, y: f64, text: &str, class: &str) -> Element {
    Element::text(x, y, text).class(class)
}

/// The room that the labels of the rows take.
fn margin(report: &StudyReport) -> f64 {
    let corner = report.corner();
    let labels = report.rows().into_iter().chain([corner.as_str()]);
    let letters = labels.map(|label| label.chars().count()).max().unwrap_or(0).max(4);
    8.0 * letters as f64 + 32.0
}

/// The width of all columns: the longest text fits.
fn width(report: &StudyReport) -> f64 {
    let columns = report.columns().into_iter().map(str::to_string);
    let texts = columns.chain(report.cells.iter().map(|cell| text(report, cell)));
    let letters = texts.map(|text| text.chars().count()).max().unwrap_or(0).max(6);
    8.0 * letters as f64 + 16.0
}

/// What is known, with a star if it was not computed now, or else what was printed.
fn text(report: &StudyReport, cell: &Cell) -> String {
    let known = figure(report, cell);
    match cell.source() {
        FigureSource::Kept => format!("{known}*"),
        _ if known.is_empty() => printed(report, cell),
        _ => known,
    }
}

/// Counts and estimates by their logarithms from light to dark; margins from orange to blue.
/// What is not known exactly has a pattern.
pub(super) fn heat_map(report: &StudyReport) -> Drawing {
    let numbers = || report.cells.iter().filter_map(Cell::number);
    let most = numbers().fold(0.0, |most: f64, number| most.max(number.abs()));
    let least = numbers().fold(f64::INFINITY, f64::min).max(1.0);
    grid(report, &|cell| {
        let Some(number) = cell.number() else {
            return (pattern(cell).unwrap_or(WORD).to_string(), false);
        };
        if report.kind == StudyKind::Margins {
            let share = number.abs() / most.max(1.0);
            let end = if number < 0.0 { [213, 94, 0] } else { [0, 114, 178] };
            return (mixed(end, share), share > 0.6);
        }
        let span = (most / least).ln().max(LN_10);
        let share = 0.1 + 0.9 * (number.max(1.0) / least).ln() / span;
        (mixed([8, 48, 107], share), share > 0.5)
    })
}

/// White with a share of a colour.
fn mixed(end: [u8; 3], share: f64) -> String {
    let [red, green, blue] = end.map(|end| (255.0 + share * (f64::from(end) - 255.0)) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
