//! A board and its play, one row for each position, the Ruma at the left.

use sowing_solitaire::{Board, Line, Variant, tally};

use super::STYLE;
use crate::{Element, Picture};

/// The most plays of a picture.
pub const MAX_PLAYS: usize = 500;

/// A play that is too long for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture of {plays} plays is too tall: it may have at most {MAX_PLAYS}")]
pub struct TooTall {
    /// The plays that it would have.
    pub plays: u64,
}

impl TooTall {
    /// Fails if a picture of so many plays would be too tall.
    pub fn check(plays: u64) -> Result<(), TooTall> {
        if plays > MAX_PLAYS as u64 { Err(TooTall { plays }) } else { Ok(()) }
    }
}

/// One board of a play.
struct Row {
    /// The stones of each bin.
    board: Vec<u64>,
    /// The bins that the next play sows from, in order.
    played: Vec<usize>,
}

/// Draws the winning play of a Tchoukaillon board.
pub fn line(mut line: Line) -> Result<Picture, TooTall> {
    TooTall::check(line.stones())?;
    let mut rows = vec![Row { board: line.bins().to_vec(), played: Vec::new() }];
    let bins: Vec<String> = line.bins().iter().map(u64::to_string).collect();
    let title = format!("tchoukaillon {}", bins.join(","));
    while let Some(bin) = line.advance() {
        let played = rows.len() - 1;
        rows[played].played = vec![bin as usize];
        rows.push(Row { board: line.bins().to_vec(), played: Vec::new() });
    }
    Ok(draw(&title, &rows))
}

/// Draws a play of a variant.
pub fn play(variant: Variant, board: &Board, plays: &[usize]) -> Result<Picture, TooTall> {
    TooTall::check(plays.len() as u64)?;
    let tally = tally(variant, board, plays);
    let boards = std::iter::once(board.bins().to_vec()).chain(tally.boards);
    let played = tally.legs.iter().map(|legs| legs.iter().map(|leg| leg.from).collect());
    let rows = boards.zip(played.chain(std::iter::once(Vec::new())));
    let rows: Vec<Row> = rows.map(|(board, played)| Row { board, played }).collect();
    Ok(draw(&format!("{variant} {board}"), &rows))
}

const STEP: f64 = 48.0;

/// The bins that are sown from next are filled.
fn draw(title: &str, rows: &[Row]) -> Picture {
    let bins = rows.iter().map(|row| row.board.len()).max().unwrap_or(0);
    let total: u64 = rows.first().map_or(0, |row| row.board.iter().sum());
    let (width, height) = ((bins + 1) as f64 * STEP + 16.0, (rows.len() + 1) as f64 * STEP);
    let mut picture = Picture::new(title, width, height, STYLE);
    for bin in 0..=bins {
        let label = if bin == 0 { "Ruma".to_string() } else { bin.to_string() };
        picture.add(Element::text(x(bin), 28.0, label).class("label"));
    }
    for (index, row) in rows.iter().enumerate() {
        let y = (index as f64 + 1.25) * STEP;
        let home = total - row.board.iter().sum::<u64>();
        let ruma = Element::rect(x(0) - 20.0, y - 20.0, 40.0, 40.0).at("rx", 8.0);
        picture.add(ruma.class("ruma"));
        picture.add(Element::text(x(0), y + 5.0, home));
        for (bin, stones) in (1..).zip(&row.board) {
            let class = match row.played.iter().position(|&played| played == bin) {
                Some(0) => "bin played",
                Some(_) => "bin chained",
                None => "bin",
            };
            picture.add(Element::circle(x(bin), y, 20.0).class(class));
            picture.add(Element::text(x(bin), y + 5.0, stones));
        }
    }
    picture
}

fn x(bin: usize) -> f64 {
    (bin as f64 + 0.5) * STEP + 8.0
}
