//! `sow count`: the positions that play can reach.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_command::pool;
use sowing_lab::{Census, CensusOptions};
use sowing_rules::Game;

use crate::failure::Failure;
use crate::units::{bytes, grouped, threads, time};

/// Count the positions that play from the start can reach
///
/// A live position is a board with its stores and the player to move; a
/// finished board counts once, whoever would be to move. A count in a folder
/// that was interrupted goes on where it stopped if the same command is given
/// again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow count \"s-kalaha(3,4)\"
  sow count \"s-kalaha(4,2)\" --layers
  sow count \"kalah(4,3)\" --memory 4G --csv
  sow count \"s-kalaha(6,2)\" --dir boards --time 8h")]
pub(crate) struct CountArgs {
    /// The game, as in "s-kalaha(3,4)"
    game: Game,
    /// Memory to use at most, as in 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = bytes)]
    memory: u64,
    /// Keep boards that are still to be played from in a folder, so that the
    /// count can be resumed and memory lasts; it is emptied when all is done
    #[arg(long, value_name = "D")]
    dir: Option<PathBuf>,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Give up after this long, as in 30s or 5m; a count in a folder goes on
    /// from there when the same command is given again
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Print the counts for every number of seeds in houses too
    #[arg(long)]
    layers: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the counts for every number of seeds in houses, comma separated
    #[arg(long)]
    csv: bool,
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
    layer: u32,
    live: u64,
    finished: u64,
}

pub(crate) fn run(args: &CountArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let pool = pool(args.threads)?;
    let total = args.game.total();
    let bar = ProgressBar::new(total).with_style(
        ProgressStyle::with_template("{wide_bar} {msg} positions {elapsed}")
            .expect("a fixed template"),
    );
    let options = CensusOptions {
        memory: args.memory,
        folder: args.dir.as_deref(),
        time: args.time,
        progress: &|progress| {
            bar.set_position(total - u64::from(progress.layer));
            bar.set_message(grouped(progress.positions));
        },
    };
    let census = pool.install(|| Census::with_options(&args.game, &options));
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
                .map(|l| Layer { layer: l.seeds, live: l.live, finished: l.finished })
                .collect(),
        };
        serde_json::to_writer(&mut *out, &counted)?;
        return Ok(writeln!(out)?);
    }
    if args.csv {
        writeln!(out, "seeds,live,finished")?;
        return census.layers.iter().try_for_each(|layer| {
            Ok(writeln!(out, "{},{},{}", layer.seeds, layer.live, layer.finished)?)
        });
    }
    let (live, finished) = (grouped(census.live()), grouped(census.finished()));
    let total = grouped(census.total());
    writeln!(out, "{}: {total} positions, {live} live and {finished} finished", args.game)?;
    if args.layers {
        writeln!(out, "{:>6}  {:>15}  {:>15}", "seeds", "live", "finished")?;
        for layer in &census.layers {
            let (live, finished) = (grouped(layer.live), grouped(layer.finished));
            writeln!(out, "{:>6}  {live:>15}  {finished:>15}", layer.seeds)?;
        }
    }
    Ok(())
}
