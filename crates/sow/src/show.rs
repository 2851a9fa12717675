//! `sow show`: draws the board.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sowing_draw::board;
use sowing_rules::{Ending, Move, Position, Side};

use crate::args::PositionArgs;
use crate::failure::Failure;
use crate::frame::frame;
use crate::svg;

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
    #[arg(long, group = "form")]
    kgp: bool,
    /// Print one JSON object instead of the board
    #[arg(long, group = "form")]
    json: bool,
    /// Draw with plain characters
    #[arg(long, group = "form")]
    ascii: bool,
    /// Draw the board into an SVG file; - for standard output
    #[arg(long, value_name = "FILE", group = "form")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct Shown {
    game: String,
    position: String,
    kgp: String,
    finished: bool,
    margin: Option<i64>,
    layer: u64,
    moves: Vec<Move>,
}

pub(crate) fn run(args: &ShowArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let position = args.position.position()?;
    if let Some(path) = &args.svg {
        return svg::write(path, &board::picture(&position, Side::South, Side::South), out);
    }
    if args.kgp {
        return Ok(writeln!(out, "{}", position.setup().kgp())?);
    }
    if args.json {
        serde_json::to_writer(&mut *out, &shown(&position))?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "{}  {position}", position.game())?;
    write!(out, "{}", board::text(&position, Side::South, frame(args.ascii)))?;
    match position.margin() {
        Some(margin) => {
            writeln!(out, "The game is over: {}.", Ending::from_margin(Side::South, margin))?
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
        layer: position.layer(),
        moves: position.moves().collect(),
    }
}
