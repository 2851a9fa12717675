//! Lists of starts as curves: how many there are up to so many seeds, on a logarithmic axis.

use std::fmt::Write as _;

use sowing_lab::study::{Cell, Computed, StudyReport};

use super::picture::{COLOURS, Drawing};
use crate::{Element, grouped};

/// A column of a report.
struct Curve {
    label: String,
    /// The starts' seeds, fewest first.
    starts: Vec<f64>,
    /// Whether nothing of it was computed: it is drawn as it was printed, and looks so.
    printed: bool,
}

impl Curve {
    fn of(report: &StudyReport, column: &str) -> Curve {
        let cells = || report.cells.iter().filter(|cell| cell.column == column);
        let printed = cells().all(|cell| cell.computed == Computed::Nothing);
        let print = |cell: &Cell| cell.printed.as_ref()?.parse().ok();
        let seeds = |cell: &Cell| if printed { print(cell) } else { cell.number() };
        let label = format!("{} = {column}", report.column_label);
        Curve { label, starts: cells().filter_map(seeds).collect(), printed }
    }
}

/// The axes' corner, and where they end.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 90.0;
const BOTTOM: f64 = 400.0;

pub(super) fn curves(report: &StudyReport) -> Drawing {
    let columns = report.columns();
    let curves: Vec<Curve> = columns.iter().map(|column| Curve::of(report, column)).collect();
    let last = curves.iter().flat_map(|curve| &curve.starts).copied().fold(10.0, f64::max);
    let most = curves.iter().map(|curve| curve.starts.len()).max().unwrap_or(0).max(1);
    let decades = last.log10().ceil();
    let x = |seeds: f64| LEFT + (RIGHT - LEFT) * seeds.max(1.0).log10() / decades;
    let y = |count: usize| BOTTOM - (BOTTOM - TOP) * count as f64 / most as f64;
    let mut elements = Vec::new();
    for power in 0..=decades as u32 {
        let (at, label) = (x(10f64.powi(power as i32)), grouped(10u64.pow(power)));
        elements.push(Element::path(format_args!("M{at:.1} {BOTTOM}v5")).class("axis"));
        elements.push(Element::text(at, BOTTOM + 20.0, label).class("label"));
    }
    for count in (0..=most).step_by(most.div_ceil(5)) {
        let at = y(count);
        elements.push(Element::path(format_args!("M{LEFT} {at:.1}h-5")).class("axis"));
        elements.push(Element::text(LEFT - 10.0, at + 4.0, count).class("row"));
    }
    let axes = format!("M{LEFT} {}V{BOTTOM}H{}", TOP - 10.0, RIGHT + 20.0);
    elements.push(Element::path(axes).class("axis"));
    elements.push(Element::text(340.0, BOTTOM + 42.0, "seeds a house").class("label"));
    elements.push(Element::text(30.0, TOP - 20.0, "losses so far").class("left"));
    for (place, curve) in curves.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let mut steps = format!("M{LEFT} {BOTTOM}");
        for (count, seeds) in (1..).zip(&curve.starts) {
            let _ = write!(steps, "H{:.1}V{:.1}", x(*seeds), y(count));
        }
        let (class, print) =
            if curve.printed { ("curve printed", ", as printed") } else { ("curve", "") };
        elements.push(Element::path(steps).with("stroke", colour).class(class));
        let top = 100.0 + 22.0 * place as f64;
        let line = format!("M660 {:.1}h20", top - 4.0);
        elements.push(Element::path(line).with("stroke", colour).class(class));
        let label = format!("{}{print}", curve.label);
        elements.push(Element::text(688.0, top, label).class("left"));
    }
    Drawing { elements, width: 800.0, bottom: 460.0 }
}
