//! `sow show`: draws the board.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use sowing::{Outcome, Position, Side};

use crate::args::{PositionArgs, house_number};
use crate::draw::{self, Frame};
use crate::failure::Failure;

/// Draw the board
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow show \"kalah(6,4)\"
  sow show \"s-kalaha(3,1)\" \"0,0,2,1|1,1,1,0\"
  sow show \"kalah(6,4)\" \"0,0,0,0,1,2,0|0,1,0,0,0,0,0\" --free --kgp")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print the Kalah Game Protocol's literal instead of the board
    #[arg(long, conflicts_with = "json")]
    kgp: bool,
    /// Print one JSON object instead of the board
    #[arg(long)]
    json: bool,
    /// Draw with plain characters
    #[arg(long, conflicts_with_all = ["kgp", "json"])]
    ascii: bool,
}

#[derive(Serialize)]
struct Shown {
    game: String,
    position: String,
    kgp: String,
    finished: bool,
    margin: Option<i64>,
    level: u64,
    moves: Vec<u8>,
}

pub(crate) fn run(args: &ShowArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let position = args.position.position()?;
    if args.kgp {
        return Ok(writeln!(out, "{}", position.setup().kgp())?);
    }
    if args.json {
        serde_json::to_writer(&mut *out, &shown(&position))?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "{}  {position}", position.game())?;
    let finished = position.is_finished();
    draw::board(out, position.board(), Side::South, finished, Frame::choose(args.ascii))?;
    match position.margin() {
        Some(margin) => {
            writeln!(out, "The game is over: {}.", Outcome::of_margin(Side::South, margin))?
        }
        None => writeln!(out, "South to move.")?,
    }
    Ok(())
}

fn shown(position: &Position) -> Shown {
    Shown {
        game: position.game().to_string(),
        position: position.to_string(),
        kgp: position.setup().kgp().to_string(),
        finished: position.is_finished(),
        margin: position.margin(),
        level: position.level(),
        moves: position.moves().filter_map(house_number).collect(),
    }
}
