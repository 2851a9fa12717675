//! The values of a position and of each of its moves, with a proof.
//!
//! ```sh
//! cargo run --release --example solve -- "kalah(6,4)"
//! cargo run --release --example solve -- "kalah(4,3)" "3,0,4,4,1|3,3,3,3,0"
//! ```

use std::env;
use std::error::Error;

use sowing::analysis::{AnalysisOptions, analyze};
use sowing::certificate::Claim;
use sowing::{Game, Playthrough, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let game = args.first().map_or("kalah(4,3)", String::as_str).parse()?;
    let position = match args.get(1) {
        Some(position) => Position::new(game, &position.parse()?)?,
        None => Position::start(game),
    };
    solve(game, &position).map(|_| ())
}

fn solve(game: Game, position: &Position) -> Result<i64, Box<dyn Error>> {
    let mut solver = sowing::solver_for(game)?;
    let play = Playthrough::new(*position);
    let found = analyze(&mut solver, &play, &AnalysisOptions::default(), &mut |_| {})?;
    let value = found.known.value().expect("no limit was set");
    println!("{game}  {position}\n{}", found.words);
    for found in &found.moves {
        let again = if found.again { "  again" } else { "" };
        println!("{:>5}  {:+}{again}", found.action, found.known.value().expect("no limit"));
    }
    // Clockwise games and games with a pie have values, but no certificates.
    if !game.rules().repeats() && !game.rules().pie {
        let proof = solver.prove(position, Claim::AtLeast(value))?;
        proof.verify()?;
        println!("{} lemmas prove that it is at least that", proof.lemmas());
    }
    Ok(value)
}

#[test]
fn the_start_of_kalah_4_3_is_worth_6() {
    let game = "kalah(4,3)".parse().unwrap();
    assert_eq!(solve(game, &Position::start(game)).unwrap(), 6);
}
