//! What the server answers, asked directly.

use std::time::Duration;

use serde_json::{Value, json};
use sowing_analysis::{Analysis, AnalysisOptions, Review, analyze};
use sowing_rules::{Move, Playthrough, Position};
use sowing_serve::{Config, Direct};
use sowing_solver::{Solver, SolverOptions};

fn server() -> Direct {
    Direct::new(&Config { memory: 64 << 20, threads: Some(1), ..Config::default() }).unwrap()
}

fn get(server: &Direct, path: &str) -> Value {
    let (status, body) = server.get(&format!("/api/v1/{path}")).unwrap();
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

/// The names and data of the events of a path.
fn events(server: &Direct, path: &str) -> Vec<(String, Value)> {
    let (status, body) = server.get(&format!("/api/v1/{path}")).unwrap();
    assert_eq!(status, 200, "{path}: {body}");
    let blocks = body.split("\n\n").filter_map(|block| {
        let (name, data) = block.trim_start().strip_prefix("event: ")?.split_once("\ndata: ")?;
        Some((name.to_string(), serde_json::from_str(data).unwrap()))
    });
    blocks.collect()
}

fn join(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(",")
}

/// A game of a few moves, the first legal ones from some house on.
fn some_game(game: &str, moves: usize, from: usize) -> Playthrough {
    let mut play = Playthrough::new(Position::start(game.parse().unwrap()));
    for number in 0..moves {
        let legal: Vec<Move> = play.position().moves().collect();
        if play.result().is_some() {
            break;
        }
        play.try_play(legal[(from + number) % legal.len()]).unwrap();
    }
    play
}

fn actions(play: &Playthrough) -> String {
    join(&play.plays().iter().map(|play| play.action).collect::<Vec<_>>())
}

/// What the server says of a position is what the library says of it, but for the work it took.
#[test]
fn an_analysis_is_the_library_s() {
    for game in [
        "kalah(3,2)",
        "kalah(4,2)",
        "s-kalaha(3,3)",
        "kalah(3,2,pie)",
        "kalah(3,3,clockwise)",
        "kalah(3,2,empty-capture)",
    ] {
        for moves in [0, 1, 2, 5, 40] {
            let play = some_game(game, moves, moves);
            let analysis_options =
                AnalysisOptions { turns: true, line: true, ..AnalysisOptions::default() };
            // Of several best turns, which one is told depends on what was proven before: both
            // have proven nothing.
            let (server, options) =
                (server(), SolverOptions { threads: 1, ..SolverOptions::default() });
            let mut solver = Solver::with_options(*play.position().game(), options).unwrap();
            let found = analyze(&mut solver, &play, &analysis_options, &mut |_| {}).unwrap();
            let path =
                format!("analysis?game={game}&moves={}&turns=true&line=true", actions(&play));
            let told = events(&server, &path);
            let (name, done) = told.last().unwrap();
            assert_eq!(name, "done");
            assert_eq!(said(done.clone()), said(serde_json::to_value(&found).unwrap()), "{path}");
            honest(&told, &found);
        }
    }
}

/// An analysis without what differs from run to run.
fn said(mut analysis: Value) -> Value {
    for field in ["finding", "nodes", "seconds", "source"] {
        analysis.as_object_mut().unwrap().remove(field);
    }
    analysis
}

/// What is told on the way: every event is named after its finding, the guesses come first, and the
/// value never comes without its turn.
fn honest(told: &[(String, Value)], found: &Analysis) {
    for (name, data) in told {
        assert_eq!(data["finding"], json!(name));
    }
    let finished = found.to_move.is_none();
    assert_eq!(told[0].0, if finished { "value" } else { "estimate" });
    if !finished {
        assert_eq!(told[0].1["moves"].as_array().unwrap().len(), found.moves.len());
    }
    let values: Vec<_> = told.iter().filter(|(name, _)| name == "value").collect();
    assert_eq!(values.len(), 1);
    assert_eq!(values[0].1["best"], serde_json::to_value(&found.best).unwrap());
}

#[test]
fn a_review_is_the_library_s() {
    let server = server();
    for (game, moves) in
        [("kalah(3,2)", "1,1,2"), ("kalah(3,2,pie)", "3,x,1,2"), ("kalah(3,3,clockwise)", "1,2")]
    {
        let mut play = Playthrough::new(Position::start(game.parse().unwrap()));
        for word in moves.split(',') {
            play.try_play(word.parse().unwrap()).unwrap();
        }
        let mut solver = Solver::new(game.parse().unwrap()).unwrap();
        let mut turns = Vec::new();
        let review =
            Review::from_playthrough(&play, &mut solver, |turn| turns.push(turn.clone())).unwrap();
        let told = events(&server, &format!("review?game={game}&moves={moves}"));
        let mut expected: Vec<(String, Value)> = turns
            .iter()
            .map(|turn| ("turn".to_string(), serde_json::to_value(turn).unwrap()))
            .collect();
        expected.push(("done".to_string(), serde_json::to_value(&review).unwrap()));
        assert_eq!(told, expected, "{game} {moves}");
    }
}

/// Perfect play against perfect play comes to an end, also where play can go round.
#[test]
fn perfect_games_end() {
    let server = server();
    for game in ["kalah(2,1,clockwise)", "kalah(2,2,clockwise)", "kalah(3,2,clockwise)"] {
        let mut moves: Vec<String> = Vec::new();
        loop {
            let asked = format!("game={game}&moves={}", moves.join(","));
            if get(&server, &format!("position?{asked}"))["finished"] == true {
                break;
            }
            assert!(moves.len() < 200, "{moves:?}");
            let reply = get(&server, &format!("reply?{asked}&opponent=perfect"));
            moves.push(reply["move"].as_str().unwrap().to_string());
        }
    }
}

/// A clockwise game that goes round is over when the position comes up for the third time, and all
/// paths say so.
#[test]
fn a_third_repetition_ends_the_game() {
    let server = server();
    let asked = "game=kalah(2,2,clockwise)&start=1,1,0|0,1,0&free=true";
    let played = "1,2,2,1,1,2,2,1";
    let before = get(&server, &format!("position?{asked}&moves=1,2,2,1,1,2,2"));
    assert_eq!((&before["endless"], &before["finished"]), (&json!(false), &json!(false)));
    let view = get(&server, &format!("position?{asked}&moves={played}"));
    assert_eq!((&view["endless"], &view["finished"]), (&json!(true), &json!(true)), "{view}");
    assert_eq!((&view["to_move"], &view["legal"]), (&Value::Null, &json!([])));
    let stores = |side: &str| view["board"][side]["store"].as_i64().unwrap();
    assert_eq!(view["result"]["margin"], json!(stores("south") - stores("north")));
    let told = events(&server, &format!("analysis?{asked}&moves={played}"));
    assert_eq!(told.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["value", "done"]);
    for (path, moves) in [("position", ",1"), ("analysis", ",1"), ("reply", "")] {
        let path = format!("/api/v1/{path}?{asked}&opponent=perfect&moves={played}{moves}");
        let (status, body) = server.get(&path).unwrap();
        assert_eq!(status, 400, "{path}: {body}");
        assert!(body.contains("third time") || body.contains("the game is over"), "{body}");
    }
}

/// Kept and computed figures are marked differently in the table that the page shows, cell by cell as in the report.
#[test]
fn the_table_of_a_study_says_where_a_figure_is_from() {
    let time = Duration::from_millis(1);
    let server = Direct::new(&Config { time, memory: 64 << 20, ..Config::default() }).unwrap();
    for (name, source) in [("article-4", "kept"), ("irving-2", "computed")] {
        let report = get(&server, &format!("studies/{name}"));
        let table = get(&server, &format!("studies/{name}/table"));
        let sources: Vec<&Value> =
            report["cells"].as_array().unwrap().iter().map(|cell| &cell["source"]).collect();
        let rows = table["rows"].as_array().unwrap().iter();
        let cells = rows.flat_map(|row| row["cells"].as_array().unwrap());
        let cells: Vec<&Value> = cells.filter(|cell| !cell.is_null()).collect();
        assert_eq!(cells.len(), sources.len(), "{name}");
        assert!(sources.iter().all(|one| *one == source), "{name}: {sources:?}");
        assert!(cells.iter().all(|cell| cell["source"] == source), "{name}: {table}");
        let count = &table["sources"][0];
        assert_eq!((&count["source"], &count["count"]), (&json!(source), &json!(cells.len())));
        if source == "kept" {
            let text = count["text"].as_str().unwrap();
            assert!(text.contains("kept in results/kalah_first_turns.csv"), "{text}");
        }
    }
}

#[test]
fn the_status_counts() {
    let server = Direct::new(&Config { workers: 3, memory: 1 << 26, ..Config::default() }).unwrap();
    events(&server, "analysis?game=kalah(3,2)");
    let status = get(&server, "status");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (&status["workers"]["all"], &status["memory"]["workers"]),
        (&json!(3), &json!(3 << 26))
    );
    assert_eq!(status["analyses"], json!({ "running": 0, "readers": 0, "kept": 1 }));
    assert_eq!(status["visitors"]["requests"], 2);
}
