//! All integration tests of the crate: one program, linked once.

use sowing_command::failure::Failure;
use sowing_players::PlayerOptions;
use sowing_rules::{Playthrough, Position};
use sowing_tui::{Board, Screen, Seat, Settings, Theme};

#[test]
fn seats_are_read_as_they_are_written() {
    for text in ["human", "random", "pdp:4", "level:9", "perfect", "engine:./bot -d 9"] {
        let seat: Seat = text.parse().unwrap();
        assert_eq!(seat.to_string(), text);
    }
    let error = "nobody".parse::<Seat>().unwrap_err();
    assert!(error.contains("human") && error.contains("as in level:3"), "{error}");
}

/// An engine that cannot be started is found out before the terminal is taken over.
#[test]
fn a_missing_engine_is_an_error() {
    let seats = ["human".parse().unwrap(), "engine:./no-such-program".parse().unwrap()];
    let settings = Settings { seats, games: 1, pace: None, recorded: false };
    let start = Playthrough::new(Position::start("kalah(3,2)".parse().unwrap()));
    let theme = Theme { ascii: true, color: false };
    let failure = Board::new(settings, start, &PlayerOptions::default(), None, theme).err();
    let failure = failure.expect("no such program");
    assert!(matches!(failure, Failure::Input(_)), "{failure}");
    assert!(failure.to_string().contains("no-such-program"), "{failure}");
}

/// Tests have no terminal on standard input.
#[test]
fn a_screen_needs_a_terminal() {
    use std::io::IsTerminal;
    if !std::io::stdin().is_terminal() {
        assert_eq!(Screen::check().unwrap_err().exit_code(), 2);
    }
}
