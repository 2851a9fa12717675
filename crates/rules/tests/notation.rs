//! What is read, how it is written, and what is said of what cannot be read.

use sowing_rules::{
    Game, MAX_HOUSES, MAX_SEEDS, Numbering, Position, PositionError, Record, Rules, Setup,
    WideBoard,
};

/// Text, and its canonical form or the error.
const GAMES: &[(&str, Result<&str, &str>)] = &[
    ("kalah(6,4)", Ok("kalah(6,4)")),
    ("  Kalah ( 6 , 4 )  ", Ok("kalah(6,4)")),
    ("kalaha(6,6)", Ok("kalah(6,6)")),
    ("mancala(6,4)", Ok("kalah(6,4)")),
    ("S-Kalaha(6,3)", Ok("s-kalaha(6,3)")),
    ("avalanche(6,4)", Ok("s-kalaha(6,4)")),
    ("kalah(6,4,no-capture,relay)", Ok("s-kalaha(6,4)")),
    ("dakon(7,7)", Ok("kalah(7,7,relay)")),
    ("Dakon(6,4,pie)", Ok("kalah(6,4,relay,pie)")),
    ("dakon(6,4,no-capture)", Ok("s-kalaha(6,4)")),
    ("kalah(6,4,pie,relay)", Ok("kalah(6,4,relay,pie)")),
    ("s-kalaha(6,4,clockwise,remaining-lost)", Ok("s-kalaha(6,4,clockwise,remaining-lost)")),
    ("kalah(16,1000000000000)", Ok("kalah(16,1000000000000)")),
    ("kalah(6", Err("game \"kalah(6\" is not of the form NAME(HOUSES,SEEDS), as in kalah(6,4)")),
    (
        "kalah 6,4)",
        Err("game \"kalah 6,4)\" is not of the form NAME(HOUSES,SEEDS), as in kalah(6,4)"),
    ),
    (
        "kalah(6,4))",
        Err("game \"kalah(6,4))\" is not of the form NAME(HOUSES,SEEDS), as in kalah(6,4)"),
    ),
    ("kalah", Err("game \"kalah\" lacks its houses and seeds: write it as in kalah(6,4)")),
    ("kalah(6)", Err("game \"kalah(6)\" lacks its houses and seeds: write it as in kalah(6,4)")),
    (
        "",
        Err(
            "unknown game \"\": the games are kalah, s-kalaha, dakon, kalaha, mancala, avalanche, as in kalah(6,4)",
        ),
    ),
    (
        "oware(6,4)",
        Err(
            "unknown game \"oware\": the games are kalah, s-kalaha, dakon, kalaha, mancala, avalanche, as in kalah(6,4)",
        ),
    ),
    ("kalah(0,4)", Err("houses must be a number from 1 to 16, as in kalah(6,4), not \"0\"")),
    ("kalah(17,4)", Err("houses must be a number from 1 to 16, as in kalah(6,4), not \"17\"")),
    ("kalah(-6,4)", Err("houses must be a number from 1 to 16, as in kalah(6,4), not \"-6\"")),
    ("kalah(,4)", Err("houses must be a number from 1 to 16, as in kalah(6,4), not \"\"")),
    (
        "kalah(6,0)",
        Err("seeds must be a number from 1 to 10000000000000000, as in kalah(6,4), not \"0\""),
    ),
    (
        "kalah(6,+4)",
        Err("seeds must be a number from 1 to 10000000000000000, as in kalah(6,4), not \"+4\""),
    ),
    (
        "kalah(6,99999999999999999999999)",
        Err(
            "seeds must be a number from 1 to 10000000000000000, as in kalah(6,4), not \"99999999999999999999999\"",
        ),
    ),
    (
        "kalah(6,4,)",
        Err(
            "unknown option \"\": the options are relay, empty-capture, last-seed-capture, no-capture, clockwise, remaining-lost, pie, as in kalah(6,4,empty-capture)",
        ),
    ),
    (
        "kalah(6,4,relay,relay)",
        Err(
            "option relay is repeated or implied by the name: write it once, as in kalah(6,4,relay)",
        ),
    ),
    (
        "s-kalaha(6,4,relay)",
        Err(
            "option relay is repeated or implied by the name: write it once, as in kalah(6,4,relay)",
        ),
    ),
    (
        "kalah(6,4,no-capture,empty-capture)",
        Err(
            "options no-capture and empty-capture exclude each other: keep one, as in kalah(6,4,empty-capture)",
        ),
    ),
];

#[test]
fn games() {
    for (text, expected) in GAMES {
        let read = text.parse::<Game>().map(|game| game.to_string());
        assert_eq!(
            read.as_deref().map_err(|error| error.to_string()),
            expected.map_err(String::from),
            "{text}"
        );
    }
}

#[test]
fn families() {
    assert_eq!("kalah".parse(), Ok(Rules::KALAH));
    assert_eq!("S-Kalaha".parse(), Ok(Rules::S_KALAHA));
    assert_eq!("dakon".parse(), Ok(Rules::DAKON));
    let relay: Rules = "kalah(relay,pie)".parse().unwrap();
    assert_eq!(relay.to_string(), "kalah(relay,pie)");
    assert!("kalah(6,4)".parse::<Rules>().is_err());
}

const SETUPS: &[(&str, Result<&str, &str>)] = &[
    ("0,0,2,1|1,1,1,0", Ok("0,0,2,1|1,1,1,0")),
    (" ( 0 , 0,2, 1 | 1,1 ,1,0 ) ", Ok("0,0,2,1|1,1,1,0")),
    ("<3,1,0,0,0,2,1,1,1>", Ok("0,0,2,1|1,1,1,0")),
    ("0,0,2,1", Err("a position has one bar between the two players' pits, as in 0,0,2,1|1,1,1,0")),
    (
        "0,0|0,0|0,0",
        Err("a position has one bar between the two players' pits, as in 0,0,2,1|1,1,1,0"),
    ),
    (
        "(0,0|0,0",
        Err("a position has one bar between the two players' pits, as in 0,0,2,1|1,1,1,0"),
    ),
    (
        "0,0,-2,1|1,1,1,0",
        Err("pit 3 of the mover holds \"-2\", not a number of seeds, as in 0,0,2,1|1,1,1,0"),
    ),
    (
        "0,0,2,1|1,1,,0",
        Err("pit 3 of the opponent holds \"\", not a number of seeds, as in 0,0,2,1|1,1,1,0"),
    ),
    (
        "0,0,2,99999999999999999999999999|1,1,1,0",
        Err(
            "pit 4 of the mover holds \"99999999999999999999999999\", not a number of seeds, as in 0,0,2,1|1,1,1,0",
        ),
    ),
    (
        "0,0,2,18446744073709551615|1,1,18446744073709551615,0",
        Err("a position holds at most 320000000000000000 seeds, not 36893488147419103234"),
    ),
    (
        "0,2,1|1,1,1,0",
        Err("the mover has 3 pits and the opponent 4: both need the same, as in 0,0,2,1|1,1,1,0"),
    ),
    ("1|1", Err("a player has 1 to 16 houses and a store, as in 0,0,2,1|1,1,1,0, not 1 pits")),
    (
        "<3,1,0,0,0,2,1,1>",
        Err(
            "a KGP literal is <houses,store,store,houses...,houses...>, as in <3,1,0,0,0,2,1,1,1>, not \"<3,1,0,0,0,2,1,1>\"",
        ),
    ),
    (
        "<99999999999,1",
        Err(
            "a KGP literal is <houses,store,store,houses...,houses...>, as in <3,1,0,0,0,2,1,1,1>, not \"<99999999999,1\"",
        ),
    ),
];

#[test]
fn setups() {
    for (text, expected) in SETUPS {
        let read = text.parse::<Setup>().map(|setup| setup.to_string());
        assert_eq!(
            read.as_deref().map_err(|error| error.to_string()),
            expected.map_err(String::from),
            "{text}"
        );
    }
    let seventeen = vec!["1"; 18].join(",");
    assert!(format!("{seventeen}|{seventeen}").parse::<Setup>().is_err());
}

#[test]
fn positions_must_belong_to_their_game() {
    let game: Game = "s-kalaha(3,1)".parse().unwrap();
    let read = |text: &str| Position::new(game, &text.parse().unwrap()).map_err(|e| e.to_string());
    assert!(read("0,0,2,1|1,1,1,0").is_ok());
    assert_eq!(
        read("0,0,2,1|1,1,1,1").unwrap_err(),
        "s-kalaha(3,1) has 6 seeds in all, the position 7: the start is 1,1,1,0|1,1,1,0"
    );
    assert_eq!(
        read("0,2,1|1,1,0").unwrap_err(),
        "s-kalaha(3,1) has 3 houses per row, the position 2: the start is 1,1,1,0|1,1,1,0"
    );
    let free = Position::free(game, &"0,0,2,1|1,1,1,9".parse().unwrap()).unwrap();
    assert_eq!(free.total(), 15);
    let finished = read("0,0,0,3|1,1,1,0").unwrap();
    assert!(finished.is_finished());
    assert_eq!(finished.margin(), Some(0));
    assert_eq!(finished.moves().count(), 0);
}

/// A game, a record, and the result of replaying it or the error.
const RECORDS: &[(&str, &str, Result<&str, &str>)] = &[
    ("s-kalaha(2,1)", "1,2\n", Ok("unfinished")),
    ("kalah(6,3)", "41", Ok("unfinished")),
    ("kalah(6,3)", "4.1,", Ok("unfinished")),
    ("kalah(6,3)", "# south: Ada\n\n4.\n1,", Ok("unfinished")),
    ("kalah(12,1)", "12. 11, 2", Ok("unfinished")),
    ("kalah(2,2,empty-capture,pie)", "2,x2", Ok("unfinished")),
    ("kalah(2,2,empty-capture,pie)", "2,swap 2", Ok("unfinished")),
    (
        "kalah(6,3)",
        "7",
        Err(
            "line 1: \"7\" is not a house of kalah(6,3) in the numbering houses, which has 1 to 6, as in 36,2",
        ),
    ),
    (
        "kalah(6,3)",
        "0",
        Err(
            "line 1: \"0\" is not a house of kalah(6,3) in the numbering houses, which has 1 to 6, as in 36,2",
        ),
    ),
    (
        "kalah(6,3)",
        "4.1,\nq",
        Err(
            "line 2: \"q\" is not a house of kalah(6,3) in the numbering houses, which has 1 to 6, as in 36,2",
        ),
    ),
    (
        "kalah(6,3)",
        "-4",
        Err(
            "line 1: \"-4\" is not a house of kalah(6,3) in the numbering houses, which has 1 to 6, as in 36,2",
        ),
    ),
    (
        "kalah(12,1)",
        "123456789012345678901234567890",
        Err(
            "line 1: \"12345678901234567890\" is not a house of kalah(12,1) in the numbering houses, which has 1 to 12, as in 36,2",
        ),
    ),
    ("kalah(6,3)", ",", Err("line 1: ',' has no move before it, as it has in 36,2")),
    ("kalah(6,3)", "4..", Err("line 1: '.' has no move before it, as it has in 36,2")),
    ("kalah(6,3)", "44", Err("move 2 (4) by South: house 4 is empty")),
    (
        "kalah(6,3)",
        "4,1",
        Err(
            "move 1 (4) by South is followed by \",\" (the lower player's turn is over), but \".\" (landed in the store) belongs there",
        ),
    ),
    (
        "kalah(6,3)",
        "1\n2",
        Err(
            "move 1 (1) by South is followed by a new line (the upper player's turn is over), but \",\" (the lower player's turn is over) belongs there",
        ),
    ),
    (
        "kalah(6,3)",
        "x",
        Err(
            "move 1 (x) by South: a swap is possible only with the option pie, right after the first turn",
        ),
    ),
    ("kalah(1,1)", "1.1", Err("move 2 (1) by South: the game is over")),
    (
        "kalah(6,3)",
        "# game kalah(6,3)\n1",
        Err(
            "line 1: a header is written as # key: value, as in # game: kalah(6,4), not \"# game kalah(6,3)\"",
        ),
    ),
    (
        "kalah(6,3)",
        "# game: kalah(6,4)\n1",
        Err("the record's header says kalah(6,4), not kalah(6,3)"),
    ),
    (
        "kalah(6,3)",
        "# game: kalah(6)\n1",
        Err("header game: game \"kalah(6)\" lacks its houses and seeds: write it as in kalah(6,4)"),
    ),
    ("kalah(6,3)", "# a: b\n# a: c\n1", Err("line 2: header \"a\" is given twice")),
    (
        "kalah(6,3)",
        "# numbering: roman\n1",
        Err(
            "header numbering: unknown numbering \"roman\": the numberings are houses, bins and pdp",
        ),
    ),
    (
        "kalah(1,1)",
        "# start: 1,0|1\n1",
        Err(
            "header start: the mover has 2 pits and the opponent 1: both need the same, as in 0,0,2,1|1,1,1,0",
        ),
    ),
    ("kalah(1,1)", "# start: 1,0|1,1\n1", Ok("North wins by 1")),
    (
        "kalah(1,1)",
        "# result: North wins by 3\n1",
        Err("header result says \"North wins by 3\", but the game's result is \"draw\""),
    ),
    ("kalah(1,1)", "# result: draw\n1", Ok("draw")),
    ("kalah(1,2)", "", Ok("unfinished")),
];

#[test]
fn records() {
    for (game, text, expected) in RECORDS {
        let game: Game = game.parse().unwrap();
        let replayed = Record::read(text, Some(game), Numbering::Houses)
            .map_err(|error| error.to_string())
            .and_then(|record| record.replay().map_err(|error| error.to_string()));
        let result = replayed.map(|play| match play.result() {
            Some(outcome) => outcome.to_string(),
            None => "unfinished".to_string(),
        });
        assert_eq!(result, expected.map(String::from).map_err(String::from), "{game} {text:?}");
    }
    assert_eq!(
        "12".parse::<Record>().unwrap_err().to_string(),
        "the record names no game: start it with a line such as # game: kalah(6,4)"
    );
}

#[test]
fn a_record_in_three_numberings() {
    let game: Game = "kalah(6,3)".parse().unwrap();
    let record = Record::read("4.1,6", Some(game), Numbering::Houses).unwrap();
    let play = record.replay().unwrap();
    let text = |numbering| Record::from_playthrough(&play).with_numbering(numbering).to_string();
    let head = "# game: kalah(6,3)\n";
    let tail = "# result: unfinished\n";
    assert_eq!(text(Numbering::Houses), format!("{head}{tail}4.1,6\n"));
    assert_eq!(text(Numbering::Bins), format!("{head}# numbering: bins\n{tail}4. 1, 13\n"));
    assert_eq!(text(Numbering::Pdp), format!("{head}# numbering: pdp\n{tail}3.6,1\n"));
}

/// Boards that no text describes, since they have more seeds than any game.
#[test]
fn positions_beyond_all_games_are_refused() {
    let game: Game = "kalah(1,1)".parse().unwrap();
    let board = |own: u64, store: u64| Setup::from(WideBoard::new(&[own], store, &[1], 0));
    let most = 2 * u64::from(MAX_HOUSES) * MAX_SEEDS;
    assert!(Position::free(game, &board(most - 1, 0)).is_ok());
    for setup in [board(most, 0), board(u64::MAX, u64::MAX)] {
        let error = Position::free(game, &setup).unwrap_err();
        assert!(matches!(error, PositionError::Seeds(_)), "{error}");
    }
}

/// Good and bad moves and words about them are read and written, wherever a turn ends.
#[test]
fn notes_of_a_record() {
    let text = "# game: kalah(6,4)\n{a start} 3!.6?, {well seen} 2\n{and so on} 5,\n";
    let record: Record = text.parse().unwrap();
    let notes: Vec<_> =
        record.notes().map(|(ply, note)| (ply, note.glyph, note.comment.as_str())).collect();
    let expected = [
        (0, None, "a start"),
        (1, Some('!'), ""),
        (2, Some('?'), "well seen"),
        (3, None, "and so on"),
    ];
    assert_eq!(notes, expected);
    assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
    let plain: Record = "# game: kalah(6,4)\n{} 3.6,2 { }\n5,".parse().unwrap();
    assert_eq!(plain.notes().count(), 0);
    assert_eq!(plain.moves(), record.moves());
    let open = "# game: kalah(6,4)\n3 {no end".parse::<Record>().unwrap_err().to_string();
    assert_eq!(open, "line 2: a comment stands in braces on one line, as in 36, {well seen} 2");
}
