//! The responses of the routes that take a query alone.

use serde_json::{Value, json};
use sowing_api::{ApiError, ROUTES, Route};

fn ask(path: &str, query: &str) -> Result<Value, ApiError> {
    let Some(Route::Direct(answer)) = Route::find(path) else { panic!("{path}") };
    Ok(serde_json::from_str(answer(query)?.body()).unwrap())
}

#[test]
fn paths_are_found() {
    for (path, route) in ROUTES {
        assert_eq!(format!("{:?}", Route::find(path).unwrap()), format!("{route:?}"), "{path}");
    }
    assert!(Route::find("nothing").is_none());
}

/// The motions of a turn are those of its moves, one after the other.
#[test]
fn the_motions_of_a_turn_come_in_one_response() {
    let game = "game=kalah(6,4)";
    let (turn, mut one_by_one) = (["3", "6"], Vec::new());
    for moves in 1..=turn.len() {
        let view = ask("position", &format!("{game}&moves={}", turn[..moves].join(","))).unwrap();
        one_by_one.extend(view["motions"].as_array().unwrap().clone());
    }
    let all = ask("motions", &format!("{game}&next={}", turn.join(","))).unwrap();
    assert_eq!(all["motions"], json!(one_by_one));
}

/// The moves that can be played are counted from the first of `next`.
#[test]
fn illegal_next_moves_are_refused() {
    let error = ask("motions", "game=kalah(6,4)&moves=3,6&next=1,9").unwrap_err();
    assert_eq!(error.status(), 400);
    let body = serde_json::to_value(error.body()).unwrap();
    assert_eq!(body["error"]["legal"], 1, "{body}");
}

/// More than 2,000 motions are not listed, in one move or in several.
#[test]
fn long_motions_are_left_out() {
    let row = format!("{}1500,0", "0,".repeat(15));
    let query = format!("game=kalah(16,99)&free=true&start={row}|{row}");
    let one = ask("motions", &format!("{query}&next=16")).unwrap();
    assert_eq!(one["motions"].as_array().unwrap().len(), 1501);
    let two = ask("motions", &format!("{query}&next=16,16")).unwrap();
    assert_eq!(two, json!({ "motions": null }));
}

/// After a pass the other side moves on the same board: the threat of a position.
#[test]
fn a_pass_shows_the_threat() {
    for query in
        ["game=kalah(6,4)&moves=1", "game=kalah(6,4,pie)&moves=1", "game=kalah(6,4)&first=north"]
    {
        let (view, passed) = (
            ask("position", query).unwrap(),
            ask("position", &format!("{query}&pass=true")).unwrap(),
        );
        assert_eq!(view["board"], passed["board"], "{query}");
        assert_ne!(view["to_move"], passed["to_move"], "{query}");
        assert!(passed["legal"].as_array().unwrap().iter().all(|legal| legal["move"] != "swap"));
        let (moves, swapped) = (&passed["last"], &passed["swapped"]);
        assert_eq!((moves, swapped), (&Value::Null, &json!(false)), "{query}");
    }
    let error = ask("position", "game=kalah(1,1)&moves=1&pass=true").unwrap_err();
    assert_eq!(error.status(), 400);
}

/// The last move of a position is the last of its record.
#[test]
fn the_last_move_ends_the_record() {
    let query = "game=kalah(6,4)&moves=3,6,1";
    let (view, record) = (ask("position", query).unwrap(), ask("record", query).unwrap());
    assert_eq!(view["last"], record["moves"][2]);
    let turns: Vec<&Value> =
        record["moves"].as_array().unwrap().iter().map(|one| &one["turn"]).collect();
    assert_eq!(turns, [&json!(1), &json!(1), &json!(2)]);
    assert_eq!(view["last"]["side"], "north");
    assert_eq!(ask("position", "game=kalah(6,4)").unwrap()["last"], Value::Null);
}

/// A position has a bounded size however many moves led to it; the record has one entry per move.
#[test]
fn a_position_does_not_grow_with_the_game() {
    let (mut moves, mut sizes) = (Vec::<String>::new(), Vec::new());
    while moves.len() < 100 {
        let query = format!("game=kalah(8,8)&moves={}", moves.join(","));
        let view = ask("position", &query).unwrap();
        sizes.push(view.to_string().len());
        let legal = view["legal"].as_array().unwrap();
        moves.push(legal[moves.len() % legal.len()]["move"].as_str().unwrap().to_string());
    }
    let size = |from: usize| sizes[from..from + 20].iter().max().unwrap();
    assert!(*size(80) < 2 * size(0), "{sizes:?}");
    let record = ask("record", &format!("game=kalah(8,8)&moves={}", moves.join(","))).unwrap();
    assert_eq!(record["moves"].as_array().unwrap().len(), 100);
}
