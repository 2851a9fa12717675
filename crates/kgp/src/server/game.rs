//! A game between two clients, or a client and the house.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use sowing_players::{ChooseError, Player, PlayerOptions};
use sowing_rules::{Game, Move, Playthrough, Position, Record, SeededRng, Side};
use tokio::time::Instant;

use super::handle::{Answer, Handle};
use super::{Clock, House, ServerEvent};
use crate::records::write_record;
use crate::rules::{is_over, winner};

/// The house thinks for this part of what is left of a game's time about each move: however long the
/// game is, some is left.
const A_MOVE: u32 = 30;

/// Who sits at a game.
pub(crate) enum Seat {
    Guest(Handle),
    House,
}

/// A seat during a game.
struct Place {
    seat: Seat,
    name: String,
    /// The house's player, once it has thought and while it does not.
    player: Option<Player>,
    options: PlayerOptions,
    /// What is left of the time of a game.
    left: Option<Duration>,
    late: u64,
}

/// Why a game ended before its end.
struct Forfeit {
    loser: Side,
    why: &'static str,
}

/// Plays a game to its end, and sends the clients back to the lobby.
pub(crate) async fn play(house: Arc<House>, game: Game, seats: [Seat; 2]) {
    let number = house.games.fetch_add(1, Relaxed) + 1;
    let mut places = seats.map(|seat| Place::new(&house, seat, number));
    let names = [places[0].name.clone(), places[1].name.clone()];
    for (place, other) in places.iter().zip(names.iter().rev()) {
        if let Seat::Guest(guest) = &place.seat {
            guest.begin(number, other);
        }
    }
    let mut play = Playthrough::new(Position::start(game));
    let forfeit = run(&house, &mut play, &mut places, number).await;
    let victor = match &forfeit {
        Some(forfeit) => Some(!forfeit.loser),
        None => winner(&play),
    };
    let mut record = Record::from_playthrough(&play)
        .with_program()
        .with_header("south", &names[0])
        .with_header("north", &names[1])
        .with_header("number", &number.to_string());
    if let Some(Forfeit { loser, why }) = &forfeit {
        record = record.with_header("forfeit", &format!("{loser} {why}"));
    } else if !play.position().is_finished() {
        let side = victor.map_or(String::new(), |side| side.to_string());
        record = record.with_header("ended", &format!("{side} holds more than half"));
    }
    {
        let mut table = house.table.lock().expect("nobody panics with the table");
        for (place, side) in places.iter().zip([Side::South, Side::North]) {
            let standing = table.of(&place.name);
            match victor {
                Some(victor) if victor == side => standing.wins += 1,
                Some(_) => standing.losses += 1,
                None => standing.draws += 1,
            }
            let lost = forfeit.as_ref().is_some_and(|forfeit| forfeit.loser == side);
            standing.forfeits += u64::from(lost);
            standing.late += place.late;
        }
    }
    house.tell(ServerEvent::Game(&record));
    if let Some(folder) = &house.options.records
        && let Err(error) = write_record(folder, &record)
    {
        house.tell(ServerEvent::Failed(&error.to_string()));
    }
    let result = match victor {
        Some(side) => format!("game {number} is over: {} wins as {side}", names[side as usize]),
        None => format!("game {number} is over: a draw"),
    };
    for place in &places {
        if let Seat::Guest(guest) = &place.seat {
            guest.end(&result);
        }
    }
    // An engine takes its time to end.
    tokio::task::spawn_blocking(move || drop(places));
    if house.options.count.is_some_and(|count| number >= count) {
        house.over.send_replace(true);
    }
}

async fn run(
    house: &Arc<House>,
    play: &mut Playthrough,
    places: &mut [Place; 2],
    number: u64,
) -> Option<Forfeit> {
    let mut random = SeededRng::new(house.options.player.seed, number);
    while !is_over(play.position()) {
        let moves: Vec<Move> = play.position().moves().collect();
        let side = play.side();
        let [own, other] = match side {
            Side::South => [0, 1],
            Side::North => [1, 0],
        };
        let chosen = match moves.as_slice() {
            // Nobody is asked where there is no choice.
            [only] => Ok(*only),
            _ => {
                let opponents = places[other].left;
                places[own].choose(house, play, opponents, &mut random).await
            }
        };
        match chosen {
            Ok(action) => match play.try_play(action) {
                Ok(_) => {}
                Err(_) => return Some(Forfeit { loser: side, why: "made an illegal move" }),
            },
            Err(why) => return Some(Forfeit { loser: side, why }),
        }
    }
    None
}

impl Place {
    fn new(house: &House, seat: Seat, number: u64) -> Place {
        let name = match &seat {
            Seat::Guest(guest) => guest.name(),
            Seat::House => house.options.house.to_string(),
        };
        let seed = house.options.player.seed.wrapping_add(number);
        let options = PlayerOptions { seed, ..house.options.player.clone() };
        let left = match house.options.clock {
            Clock::Move(_) => None,
            Clock::Game(time) => Some(time),
        };
        Place { seat, name, player: None, options, left, late: 0 }
    }

    async fn choose(
        &mut self,
        house: &House,
        play: &Playthrough,
        opponents: Option<Duration>,
        random: &mut SeededRng,
    ) -> Result<Move, &'static str> {
        let time = match house.options.clock {
            Clock::Move(time) => time,
            Clock::Game(_) => self.left.unwrap_or_default(),
        };
        let asked = Instant::now();
        let chosen = match &self.seat {
            Seat::Guest(guest) => {
                let clocks = self.left.map(|left| (left, opponents.unwrap_or_default()));
                let answer = guest.ask(*play.position(), time, clocks).await;
                let Some(Answer { house: number, yielded }) = answer else { return Err("left") };
                self.late += u64::from(!yielded && number.is_none());
                match number {
                    Some(number) => {
                        let number = u8::try_from(number).ok().and_then(sowing_rules::House::new);
                        number.map(Move::House).ok_or("made an illegal move")
                    }
                    // As the protocol has it.
                    None => {
                        let moves: Vec<Move> = play.position().moves().collect();
                        Ok(moves[random.below(moves.len() as u64) as usize])
                    }
                }
            }
            Seat::House => self.think(house, play).await,
        };
        if let Some(left) = &mut self.left {
            match left.checked_sub(asked.elapsed()).filter(|left| !left.is_zero()) {
                Some(now) => *left = now,
                None => return Err("used up the time"),
            }
        }
        chosen
    }

    async fn think(&mut self, house: &House, play: &Playthrough) -> Result<Move, &'static str> {
        let asked = Instant::now();
        let permit = house.thinking.acquire().await.expect("it is never closed");
        // Waiting for others of the house takes time of the game, but none of a single move.
        let time = match (house.options.clock, self.left) {
            (Clock::Game(_), Some(left)) => left.saturating_sub(asked.elapsed()) / A_MOVE,
            (Clock::Move(time) | Clock::Game(time), _) => time.mul_f64(0.9),
        };
        let (player, options) = (self.player.take(), self.options.clone());
        let (contender, play) = (house.options.house.clone(), play.clone());
        // An engine takes its time to start, too.
        let thought =
            tokio::task::spawn_blocking(move || -> Result<(Player, Move), ChooseError> {
                let mut player = match player {
                    Some(player) => player,
                    None => Player::for_contender(&contender, *play.position().game(), options)?
                        .for_the_outcome(),
                };
                player.set_time(Some(time));
                let chosen = player.choose(&play)?;
                Ok((player, chosen))
            });
        let thought = thought.await;
        drop(permit);
        let why = match thought {
            Ok(Ok((player, chosen))) => {
                self.player = Some(player);
                return Ok(chosen);
            }
            Ok(Err(ChooseError::Engine(fault))) => fault.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        house.tell(ServerEvent::Failed(&why));
        Err("cannot play")
    }
}
