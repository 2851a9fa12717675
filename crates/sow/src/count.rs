//! `sow count`: the positions that play can reach.

use std::io::Write;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing::Game;
use sowing_lab::Census;

use crate::failure::Failure;
use crate::units::{bytes, grouped};

/// Count the positions that play from the start can reach
///
/// A live position is a board with its stores and the player to move; a
/// finished board counts once, whoever would be to move.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow count \"s-kalaha(3,4)\"
  sow count \"s-kalaha(4,2)\" --layers
  sow count \"kalah(4,3)\" --memory 4G --json")]
pub(crate) struct CountArgs {
    /// The game, as in "s-kalaha(3,4)"
    game: Game,
    /// Memory to use at most, as in 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = bytes)]
    memory: u64,
    /// Print the counts for every number of seeds in houses too
    #[arg(long)]
    layers: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Counted {
    game: String,
    positions: u64,
    live: u64,
    finished: u64,
    layers: Vec<Layer>,
}

#[derive(Serialize)]
struct Layer {
    level: u32,
    live: u64,
    finished: u64,
}

pub(crate) fn run(args: &CountArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let bar = ProgressBar::new(args.game.total()).with_style(
        ProgressStyle::with_template("{wide_bar} {msg} positions {elapsed}")
            .expect("a fixed template"),
    );
    let mut counted = 0;
    let census = Census::of_observed(&args.game, args.memory, |layer| {
        counted += layer.live + layer.finished;
        bar.set_position(args.game.total() - u64::from(layer.level));
        bar.set_message(grouped(counted));
    });
    bar.finish_and_clear();
    let census = census?;
    if args.json {
        let layers = census.layers.iter();
        let counted = Counted {
            game: args.game.to_string(),
            positions: census.total(),
            live: census.live(),
            finished: census.finished(),
            layers: layers
                .map(|l| Layer { level: l.level, live: l.live, finished: l.finished })
                .collect(),
        };
        serde_json::to_writer(&mut *out, &counted)?;
        return Ok(writeln!(out)?);
    }
    let (live, finished) = (grouped(census.live()), grouped(census.finished()));
    let total = grouped(census.total());
    writeln!(out, "{}: {total} positions, {live} live and {finished} finished", args.game)?;
    if args.layers {
        writeln!(out, "{:>6}  {:>15}  {:>15}", "seeds", "live", "finished")?;
        for layer in &census.layers {
            let (live, finished) = (grouped(layer.live), grouped(layer.finished));
            writeln!(out, "{:>6}  {live:>15}  {finished:>15}", layer.level)?;
        }
    }
    Ok(())
}
