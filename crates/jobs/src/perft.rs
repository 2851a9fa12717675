//! The leaves of the move tree: `sow perft`.

use std::io::{BufRead, Write};
use std::ops::Range;
use std::path::Path;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use sowing_command::failure::Failure;
use sowing_command::{pool, read_position, units};
use sowing_rules::{Game, Move, Perft, PerftBranches, Position};

use crate::job::{Job, Summary, damaged, print_to};
use crate::resumable_file::{Kind, ResumableFile};

/// Count the leaves of the move tree, by first move and in all
///
/// A finished game is one leaf, however early it ends.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow perft \"kalah(6,4)\" 6
  sow perft \"s-kalaha(3,1)\" 4 \"0,0,2,1|1,1,1,0\" --json")]
pub struct PerftArgs {
    /// The game, as in "kalah(6,4)"
    pub game: Game,
    /// How many moves deep, at most 1000
    #[arg(value_parser = units::whole::<u32>(0..=1000))]
    pub depth: u32,
    /// The position, as in "0,0,2,1|1,1,1,0"; the start if it is left out
    pub position: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "position")]
    pub free: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub threads: Option<usize>,
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

/// The moves after which the tree is cut into branches.
const CUT: u32 = 4;

/// Prints the leaves of all branches, added up.
pub fn report_perft(
    args: &PerftArgs,
    branches: &PerftBranches,
    leaves: &[u64],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Perft { moves, leaves: all } = branches.sum(leaves);
    let position = branches.position();
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

/// The leaves of all branches, to be added up into a file.
#[derive(Debug)]
pub struct PerftJob<'a> {
    args: &'a PerftArgs,
    path: &'a Path,
    branches: PerftBranches,
}

impl PerftArgs {
    /// The branches of the tree.
    pub fn branches(&self) -> Result<PerftBranches, Failure> {
        let position = match &self.position {
            Some(text) => read_position(self.game, text, self.free)?,
            None => Position::start(self.game),
        };
        Ok(PerftBranches::new(position, self.depth, CUT))
    }

    /// The job that writes the report to a file.
    pub fn job<'a>(&'a self, path: &'a Path) -> Result<PerftJob<'a>, Failure> {
        Ok(PerftJob { args: self, path, branches: self.branches()? })
    }

    /// Sets one thread unless a number was given, for one of many processes.
    pub fn one_thread(&mut self) {
        self.threads.get_or_insert(1);
    }
}

impl Job for PerftJob<'_> {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Leaves
    }

    fn description(&self) -> String {
        format!("{} {} depth {}", self.args.game, self.branches.position(), self.args.depth)
    }

    fn header(&self) -> String {
        String::new()
    }

    fn tasks(&self) -> u64 {
        self.branches.len() as u64
    }

    fn max_chunk(&self) -> u64 {
        self.tasks()
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        file.checkpoint().0
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.args.threads)
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        tasks: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        let branches = (tasks.start as usize..tasks.end as usize).into_par_iter();
        let row = |branch| format!("{}\n", self.branches.leaves(branch));
        Ok(pool.install(|| branches.map(row).collect()))
    }

    fn summary(&self) -> Option<&dyn Summary> {
        Some(self)
    }
}

impl Summary for PerftJob<'_> {
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure> {
        let leaves: Result<Vec<u64>, Failure> =
            rows.lines().map(|row| row?.parse().map_err(|_| damaged(self.path))).collect();
        let leaves = leaves?;
        if leaves.len() != self.branches.len() {
            return Err(damaged(self.path));
        }
        print_to(self.path, |out| report_perft(self.args, &self.branches, &leaves, out))?;
        Ok(false)
    }
}
