//! How players of each level choose.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use sowing_answers::{Choices, ErrorBody, GameQuery};
use sowing_players::ChooseError;
use tokio::sync::oneshot;

use crate::error::Refusal;
use crate::params::Params;
use crate::queue::Client;
use crate::reply::StopOnDrop;
use crate::slots;
use crate::state::{Ending, Server};

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
    client: Client,
    Params(played): Params<GameQuery>,
) -> Result<Json<Choices>, Refusal> {
    let played = played.playthrough()?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    let stop = Arc::<AtomicBool>::default();
    let _guard = StopOnDrop(Arc::clone(&stop));
    let (sender, found) = oneshot::channel();
    let permit = server.slots.take_light(client, &stop).await?;
    slots::spawn_nice(move || {
        // Nobody may be there any more to take the answer.
        drop(sender.send(Choices::of(&played, &stop)));
        drop(permit);
    })?;
    let found = tokio::select! {
        found = tokio::time::timeout(server.slots.time(), found) => found,
        () = server.ends(Ending::Over) => return Err(Refusal::ending()),
    };
    let found = found.map_err(|_| Refusal::from(ChooseError::Stopped))?;
    Ok(Json(found.map_err(|_| Refusal::broken())??))
}
