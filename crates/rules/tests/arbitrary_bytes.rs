//! No text makes a parser panic. The fuzz targets in `fuzz/` do the same without end.

use proptest::prelude::*;
use sowing_rules::{
    Bounds, Ending, Family, Game, House, Move, Numbering, Outcome, Pit, Position, Record,
    RuleOption, Rules, Setup, Side,
};

/// Bytes that look like what the parsers read, mixed with any others.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[0-9,|<>().#: \n\\-x]{1,6}",
        2 => "kalah|s-kalaha|relay|own 3|store|South wins by |draw|kalah\\(6,\\.\\)|pie|clockwise|# game: kalah\\(6,4\\)\n|# start: |# numbering: bins\n",
        1 => any::<String>(),
        1 => proptest::collection::vec(any::<u8>(), 0..8)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_parser_panics(text in text()) {
        macro_rules! round_trip {
            ($($type:ty),*) => {$(
                if let Ok(value) = text.parse::<$type>() {
                    prop_assert_eq!(value.to_string().parse(), Ok(value));
                }
            )*};
        }
        round_trip!(
            Bounds, Ending, Family, Game, House, Move, Numbering, Outcome, Pit, RuleOption, Rules, Setup, Side
        );
        for game in ["kalah(6,4)", "s-kalaha(12,3,pie)", "kalah(1,1,clockwise)"] {
            let game: Game = game.parse().unwrap();
            if let Ok(setup) = text.parse::<Setup>() {
                let _ = Position::new(game, &setup).map(|position| position.margin());
            }
            for numbering in Numbering::ALL {
                if let Ok(record) = Record::read(&text, Some(game), numbering) {
                    let written = record.to_string();
                    prop_assert_eq!(&written.parse::<Record>().unwrap().to_string(), &written);
                    let _ = record.replay();
                }
            }
        }
    }
}
