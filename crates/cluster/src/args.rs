//! The command line.

use clap::{Parser, Subcommand};

use crate::batch::BatchArgs;
use crate::plan::PlanArgs;
use crate::solve::SolveArgs;
use crate::tables::TablesArgs;

const EXAMPLES: &str = "\
Examples:
  mpirun -n 4 sow-cluster tables \"kalah(6,4)\" --seeds 24 --dir D
  srun sow-cluster batch fair \"kalah(6,4)\" --out starts.csv --memory 2G
  srun sow-cluster solve \"kalah(6,6)\" --book six.book --memory 48G
  sow-cluster plan tables --seeds 36..48 --nodes 16 --memory 64G

Every rank is given the same command. Folders and files lie where all ranks see
them. What was killed goes on where it stopped if the same command is given
again.";

/// Tables, batches and proofs of sowing games on many machines
#[derive(Parser, Debug)]
#[command(name = "sow-cluster", version = crate::VERSION, after_help = EXAMPLES, max_term_width = 79)]
#[command(disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Tables(TablesArgs),
    Batch(BatchArgs),
    Solve(SolveArgs),
    Plan(PlanArgs),
}
