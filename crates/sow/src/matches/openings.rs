//! Where the games of a match start.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sowing_players::{Contender, random_opening};
use sowing_rules::{Bounds, Game, Playthrough, Position};
use sowing_solver::Book;

use super::MatchArgs;
use crate::args::read_position;
use crate::failure::Failure;
use crate::{fair, input, said};

/// The openings of a match, and the players' names as they are told apart.
pub(super) struct Openings {
    game: Game,
    seed: u64,
    from: From,
    pub(super) names: Vec<String>,
}

enum From {
    /// So many random moves.
    Random(u32),
    /// Positions of a file, in turn.
    Positions { file: String, sum: u32, positions: Vec<Position> },
}

impl Openings {
    pub(super) fn of(args: &MatchArgs) -> Result<Openings, Failure> {
        let from = match &args.openings {
            None => From::Random(args.opening),
            Some(path) => {
                let positions = positions(path, args.game)?;
                let text: Vec<String> = positions.iter().map(Position::to_string).collect();
                let sum = crc32fast::hash(text.join("\n").as_bytes());
                From::Positions { file: said::path(path), sum, positions }
            }
        };
        Ok(Openings { game: args.game, seed: args.seed, from, names: names(&args.players) })
    }

    /// The start of the games of one opening.
    pub(super) fn start(&self, number: u64) -> Playthrough {
        match &self.from {
            From::Random(moves) => random_opening(self.game, *moves, self.seed, number),
            From::Positions { positions, .. } => {
                Playthrough::new(positions[(number % positions.len() as u64) as usize])
            }
        }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.from {
            From::Random(moves) => write!(f, "{moves} random moves"),
            From::Positions { file, sum, positions } => {
                write!(f, "{} positions of {file} ({sum:08x})", positions.len())
            }
        }
    }
}

/// Two players of the same kind are told apart by a number.
fn names(players: &[Contender]) -> Vec<String> {
    let name = |index: usize| {
        let name = said::word(&players[index].to_string());
        let same =
            |others: &[Contender]| others.iter().filter(|other| **other == players[index]).count();
        match (same(players), same(&players[..index])) {
            (1, _) => name,
            (_, before) => format!("{name} #{}", before + 1),
        }
    };
    (0..players.len()).map(name).collect()
}

/// Positions one a line, the fair ones of a list that `sow fair` wrote, or those of a book that are
/// worth 0. All are live.
fn positions(path: &Path, game: Game) -> Result<Vec<Position>, Failure> {
    let found = match is_book(path) {
        true => of_book(&Book::open(path)?, game)?,
        false => of_text(path, game)?,
    };
    if found.is_empty() {
        let file = said::path(path);
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
    read.is_ok() && head == *b"SOWBOOK1"
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
    if let Some(starts) = fair::drawn(&text) {
        return starts.iter().map(|start| read_position(game, start, false)).collect();
    }
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let place =
            |why: &str| Failure::Input(format!("{}, line {number}: {why}", said::path(path)));
        let position = read_position(game, line, true).map_err(|why| place(&why.to_string()))?;
        if position.is_finished() {
            return Err(place("the game is over there"));
        }
        found.push(position);
    }
    Ok(found)
}
