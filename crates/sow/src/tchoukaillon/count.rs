//! Counting winning boards.

use std::io::Write;
use std::ops::RangeInclusive;

use clap::Args;
use sowing_solitaire::{DEFAULT_LIMIT, Variant, winning_boards};

use super::write::counted;
use super::{number, positive};
use crate::failure::Failure;
use crate::units::range;

/// Count the winning boards of each number of stones, as a b-file
///
/// Boards of exactly so many bins, empty ones included. With wrapping or with
/// chaining they are made by taking plays back from the cleared board; for
/// tchuka-ruma every board is tried.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon count wrapping --bins 3 --stones 20
  sow tchoukaillon count chaining --bins 5 --stones 15
  sow tchoukaillon count chaining --bins 1..8 --totals")]
pub(crate) struct CountArgs {
    /// The game: tchoukaillon, wrapping, chaining or tchuka-ruma
    game: Variant,
    /// The number of bins; with --totals a range
    #[arg(long, value_parser = range, value_name = "BINS")]
    bins: RangeInclusive<u64>,
    /// The most stones
    #[arg(long, value_parser = number, required_unless_present = "totals")]
    stones: Option<u64>,
    /// Count all winning boards of each number of bins together; for games
    /// without wrapping, where no bin i can hold more than i
    #[arg(long, conflicts_with = "stones")]
    totals: bool,
    /// Give up beyond so many boards
    #[arg(long, value_name = "BOARDS", value_parser = positive)]
    #[arg(default_value_t = DEFAULT_LIMIT as u64)]
    limit: u64,
}

pub(crate) fn run(args: &CountArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let game = args.game;
    let (first, last) = (*args.bins.start(), *args.bins.end());
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    if first == 0 || last > 128 {
        return Err(Failure::Input(format!(
            "--bins is {}: it should be 1 to 128, as in --bins 3",
            if first == 0 { first } else { last }
        )));
    }
    if args.totals {
        if game.wrapping {
            return Err(Failure::Input(format!(
                "with {game} the winning boards have no end: give the most stones instead, as in \
                 --stones 20"
            )));
        }
        writeln!(out, "# winning boards of any number of stones in n bins, {game}; made by")?;
        writeln!(out, "# sow tchoukaillon count {game} --bins {first}..{last} --totals")?;
        for bins in args.bins.clone() {
            let census = winning_boards(game, bins as usize, bins * (bins + 1) / 2, limit)?;
            writeln!(out, "{bins} {}", census.counts.iter().sum::<u64>())?;
            out.flush()?;
        }
        return Ok(());
    }
    if first < last {
        return Err(Failure::Input(
            "--bins is a range: it should be one number here, as in --bins 3".to_string(),
        ));
    }
    let stones = args.stones.unwrap_or_default();
    if stones > 1_000_000 {
        return Err(Failure::Input(format!(
            "--stones is {stones}: it should be at most 1000000, as in --stones 20"
        )));
    }
    let census = winning_boards(game, first as usize, stones, limit)?;
    writeln!(out, "# winning boards of n stones in {}, {game}; made by", counted(first, "bin"))?;
    writeln!(out, "# sow tchoukaillon count {game} --bins {first} --stones {stones}")?;
    if !game.wrapping && census.farthest as u64 + 2 <= first {
        let farthest = census.farthest;
        writeln!(out, "# no board uses a bin beyond {farthest}: the counts are of any length")?;
    }
    for (stones, count) in census.counts.iter().enumerate() {
        writeln!(out, "{stones} {count}")?;
    }
    Ok(())
}
