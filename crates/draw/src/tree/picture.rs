//! A tree as a picture.

use sowing_lab::Graph;
use sowing_rules::Game;

use super::layout::Layout;
use super::{Label, moves_text};
use crate::{Element, Picture};

/// The widest picture of a tree: what a large screen shows at once.
pub const MAX_WIDTH: f64 = 2400.0;

/// The tallest picture of a tree: beyond it, programs that show pictures give up.
pub const MAX_HEIGHT: f64 = 32_000.0;

/// A tree whose picture nobody could read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tree is too large to be read: its picture would be {width} units wide and {height} tall, \
     and may be {MAX_WIDTH} and {MAX_HEIGHT}"
)]
pub struct TreeTooLarge {
    /// The width that it would have.
    pub width: u64,
    /// The height that it would have.
    pub height: u64,
}

const STYLE: &str = "
text { font: 14px sans-serif; text-anchor: middle; fill: #222 }
.state { font-size: 12px; fill: #555 }
.legend { font-size: 12px; text-anchor: start }
.north { font-style: italic }
.node { fill: #fff; stroke: #8a6d3b }
.over { fill: #e8f0e4; stroke: #5a7d4b }
.way { stroke: #888; fill: none }
.best { stroke: #c22; stroke-width: 2.5 }
.move { font-size: 12px; paint-order: stroke; stroke: #fff; stroke-width: 4px }
";

const BOX: f64 = 44.0;
const EDGE: f64 = 20.0;
const LINE: f64 = 18.0;

/// Between the boxes of neighbouring layers: room for the ways and their moves.
const WAY: f64 = 60.0;

/// Which way a tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    Down,
    Right,
}

/// Where everything goes.
struct Plan {
    growth: Growth,
    layout: Layout,
    /// The width of all boxes.
    width: f64,
}

impl Plan {
    /// The distances between slots, and between layers.
    fn steps(&self) -> (f64, f64) {
        match self.growth {
            Growth::Down => (self.width + 16.0, BOX + WAY),
            Growth::Right => (BOX + 8.0, self.width + 1.5 * WAY),
        }
    }

    /// Width and height, without a legend.
    fn size(&self) -> (f64, f64) {
        let (slot, layer) = self.steps();
        let (slots, layers) = (self.layout.slots as f64 * slot, self.layout.layers as f64 * layer);
        match self.growth {
            Growth::Down => (slots + 2.0 * EDGE, layers - WAY + 2.0 * EDGE),
            Growth::Right => (layers - 1.5 * WAY + 2.0 * EDGE, slots + 2.0 * EDGE),
        }
    }

    /// The middle of a box.
    fn middle(&self, graph: &Graph, index: usize) -> (f64, f64) {
        let (slot, layer) = self.steps();
        let along = EDGE + slot * self.layout.places[index];
        let depth = EDGE + layer * f64::from(graph.nodes[index].depth);
        match self.growth {
            Growth::Down => (along, depth + BOX / 2.0),
            Growth::Right => (depth + self.width / 2.0, along),
        }
    }

    /// The ends of a way: from the side of a box to that of another.
    fn way(&self, graph: &Graph, from: usize, to: usize) -> [(f64, f64); 2] {
        let ((ax, ay), (bx, by)) = (self.middle(graph, from), self.middle(graph, to));
        let (across, down) = match self.growth {
            Growth::Down => (0.0, BOX / 2.0),
            Growth::Right => (self.width / 2.0, 0.0),
        };
        [(ax + across, ay + down), (bx - across, by - down)]
    }
}

/// Draws a tree: downwards where it is narrow enough, otherwise to the right, so that it is read
/// like a list. North's side is in italics, as in the thesis; finished games are tinted; moves
/// that keep a value are red.
pub fn picture(game: &Game, graph: &Graph) -> Result<Picture, TreeTooLarge> {
    let labels: Vec<Label> = graph.nodes.iter().map(Label::new).collect();
    let letters = labels.iter().map(Label::letters).max().unwrap_or(0);
    let width = 8.0 * letters as f64 + 16.0;
    let mut plan = Plan { growth: Growth::Down, layout: Layout::new(graph), width };
    if plan.size().0 > MAX_WIDTH {
        plan.growth = Growth::Right;
    }
    let (across, down) = plan.size();
    let legend = legend(graph);
    let down = down + LINE * legend.len() as f64;
    if across > MAX_WIDTH || down > MAX_HEIGHT {
        return Err(TreeTooLarge { width: across.ceil() as u64, height: down.ceil() as u64 });
    }
    let longest = legend.iter().map(|line| line.len()).max().unwrap_or(0);
    let across = across.max(7.0 * longest as f64 + 2.0 * EDGE);
    let mut picture = Picture::new(&format!("The tree of {game}"), across, down, STYLE);
    for edge in &graph.edges {
        let [(ax, ay), (bx, by)] = plan.way(graph, edge.from, edge.to);
        let class = if graph.keeps_value(edge) { "way best" } else { "way" };
        let line = Element::new("line").at("x1", ax).at("y1", ay).at("x2", bx).at("y2", by);
        picture.add(line.class(class));
    }
    // Over all lines, and nearer to where they lead, where they are apart.
    for edge in &graph.edges {
        let [(ax, ay), (bx, by)] = plan.way(graph, edge.from, edge.to);
        let at = |from: f64, to: f64| from + 0.75 * (to - from);
        let moves = moves_text(&edge.moves);
        picture.add(Element::text(at(ax, bx), at(ay, by) + 4.0, moves).class("move"));
    }
    for (index, (node, label)) in graph.nodes.iter().zip(&labels).enumerate() {
        let class = if node.result.is_some() { "over" } else { "node" };
        let (x, y) = plan.middle(graph, index);
        let frame = Element::rect(x - width / 2.0, y - BOX / 2.0, width, BOX).at("rx", 8.0);
        picture.add(frame.class(class));
        let north = Element::new("tspan").class("north").say(&label.north);
        let board = Element::text(x, y - 3.0, format_args!("({}|", label.south));
        picture.add(board.hold(north).say(")"));
        picture.add(Element::text(x, y + 14.0, &label.state).class("state"));
    }
    for (line, sentence) in legend.iter().rev().enumerate() {
        let y = down - EDGE / 2.0 - LINE * line as f64;
        picture.add(Element::text(EDGE, y, sentence).class("legend"));
    }
    Ok(picture)
}

/// How the picture is to be read, as far as that is not plain.
fn legend(graph: &Graph) -> Vec<&'static str> {
    let mut lines = vec!["(South|North)"];
    if graph.nodes.iter().any(|node| node.cut) {
        lines.push("...: the game goes on");
    }
    if graph.edges.iter().any(|edge| graph.keeps_value(edge)) {
        lines.push("red: keeps the value");
    }
    lines
}

#[cfg(test)]
mod tests {
    use sowing_lab::Shape;
    use sowing_rules::Position;

    use super::*;

    fn drawn(game: &str, depth: Option<u32>) -> Result<String, TreeTooLarge> {
        let game: Game = game.parse().unwrap();
        let shape = Shape { depth, limit: 5000, ..Shape::default() };
        let graph = Graph::of(Position::start(game), &shape).unwrap();
        picture(&game, &graph).map(|picture| picture.to_string())
    }

    fn width(picture: &str) -> f64 {
        let (_, rest) = picture.split_once(" width=\"").unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    }

    #[test]
    fn narrow_trees_grow_down_wide_ones_to_the_right_and_others_are_refused() {
        let narrow = drawn("s-kalaha(2,1)", None).unwrap();
        let wide = drawn("kalah(6,4)", Some(2)).unwrap();
        assert!(width(&narrow) < 500.0 && width(&wide) <= MAX_WIDTH);
        // One box alone is at the edge that the tree grows from: the root.
        assert_eq!(narrow.matches("y=\"20\" width=").count(), 1);
        assert_eq!(wide.matches("<rect x=\"20\" ").count(), 1);
        // Thousands of leaves: neither way.
        let refused = drawn("s-kalaha(9,1)", Some(4)).unwrap_err();
        assert!(refused.height as f64 > MAX_HEIGHT, "{refused}");
    }
}
