//! `sow playouts`: random games, and the exact tree where it fits.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};
use sowing_command::pool;
use sowing_jobs::{PlayoutsArgs, report_playouts};
use sowing_lab::{Playouts, Tree};

use crate::failure::Failure;

pub(crate) fn run(args: &PlayoutsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let bar = ProgressBar::new(args.games).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} games {elapsed}")
            .expect("a fixed template"),
    );
    let (game, seed) = (args.game, args.seed);
    let played = pool(args.threads)?
        .install(|| Playouts::play_observed(game, args.games, seed, |done| bar.inc(done)));
    bar.finish_and_clear();
    report_playouts(args, &played, Tree::of(&game, args.limit), out)
}
