//! The move of an opponent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use sowing_api::{REPLY_TIME, Reply, ReplyRequest};
use sowing_players::{ChooseError, Opponent, Player, PlayerOptions};
use sowing_rules::{Move, Playthrough};
use tokio::sync::oneshot;

use crate::error::HttpError;
use crate::handlers::query;
use crate::queue::Client;
use crate::state::{Ending, Server};
use crate::workers::{self, Worker};

/// How long a request waits for a reply. If a worker has less time: eleven tenths of that, and nine tenths to think.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Sets a switch when it is dropped with its request.
pub(crate) struct StopOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Has an opponent choose a move.
pub(crate) async fn reply(
    State(server): State<Arc<Server>>,
    client: Client,
    uri: Uri,
) -> Result<Json<Reply>, HttpError> {
    let start = Instant::now();
    let ReplyRequest { played, opponent, seed } = sowing_api::reply(query(&uri))?;
    let time = REPLY_TIME.min(server.pool.time() * 9 / 10);
    let options = PlayerOptions { seed, time: Some(time), ..PlayerOptions::default() };
    let stop = Arc::<AtomicBool>::default();
    let _guard = StopOnDrop(Arc::clone(&stop));
    let (sender, choice) = oneshot::channel();
    // The client may have gone.
    let answer = |choice| drop(sender.send(choice));
    if opponent == Opponent::Perfect {
        let lease = server.pool.acquire(client).await?;
        let game = *played.position().game();
        lease.work(game, stop, move |worker| {
            answer(worker.and_then(|worker| perfect(worker, options, &played)));
        })?;
    } else {
        let permit = server.pool.acquire_light(client, &stop).await?;
        workers::spawn_nice(move || {
            answer(quick(opponent, options, stop, &played));
            drop(permit);
        })?;
    }
    let choice = tokio::select! {
        choice = tokio::time::timeout(MAX_WAIT.min(server.pool.time() * 11 / 10), choice) => choice,
        () = server.ends(Ending::Over) => return Err(HttpError::ending()),
    };
    match choice {
        Ok(Ok(Ok(action))) => {
            let seconds = start.elapsed().as_secs_f64();
            Ok(Json(Reply::new(action, seconds)))
        }
        Ok(Ok(Err(error))) => Err(error),
        Ok(Err(_)) => Err(HttpError::broken()),
        Err(_) => Err(ChooseError::Stopped.into()),
    }
}

fn perfect(
    worker: &mut Worker,
    options: PlayerOptions,
    played: &Playthrough,
) -> Result<Move, HttpError> {
    let mut player = Player::with_solver(worker.lend(), options);
    let choice = player.choose(played);
    worker.give_back(player.into_solver());
    Ok(choice?)
}

fn quick(
    opponent: Opponent,
    options: PlayerOptions,
    stop: Arc<AtomicBool>,
    played: &Playthrough,
) -> Result<Move, HttpError> {
    let mut player = Player::new(opponent, *played.position().game(), options)?;
    player.set_stop_switch(stop);
    Ok(player.choose(played)?)
}
