//! How players of each level choose.

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sowing_players::{ChooseError, Opponent, level_chances};
use sowing_rules::{Move, Playthrough};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};

/// How often each level plays each move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Choices {
    levels: Vec<LevelChoices>,
}

/// The choices of one level.
#[derive(Debug, Serialize, ToSchema)]
struct LevelChoices {
    /// From 1, the weakest, to 9.
    level: u8,
    moves: Vec<Chance>,
}

/// A move and how often it is played.
#[derive(Debug, Serialize, ToSchema)]
struct Chance {
    /// A house's number, or `swap`.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    /// From 0 to 1.
    chance: f64,
}

/// Reads the query of the choices, of a game that is not over.
#[utoipa::path(
    get,
    summary = "How often players of each level choose each move after these moves",
    path = "/api/v1/choices",
    params(GameQuery),
    responses(
        (status = 200, description = "the choices, level by level", body = Choices),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "too many ask: Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub fn choices(query: &str) -> Result<Playthrough, ApiError> {
    let played = read::<GameQuery>(query)?.playthrough()?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    Ok(played)
}

impl Choices {
    /// Computes the choices of all levels in the last position of a game. The switch stops the search.
    pub fn compute(played: &Playthrough, stop: &AtomicBool) -> Result<Choices, ApiError> {
        let chances = |level| {
            let chances = level_chances(played.position(), level, stop)?;
            let moves = chances.into_iter().map(|(action, chance)| Chance { action, chance });
            Ok(LevelChoices { level, moves: moves.collect() })
        };
        let levels: Result<_, ApiError> = (1..=Opponent::MAX_LEVEL).map(chances).collect();
        Ok(Choices { levels: levels? })
    }
}
