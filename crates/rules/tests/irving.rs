//! The perfect games that Irving, Donkers and Uiterwijk printed, replayed under their rules.

use std::fs;

use sowing_rules::{Game, Move, Playthrough, Position, Side};

#[test]
fn printed_perfect_games_end_in_their_printed_margin() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/published/kalah_values_irving.csv");
    let table = fs::read_to_string(path).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut replayed = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [houses, seeds, value, line] = fields[..] else { panic!("a row has 4 fields: {row}") };
        if line.is_empty() {
            // Rows 1 to 3 are printed without a line, and that of (4,6) is illegal.
            continue;
        }
        let game: Game = format!("kalah({houses},{seeds},empty-capture)").parse().unwrap();
        let mut play = Playthrough::new(Position::start(game));
        let mut side = Side::South;
        for character in line.chars() {
            if character == '-' {
                side = !side;
                continue;
            }
            assert_eq!(play.side(), side, "{game}: the dashes say whose turn it is");
            let house = character.to_digit(10).unwrap() as u8 + 1;
            play.try_play(Move::house(house)).unwrap_or_else(|error| panic!("{game}: {error}"));
        }
        let end =
            if play.side() == Side::South { *play.position() } else { play.position().flip() };
        assert_eq!(end.margin(), Some(value.parse().unwrap()), "{game} {line}");
        replayed += 1;
    }
    assert_eq!(replayed, 16);
}
