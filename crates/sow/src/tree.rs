//! `sow tree`: the tree of a game, as text, DOT or SVG.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use sowing_draw::{Picture, tree};
use sowing_lab::{Graph, Node, Shape};
use sowing_rules::{Game, Move, Position};
use sowing_solver::{Solver, SolverOptions};

use crate::args::PositionArgs;
use crate::failure::Failure;
use crate::{svg, units};

/// Draw the tree of a game: positions and the moves between them
///
/// Boards are shown as the first player sees them: South's houses and store, a
/// bar, North's. Each says who is to move, or how the game ended.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tree \"s-kalaha(2,1)\"
  sow tree \"s-kalaha(2,1)\" --svg tree.svg --values
  sow tree \"s-kalaha(3,1)\" --turns --merge --dot
  sow tree \"kalah(6,4)\" --depth 1")]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Go by whole turns instead of moves
    #[arg(long)]
    turns: bool,
    /// Go so many moves or turns deep; to the end if it is left out
    #[arg(long, value_name = "N", value_parser = units::whole::<u32>(0..=u32::MAX.into()))]
    depth: Option<u32>,
    /// Show a position that is reached in several ways only once
    #[arg(long)]
    merge: bool,
    /// Give each position's value, and mark the moves that keep it
    #[arg(long)]
    values: bool,
    /// Leave values that are not found after this long, as in 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = units::time, requires = "values")]
    time: Option<Duration>,
    /// Memory for what the search for values remembers, as in 512M or 16G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = units::bytes)]
    #[arg(requires = "values")]
    memory: u64,
    /// Show so many positions at most
    #[arg(long, value_name = "N", default_value_t = Shape::default().limit, value_parser = units::whole::<usize>(1..=1_000_000))]
    limit: usize,
    /// Print the tree in Graphviz's DOT language
    #[arg(long, group = "form")]
    dot: bool,
    /// Draw the tree into an SVG file; - for standard output
    #[arg(long, value_name = "FILE", group = "form")]
    svg: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, group = "form")]
    json: bool,
}

pub(crate) fn run(args: &TreeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let root = args.position.position()?;
    if let Some(path) = &args.svg {
        svg::check(path)?;
    }
    let shape =
        Shape { turns: args.turns, merge: args.merge, depth: args.depth, limit: args.limit };
    let mut graph = Graph::of(root, &shape)?;
    let game = args.position.game;
    if args.svg.is_some() {
        // Values make boxes wider, but a tree that is too large without them need not wait.
        picture(root, &shape, &graph)?;
    }
    let mut complete = true;
    if args.values {
        let options =
            SolverOptions { time: args.time, memory: args.memory, ..SolverOptions::default() };
        complete = graph.solve(&mut Solver::with_options(game, options)?)?;
    }
    match &args.svg {
        Some(path) => svg::write(path, &picture(root, &shape, &graph)?, out)?,
        None => write(args, &game, &graph, out)?,
    }
    if complete {
        return Ok(());
    }
    out.flush()?;
    Err(Failure::Negative(
        "the search was stopped by its limits: positions without a value are not solved"
            .to_string(),
    ))
}

fn write(args: &TreeArgs, game: &Game, graph: &Graph, out: &mut dyn Write) -> Result<(), Failure> {
    if args.json {
        serde_json::to_writer(&mut *out, &Drawn::new(game, graph))?;
        return Ok(writeln!(out)?);
    }
    let text = if args.dot { tree::dot(game, graph) } else { tree::text(game, graph) };
    Ok(out.write_all(text.as_bytes())?)
}

/// The picture of a tree, or how deep one could be drawn.
fn picture(root: Position, shape: &Shape, graph: &Graph) -> Result<Picture, Failure> {
    let game = root.game();
    tree::picture(game, graph).map_err(|error| {
        let deepest = graph.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let fits = |depth: &u32| {
            let graph = Graph::of(root, &Shape { depth: Some(*depth), ..*shape });
            graph.is_ok_and(|graph| tree::picture(game, &graph).is_ok())
        };
        // A root alone always fits.
        let depth = (0..deepest).rev().find(fits).unwrap_or(0);
        Failure::Input(format!("{error}: go less deep, as in --depth {depth}"))
    })
}

#[derive(Serialize)]
struct Drawn {
    game: String,
    nodes: Vec<DrawnNode>,
    edges: Vec<DrawnEdge>,
}

#[derive(Serialize)]
struct DrawnNode {
    /// As South sees it.
    board: String,
    /// Who is to move; `null` if the game is over.
    to_move: Option<String>,
    result: Option<String>,
    depth: u32,
    cut: bool,
    /// The first player's margin; `null` if it was not asked for or not found.
    value: Option<i64>,
}

#[derive(Serialize)]
struct DrawnEdge {
    from: usize,
    to: usize,
    moves: Vec<Move>,
}

impl Drawn {
    fn new(game: &Game, graph: &Graph) -> Drawn {
        let node = |node: &Node| DrawnNode {
            board: node.seen_by_south().to_string(),
            to_move: node.result.is_none().then(|| node.side.to_string()),
            result: node.result.map(|result| result.to_string()),
            depth: node.depth,
            cut: node.cut,
            value: node.value,
        };
        let edges = graph.edges.iter().map(|edge| DrawnEdge {
            from: edge.from,
            to: edge.to,
            moves: edge.moves.clone(),
        });
        Drawn {
            game: game.to_string(),
            nodes: graph.nodes.iter().map(node).collect(),
            edges: edges.collect(),
        }
    }
}
