//! `sow perft`: counts the leaves of the move tree.

use std::io::Write;

use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;
use sowing_command::pool;
use sowing_jobs::{PerftArgs, report_perft};

use crate::failure::Failure;

pub(crate) fn run(args: &PerftArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let branches = args.branches()?;
    let bar = ProgressBar::new(branches.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} branches {elapsed}")
            .expect("a fixed template"),
    );
    let all = 0..branches.len();
    let leaves: Vec<u64> = pool(args.threads)?.install(|| {
        all.into_par_iter()
            .progress_with(bar.clone())
            .map(|branch| branches.leaves(branch))
            .collect()
    });
    bar.finish_and_clear();
    report_perft(args, &branches, &leaves, out)
}
