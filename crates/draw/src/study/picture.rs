//! A report as a picture: title and source above, a legend and who computed it below.

use sowing_lab::study::{StudyKind, StudyReport};

use super::legend::{LINE, Mark, legend};
use super::{StudyTable, curves, grid, growth, outcomes};
use crate::{Element, Picture};

const STYLE: &str = "
text { font: 13px sans-serif; text-anchor: middle; fill: #222 }
.title { font-size: 15px; text-anchor: start }
.source { font-size: 11px; text-anchor: start }
.row { text-anchor: end }
.left { text-anchor: start }
.light { fill: #fff }
.cell { stroke: #fff }
.odd { stroke: #c22; stroke-width: 3 }
.swatch { stroke: #222 }
.axis { stroke: #222; fill: none }
.curve { fill: none; stroke-width: 2 }
.printed { stroke-dasharray: 4 4 }
";

/// Colours that the colour-blind can tell apart.
pub(super) const COLOURS: [&str; 6] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// The fill of figures that are not known exactly: a colour would be taken for a figure.
pub(super) const PRINTED: &str = "url(#printed)";
pub(super) const BOUNDED: &str = "url(#bounded)";

/// Where what is drawn begins, below the title.
pub(super) const TOP: f64 = 88.0;

const EDGE: f64 = 16.0;

/// What is drawn of a report, between title and legend.
pub(super) struct Drawing {
    pub(super) elements: Vec<Element>,
    pub(super) width: f64,
    /// Its lower edge.
    pub(super) bottom: f64,
}

/// Draws what fits the report's figures: a heat map, a grid of outcomes with a pie, or curves.
/// Under it stands who computed them, as in `sow 0.2.0`.
pub fn picture(report: &StudyReport, by: &str) -> Picture {
    let table = StudyTable::new(report);
    let drawing = match table.kind {
        StudyKind::Starts => curves::curves(report),
        StudyKind::Outcomes => outcomes::outcomes(&table),
        StudyKind::Growth => growth::growth(report),
        StudyKind::Counts | StudyKind::Estimates | StudyKind::Margins => grid::heat_map(&table),
    };
    let (legend, credit) = (legend(&table), table.credit(by));
    // All lines of text fit, at some seven units a letter.
    let letters = |text: &str| text.chars().count() as f64;
    let longest = legend.iter().map(|(_, sentence)| 7.0 * letters(sentence) + 20.0);
    let longest = longest.chain([8.0 * letters(&report.title), 6.0 * letters(&report.citation)]);
    let width = longest.fold(drawing.width, |width, text| width.max(text + 2.0 * EDGE));
    let below = drawing.bottom + EDGE;
    let height = below + LINE * (legend.len() + 1) as f64 + EDGE;
    let mut picture = Picture::new(&report.title, width, height, STYLE);
    picture.add(patterns());
    picture.add(Element::text(EDGE, 24.0, &report.title).class("title"));
    picture.add(Element::text(EDGE, 44.0, &report.citation).class("source"));
    for element in drawing.elements {
        picture.add(element);
    }
    for (line, (mark, sentence)) in legend.into_iter().enumerate() {
        let y = below + LINE * line as f64 + 11.0;
        if let Some(mark) = mark.swatch(EDGE, y) {
            picture.add(mark);
        }
        picture.add(Element::text(EDGE + 20.0, y, sentence).class("left"));
    }
    picture.add(Element::text(EDGE, height - EDGE, credit).class("source"));
    picture
}

/// Hatching for what is only printed, dots for what is bounded.
fn patterns() -> Element {
    let pattern = |name, figure: Element| {
        Element::new("pattern")
            .with("id", name)
            .with("width", 8)
            .with("height", 8)
            .with("patternUnits", "userSpaceOnUse")
            .hold(Element::rect(0.0, 0.0, 8.0, 8.0).with("fill", "#fff"))
            .hold(figure)
    };
    let hatching = Element::path("M0 8L8 0M-2 2L2 -2M6 10L10 6").with("stroke", "#bbb");
    let dot = Element::circle(4.0, 4.0, 1.0).with("fill", "#222");
    Element::new("defs").hold(pattern("printed", hatching)).hold(pattern("bounded", dot))
}

impl Mark {
    /// The mark before a line of a legend.
    fn swatch(self, x: f64, y: f64) -> Option<Element> {
        let square = Element::rect(x, y - 11.0, 12.0, 12.0);
        match self {
            Mark::None => None,
            Mark::Star => Some(Element::text(x + 3.0, y, "*").class("left")),
            Mark::Edge => Some(square.with("fill", "none").class("odd")),
            Mark::Fill(fill) => Some(square.with("fill", fill).class("swatch")),
        }
    }
}
