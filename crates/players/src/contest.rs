//! Games between players.

use sowing_rules::{Game, Move, Playthrough, Position, SeededRng, Side};

use crate::error::{ChooseError, EngineFault};
use crate::player::Player;

/// The pairs of a tournament: a round robin, or a gauntlet of the first player against all others.
pub fn pairings(players: usize, gauntlet: bool) -> Vec<(usize, usize)> {
    let first = if gauntlet { players.min(1) } else { players };
    (0..first).flat_map(|first| (first + 1..players).map(move |second| (first, second))).collect()
}

/// A game that an engine lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// The row that the losing player started with.
    pub loser: Side,
    /// The fault.
    pub fault: EngineFault,
}

/// The row that the player to move started with; after a swap, not the row to move.
pub fn player_to_move(play: &Playthrough) -> Side {
    if play.swapped() { !play.side() } else { play.side() }
}

/// A game after `moves` random moves, or fewer if the game would end. The same `seed` and `index` give the same
/// moves.
pub fn random_opening(game: Game, moves: u32, seed: u64, index: u64) -> Playthrough {
    let mut random = SeededRng::new(seed, index);
    let mut play = Playthrough::new(Position::start(game));
    for _ in 0..moves {
        let choices: Vec<Move> = play.position().moves().collect();
        play.try_play(choices[random.below(choices.len() as u64) as usize]).expect("legal");
        if play.result().is_some() {
            play.undo();
            break;
        }
    }
    play
}

/// Plays a game to its [result](Playthrough::result), or until an engine commits a fault.
pub fn play_out(
    play: &mut Playthrough,
    south: &mut Player,
    north: &mut Player,
) -> Result<Option<Forfeit>, ChooseError> {
    while play.result().is_none() {
        let side = player_to_move(play);
        let player = match side {
            Side::South => &mut *south,
            Side::North => &mut *north,
        };
        match player.choose(play) {
            Ok(action) => play.try_play(action).expect("players choose legal moves"),
            Err(ChooseError::Engine(fault)) => return Ok(Some(Forfeit { loser: side, fault })),
            Err(error) => return Err(error),
        };
    }
    Ok(None)
}
