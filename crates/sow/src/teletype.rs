//! `sow teletype`: the PDP-1's program, key by key or on a pipe.

use std::io::Write;

use clap::Args;
use sowing_players::Opponent;
use sowing_rules::Game;
use sowing_tui::Teletype;

use crate::failure::Failure;
use crate::units;

/// Play on the PDP-1's typewriter
///
/// A digit plays that pit at once, counted from the player's own store; a digit
/// that cannot be played is ignored. Space lets the machine choose, return
/// starts again, Ctrl-D leaves. Pits 10 to 16 of long rows are a to g; x swaps
/// sides where the pie rule offers it. On a terminal the board is shown above
/// the typing; on a pipe the output is the typing alone, a record for sow
/// replay. After a restart a new record follows.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow teletype
  sow teletype \"kalah(6,4)\" --depth 8
  printf '3 14 ' | sow teletype")]
pub(crate) struct TeletypeArgs {
    /// The game
    #[arg(default_value = "kalah(6,3)")]
    game: Game,
    /// The test word: how many turns the machine looks ahead
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = units::whole::<u32>(1..=Opponent::MAX_DEPTH.into()))]
    depth: u32,
    /// On a pipe, show the boards too, on standard error
    #[arg(long)]
    boards: bool,
}

pub(crate) fn run(args: &TeletypeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    Teletype { game: args.game, depth: args.depth, boards: args.boards }.run(out)
}
