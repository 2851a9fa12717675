//! The openings of a tournament.

use std::fmt;

use sowing_rules::{Game, Playthrough, Position};

use crate::contest::random_opening;

/// Where the games of a tournament start. Each opening is played twice, with the sides changed.
#[derive(Clone, Debug)]
pub enum TournamentOpenings {
    /// This number of random moves from the start.
    Random(u32),
    /// Given positions, in turn.
    Positions {
        /// The name of their file.
        file: String,
        /// The CRC-32 of the positions.
        checksum: u32,
        /// The positions, at least one, all live.
        positions: Vec<Position>,
    },
}

impl TournamentOpenings {
    /// The start of the games of one opening. The same `seed` and `number` give the same start.
    pub fn start(&self, game: Game, seed: u64, number: u64) -> Playthrough {
        match self {
            TournamentOpenings::Random(moves) => random_opening(game, *moves, seed, number),
            TournamentOpenings::Positions { positions, .. } => {
                Playthrough::new(positions[(number % positions.len() as u64) as usize])
            }
        }
    }
}

impl fmt::Display for TournamentOpenings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TournamentOpenings::Random(moves) => write!(f, "{moves} random moves"),
            TournamentOpenings::Positions { file, checksum, positions } => {
                write!(f, "{} positions of {file} ({checksum:08x})", positions.len())
            }
        }
    }
}
