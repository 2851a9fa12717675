//! How players of each level choose.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use sowing_api::Choices;
use sowing_players::ChooseError;
use tokio::sync::oneshot;

use crate::error::HttpError;
use crate::handlers::query;
use crate::queue::Client;
use crate::reply::StopOnDrop;
use crate::state::{Ending, Server};
use crate::workers;

/// Computes the choices within the time of a worker.
pub(crate) async fn choices(
    State(server): State<Arc<Server>>,
    client: Client,
    uri: Uri,
) -> Result<Json<Choices>, HttpError> {
    let played = sowing_api::choices(query(&uri))?;
    let stop = Arc::<AtomicBool>::default();
    let _guard = StopOnDrop(Arc::clone(&stop));
    let (sender, found) = oneshot::channel();
    let permit = server.pool.acquire_light(client, &stop).await?;
    workers::spawn_nice(move || {
        // The client may have gone.
        drop(sender.send(Choices::compute(&played, &stop)));
        drop(permit);
    })?;
    let found = tokio::select! {
        found = tokio::time::timeout(server.pool.time(), found) => found,
        () = server.ends(Ending::Over) => return Err(HttpError::ending()),
    };
    let found = found.map_err(|_| HttpError::from(ChooseError::Stopped))?;
    Ok(Json(found.map_err(|_| HttpError::broken())??))
}
