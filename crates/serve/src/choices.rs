//! How players of each level choose.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use sowing::{Move, Playthrough};
use sowing_players::{ChooseError, Opponent, level_chances};
use tokio::sync::oneshot;
use utoipa::ToSchema;

use crate::error::{ErrorBody, Refusal};
use crate::query::{GameQuery, Params};
use crate::reply::StopOnDrop;
use crate::slots;
use crate::state::{Ending, Server};

/// How often each level plays each move.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Choices {
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
    /// A house's number, or x for a swap.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    /// From 0 to 1.
    chance: f64,
}

/// How often players of each level choose each move after these moves
#[utoipa::path(
    get,
    path = "/api/v1/choices",
    params(GameQuery),
    responses(
        (status = 200, description = "the choices, level by level", body = Choices),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "too many ask: Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn choices(
    State(server): State<Arc<Server>>,
    Params(played): Params<GameQuery>,
) -> Result<Json<Choices>, Refusal> {
    let played = played.playthrough()?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    let stop = Arc::<AtomicBool>::default();
    let _guard = StopOnDrop(Arc::clone(&stop));
    let (sender, found) = oneshot::channel();
    let permit = server.slots.take_light().await?;
    slots::spawn_nice(move || {
        // Nobody may be there any more to take the answer.
        drop(sender.send(all_levels(&played, &stop)));
        drop(permit);
    })?;
    let found = tokio::select! {
        found = tokio::time::timeout(server.slots.time(), found) => found,
        () = server.ends(Ending::Over) => return Err(Refusal::ending()),
    };
    let found = found.map_err(|_| Refusal::from(ChooseError::Stopped))?;
    Ok(Json(Choices { levels: found.map_err(|_| Refusal::broken())?? }))
}

fn all_levels(played: &Playthrough, stop: &AtomicBool) -> Result<Vec<LevelChoices>, Refusal> {
    let chances = |level| {
        let chances = level_chances(played.position(), level, stop)?;
        let moves = chances.into_iter().map(|(action, chance)| Chance { action, chance });
        Ok(LevelChoices { level, moves: moves.collect() })
    };
    (1..=Opponent::MAX_LEVEL).map(chances).collect()
}
