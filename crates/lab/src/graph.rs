//! The tree of a game to be drawn: positions, and the moves or turns between them.

use std::collections::{HashMap, HashSet};

use sowing_rules::{Ending, Move, MoveReport, Position, Side};
use sowing_solver::{SolveError, Solver};

/// Positions and the ways from one to the next, as a tree or with shared positions merged.
///
/// ```
/// use sowing_rules::Position;
/// use sowing_lab::{Graph, Shape};
///
/// let start = Position::start("s-kalaha(2,1)".parse()?);
/// let tree = Graph::of(start, &Shape::default())?;
/// let leaves = tree.nodes.iter().filter(|node| node.result.is_some());
/// assert_eq!((tree.nodes.len(), leaves.count()), (10, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    /// The positions, the first being the root, none before those that it was reached from first.
    pub nodes: Vec<Node>,
    /// The ways between them, in the order of their starts and of the moves.
    pub edges: Vec<Edge>,
}

/// What a graph is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Whether a way is a whole turn instead of a move.
    pub turns: bool,
    /// Whether a position that is reached in several ways is there once.
    pub merge: bool,
    /// How many moves or turns to go at most; to the end of the game if `None`.
    pub depth: Option<u32>,
    /// How many positions there may be.
    pub limit: usize,
}

impl Default for Shape {
    /// Moves to the end of the game, nothing merged, at most 500 positions.
    fn default() -> Shape {
        Shape { turns: false, merge: false, depth: None, limit: 500 }
    }
}

/// A position of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// The position, as the player to move sees it.
    pub position: Position,
    /// The row that is to move, South being that of the root's mover.
    pub side: Side,
    /// Whether the root's mover is to move; after a swap that is not South.
    pub first: bool,
    /// The moves or turns from the root, the longest way.
    pub depth: u32,
    /// How the game ended, if it did.
    pub result: Option<Ending>,
    /// Whether the game goes on beyond the depth asked for.
    pub cut: bool,
    /// The margin of the root's mover with perfect play, if it was asked for and found.
    pub value: Option<i64>,
}

/// A move or a turn of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The index of the position before.
    pub from: usize,
    /// The index of the position after.
    pub to: usize,
    /// The moves.
    pub moves: Vec<Move>,
}

/// A game has more positions than were allowed for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tree has more than {limit} positions")]
pub struct TooManyNodes {
    /// How many were allowed.
    pub limit: usize,
}

impl Node {
    /// The board as South sees it.
    pub fn seen_by_south(&self) -> Position {
        if self.side == Side::South { self.position } else { self.position.flip() }
    }
}

impl Graph {
    /// The graph of what can follow a position, whose mover is South.
    pub fn of(root: Position, shape: &Shape) -> Result<Graph, TooManyNodes> {
        let graph = Graph::of_while(root, shape, || true)?;
        Ok(graph.expect("nobody ends it"))
    }

    /// The same while somebody says to go on, who is asked at every position; `None` if they do not.
    pub fn of_while(
        root: Position,
        shape: &Shape,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<Graph>, TooManyNodes> {
        let mut graph =
            Graph { nodes: vec![node(root, (Side::South, true), 0)], edges: Vec::new() };
        let mut known = HashMap::from([((root, (Side::South, true)), 0)]);
        let mut index = 0;
        while index < graph.nodes.len() {
            if !go_on() {
                return Ok(None);
            }
            let Node { position, side, first, depth, .. } = graph.nodes[index];
            let seat = (side, first);
            if shape.depth.is_some_and(|most| depth >= most) {
                graph.nodes[index].cut = !position.is_finished();
                index += 1;
                continue;
            }
            let next = if shape.turns {
                turns(position, seat, shape.limit)?
            } else {
                moves(position, seat)
            };
            for (moves, position, seat) in next {
                let same = known.get(&(position, seat)).copied().filter(|_| shape.merge);
                let to = same.unwrap_or(graph.nodes.len());
                if same.is_none() {
                    graph.nodes.push(node(position, seat, depth + 1));
                    known.insert((position, seat), to);
                }
                graph.edges.push(Edge { from: index, to, moves });
                if graph.nodes.len() > shape.limit {
                    return Err(TooManyNodes { limit: shape.limit });
                }
            }
            index += 1;
        }
        graph.deepen();
        Ok(Some(graph))
    }

    /// Finds every position's value, as far as the solver's limits allow; says whether all are
    /// known.
    pub fn solve(&mut self, solver: &mut Solver) -> Result<bool, SolveError> {
        for node in &mut self.nodes {
            let value = solver.value(&node.position)?.value();
            node.value = value.map(|value| if node.first { value } else { -value });
        }
        Ok(self.nodes.iter().all(|node| node.value.is_some()))
    }

    /// The ways from a position.
    pub fn edges_from(&self, index: usize) -> &[Edge] {
        // They are found in the order of the positions that they start from.
        let first = self.edges.partition_point(|edge| edge.from < index);
        let count = self.edges[first..].partition_point(|edge| edge.from == index);
        &self.edges[first..first + count]
    }

    /// Whether a way keeps the value of the position that it starts from, if values are known.
    pub fn keeps_value(&self, edge: &Edge) -> bool {
        let [from, to] = [edge.from, edge.to].map(|index| self.nodes[index].value);
        from.is_some() && from == to
    }

    /// Makes depths those of the longest ways, so that every edge leads downwards. Where positions
    /// repeat there is no longest way, and depths stay as they are.
    fn deepen(&mut self) {
        let mut open = vec![0; self.nodes.len()];
        let mut out = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            open[edge.to] += 1;
            out[edge.from].push(edge.to);
        }
        let mut ready: Vec<usize> = (0..open.len()).filter(|index| open[*index] == 0).collect();
        while let Some(from) = ready.pop() {
            for &to in &out[from] {
                self.nodes[to].depth = self.nodes[to].depth.max(self.nodes[from].depth + 1);
                open[to] -= 1;
                if open[to] == 0 {
                    ready.push(to);
                }
            }
        }
    }
}

fn node(position: Position, (side, first): Seat, depth: u32) -> Node {
    let result = position.margin().map(|margin| Ending::from_margin(side, margin));
    Node { position, side, first, depth, result, cut: false, value: None }
}

/// The row that is to move, and whether it is the root's mover's.
type Seat = (Side, bool);

type Next = Vec<(Vec<Move>, Position, Seat)>;

/// Who is to move after a move.
fn next_seat((side, first): Seat, action: Move, report: &MoveReport) -> Seat {
    match (report.again, action) {
        (true, _) => (side, first),
        // A swap changes players, not the row that is to move.
        (false, Move::Swap) => (side, !first),
        (false, Move::House(_)) => (!side, !first),
    }
}

/// What one move leads to.
fn moves(position: Position, seat: Seat) -> Next {
    let next = position.moves().map(|action| {
        let (next, report) = position.play(action);
        (vec![action], next, next_seat(seat, action, &report))
    });
    next.collect()
}

/// The positions in the middle of a turn that are looked at beside as many as a graph may have: each
/// is kept with the way to it.
const WITHIN: usize = 10_000;

/// What a whole turn leads to: every end once, with the shortest way to it. Stops looking once
/// there are more ends than a graph may have positions, or far more positions on the way to them.
fn turns(position: Position, seat: Seat, limit: usize) -> Result<Next, TooManyNodes> {
    let mut ends: Next = Vec::new();
    let mut ways = vec![(Vec::new(), position)];
    let mut seen = HashSet::new();
    let mut index = 0;
    while index < ways.len() {
        if ends.len() > limit || ways.len() > limit.saturating_add(WITHIN) {
            return Err(TooManyNodes { limit });
        }
        let (before, position) = ways[index].clone();
        for action in position.moves() {
            let (next, report) = position.play(action);
            let mut moves: Vec<Move> = before.clone();
            moves.push(action);
            let next_seat = next_seat(seat, action, &report);
            if !seen.insert((next, next_seat)) {
                continue;
            }
            if report.again && !report.finished {
                ways.push((moves, next));
            } else {
                ends.push((moves, next, next_seat));
            }
        }
        index += 1;
    }
    Ok(ends)
}
