//! Grids of labelled cells, and heat maps.

use std::f64::consts::LN_10;

use sowing_lab::study::{FigureSource, StudyKind};

use super::legend::{WORD, pattern};
use super::picture::{Drawing, TOP};
use super::{StudyTable, TableCell};
use crate::Element;

/// The height of a row.
const HEIGHT: f64 = 40.0;

/// A grid. `fill` gives the colour or the pattern of a cell, and whether that is dark. Cells whose print is not what
/// was computed have a red edge.
pub(super) fn grid(table: &StudyTable, fill: &dyn Fn(&TableCell) -> (String, bool)) -> Drawing {
    let (left, width) = (margin(table), width(table));
    let mut elements = vec![label(left - 10.0, TOP - 10.0, &table.corner, "row")];
    for (index, column) in table.columns.iter().enumerate() {
        let x = left + (index as f64 + 0.5) * width;
        elements.push(label(x, TOP - 10.0, column, "label"));
    }
    for (index, row) in table.rows.iter().enumerate() {
        let y = TOP + (index as f64 + 0.5) * HEIGHT + 5.0;
        elements.push(label(left - 10.0, y, &row.label, "row"));
    }
    // Red edges lie over their neighbours.
    let (last, first): (Vec<_>, Vec<_>) = table.placed().partition(|(.., cell)| cell.is_odd());
    for (row, column, cell) in first.into_iter().chain(last) {
        let (x, y) = (left + column as f64 * width, TOP + row as f64 * HEIGHT);
        let (colour, dark) = fill(cell);
        let class = if cell.is_odd() { "cell odd" } else { "cell" };
        let square = Element::rect(x, y, width, HEIGHT).with("fill", colour).class(class);
        let mut text = Element::text(x + width / 2.0, y + 25.0, text(cell));
        if dark {
            text = text.class("light");
        }
        let about = Element::new("title").say(&cell.about);
        elements.push(Element::new("g").hold(about).hold(square).hold(text));
    }
    let width = left + table.columns.len() as f64 * width + 16.0;
    Drawing { elements, width, bottom: TOP + table.rows.len() as f64 * HEIGHT + 16.0 }
}

fn label(x: f64, y: f64, text: &str, class: &str) -> Element {
    Element::text(x, y, text).class(class)
}

/// The room for the labels of the rows.
fn margin(table: &StudyTable) -> f64 {
    let labels = table.rows.iter().map(|row| &row.label).chain([&table.corner]);
    let letters = labels.map(|label| label.chars().count()).max().unwrap_or(0).max(4);
    8.0 * letters as f64 + 32.0
}

/// The width of all columns: the longest text fits.
fn width(table: &StudyTable) -> f64 {
    let texts = table.columns.iter().cloned().chain(table.cells().map(text));
    let letters = texts.map(|text| text.chars().count()).max().unwrap_or(0).max(6);
    8.0 * letters as f64 + 16.0
}

/// The shown figure, with a star if it is kept.
fn text(cell: &TableCell) -> String {
    let star = if cell.source == FigureSource::Kept { "*" } else { "" };
    format!("{}{star}", cell.shown)
}

/// Counts and estimates by their logarithms from light to dark; margins from orange to blue.
/// Figures that are not known exactly have a pattern.
pub(super) fn heat_map(table: &StudyTable) -> Drawing {
    let numbers = || table.cells().filter_map(|cell| cell.number);
    let most = numbers().fold(0.0, |most: f64, number| most.max(number.abs()));
    let least = numbers().fold(f64::INFINITY, f64::min).max(1.0);
    grid(table, &|cell| {
        let Some(number) = cell.number else {
            return (pattern(cell).unwrap_or(WORD).to_string(), false);
        };
        if table.kind == StudyKind::Margins {
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
