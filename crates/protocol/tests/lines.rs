//! Lines are read and written alike, and what is no line is refused in one line.

use proptest::prelude::*;
use sowing_protocol::engine::{Answer, Request};
use sowing_protocol::kgp::{Argument, Command, Line, LineError, MAX_LINE, Mode};

/// A line as it is written when it was read.
fn again(text: &str) -> String {
    text.parse::<Line>().unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

#[test]
fn lines_of_the_specification() {
    for line in [
        "kgp 1 0 1",
        "mode freeplay",
        "4 state <3,0,0,3,3,3,3,3,3>",
        "@4 move 1",
        "6@4 stop",
        "@8 yield",
        "set info:name \"a b\"",
        "7 set auth:token \"\"",
        "@2 eval -0.125",
        "2 problem <3,0,0,3,3,3,3,3,3> 2",
        "3@2 solution <3,1,0,3,3,0,4,4,3> false",
        "error \"Unsupported mode %q\" \"eval\"",
        "goodbye",
        "set key -",
        "set key a:b-c",
        "18446744073709551615@0 ok",
    ] {
        assert_eq!(again(line), line);
    }
    // Other ways to write the same.
    for (text, right) in [
        ("  kgp \t 1  0 1 \r\n", "kgp 1 0 1"),
        ("+5 x", ""),
        ("@4 eval +.5", "@4 eval 0.5"),
        ("eval 000.50", "eval 0.5"),
        ("move +3", "move 3"),
        ("set k \"tab\there\"", "set k \"tab\\there\""),
        ("set k \"\\a\\\\\"", "set k \"a\\\\\""),
        ("state < 1 , 0 , 0 , 4 , 4 >", "state <1,0,0,4,4>"),
    ] {
        match right {
            "" => assert!(text.parse::<Line>().is_err(), "{text}"),
            right => assert_eq!(again(text), right),
        }
    }
}

#[test]
fn no_lines() {
    for text in [
        "",
        " ",
        "4",
        "@4",
        "4@",
        "4@x move 1",
        "@@4 move 1",
        "mo-ve 1",
        "move 1\u{7}",
        "move \"1",
        "move \"1\"2",
        "state <3,0,0>",
        "state <3,0,0,3,3,3,3,3,3>x",
        "state <17",
        "eval 5.",
        "eval .",
        "move ä",
        "set a\nb 1",
    ] {
        let error = text.parse::<Line>().unwrap_err().to_string();
        assert!(!error.contains(char::is_control) && error.len() < 400, "{error:?}");
    }
    let long = format!("set k \"{}\"", "x".repeat(MAX_LINE));
    assert_eq!(long.parse::<Line>(), Err(LineError::Long(MAX_LINE + 8)));
    let endless = "9".repeat(400);
    assert!(format!("eval {endless}.0").parse::<Line>().is_err(), "it is infinite");
}

#[test]
fn commands() {
    let command = |text: &str| text.parse::<Command>();
    assert_eq!(command("kgp 1 0 1"), Ok(Command::Kgp { major: 1, minor: 0, patch: 1 }));
    assert_eq!(command("ok \"fine\""), Ok(Command::Ok));
    let why = Command::Error("Unsupported mode %q eval".to_string());
    assert_eq!(command("error \"Unsupported mode %q\" \"eval\""), Ok(why));
    let set = Command::Set { key: "time:clock".to_string(), value: Argument::Integer(5) };
    assert_eq!(command("set time:clock 5"), Ok(set));
    for (text, repeat) in [("true", true), ("T", true), ("yes", true), ("1", true), ("-2", true)]
        .into_iter()
        .chain([("false", false), ("f", false), ("NO", false), ("0", false)])
    {
        let Ok(Command::Solution { repeat: read, .. }) =
            command(&format!("solution <1,0,0,4,4> {text}"))
        else {
            panic!("{text}")
        };
        assert_eq!(read, repeat);
    }
    assert_eq!(command("eval 3"), Ok(Command::Eval(3.0)));
    for bad in [
        "kgp 1 0",
        "kgp 1 0 x",
        "mode",
        "mode \"freeplay\"",
        "set info:name",
        "state 3",
        "move",
        "move -1",
        "move 1 2",
        "move x",
        "yield 3",
        "eval",
        "eval 1e5",
        "eval nan",
        "problem 1",
        "solution <1,0,0,4,4>",
        "solution <1,0,0,4,4> perhaps",
    ] {
        assert!(matches!(command(bad), Err(LineError::Arguments { .. })), "{bad}");
    }
    let error = command("nonsense").unwrap_err().to_string();
    assert!(error.starts_with("unknown command \"nonsense\": the commands are kgp, "), "{error}");
    for known in error.split_once("are ").unwrap().1.replace(" and ", ", ").split(", ") {
        let unknown = matches!(command(known), Err(LineError::UnknownCommand { .. }));
        assert!(!unknown, "{known}");
    }
    for mode in Mode::ALL {
        assert_eq!(mode.to_string().parse(), Ok(mode));
    }
    assert!("simple".parse::<Mode>().is_err());
}

#[test]
fn requests_and_answers() {
    for line in [
        "sow",
        "isready",
        "game kalah(6,4)",
        "position start",
        "position start moves 3 6 swap",
        "position 0,0,2,1|1,1,1,0 moves 3",
        "go",
        "go time 500",
        "go time 500 nodes 10",
        "go exact",
        "eval",
        "eval time 5",
        "stop",
        "quit",
    ] {
        assert_eq!(line.parse::<Request>().unwrap().to_string(), line);
    }
    for line in [
        "id name Ada 1.0",
        "sowok",
        "readyok",
        "bestmove 3",
        "bestmove none",
        "bestmove swap",
        "info",
        "info estimate 4 nodes 0 time 1",
        "info value -6 turn 2-4 nodes 7 time 0",
        "info move 3 bounds -2 8",
        "eval value 6",
        "eval bounds -1 1",
        "error no such thing",
    ] {
        assert_eq!(line.parse::<Answer>().unwrap().to_string(), line);
    }
    for bad in [
        "",
        "x",
        "sow now",
        "game",
        "game kalah",
        "position",
        "position here",
        "go time",
        "position start 3",
        "position start moves 17",
        "go time -5",
        "go time 5 time 6",
        "go time 99999999999999999999",
        "go fast",
        "go exact time 5",
        "stop it",
        "eval exactly",
    ] {
        let error = bad.parse::<Request>().unwrap_err().to_string();
        assert!(!error.contains(char::is_control) && error.len() < 300, "{error:?}");
    }
    for bad in [
        "",
        "x",
        "id",
        "id name",
        "bestmove",
        "bestmove 0",
        "bestmove 3 4",
        "info value",
        "info value x",
        "info bounds 3",
        "info bounds 3 1",
        "info value 1 value 2",
        "eval",
        "info nodes -1",
        "info turn",
        "info turn 1-",
        "info turn 1 turn 2",
        "eval 6",
        "eval value 6 nodes 3",
        "info move 3 move 3",
    ] {
        assert!(bad.parse::<Answer>().is_err(), "{bad}");
    }
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        any::<i64>().prop_map(Argument::Integer),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Argument::Real),
        "[a-zA-Z:][a-zA-Z0-9:-]{0,8}".prop_map(Argument::Word),
        "[ -~\n\tä]{0,20}".prop_map(Argument::Text),
        proptest::collection::vec(0u64..99, 8).prop_map(|seeds| {
            let board = sowing_rules::WideBoard::new(&seeds[..3], seeds[6], &seeds[3..6], seeds[7]);
            Argument::Board(board.into())
        }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        id in any::<Option<u64>>(),
        reference in any::<Option<u64>>(),
        name in "[a-zA-Z][a-zA-Z0-9]{0,9}",
        arguments in proptest::collection::vec(argument(), 0..4),
    ) {
        let line = Line { id, reference, name, arguments };
        prop_assert_eq!(line.to_string().parse::<Line>(), Ok(line));
    }

    #[test]
    fn whatever_is_read_is_written_alike(text in "[0-9@]{0,3} ?[a-z]{0,6}( [<>0-9,\"a-z:+.-]{0,9}){0,3}") {
        if let Ok(line) = text.parse::<Line>() {
            prop_assert_eq!(line.to_string().parse::<Line>(), Ok(line));
        }
    }
}
