//! `sow perft`: counts the leaves of the move tree.

use std::io::{BufRead, Write};
use std::ops::Range;
use std::path::Path;

use clap::Args;
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use sowing_rules::{Game, Move, Position, perft};

use crate::args::{pool, read_position};
use crate::batch::{Batch, Summary, damaged, print_to};
use crate::failure::Failure;
use crate::resumable::{Kind, Resumable};
use crate::units;

/// Count the leaves of the move tree, by first move and in all
///
/// A finished game is one leaf, however early it ends.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow perft \"kalah(6,4)\" 6
  sow perft \"s-kalaha(3,1)\" 4 \"0,0,2,1|1,1,1,0\" --json")]
pub struct PerftArgs {
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
    let branches = Branches::of(args)?;
    let bar = ProgressBar::new(branches.list.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} branches {elapsed}")
            .expect("a fixed template"),
    );
    let all = 0..branches.list.len();
    let leaves: Vec<u64> = pool(args.threads)?.install(|| {
        all.into_par_iter()
            .progress_with(bar.clone())
            .map(|branch| branches.leaves(branch))
            .collect()
    });
    bar.finish_and_clear();
    report(args, &branches, &leaves, out)
}

/// So many moves on, positions are shared out.
const CUT: u32 = 4;

/// The positions whose leaves are counted one by one.
#[derive(Debug)]
struct Branches {
    position: Position,
    firsts: Vec<Move>,
    /// Each with the number of the first move that it comes after, and how deep it is to be counted.
    list: Vec<(usize, Position, u32)>,
}

impl Branches {
    fn of(args: &PerftArgs) -> Result<Branches, Failure> {
        let position = match &args.position {
            Some(text) => read_position(args.game, text, args.free)?,
            None => Position::start(args.game),
        };
        let after = |position: &Position, action| position.play(action).0;
        let firsts: Vec<Move> = match args.depth {
            0 => Vec::new(),
            _ => position.moves().collect(),
        };
        let numbered = firsts.iter().enumerate();
        let mut list: Vec<(usize, Position, u32)> = numbered
            .map(|(first, action)| (first, after(&position, *action), args.depth - 1))
            .collect();
        for _ in 1..CUT.min(args.depth) {
            let one_on = list.into_iter().flat_map(|(first, position, depth)| {
                let next: Vec<_> = match position.is_finished() {
                    true => vec![(first, position, depth)],
                    false => position
                        .moves()
                        .map(|action| (first, after(&position, action), depth - 1))
                        .collect(),
                };
                next
            });
            list = one_on.collect();
        }
        Ok(Branches { position, firsts, list })
    }

    fn leaves(&self, branch: usize) -> u64 {
        let (_, position, depth) = &self.list[branch];
        perft(position, *depth).leaves
    }
}

/// Prints the leaves of all branches, added up.
fn report(
    args: &PerftArgs,
    branches: &Branches,
    leaves: &[u64],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut moves: Vec<(Move, u64)> = branches.firsts.iter().map(|action| (*action, 0)).collect();
    for ((first, ..), leaves) in branches.list.iter().zip(leaves) {
        moves[*first].1 += leaves;
    }
    // A game that is over, or not gone into, is one leaf by itself.
    let all = if moves.is_empty() { 1 } else { leaves.iter().sum() };
    let position = branches.position;
    if args.json {
        let moves = moves.into_iter().map(|(action, leaves)| CountedMove { action, leaves });
        let counted = Counted {
            game: args.game.to_string(),
            position: position.to_string(),
            depth: args.depth,
            leaves: all,
            moves: moves.collect(),
        };
        serde_json::to_writer(&mut *out, &counted)?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "{}  {position}  depth {}", args.game, args.depth)?;
    for (action, leaves) in moves {
        writeln!(out, "{action:>5}  {leaves}")?;
    }
    Ok(writeln!(out, "total  {all}")?)
}

/// The leaves of branches, to be added up into a file.
#[derive(Debug)]
pub struct Leaves<'a> {
    args: &'a PerftArgs,
    path: &'a Path,
    branches: Branches,
}

impl PerftArgs {
    /// Its counts, to be written to a file.
    pub fn batch<'a>(&'a self, path: &'a Path) -> Result<Leaves<'a>, Failure> {
        Ok(Leaves { args: self, path, branches: Branches::of(self)? })
    }

    /// One thread unless more were asked for, for one of many processes.
    pub fn one_thread(&mut self) {
        self.threads.get_or_insert(1);
    }
}

impl Batch for Leaves<'_> {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Leaves
    }

    fn work(&self) -> String {
        format!("{} {} depth {}", self.args.game, self.branches.position, self.args.depth)
    }

    fn header(&self) -> String {
        String::new()
    }

    fn many(&self) -> u64 {
        self.branches.list.len() as u64
    }

    fn most(&self) -> u64 {
        self.many()
    }

    fn done(&self, file: &Resumable) -> u64 {
        file.done().0
    }

    fn mark(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.args.threads)
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        pieces: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        let branches = (pieces.start as usize..pieces.end as usize).into_par_iter();
        let row = |branch| format!("{}\n", self.branches.leaves(branch));
        Ok(pool.install(|| branches.map(row).collect()))
    }

    fn summary(&self) -> Option<&dyn Summary> {
        Some(self)
    }
}

impl Summary for Leaves<'_> {
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure> {
        let leaves: Result<Vec<u64>, Failure> =
            rows.lines().map(|row| row?.parse().map_err(|_| damaged(self.path))).collect();
        let leaves = leaves?;
        if leaves.len() != self.branches.list.len() {
            return Err(damaged(self.path));
        }
        print_to(self.path, |out| report(self.args, &self.branches, &leaves, out))?;
        Ok(false)
    }
}
