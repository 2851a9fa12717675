//! Games between players.

use sowing::{Game, Move, Playthrough, Position, Side, Stream};

use crate::engine::EngineFault;
use crate::player::{ChooseError, Player};

/// The pairs that meet: everybody meets everybody else, or in a gauntlet the first meets all others.
pub fn pairings(players: usize, gauntlet: bool) -> Vec<(usize, usize)> {
    let first = if gauntlet { players.min(1) } else { players };
    (0..first).flat_map(|first| (first + 1..players).map(move |second| (first, second))).collect()
}

/// A game that an engine lost before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// Who lost: the row that the player started with.
    pub loser: Side,
    /// What it did.
    pub fault: EngineFault,
}

/// The row that the player who is to move started with: not the row to move after a swap.
pub fn seat_to_move(play: &Playthrough) -> Side {
    if play.swapped() { !play.side() } else { play.side() }
}

/// A game that starts with so many random moves, or fewer where it would be over.
pub fn random_opening(game: Game, moves: u32, seed: u64, index: u64) -> Playthrough {
    let mut random = Stream::new(seed, index);
    let mut play = Playthrough::new(Position::start(game));
    for _ in 0..moves {
        let choices: Vec<Move> = play.position().moves().collect();
        play.play(choices[random.below(choices.len() as u64) as usize]).expect("legal");
        if play.result().is_some() {
            play.undo();
            break;
        }
    }
    play
}

/// Plays a game to its [result](Playthrough::result), or to the fault of an engine.
pub fn play_out(
    play: &mut Playthrough,
    south: &mut Player,
    north: &mut Player,
) -> Result<Option<Forfeit>, ChooseError> {
    while play.result().is_none() {
        let seat = seat_to_move(play);
        let player = match seat {
            Side::South => &mut *south,
            Side::North => &mut *north,
        };
        match player.choose(play) {
            Ok(action) => play.play(action).expect("players choose legal moves"),
            Err(ChooseError::Engine(fault)) => return Ok(Some(Forfeit { loser: seat, fault })),
            Err(error) => return Err(error),
        };
    }
    Ok(None)
}
