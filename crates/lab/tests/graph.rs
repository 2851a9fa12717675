//! Trees to be drawn, beside counts of the same trees.

use std::collections::HashSet;

use sowing_lab::{Graph, Shape, Tree};
use sowing_plain::Plain;
use sowing_rules::{Position, Side, perft};
use sowing_solver::Solver;

fn start(name: &str) -> Position {
    Position::start(name.parse().unwrap())
}

#[test]
fn leaves_are_the_games() {
    for name in ["s-kalaha(2,1)", "s-kalaha(3,1)", "kalah(2,2)", "kalah(2,2,pie)"] {
        let root = start(name);
        let graph = Graph::of(root, &Shape { limit: 5_000, ..Shape::default() }).unwrap();
        let tree = Tree::of(root.game(), 100_000).unwrap();
        let ends = graph.nodes.iter().filter(|node| node.result.is_some());
        assert_eq!(ends.count() as u128, tree.games, "{name}");
        let deepest = graph.nodes.iter().map(|node| node.depth).max().unwrap();
        assert_eq!(deepest, tree.longest, "{name}");
        assert_eq!(graph.edges.len(), graph.nodes.len() - 1);
        let shallow = Graph::of(root, &Shape { depth: Some(2), ..Shape::default() }).unwrap();
        let cut = shallow.nodes.iter().filter(|node| node.cut || node.result.is_some());
        assert_eq!(cut.count() as u64, perft(&root, 2).leaves, "{name}");
    }
}

#[test]
fn merged_positions_are_there_once() {
    let root = start("s-kalaha(3,2)");
    let shape = Shape { merge: true, limit: 10_000, ..Shape::default() };
    let graph = Graph::of(root, &shape).unwrap();
    let distinct: HashSet<(Position, Side)> =
        graph.nodes.iter().map(|node| (node.position, node.side)).collect();
    assert_eq!(distinct.len(), graph.nodes.len());
    assert!(
        graph
            .edges
            .iter()
            .all(|edge| { graph.nodes[edge.from].depth < graph.nodes[edge.to].depth })
    );
    // The thesis's count, in which a finished board counts once whoever would be to move.
    let live = graph.nodes.iter().filter(|node| node.result.is_none()).count();
    let finished: HashSet<String> = graph
        .nodes
        .iter()
        .filter(|node| node.result.is_some())
        .map(|node| node.seen_by_south().to_string())
        .collect();
    assert_eq!(live + finished.len(), 1_219);
}

/// Rows, stores, and whether the last seed fell into the mover's store.
type End = ([Vec<u64>; 2], [u64; 2], bool);

/// The ends of whole turns by a plain recursion.
fn plain_ends(position: &Plain, ends: &mut HashSet<End>) {
    for house in (0..position.houses()).filter(|house| position.rows[0][*house] > 0) {
        let (next, again) = position.play(house);
        if again && !next.finished() {
            plain_ends(&next, ends);
        } else {
            ends.insert((next.rows, next.stores, again));
        }
    }
}

#[test]
fn turns_are_whole() {
    for name in ["s-kalaha(4,2)", "kalah(6,4)", "s-kalaha(3,3)"] {
        let root = start(name);
        let shape = Shape { turns: true, depth: Some(1), ..Shape::default() };
        let graph = Graph::of(root, &shape).unwrap();
        let mut ends = HashSet::new();
        plain_ends(&Plain::start(root.game()), &mut ends);
        assert_eq!(graph.nodes.len() - 1, ends.len(), "{name}");
        for edge in &graph.edges {
            let mut position = root;
            for action in &edge.moves {
                position = position.play(*action).0;
            }
            assert_eq!(position, graph.nodes[edge.to].position);
        }
    }
}

#[test]
fn values_and_limits() {
    for name in ["s-kalaha(3,1)", "kalah(2,2,pie)", "kalah(2,1,pie)"] {
        let root = start(name);
        let mut graph = Graph::of(root, &Shape::default()).unwrap();
        graph.solve(&mut Solver::new(*root.game()).unwrap()).unwrap();
        for (index, node) in graph.nodes.iter().enumerate() {
            let below: Vec<_> = graph.edges.iter().filter(|edge| edge.from == index).collect();
            let values = below.iter().map(|edge| graph.nodes[edge.to].value.unwrap());
            let best = if node.first { values.max() } else { values.min() };
            assert!(best.is_none() || best == node.value, "{name}");
            assert!(below.is_empty() || below.iter().any(|edge| graph.keeps_value(edge)));
        }
    }
    let error = Graph::of(start("kalah(6,4)"), &Shape::default()).unwrap_err();
    let ended = Graph::of_while(start("kalah(6,4)"), &Shape::default(), || false);
    assert!(ended.unwrap().is_none());
    assert!(error.to_string().contains("more than 500 positions"));
    // A game that repeats positions has an end once they are merged.
    let shape = Shape { merge: true, ..Shape::default() };
    assert!(Graph::of(start("kalah(1,1,clockwise)"), &shape).is_ok());
}
