//! The machine's move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use sowing_answers::{ErrorBody, GameQuery, Replier, Reply};
use sowing_players::{ChooseError, Opponent, Player, PlayerOptions};
use sowing_rules::{Move, Playthrough};
use tokio::sync::oneshot;

use crate::error::Refusal;
use crate::params::Params;
use crate::queue::Client;
use crate::slots::{self, Worker};
use crate::state::{Ending, Server};

/// How long the machine may think about a move, and how long a request waits for it at most. Where
/// the server allows for less: nine tenths of that, and eleven.
const THINK: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(10);

/// Sets a switch when it goes: with the request, whatever becomes of it.
pub(crate) struct StopOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// An opponent's move in the position after these moves
#[utoipa::path(
    get,
    path = "/api/v1/reply",
    params(GameQuery, Replier),
    responses(
        (status = 200, description = "one move", body = Reply),
        (status = 400, description = "a bad game, position, move or opponent", body = ErrorBody),
        (status = 503, description = "no slot was free, or the opponent took too long",
         body = ErrorBody),
    )
)]
pub(crate) async fn reply(
    State(server): State<Arc<Server>>,
    client: Client,
    Params(played): Params<GameQuery>,
    Params(replier): Params<Replier>,
) -> Result<Json<Reply>, Refusal> {
    let start = Instant::now();
    let played = played.playthrough()?;
    let (opponent, seed) = replier.opponent()?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    let time = THINK.min(server.slots.time() * 9 / 10);
    let options = PlayerOptions { seed, time: Some(time), ..PlayerOptions::default() };
    let stop = Arc::<AtomicBool>::default();
    let _guard = StopOnDrop(Arc::clone(&stop));
    let (sender, choice) = oneshot::channel();
    // Nobody may be there any more to take the answer.
    let answer = |choice| drop(sender.send(choice));
    if opponent == Opponent::Perfect {
        let slot = server.slots.take(client).await?;
        let game = *played.position().game();
        slot.work(game, stop, move |worker| {
            answer(worker.and_then(|worker| perfect(worker, options, &played)));
        })?;
    } else {
        let permit = server.slots.take_light(client, &stop).await?;
        slots::spawn_nice(move || {
            answer(quick(opponent, options, stop, &played));
            drop(permit);
        })?;
    }
    let choice = tokio::select! {
        choice = tokio::time::timeout(WAIT.min(server.slots.time() * 11 / 10), choice) => choice,
        () = server.ends(Ending::Over) => return Err(Refusal::ending()),
    };
    match choice {
        Ok(Ok(Ok(action))) => {
            let seconds = start.elapsed().as_secs_f64();
            Ok(Json(Reply::new(action, seconds)))
        }
        Ok(Ok(Err(refusal))) => Err(refusal),
        Ok(Err(_)) => Err(Refusal::broken()),
        Err(_) => Err(ChooseError::Stopped.into()),
    }
}

fn perfect(
    worker: &mut Worker,
    options: PlayerOptions,
    played: &Playthrough,
) -> Result<Move, Refusal> {
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
) -> Result<Move, Refusal> {
    let mut player = Player::new(opponent, *played.position().game(), options)?;
    player.set_stop_switch(stop);
    Ok(player.choose(played)?)
}
