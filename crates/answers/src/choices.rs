//! How players of each level choose.

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use sowing_players::{ChooseError, Opponent, level_chances};
use sowing_rules::{Move, Playthrough};
use utoipa::ToSchema;

use crate::refusal::Refusal;

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

impl Choices {
    /// The choices of all levels where a game stands. The switch ends the search for them.
    pub fn of(played: &Playthrough, stop: &AtomicBool) -> Result<Choices, Refusal> {
        if played.result().is_some() {
            return Err(ChooseError::Finished.into());
        }
        let chances = |level| {
            let chances = level_chances(played.position(), level, stop)?;
            let moves = chances.into_iter().map(|(action, chance)| Chance { action, chance });
            Ok(LevelChoices { level, moves: moves.collect() })
        };
        let levels: Result<_, Refusal> = (1..=Opponent::MAX_LEVEL).map(chances).collect();
        Ok(Choices { levels: levels? })
    }
}
