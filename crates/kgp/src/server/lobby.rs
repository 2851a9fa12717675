//! Where clients wait for a game.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::game::{self, Seat};
use super::handle::Handle;
use super::{House, is_over};

/// A client that wants to play.
pub(crate) struct Waiting {
    pub(crate) guest: Handle,
    /// How many games it has played.
    pub(crate) played: u64,
}

/// Seats two clients at a game as soon as there are two, and one with the house after a while.
pub(crate) async fn run(house: Arc<House>, mut arrivals: mpsc::UnboundedReceiver<Waiting>) {
    let mut over = house.over.subscribe();
    let mut alone: Option<(Waiting, Instant)> = None;
    loop {
        let due = alone.as_ref().map_or_else(far, |(_, since)| *since + house.options.wait);
        tokio::select! {
            arrival = arrivals.recv() => {
                let Some(arrival) = arrival else { return };
                match alone.take().filter(|(other, _)| !other.guest.is_gone()) {
                    Some((other, _)) => between(&house, other, arrival),
                    None => alone = Some((arrival, Instant::now())),
                }
            }
            () = sleep_until(due), if alone.is_some() => {
                if let Some((guest, _)) = alone.take().filter(|(guest, _)| !guest.guest.is_gone()) {
                    against_the_house(&house, guest);
                }
            }
            () = is_over(&mut over) => return,
        }
    }
}

fn far() -> Instant {
    Instant::now() + std::time::Duration::from_secs(3600)
}

fn between(house: &Arc<House>, first: Waiting, second: Waiting) {
    let number = house.games.load(Relaxed);
    let game = game_of(house, number);
    let seats = [first, second].map(|waiting| Seat::Guest(waiting.guest));
    start(house, game, seats, number % 2 == 1);
}

fn against_the_house(house: &Arc<House>, waiting: Waiting) {
    let game = game_of(house, waiting.played);
    start(house, game, [Seat::Guest(waiting.guest), Seat::House], waiting.played % 2 == 1);
}

/// Each game twice, so that both sides are played.
fn game_of(house: &House, number: u64) -> sowing_rules::Game {
    let games = &house.options.games;
    games[(number / 2 % games.len() as u64) as usize]
}

fn start(house: &Arc<House>, game: sowing_rules::Game, [first, second]: [Seat; 2], changed: bool) {
    let seats = if changed { [second, first] } else { [first, second] };
    tokio::spawn(game::play(Arc::clone(house), game, seats));
}
