//! The 17 stones that clear six houses in one turn of Kalah.

use sowing_rules::{Game, Move, Position, Setup};
use sowing_solitaire::{Line, Winning};

#[test]
fn seventeen_stones_are_a_turn_of_kalah() {
    let winning = Winning::new(17).unwrap();
    assert_eq!(winning.board().to_string(), "1,1,3,2,4,6");
    // The most stones that six bins win with: 18 need a seventh.
    assert_eq!(Winning::new(18).unwrap().length(), 7);

    let game: Game = "kalah(6,4)".parse().unwrap();
    let setup: Setup = "6,4,2,3,1,1,0|0,0,0,0,0,1,30".parse().unwrap();
    let mut position = Position::new(game, &setup).unwrap();
    let mut line = Line::new(winning.board()).unwrap();
    let mut moves = 0;
    while let Some(bin) = line.advance() {
        let (next, report) = position.play(Move::house(7 - bin as u8));
        moves += 1;
        assert!(report.again, "move {moves}");
        assert_eq!(report.finished, line.stones() == 0, "move {moves}");
        position = next;
    }
    assert_eq!(moves, 17);
    assert_eq!(position.to_string(), "0,0,0,0,0,0,17|0,0,0,0,0,1,30");
}
