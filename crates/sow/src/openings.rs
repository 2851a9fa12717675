//! `sow openings`: what the first turn can do.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use sowing_lab::{FirstTurn, Openings};
use sowing_rules::{Game, Move};

use crate::failure::Failure;
use crate::units::{self, bytes, grouped};

/// Say whether the first player can win in the first turn, and how
///
/// A first turn wins if it ends the game ahead, or brings more than half of
/// all seeds into the store.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow openings \"s-kalaha(4,3)\"
  sow openings \"kalah(6,4)\" --json")]
pub(crate) struct OpeningsArgs {
    /// The game, as in "s-kalaha(4,3)"
    game: Game,
    /// Look at so many positions at most
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = units::whole::<usize>(1..=u64::MAX))]
    limit: usize,
    /// Memory to use at most, as in 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = bytes)]
    memory: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Found {
    game: String,
    ends: u64,
    winning_ends: u64,
    /// `null` if no first turn wins.
    shortest: Option<Turn>,
    richest: Option<Turn>,
}

#[derive(Serialize)]
struct Turn {
    moves: Vec<Move>,
    seeds: u64,
    finished: bool,
}

impl Turn {
    fn new(turn: &FirstTurn) -> Turn {
        Turn { moves: turn.moves.clone(), seeds: turn.seeds, finished: turn.finished }
    }
}

pub(crate) fn run(args: &OpeningsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let fit = args.memory / bytes_a_position(&args.game);
    let limit = args.limit.min(usize::try_from(fit).unwrap_or(usize::MAX));
    let openings = Openings::of(args.game, limit).map_err(|error| {
        if limit == args.limit {
            return Failure::from(error);
        }
        let (game, memory) = (args.game, args.memory >> 20);
        Failure::Input(format!(
            "the first turn of {game} goes through more than {limit} positions, more than {memory} \
             MiB hold: allow for more, as in --memory {}M",
            4 * memory.max(1)
        ))
    })?;
    if args.json {
        let found = Found {
            game: args.game.to_string(),
            ends: openings.ends,
            winning_ends: openings.winning_ends,
            shortest: openings.shortest.as_ref().map(Turn::new),
            richest: openings.richest.as_ref().map(Turn::new),
        };
        serde_json::to_writer(&mut *out, &found)?;
        return Ok(writeln!(out)?);
    }
    let (game, ends) = (args.game, grouped(openings.ends));
    match (&openings.shortest, &openings.richest) {
        (Some(shortest), Some(richest)) => {
            writeln!(out, "{game}: the first player can win in the first turn")?;
            writeln!(out, "turn ends  {ends}, {} of them won", grouped(openings.winning_ends))?;
            writeln!(out, "shortest   {}", describe(shortest, &game))?;
            Ok(writeln!(out, "richest    {}", describe(richest, &game))?)
        }
        _ => {
            writeln!(out, "{game}: the first player cannot win in the first turn")?;
            Ok(writeln!(out, "turn ends  {ends}")?)
        }
    }
}

/// The most memory that a position takes: its board twice, how it came about, and its place in sets
/// that are up to twice as large as what they hold.
fn bytes_a_position(game: &Game) -> u64 {
    let small = game.houses() <= 8 && game.total() <= 255;
    if small { 256 } else { 192 + 2 * 8 * (2 * u64::from(game.houses()) + 1) }
}

fn describe(turn: &FirstTurn, game: &Game) -> String {
    let moves: Vec<String> = turn.moves.iter().map(Move::to_string).collect();
    let count = if moves.len() == 1 { "1 move".into() } else { format!("{} moves", moves.len()) };
    let over = if turn.finished { ", the game is over" } else { "" };
    format!("{} ({count}, {} of {} seeds{over})", moves.join(" "), turn.seeds, game.total())
}
