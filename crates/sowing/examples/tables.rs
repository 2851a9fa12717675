//! Endgame tables: built in memory, and a position looked up in them.
//!
//! ```sh
//! cargo run --release --example tables -- "kalah(6,4)" 12 "0,0,1,0,0,2,22|3,0,0,1,0,0,19"
//! ```

use std::env;
use std::error::Error;

use sowing::tables::{BuildOptions, build_in_memory};
use sowing::{Game, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let arg = |index, default| args.get(index).map_or(default, String::as_str);
    let position = arg(2, "0,0,1,0,0,2,22|3,0,0,1,0,0,19");
    tables(arg(0, "kalah(6,4)"), arg(1, "8").parse()?, position).map(|_| ())
}

fn tables(game: &str, layers: u32, position: &str) -> Result<Option<i64>, Box<dyn Error>> {
    let game: Game = game.parse()?;
    let position = Position::new(game, &position.parse()?)?;
    let tables =
        build_in_memory(&game, layers, &BuildOptions { threads: 2, ..BuildOptions::default() })?;
    for layer in tables.info() {
        println!("{:>3} seeds  {:>12} positions", layer.seeds, layer.positions);
    }
    let value = tables.value(&position)?;
    match value {
        Some(value) => println!("{game}  {position}  value {value:+}"),
        None => println!("{game}  {position}  is not in the tables"),
    }
    Ok(value)
}

#[test]
fn a_position_of_kalah_6_4_is_worth_nothing() {
    let position = "0,0,1,0,0,2,22|3,0,0,1,0,0,19";
    assert_eq!(tables("kalah(6,4)", 7, position).unwrap(), Some(0));
    assert_eq!(tables("kalah(6,4)", 6, position).unwrap(), None);
}
