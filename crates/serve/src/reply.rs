//! The machine's move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sowing::{Move, Playthrough};
use sowing_players::{ChooseError, Opponent, Player, PlayerOptions};
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};

use crate::error::{ErrorBody, Refusal};
use crate::query::{GameQuery, Params};
use crate::queue::Client;
use crate::slots::{self, Worker};
use crate::state::{Ending, Server};

/// How long the machine may think about a move, and how long one waits for it at most; less where
/// the server allows for less.
const THINK: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(10);

/// Who replies.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Replier {
    /// The opponent: random, level:1 to level:9, pdp:DEPTH or perfect.
    #[param(example = "level:3")]
    opponent: String,
    /// Where its random numbers start.
    #[serde(default)]
    seed: u64,
}

/// A move.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reply {
    /// A house's number, or x for a swap.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    seconds: f64,
}

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
    let opponent: Opponent =
        replier.opponent.parse().map_err(|error| Refusal::bad(error, "opponent=level:3"))?;
    if played.result().is_some() {
        return Err(ChooseError::Finished.into());
    }
    let time = THINK.min(server.slots.time() * 9 / 10);
    let options = PlayerOptions { seed: replier.seed, time, ..PlayerOptions::default() };
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
        let permit = server.slots.take_light().await?;
        slots::spawn_nice(move || {
            answer(quick(opponent, options, stop, &played));
            drop(permit);
        })?;
    }
    let choice = tokio::select! {
        choice = tokio::time::timeout(WAIT.min(server.slots.time()), choice) => choice,
        () = server.ends(Ending::Over) => return Err(Refusal::ending()),
    };
    match choice {
        Ok(Ok(Ok(action))) => {
            let seconds = start.elapsed().as_secs_f64();
            Ok(Json(Reply { action, seconds }))
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

impl From<ChooseError> for Refusal {
    fn from(error: ChooseError) -> Refusal {
        match error {
            ChooseError::Finished => Refusal::bad(error, "moves=3,6,2"),
            ChooseError::Stopped => Refusal::too_slow(error),
            ChooseError::Solve(error) => error.into(),
            // An opponent that a request names is never an engine.
            ChooseError::Engine(_) => Refusal::broken(),
        }
    }
}

/// The opponents that a page offers, weakest first, with what they are like.
pub(crate) const OPPONENTS: [(&str, &str, &str); 12] = [
    ("random", "Random", "Any legal move."),
    ("level:1", "Level 1", "For a first game: four moves in five are random."),
    ("level:2", "Level 2", "More than half of its moves are random."),
    ("level:3", "Level 3", "A third of its moves are random."),
    ("level:4", "Level 4", "Takes what it sees, with slips."),
    ("level:5", "Level 5", "Looks at your answer, with slips."),
    ("level:6", "Level 6", "Looks three turns ahead."),
    ("level:7", "Level 7", "Looks five turns ahead."),
    ("level:8", "Level 8", "Looks seven turns ahead."),
    ("level:9", "Level 9", "Looks ten turns ahead."),
    ("pdp:4", "PDP-1", "The machine of the PDP-1, four turns ahead."),
    ("perfect", "Perfect", "Exact where it can be in its time, else its best."),
];
