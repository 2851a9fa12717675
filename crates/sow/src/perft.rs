//! `sow perft`: counts the leaves of the move tree.

use std::io::Write;

use clap::Args;
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use sowing::{Game, Move, Position, perft};

use crate::args::{pool, read_position};
use crate::failure::Failure;
use crate::units;

/// Count the leaves of the move tree, by first move and in all
///
/// A finished game is one leaf, however early it ends.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow perft \"kalah(6,4)\" 6
  sow perft \"s-kalaha(3,1)\" 4 \"0,0,2,1|1,1,1,0\" --json")]
pub(crate) struct PerftArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// How many moves deep, at most 1000
    #[arg(value_parser = units::whole::<u32>(0..=1000))]
    depth: u32,
    /// The position, as in "0,0,2,1|1,1,1,0"; the start if it is left out
    position: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "position")]
    free: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
}

#[derive(Serialize)]
struct Counted {
    game: String,
    position: String,
    depth: u32,
    leaves: u64,
    moves: Vec<CountedMove>,
}

#[derive(Serialize)]
struct CountedMove {
    #[serde(rename = "move")]
    action: Move,
    leaves: u64,
}

pub(crate) fn run(args: &PerftArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let position = match &args.position {
        Some(text) => read_position(args.game, text, args.free)?,
        None => Position::start(args.game),
    };
    let moves = count(&position, args.depth, args.threads)?;
    let alone = args.depth == 0 || position.is_finished();
    let leaves = if alone { 1 } else { moves.iter().map(|(_, leaves)| leaves).sum() };
    if args.json {
        let moves = moves.into_iter().map(|(action, leaves)| CountedMove { action, leaves });
        let counted = Counted {
            game: args.game.to_string(),
            position: position.to_string(),
            depth: args.depth,
            leaves,
            moves: moves.collect(),
        };
        serde_json::to_writer(&mut *out, &counted)?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "{}  {position}  depth {}", args.game, args.depth)?;
    for (action, leaves) in moves {
        writeln!(out, "{action:>5}  {leaves}")?;
    }
    Ok(writeln!(out, "total  {leaves}")?)
}

/// The leaves below each first move, on all cores: the positions two moves on are shared out.
fn count(
    position: &Position,
    depth: u32,
    threads: Option<usize>,
) -> Result<Vec<(Move, u64)>, Failure> {
    if depth < 3 {
        return Ok(perft(position, depth).moves);
    }
    let pool = pool(threads)?;
    let children = |position: &Position| -> Vec<(Move, Position)> {
        let legal = position.moves();
        legal.map(|action| (action, position.play(action).expect("legal").0)).collect()
    };
    let firsts = children(position);
    let mut jobs = Vec::new();
    for (index, (_, first)) in firsts.iter().enumerate() {
        if first.is_finished() {
            jobs.push((index, *first));
        }
        jobs.extend(children(first).into_iter().map(|(_, second)| (index, second)));
    }
    let bar = ProgressBar::new(jobs.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} branches {elapsed}")
            .expect("a fixed template"),
    );
    let counts: Vec<(usize, u64)> = pool.install(|| {
        jobs.par_iter()
            .progress_with(bar.clone())
            .map(|(index, position)| (*index, perft(position, depth - 2).leaves))
            .collect()
    });
    bar.finish_and_clear();
    let mut moves: Vec<_> = firsts.iter().map(|(action, _)| (*action, 0)).collect();
    for (index, leaves) in counts {
        moves[index].1 += leaves;
    }
    Ok(moves)
}
