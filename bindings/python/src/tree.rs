//! Trees.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sowing_lab::{Graph, Shape};

use crate::errors::LimitError;
use crate::moves::{py_moves, side_name};
use crate::position::Position;
use crate::solver::Solver;
use crate::work::{interruptible, whole, whole_or_none};

/// Positions and the moves or turns between them.
#[pyclass(frozen, module = "sowing")]
pub(crate) struct Tree {
    game: sowing_rules::Game,
    graph: Graph,
}

/// A position of a tree.
#[pyclass(frozen, get_all, module = "sowing")]
pub(crate) struct TreeNode {
    /// The position, as the player to move sees it.
    position: Position,
    /// The row that is to move, South being that of the root's mover.
    side: &'static str,
    /// The moves or turns from the root, the longest way.
    depth: u32,
    /// How the game ended; ``None`` if it goes on.
    result: Option<String>,
    /// Whether the game goes on beyond the depth that was asked for.
    cut: bool,
    /// The margin of the root's mover with perfect play; ``None`` if it was not asked for.
    value: Option<i64>,
}

#[pymethods]
impl TreeNode {
    fn __repr__(&self) -> String {
        format!("<{} {}>", self.position.0, self.side)
    }
}

/// The tree of what can follow a position: by moves or whole ``turns``, to a ``depth`` or the end,
/// with shared positions merged or not, and with values where a solver is given. More than ``limit``
/// positions raise ``LimitError``.
///
/// >>> tree(Position("s-kalaha(2,1)"))
/// <Tree of s-kalaha(2,1): 10 positions>
#[pyfunction]
#[pyo3(signature = (position, *, turns=false, merge=false, depth=None, limit=500, solver=None))]
pub(crate) fn tree(
    py: Python<'_>,
    position: &Position,
    turns: bool,
    merge: bool,
    #[pyo3(from_py_with = whole_or_none)] depth: Option<u32>,
    #[pyo3(from_py_with = whole)] limit: usize,
    solver: Option<&Solver>,
) -> PyResult<Tree> {
    let shape = Shape { turns, merge, depth, limit };
    let stop = AtomicBool::new(false);
    let graph =
        interruptible(py, &stop, || Graph::of_while(position.0, &shape, || !stop.load(Relaxed)))?;
    let graph = graph.map_err(|error| LimitError::new_err(error.to_string()))?;
    let mut graph = graph.ok_or_else(|| {
        crate::errors::solve(sowing_solver::SolveError::Stopped(
            sowing_solver::StopReason::Cancelled,
        ))
    })?;
    let game = *position.0.game();
    if let Some(solver) = solver {
        solver.require(&game)?;
        let solved = solver.with(py, None, None, |solver, _| graph.solve(solver))?;
        if !solved {
            return Err(crate::errors::solve(sowing_solver::SolveError::Stopped(
                sowing_solver::StopReason::Cancelled,
            )));
        }
    }
    Ok(Tree { game, graph })
}

#[pymethods]
impl Tree {
    fn __repr__(&self) -> String {
        format!("<Tree of {}: {} positions>", self.game, self.graph.nodes.len())
    }

    fn __len__(&self) -> usize {
        self.graph.nodes.len()
    }

    /// The positions, the root first.
    #[getter]
    fn nodes(&self) -> Vec<TreeNode> {
        let node = |node: &sowing_lab::Node| TreeNode {
            position: Position(node.position),
            side: side_name(node.side),
            depth: node.depth,
            result: node.result.map(|ending| ending.to_string()),
            cut: node.cut,
            value: node.value,
        };
        self.graph.nodes.iter().map(node).collect()
    }

    /// The ways between them: from which node, to which, and the moves.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Vec<(usize, usize, Bound<'py, PyTuple>)>> {
        let edge = |edge: &sowing_lab::Edge| {
            Ok((edge.from, edge.to, PyTuple::new(py, py_moves(&edge.moves))?))
        };
        self.graph.edges.iter().map(edge).collect()
    }

    /// The tree in lines.
    fn text(&self) -> String {
        sowing_draw::tree::text(&self.game, &self.graph)
    }

    /// The tree for Graphviz.
    fn dot(&self) -> String {
        sowing_draw::tree::dot(&self.game, &self.graph)
    }

    /// The tree as a picture.
    fn svg(&self) -> PyResult<String> {
        let picture = sowing_draw::tree::picture(&self.game, &self.graph);
        picture
            .map(|picture| picture.to_string())
            .map_err(|error| LimitError::new_err(error.to_string()))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }
}
