#![no_main]
use libfuzzer_sys::fuzz_target;
use sowing_rules::{Game, Position, Setup};

fuzz_target!(|text: &str| {
    let Ok(setup) = text.parse::<Setup>() else { return };
    assert_eq!(setup.to_string().parse(), Ok(setup));
    assert_eq!(setup.kgp().to_string().parse(), Ok(setup));
    let game: Game = format!("s-kalaha({},1)", setup.board().houses()).parse().unwrap();
    let position = Position::free(game, &setup).unwrap();
    for action in position.moves() {
        assert_eq!(position.play(action).0.total(), position.total());
    }
});
