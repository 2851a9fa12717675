//! `sow replay`: plays a record.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use sowing_draw::board;
use sowing_draw::words::{notes, scores};
use sowing_rules::{Ending, Move, Numbering, Play, Playthrough, Record, Side};

use crate::args::RecordArgs;
use crate::failure::Failure;
use crate::frame::frame;

/// Play a record, printing every position and the result
///
/// A record gives each move as its house's digit, "." after a move that lands
/// in the store, "," after the lower player's last move of a turn, a new line
/// after the upper player's, "x" for a swap. Header lines "# key: value" may
/// name game, start, players, result and numbering.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow replay game.txt
  sow replay \"s-kalaha(2,1)\" \"1,2\" --partial
  sow replay \"kalah(6,4)\" - < game.txt
  sow replay \"kalah(6,4)\" \"3 6 9 8\" --numbering bins --partial --write houses")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    record: RecordArgs,
    /// Print the record itself, in this numbering, instead of the positions
    #[arg(long, value_name = "NAME", conflicts_with_all = ["json", "boards"])]
    write: Option<Numbering>,
    /// Accept a record that stops before the game is over
    #[arg(long)]
    partial: bool,
    /// Draw the board after every move
    #[arg(long, conflicts_with = "json")]
    boards: bool,
    /// Print one JSON object a move, and one for the result
    #[arg(long)]
    json: bool,
    /// Draw with plain characters
    #[arg(long, requires = "boards")]
    ascii: bool,
}

#[derive(Serialize)]
struct MoveLine {
    number: usize,
    side: Side,
    #[serde(rename = "move")]
    action: Move,
    gain: u64,
    again: bool,
    /// Seeds.
    captured: u64,
    position: String,
    to_move: Option<Side>,
}

#[derive(Serialize)]
struct ResultLine {
    game: String,
    result: String,
    south: u64,
    north: u64,
    finished: bool,
    swapped: bool,
}

pub(crate) fn run(args: &ReplayArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let record = args.record.read()?;
    let game = record.replay()?;
    let moves = game.plays().len();
    if game.result().is_none() && !args.partial && !record.is_unfinished() {
        return Err(Failure::Input(format!(
            "the record stops after {moves} moves with {} to move at {}: finish it, or give --partial",
            game.side(),
            game.position(),
        )));
    }
    if let Some(numbering) = args.write {
        let mut rewritten = Record::from_playthrough(&game).with_numbering(numbering);
        for key in ["south", "north"] {
            if let Some(value) = record.header(key) {
                rewritten = rewritten.with_header(key, value);
            }
        }
        return Ok(write!(out, "{rewritten}")?);
    }
    if args.json {
        return json(&game, out);
    }
    writeln!(out, "{}", game.start().game())?;
    writeln!(out, "{:>5}  {:<5}  {:>4}  {}", "", "", "", game.start())?;
    if args.boards {
        draw_position(&game, None, args, out)?;
    }
    for (play, number) in game.plays().iter().zip(1..) {
        let notes = notes(play);
        writeln!(
            out,
            "{number:>5}  {:<5}  {:>4}  {}{}{notes}",
            play.side.to_string(),
            play.action.to_string(),
            play.after,
            if notes.is_empty() { "" } else { "  " },
        )?;
        if args.boards {
            draw_position(&game, Some(play), args, out)?;
        }
    }
    writeln!(out, "{}", summary(&game))?;
    Ok(())
}

fn summary(game: &Playthrough) -> String {
    let (south, north) = scores(game);
    match game.result() {
        Some(Ending::Draw) => format!("Draw, {south} to {north}."),
        Some(outcome) => format!("{outcome}, {south} to {north}."),
        None => format!("Unfinished, {south} to {north} in the stores, {} to move.", game.side()),
    }
}

fn json(game: &Playthrough, out: &mut dyn Write) -> Result<(), Failure> {
    for (play, number) in game.plays().iter().zip(1..) {
        let line = MoveLine {
            number,
            side: play.side,
            action: play.action,
            gain: play.report.gain,
            again: play.report.again,
            captured: play.report.captured(),
            position: play.after.to_string(),
            to_move: (!play.report.finished).then_some(play.next),
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    }
    let (south, north) = scores(game);
    let result = match game.result() {
        Some(outcome) => outcome.to_string(),
        None => sowing_rules::RECORD_UNFINISHED.to_string(),
    };
    let line = ResultLine {
        game: game.start().game().to_string(),
        result,
        south,
        north,
        finished: game.result().is_some(),
        swapped: game.swapped(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    Ok(writeln!(out)?)
}

fn draw_position(
    game: &Playthrough,
    play: Option<&Play>,
    args: &ReplayArgs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (position, side) = match play {
        Some(play) => (&play.after, play.next),
        None => (game.start(), sowing_rules::Side::South),
    };
    Ok(write!(out, "{}", board::text(position, side, frame(args.ascii)))?)
}
