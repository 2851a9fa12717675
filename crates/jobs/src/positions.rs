//! Positions of a file, each with its value and that of every move: `sow-cluster batch positions`.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sowing_analysis::{AnalysisOptions, MoveFound, analyze};
use sowing_command::failure::Failure;
use sowing_command::read_position;
use sowing_rules::{Bounds, Game, Move, Outcome, Playthrough, Position, sanitize};
use sowing_solver::{Goal, Solver};

use crate::job::Job;
use crate::resumable_file::{Kind, ResumableFile};
use crate::solver_args::SolverArgs;

/// Solve the positions of a file, one a line
///
/// One JSON object a position: what it is worth and what every move is, best
/// first, as sow solve prints it with - for the position, without what differs
/// from run to run.
#[derive(Args, Debug)]
pub struct PositionsArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The file of positions, one a line
    #[arg(value_name = "FILE")]
    positions: PathBuf,
    /// Accept positions with any number of seeds
    #[arg(long)]
    free: bool,
    /// Stop at win, draw or loss
    #[arg(long)]
    wdl: bool,
    /// Only the value of each position, not that of every move
    #[arg(long)]
    value: bool,
    /// The file that the lines go to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    limits: SolverArgs,
}

/// The positions of a file, to be solved.
#[derive(Debug)]
pub struct PositionsJob<'a> {
    args: &'a PositionsArgs,
    positions: Vec<Position>,
    sum: u32,
}

#[derive(Serialize)]
struct Line<'a> {
    game: &'a Game,
    position: &'a Position,
    #[serde(flatten)]
    worth: Worth,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<MoveLine>,
}

/// The part of a value that does not depend on the search: where the outcome is asked for, the outcome alone.
#[derive(Serialize)]
struct Worth {
    value: Option<i64>,
    outcome: Option<Outcome>,
}

#[derive(Serialize)]
struct MoveLine {
    #[serde(rename = "move")]
    action: Move,
    #[serde(flatten)]
    worth: Worth,
    again: bool,
}

impl PositionsArgs {
    /// Its solver's limits.
    pub fn solver_args(&mut self) -> &mut SolverArgs {
        &mut self.limits
    }

    /// Reads the file.
    pub fn job(&self) -> Result<PositionsJob<'_>, Failure> {
        let name = sanitize::path(&self.positions);
        let text = std::fs::read_to_string(&self.positions)
            .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let positions: Result<Vec<Position>, Failure> = lines
            .map(|(number, line)| {
                read_position(self.game, line.trim(), self.free)
                    .map_err(|why| Failure::Input(format!("{name}, line {}: {why}", number + 1)))
            })
            .collect();
        let positions = positions?;
        if positions.is_empty() {
            return Err(Failure::Input(format!(
                "{name} has no positions: write one a line, as in 0,0,2,1|1,1,1,0"
            )));
        }
        Ok(PositionsJob { args: self, positions, sum: crc32fast::hash(text.as_bytes()) })
    }
}

impl Job for PositionsJob<'_> {
    type Worker = Solver;

    fn path(&self) -> &Path {
        &self.args.out
    }

    fn kind(&self) -> Kind {
        Kind::Positions
    }

    fn description(&self) -> String {
        let asked = match (self.args.wdl, self.args.value) {
            (false, false) => "values of moves",
            (false, true) => "values",
            (true, false) => "outcomes of moves",
            (true, true) => "outcomes",
        };
        format!("{} {} positions {:08x} {asked}", self.args.game, self.positions.len(), self.sum)
    }

    fn header(&self) -> String {
        String::new()
    }

    fn tasks(&self) -> u64 {
        self.positions.len() as u64
    }

    fn max_chunk(&self) -> u64 {
        64
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        file.checkpoint().0
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<Solver, Failure> {
        self.args.limits.solver(self.args.game)
    }

    fn rows(&self, solver: &mut Solver, tasks: Range<u64>) -> Result<Vec<String>, Failure> {
        let wants = AnalysisOptions {
            goal: if self.args.wdl { Goal::Outcome } else { Goal::Value },
            moves: !self.args.value,
            time: self.args.limits.time,
            ..AnalysisOptions::default()
        };
        let line = |position: &Position| {
            let found = analyze(solver, &Playthrough::new(*position), &wants, &mut |_| {})?;
            if !found.complete {
                return Err(Failure::Negative(format!(
                    "{position}: the search was stopped by its limits: allow it more time or memory"
                )));
            }
            let worth = |known: Bounds| Worth {
                value: known.value().filter(|_| !self.args.wdl),
                outcome: known.outcome(),
            };
            let line = |found: &MoveFound| MoveLine {
                action: found.action,
                worth: worth(found.known),
                again: found.again,
            };
            let mut moves: Vec<MoveLine> = found.moves.iter().map(line).collect();
            // The order in which equal moves are found depends on the run.
            let rank = |worth: &Worth| (worth.value, worth.outcome.map(|outcome| outcome as u8));
            moves.sort_by_key(|line| (Reverse(rank(&line.worth)), line.action.to_string()));
            let line = Line { game: &self.args.game, position, worth: worth(found.known), moves };
            Ok(serde_json::to_string(&line)? + "\n")
        };
        self.positions[tasks.start as usize..tasks.end as usize].iter().map(line).collect()
    }
}
