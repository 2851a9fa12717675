//! Two opponents play a game, and the record of it is printed.
//!
//! ```sh
//! cargo run --release --example play -- "kalah(6,4)" level:6 level:3
//! ```

use std::env;
use std::error::Error;

use sowing_players::{Player, PlayerOptions, play_out};
use sowing_rules::{Game, Playthrough, Position, Record};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let arg = |index, default| args.get(index).map_or(default, String::as_str);
    print!("{}", play(arg(0, "kalah(6,4)"), arg(1, "level:6"), arg(2, "level:3"))?);
    Ok(())
}

fn play(game: &str, south: &str, north: &str) -> Result<String, Box<dyn Error>> {
    let game: Game = game.parse()?;
    let mut south =
        Player::new(south.parse()?, game, PlayerOptions { seed: 1, ..PlayerOptions::default() })?;
    let mut north =
        Player::new(north.parse()?, game, PlayerOptions { seed: 2, ..PlayerOptions::default() })?;
    let mut play = Playthrough::new(Position::start(game));
    play_out(&mut play, &mut south, &mut north)?;
    Ok(Record::from_playthrough(&play).to_string())
}

#[test]
fn the_record_is_that_of_a_whole_game() {
    let record: Record = play("kalah(4,3)", "level:4", "random").unwrap().parse().unwrap();
    assert!(record.replay().unwrap().result().is_some());
}
