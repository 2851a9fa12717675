//! A tree in Graphviz's DOT language.

use std::fmt::Write as _;

use sowing_lab::Graph;
use sowing_rules::Game;

use super::{Label, moves_text};

/// A tree for Graphviz. North's side is in italics; finished games are tinted; moves that keep a
/// value are bold.
pub fn dot(game: &Game, graph: &Graph) -> String {
    // Games, boards and moves have no characters that would have to be escaped.
    let mut out = format!("digraph \"{game}\" {{\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        let Label { south, north, state } = Label::new(node);
        let fill = if node.result.is_some() { ", fillcolor=\"#e8f0e4\"" } else { "" };
        let label = format!("({south}|<I>{north}</I>)<BR/>{state}");
        let _ = writeln!(out, "  n{index} [label=<{label}>{fill}];");
    }
    for edge in &graph.edges {
        let bold = if graph.keeps_value(edge) { ", penwidth=3" } else { "" };
        let label = moves_text(&edge.moves);
        let _ = writeln!(out, "  n{} -> n{} [label=\"{label}\"{bold}];", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}
