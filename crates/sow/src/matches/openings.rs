//! The openings of a match, read from files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sowing_command::read_position;
use sowing_jobs::fair_starts_in;
use sowing_players::TournamentOpenings;
use sowing_rules::{Bounds, Game, Position};
use sowing_solver::Book;

use super::MatchArgs;
use crate::failure::Failure;
use crate::{input, sanitize};

/// The openings that the arguments name.
pub(super) fn read(args: &MatchArgs) -> Result<TournamentOpenings, Failure> {
    let Some(path) = &args.openings else { return Ok(TournamentOpenings::Random(args.opening)) };
    let positions = positions(path, args.game)?;
    let text: Vec<String> = positions.iter().map(Position::to_string).collect();
    let checksum = crc32fast::hash(text.join("\n").as_bytes());
    Ok(TournamentOpenings::Positions { file: sanitize::path(path), checksum, positions })
}

/// Positions one a line, the fair ones of a list that `sow fair` wrote, or those of a book that are
/// worth 0. All are live.
fn positions(path: &Path, game: Game) -> Result<Vec<Position>, Failure> {
    let found = match is_book(path) {
        true => of_book(&Book::open(path)?, game)?,
        false => of_text(path, game)?,
    };
    if found.is_empty() {
        let file = sanitize::path(path);
        return Err(Failure::Input(format!(
            "{file} has no position of {game} to start from: write one a line, as in {}",
            Position::start(game)
        )));
    }
    Ok(found)
}

/// Whether a file begins as books do.
fn is_book(path: &Path) -> bool {
    let mut head = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && Book::begins(&head)
}

/// Boards of a book are without stores, and may have any number of seeds: from one that is worth 0,
/// both sides can hold the draw.
fn of_book(book: &Book, game: Game) -> Result<Vec<Position>, Failure> {
    book.require(&game)?;
    let even = |bounds: Bounds| bounds.low == 0 && bounds.high == 0;
    let lines = book.lines().filter(|line| even(line.bounds));
    let position = |setup: &sowing_rules::Setup| Ok(Position::free(game, setup)?);
    lines.map(|line| position(&line.position.setup())).collect()
}

fn of_text(path: &Path, game: Game) -> Result<Vec<Position>, Failure> {
    let text = input::file_or_stdin(path)?;
    if let Some(starts) = fair_starts_in(&text) {
        return starts.iter().map(|start| read_position(game, start, false)).collect();
    }
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let place =
            |why: &str| Failure::Input(format!("{}, line {number}: {why}", sanitize::path(path)));
        let position = read_position(game, line, true).map_err(|why| place(&why.to_string()))?;
        if position.is_finished() {
            return Err(place("the game is over there"));
        }
        found.push(position);
    }
    Ok(found)
}
