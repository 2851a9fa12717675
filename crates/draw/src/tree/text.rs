//! A tree as text.

use std::fmt::Write as _;

use sowing_lab::Graph;
use sowing_rules::Game;

use super::{Label, moves_text};

/// A tree in lines, each branch further to the right, root first. Moves that keep a value have a
/// star; what was shown before, in a merged tree, is only named.
pub fn text(game: &Game, graph: &Graph) -> String {
    let mut out = format!("{game}\n");
    branch(graph, 0, "", &mut vec![false; graph.nodes.len()], &mut out);
    out
}

fn branch(graph: &Graph, index: usize, indent: &str, shown: &mut [bool], out: &mut String) {
    let label = Label::new(&graph.nodes[index]);
    let before = std::mem::replace(&mut shown[index], true);
    let again = if before { "  (see above)" } else { "" };
    let _ = writeln!(out, "{}|{}  {}{again}", label.south, label.north, label.state);
    if before {
        return;
    }
    let mut edges = graph.edges_from(index).iter().peekable();
    while let Some(edge) = edges.next() {
        let last = edges.peek().is_none();
        let (fork, below) = if last { ("└─", "   ") } else { ("├─", "│  ") };
        let best = if graph.keeps_value(edge) { "*" } else { "" };
        let _ = write!(out, "{indent}{fork} {}{best}: ", moves_text(&edge.moves));
        branch(graph, edge.to, &format!("{indent}{below}"), shown, out);
    }
}
