//! What the program brings along for players: puzzles and fair starts.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::query::read_game;
use crate::refusal::Refusal;

/// Positions with one best turn that is worth finding.
#[derive(Debug, Serialize, ToSchema)]
pub struct Puzzles {
    puzzles: &'static [Puzzle],
}

/// A position with one best turn.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Puzzle {
    game: String,
    /// As the mover sees it.
    position: String,
    /// The one turn that gets the value.
    turn: Vec<String>,
    /// What it is worth to the mover.
    value: i64,
    /// What the best of all other turns is worth.
    next_best: i64,
    /// How many turns one must look ahead to find it.
    grade: u32,
    /// The weakest level that looks so far.
    level: u8,
    /// As in chain, capture, starving, sacrifice, quiet.
    themes: Vec<String>,
}

static PUZZLES: LazyLock<Vec<Puzzle>> =
    LazyLock::new(|| sowing_lab::puzzles().iter().map(Puzzle::of).collect());

impl Puzzle {
    fn of(puzzle: &sowing_lab::Puzzle) -> Puzzle {
        Puzzle {
            game: puzzle.game.to_string(),
            position: puzzle.position.to_string(),
            turn: puzzle.turn.iter().map(ToString::to_string).collect(),
            value: puzzle.value,
            next_best: puzzle.next_best,
            grade: puzzle.grade,
            level: puzzle.level,
            themes: puzzle.themes.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Puzzles {
    /// All of them.
    pub fn all() -> Puzzles {
        Puzzles { puzzles: &PUZZLES }
    }
}

/// Which fair start.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Fair {
    /// The game.
    #[param(example = "kalah(6,4)")]
    game: String,
    /// Which of them, counted round.
    #[serde(default)]
    number: usize,
}

/// A start that is a draw with perfect play.
#[derive(Debug, Serialize, ToSchema)]
pub struct FairStart {
    /// The start; `null` if none is known of this game.
    #[schema(required)]
    start: Option<String>,
    /// How many are known.
    of: usize,
}

impl Fair {
    /// The start, if one is known.
    pub fn start(&self) -> Result<FairStart, Refusal> {
        let starts = sowing_lab::fair_starts(&read_game(&self.game)?).unwrap_or_default();
        let start = starts.get(self.number % starts.len().max(1)).map(ToString::to_string);
        Ok(FairStart { start, of: starts.len() })
    }
}
