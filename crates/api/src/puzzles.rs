//! The puzzles that are built in.

use std::sync::LazyLock;

use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::route::Response;

/// Positions with one best turn that is worth finding.
#[derive(Debug, Serialize, ToSchema)]
struct Puzzles {
    puzzles: &'static [Puzzle],
}

/// A position with one best turn.
#[derive(Debug, Serialize, ToSchema)]
struct Puzzle {
    game: String,
    /// As the mover sees it.
    position: String,
    /// The one turn that gets the value.
    turn: Vec<String>,
    /// Its value to the mover.
    value: i64,
    /// The value of the best of all other turns.
    next_best: i64,
    /// How many turns one must look ahead to find it.
    grade: u32,
    /// The weakest level that looks that far ahead.
    level: u8,
    /// As in chain, capture, starving, sacrifice, quiet.
    themes: Vec<String>,
}

static PUZZLES: LazyLock<Vec<Puzzle>> =
    LazyLock::new(|| sowing_lab::puzzles().iter().map(Puzzle::from).collect());

impl From<&sowing_lab::Puzzle> for Puzzle {
    fn from(puzzle: &sowing_lab::Puzzle) -> Puzzle {
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

/// Puzzles: positions with one best turn that is worth finding
#[utoipa::path(
    get,
    path = "/api/v1/puzzles",
    responses((status = 200, description = "all of them", body = Puzzles))
)]
pub(crate) fn puzzles(_query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&Puzzles { puzzles: &PUZZLES }))
}
