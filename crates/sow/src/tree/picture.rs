//! A tree as a picture.

use std::fmt::Write as _;

use sowing::Game;
use sowing_lab::Graph;

use super::layout::Layout;
use super::{Label, moves_text};
use crate::svg;

const STYLE: &str = "\
text { font: 14px sans-serif; text-anchor: middle; fill: #222 }
.state { font-size: 12px; fill: #555 }
.north { font-style: italic }
.node { fill: #fff; stroke: #8a6d3b }
.over { fill: #e8f0e4; stroke: #5a7d4b }
.way { stroke: #888; fill: none }
.best { stroke: #c22; stroke-width: 2.5 }
.move { font-size: 12px; paint-order: stroke; stroke: #fff; stroke-width: 4px }
";

const BOX: f64 = 44.0;
const LAYER: f64 = 104.0;
const EDGE: f64 = 20.0;

/// Draws a tree, root on top. North's side is in italics, as in the thesis; finished games are
/// tinted; moves that keep a value are red.
pub(super) fn draw(game: &Game, graph: &Graph) -> String {
    let labels: Vec<Label> = graph.nodes.iter().map(Label::new).collect();
    let letters = |label: &Label| {
        let board = label.south.chars().count() + label.north.chars().count() + 3;
        board.max(label.state.chars().count())
    };
    let width = 8.0 * labels.iter().map(letters).max().unwrap_or(0) as f64 + 16.0;
    let layout = Layout::new(graph);
    let slot = width + 16.0;
    let x = |index: usize| EDGE + slot * layout.places[index];
    let y = |index: usize| EDGE + LAYER * f64::from(graph.nodes[index].depth);
    let across = (2.0 * EDGE + slot * layout.slots as f64) as usize;
    let down = (2.0 * EDGE + LAYER * (layout.layers - 1) as f64 + BOX) as usize;
    let mut picture = svg::head(&format!("The tree of {game}"), across, down, STYLE);
    for edge in &graph.edges {
        let (from, to) = ((x(edge.from), y(edge.from) + BOX), (x(edge.to), y(edge.to)));
        let class = if graph.keeps_value(edge) { "way best" } else { "way" };
        let _ = writeln!(
            picture,
            "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }
    // Over all lines, and nearer to where they lead, where they are apart.
    for edge in &graph.edges {
        let at = |from: f64, to: f64| from + 0.75 * (to - from);
        let _ = writeln!(
            picture,
            "<text class=\"move\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            at(x(edge.from), x(edge.to)),
            at(y(edge.from) + BOX, y(edge.to)) + 4.0,
            moves_text(&edge.moves),
        );
    }
    for (index, (node, label)) in graph.nodes.iter().zip(&labels).enumerate() {
        let class = if node.result.is_some() { "over" } else { "node" };
        let (x, y) = (x(index), y(index));
        let _ = writeln!(
            picture,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{BOX}\" rx=\"8\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\">({}|<tspan class=\"north\">{}</tspan>)</text>\
             <text class=\"state\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            x - width / 2.0,
            y + 19.0,
            label.south,
            label.north,
            y + 36.0,
            label.state,
        );
    }
    picture.push_str("</svg>\n");
    picture
}
