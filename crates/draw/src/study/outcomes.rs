//! Outcomes: a grid with one colour a word, and a pie of their shares.

use std::f64::consts::TAU;

use super::grid::grid;
use super::legend::{LINE, pattern};
use super::picture::{COLOURS, Drawing, PRINTED, TOP};
use super::{StudyTable, TableCell};
use crate::Element;

const RADIUS: f64 = 80.0;

pub(super) fn outcomes(table: &StudyTable) -> Drawing {
    let mut slices: Vec<(String, &str, usize)> = Vec::new();
    for cell in table.cells() {
        let (name, fill) = slice(cell);
        match slices.iter_mut().find(|(known, ..)| *known == name) {
            Some((.., count)) => *count += 1,
            None => slices.push((name, fill, 1)),
        }
    }
    slices.sort_by_key(|(name, _, count)| (usize::MAX - count, name.clone()));
    let mut drawing = grid(table, &|cell| {
        let (_, fill) = slice(cell);
        (fill.to_string(), pattern(cell).is_none())
    });
    let total = table.cells().count();
    let (x, y, left) = (drawing.width + 110.0, TOP + 90.0, drawing.width + 30.0);
    let mut before = 0;
    for (line, (name, fill, count)) in slices.iter().enumerate() {
        let ends = [before, before + count].map(|cells| cells as f64 / total as f64);
        before += count;
        drawing.elements.push(sector((x, y), ends).with("fill", fill));
        let top = TOP + 190.0 + LINE * line as f64;
        let square = Element::rect(left, top - 11.0, 12.0, 12.0);
        drawing.elements.push(square.with("fill", fill).class("swatch"));
        let share = format!("{name}: {count} of {total}");
        drawing.elements.push(Element::text(left + 20.0, top, share).class("left"));
    }
    drawing.width += 260.0;
    drawing.bottom = drawing.bottom.max(TOP + 200.0 + LINE * slices.len() as f64);
    drawing
}

/// The outcome that a cell counts as, and its fill.
fn slice(cell: &TableCell) -> (String, &'static str) {
    if let Some(fill) = pattern(cell) {
        let name = if fill == PRINTED { "not computed" } else { "bounded" };
        return (name.to_string(), fill);
    }
    let fill = match cell.figure.as_str() {
        "W" | "yes" => COLOURS[0],
        "L" | "no" => COLOURS[1],
        "D" => COLOURS[4],
        _ => COLOURS[2],
    };
    (cell.figure.clone(), fill)
}

/// A sector of a disc, from a share of it to another.
fn sector((x, y): (f64, f64), [from, to]: [f64; 2]) -> Element {
    if to - from > 0.9999 {
        return Element::circle(x, y, RADIUS);
    }
    let point = |share: f64| {
        let (sin, cos) = (TAU * (share - 0.25)).sin_cos();
        (x + RADIUS * cos, y + RADIUS * sin)
    };
    let ((ax, ay), (bx, by)) = (point(from), point(to));
    let large = u8::from(to - from > 0.5);
    let arc = format!("A{RADIUS} {RADIUS} 0 {large} 1 {bx:.1} {by:.1}");
    Element::path(format_args!("M{x:.1} {y:.1}L{ax:.1} {ay:.1}{arc}Z")).class("cell")
}
