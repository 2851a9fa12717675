//! `sow engine`: our engine on standard input and output.

use std::io::{self, BufReader};
use std::sync::Arc;

use clap::Args;
use sowing_jobs::open_tables;
use sowing_players::{EngineOptions, Opponent, PlayerOptions, serve_engine};
use sowing_rules::Game;
use sowing_solver::Book;
use sowing_tables::Tables;

use crate::failure::Failure;
use crate::units;

/// Answer other programs line by line, as chess engines do
///
/// A line in on standard input, a line or more out. The words are sow (who are you?), isready,
/// game, position, go, eval, stop and quit; docs/bots.md has all of them and a
/// session to copy. Values are of the player to move.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  printf 'game kalah(4,3)\\ngo exact\\n' | sow engine
  sow engine --player level:4
  sow match \"kalah(4,3)\" perfect \"engine:sow engine --player level:4\"")]
pub(crate) struct EngineArgs {
    /// Who chooses the moves: random, pdp:DEPTH, level:1 to level:9, or perfect,
    /// who tells what it finds
    #[arg(long, value_name = "PLAYER", default_value = "perfect")]
    player: Opponent,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Threads that search
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::threads)]
    threads: usize,
    /// Memory for what is remembered, as in 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = units::bytes)]
    memory: u64,
}

pub(crate) fn run(args: &EngineArgs) -> Result<(), Failure> {
    let player = PlayerOptions {
        seed: args.seed,
        threads: args.threads,
        memory: args.memory,
        ..PlayerOptions::default()
    };
    let options = EngineOptions {
        name: format!("Sowing {} {}", env!("CARGO_PKG_VERSION"), args.player),
        opponent: args.player,
        player,
        aids: Box::new(aids),
    };
    Ok(serve_engine(BufReader::new(io::stdin()), io::stdout(), options)?)
}

/// Endgame tables and a book of a game, where there are any. What cannot be read is done without.
pub(crate) fn aids(game: &Game) -> (Option<Arc<Tables>>, Option<Arc<Book>>) {
    (open_tables(None, game).ok().flatten(), sowing_books::book_for(game))
}
