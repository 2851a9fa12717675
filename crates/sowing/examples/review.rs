//! The margin that each turn of a recorded game lost against perfect play.
//!
//! ```sh
//! cargo run --release --example review -- game.txt
//! ```

use std::error::Error;
use std::{env, fs};

use sowing::Record;
use sowing::analysis::Review;

/// A game of Kalah(4,3) whose second turn could have been better.
const GAME: &str = "# game: kalah(4,3)\n# result: unfinished\n2.4,1\n";

fn main() -> Result<(), Box<dyn Error>> {
    let text = env::args().nth(1).map_or(Ok(GAME.to_string()), fs::read_to_string)?;
    review(&text).map(|_| ())
}

fn review(text: &str) -> Result<Vec<i64>, Box<dyn Error>> {
    let record: Record = text.parse()?;
    let play = record.replay()?;
    let mut solver = sowing::solver_for(*play.start().game())?;
    let review = Review::from_playthrough(&play, &mut solver, |_| {})?;
    let mut lost = Vec::new();
    for turn in &review.turns {
        let moves: Vec<String> = turn.moves.iter().map(ToString::to_string).collect();
        let points = turn.lost.expect("no limit was set");
        println!("{:5}  {:<8} lost {points}", turn.side.to_string(), moves.join("-"));
        lost.push(points);
    }
    Ok(lost)
}

#[test]
fn the_second_turn_of_the_game_lost_something() {
    let lost = review(GAME).unwrap();
    assert_eq!(lost, [0, 6]);
}
