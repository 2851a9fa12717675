//! Where the nodes of a tree go.

use sowing_lab::Graph;

/// The place of every node: slots along a layer, layers from the root.
///
/// Each node hangs on the one that it was first reached from. Leaves take one slot each, in
/// order, and every other node the middle of what hangs on it. Nodes of a layer never meet:
/// neither hangs on the other, so that their leaves are different.
pub(super) struct Layout {
    /// The middle of each node, in slots.
    pub(super) places: Vec<f64>,
    /// How many slots there are.
    pub(super) slots: usize,
    /// How many layers there are.
    pub(super) layers: usize,
}

impl Layout {
    pub(super) fn new(graph: &Graph) -> Layout {
        let mut hanging = vec![Vec::new(); graph.nodes.len()];
        let mut hung = vec![false; graph.nodes.len()];
        hung[0] = true;
        for edge in &graph.edges {
            if !std::mem::replace(&mut hung[edge.to], true) {
                hanging[edge.from].push(edge.to);
            }
        }
        let mut layout = Layout { places: vec![0.0; graph.nodes.len()], slots: 0, layers: 0 };
        let deepest = graph.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        layout.layers = deepest as usize + 1;
        layout.place(&hanging, 0);
        layout
    }

    fn place(&mut self, hanging: &[Vec<usize>], node: usize) {
        for &below in &hanging[node] {
            self.place(hanging, below);
        }
        self.places[node] = match (hanging[node].first(), hanging[node].last()) {
            (Some(&first), Some(&last)) => (self.places[first] + self.places[last]) / 2.0,
            _ => {
                self.slots += 1;
                self.slots as f64 - 0.5
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use sowing_lab::Shape;
    use sowing_rules::Position;

    use super::*;

    #[test]
    fn nodes_of_a_layer_keep_apart() {
        for (name, shape) in [
            ("s-kalaha(2,2)", Shape::default()),
            ("s-kalaha(3,1)", Shape { merge: true, ..Shape::default() }),
            ("kalah(2,2)", Shape { merge: true, turns: true, ..Shape::default() }),
        ] {
            let graph = Graph::of(Position::start(name.parse().unwrap()), &shape).unwrap();
            let layout = Layout::new(&graph);
            for (a, node) in graph.nodes.iter().enumerate() {
                assert!((0.0..layout.slots as f64).contains(&layout.places[a]));
                for (b, other) in graph.nodes.iter().enumerate().skip(a + 1) {
                    let apart = (layout.places[a] - layout.places[b]).abs();
                    assert!(node.depth != other.depth || apart > 0.999, "{name}: {a} and {b}");
                }
            }
        }
    }
}
