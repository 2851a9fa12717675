//! Numbers that grow from column to column, as curves over a logarithmic axis: one per row.

use std::fmt::Write as _;

use sowing_lab::study::{Cell, StudyReport};

use super::picture::{COLOURS, Drawing};
use crate::{Element, grouped};

/// The axes' corner, and where they end.
const LEFT: f64 = 110.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 90.0;
const BOTTOM: f64 = 400.0;

pub(super) fn growth(report: &StudyReport) -> Drawing {
    let columns = report.columns();
    let numbers = report.cells.iter().filter_map(Cell::number);
    let decades = numbers.fold(10.0, f64::max).log10().ceil();
    let steps = columns.len().saturating_sub(1).max(1) as f64;
    let x = |column: usize| LEFT + (RIGHT - LEFT) * column as f64 / steps;
    let y = |number: f64| BOTTOM - (BOTTOM - TOP) * number.max(1.0).log10() / decades;
    let mut elements = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let at = x(place);
        elements.push(Element::path(format_args!("M{at:.1} {BOTTOM}v5")).class("axis"));
        elements.push(Element::text(at, BOTTOM + 20.0, column).class("label"));
    }
    for power in 0..=decades as u32 {
        let (at, label) = (y(10f64.powi(power as i32)), grouped(10u64.pow(power)));
        elements.push(Element::path(format_args!("M{LEFT} {at:.1}h-5")).class("axis"));
        elements.push(Element::text(LEFT - 10.0, at + 4.0, label).class("row"));
    }
    let axes = format!("M{LEFT} {}V{BOTTOM}H{}", TOP - 10.0, RIGHT + 20.0);
    elements.push(Element::path(axes).class("axis"));
    let middle = (LEFT + RIGHT) / 2.0;
    elements.push(Element::text(middle, BOTTOM + 42.0, &report.column_label).class("label"));
    for (place, row) in report.rows().into_iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let mut line = String::new();
        for (place, column) in columns.iter().enumerate() {
            let Some(number) = report.cell(row, column).and_then(Cell::number) else { continue };
            let (x, y) = (x(place), y(number));
            let _ = write!(line, "{}{x:.1} {y:.1}", if line.is_empty() { "M" } else { "L" });
            elements.push(Element::circle(x, y, 3.0).with("fill", colour));
        }
        elements.push(Element::path(line).with("stroke", colour).class("curve"));
        let top = 100.0 + 22.0 * place as f64;
        let line = format!("M660 {:.1}h20", top - 4.0);
        elements.push(Element::path(line).with("stroke", colour).class("curve"));
        let label = format!("{} = {row}", report.row_label);
        elements.push(Element::text(688.0, top, label).class("left"));
    }
    Drawing { elements, width: 800.0, bottom: 460.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_lab::study::{StudyOptions, find};

    /// A factor of ten is the same height everywhere, and a cell that is not known has no point.
    #[test]
    fn points_lie_by_their_logarithms() {
        let study = find("kalah-nodes").unwrap();
        let options = StudyOptions { time: std::time::Duration::ZERO, ..StudyOptions::default() };
        let mut report = study.run(&options);
        let points = |report: &StudyReport| -> Vec<String> {
            let drawn = growth(report).elements.into_iter().map(|element| element.to_string());
            drawn.filter(|element| element.starts_with("<circle")).collect()
        };
        assert!(points(&report).is_empty());
        let known = [("2", "1", 1), ("2", "2", 10), ("2", "3", 100), ("3", "1", 10_000)];
        for (row, column, number) in known {
            let place = |cell: &&mut Cell| cell.row == row && cell.column == column;
            let cell = report.cells.iter_mut().find(place).unwrap();
            cell.computed = sowing_lab::study::Computed::Exact {
                value: sowing_lab::study::Figure::Number(number),
            };
        }
        let at = |point: &String| {
            let attribute = |name: &str| -> f64 {
                let rest = point.split_once(&format!("{name}=\"")).unwrap().1;
                rest.split('"').next().unwrap().parse().unwrap()
            };
            (attribute("cx"), attribute("cy"))
        };
        let points: Vec<(f64, f64)> = points(&report).iter().map(at).collect();
        assert_eq!(points.len(), 4);
        assert_eq!(points[0], (LEFT, BOTTOM));
        let decade = points[0].1 - points[1].1;
        assert!((points[1].1 - points[2].1 - decade).abs() < 0.11);
        assert!((points[0].1 - points[3].1 - 4.0 * decade).abs() < 0.41);
        assert_eq!(points[3], (LEFT, TOP));
    }
}
