//! Games between players.

use sowing::{Game, Move, Playthrough, Position, Side, Stream};

use crate::player::{ChooseError, Player};

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

/// Plays a game to its [result](Playthrough::result).
pub fn play_out(
    play: &mut Playthrough,
    south: &mut Player,
    north: &mut Player,
) -> Result<(), ChooseError> {
    while play.result().is_none() {
        let player = match seat_to_move(play) {
            Side::South => &mut *south,
            Side::North => &mut *north,
        };
        let action = player.choose(play)?;
        play.play(action).expect("players choose legal moves");
    }
    Ok(())
}
