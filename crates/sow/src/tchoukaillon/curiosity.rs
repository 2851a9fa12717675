//! The 17 stones that clear six houses.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use sowing_rules::{Game, Move, Position};
use sowing_solitaire::{Line, Winning};

use super::write::{json_line, list};
use crate::failure::Failure;
use crate::units;

/// Show the one board that clears six houses with 17 moves in a row
///
/// Seventeen is the most that six bins can hold and win: 18 stones need a
/// seventh. Turned round it is a row of Kalah, whose owner then makes 17 moves in
/// one turn, each ending in the store.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tchoukaillon curiosity")]
pub(crate) struct CuriosityArgs {
    /// Seeds a house in kalah(6,s), at least 2
    #[arg(long = "per-house", alias = "seeds", value_name = "S", default_value_t = 4, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seeds: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CuriosityJson {
    board: Vec<u64>,
    bins: Vec<u64>,
    game: String,
    position: String,
    record: String,
    end: String,
}

pub(crate) fn run(args: &CuriosityArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.seeds < 2 {
        return Err(Failure::Input(format!(
            "--seeds is {}: 17 stones and one for the opponent need at least 2, as in --seeds 4",
            args.seeds
        )));
    }
    let game: Game = format!("kalah(6,{})", args.seeds).parse()?;
    let Some(winning) = Winning::new(17) else { return Ok(()) };
    let board = winning.board();
    let houses: Vec<u64> = board.bins().iter().rev().copied().collect();
    // The opponent keeps one seed in a house, so that the game is not over, and has stored the rest.
    let stored = 12 * args.seeds - 18;
    let text = format!("{},0|0,0,0,0,0,1,{stored}", list(houses));
    let start = Position::new(game, &text.parse()?)?;
    let mut position = start;
    let mut line = Line::new(board.clone())?;
    let (mut bins, mut record) = (Vec::new(), String::new());
    while let Some(bin) = line.advance() {
        let house = 7 - bin as u8;
        let (next, report) = position.try_play(Move::house(house))?;
        if !report.again {
            return Err(Failure::Input(format!("house {house} does not end in the store")));
        }
        bins.push(bin);
        record.push_str(&format!("{house}."));
        position = next;
    }
    let json = CuriosityJson {
        board: board.into_bins(),
        bins,
        game: game.to_string(),
        position: start.to_string(),
        record,
        end: position.to_string(),
    };
    if args.json {
        return Ok(json_line(out, &json)?);
    }
    writeln!(out, "board     {}", list(&json.board))?;
    writeln!(out, "bins      {}", list(&json.bins))?;
    writeln!(out, "game      {}", json.game)?;
    writeln!(out, "position  {}", json.position)?;
    writeln!(out, "houses    {}", json.record)?;
    Ok(writeln!(out, "end       {}", json.end)?)
}
