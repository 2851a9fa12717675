//! A tree in Graphviz's DOT language.

use std::io::Write;

use sowing::Game;
use sowing_lab::Graph;

use super::{Label, moves_text};
use crate::failure::Failure;

/// North's side is in italics; finished games are tinted; moves that keep a value are bold.
pub(super) fn write(game: &Game, graph: &Graph, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "digraph \"{game}\" {{")?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=white];")?;
    for (index, node) in graph.nodes.iter().enumerate() {
        let Label { south, north, state } = Label::new(node);
        let fill = if node.result.is_some() { ", fillcolor=\"#e8f0e4\"" } else { "" };
        writeln!(out, "  n{index} [label=<({south}|<I>{north}</I>)<BR/>{state}>{fill}];")?;
    }
    for edge in &graph.edges {
        let bold = if graph.keeps_value(edge) { ", penwidth=3" } else { "" };
        let label = moves_text(&edge.moves);
        writeln!(out, "  n{} -> n{} [label=\"{label}\"{bold}];", edge.from, edge.to)?;
    }
    Ok(writeln!(out, "}}")?)
}
