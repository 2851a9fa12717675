//! One analysis, one form: what the command, the API and the library say of a position is the same.
#![cfg(feature = "serve")]

use std::collections::HashSet;
use std::process::Command;

use serde_json::Value;
use sowing_analysis::{AnalysisOptions, analyze};
use sowing_rules::{Game, Move, Playthrough, Position, SeededRng};
use sowing_serve::{Config, Direct};
use sowing_solver::{Solver, SolverOptions};

const GAMES: [&str; 10] = [
    "kalah(3,2)",
    "kalah(4,3)",
    "kalah(6,1)",
    "kalah(3,4,empty-capture)",
    "kalah(4,2,no-capture)",
    "kalah(3,3,last-seed-capture)",
    "kalah(3,3,remaining-lost)",
    "kalah(3,3,clockwise)",
    "s-kalaha(3,3)",
    "s-kalaha(4,2)",
];

/// Twenty positions that random play from the start comes through, each once.
fn positions(game: Game) -> Vec<Position> {
    let mut random = SeededRng::new(7, 0);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    while found.len() < 20 {
        let mut play = Playthrough::new(Position::start(game));
        for _ in 0..random.below(12) {
            let moves: Vec<Move> = play.position().moves().collect();
            let Some(count) = (moves.len() as u64).checked_sub(1) else { break };
            play.try_play(moves[random.below(count + 1) as usize]).unwrap();
        }
        let position = *play.position();
        if seen.insert(position.to_string()) {
            found.push(position);
        }
    }
    found
}

/// All but what differs from run to run: the work it took. Of several best turns, which one is told
/// depends on what was proven before, so everybody starts with nothing.
fn said(text: &str) -> Value {
    let mut analysis: Value = serde_json::from_str(text).unwrap();
    for field in ["finding", "nodes", "seconds", "source"] {
        analysis.as_object_mut().unwrap().remove(field);
    }
    analysis
}

fn of_command(game: &str, position: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_sow"))
        .env("SOW_DATA", "/nonexistent")
        .args(["solve", game, position, "--json", "--turns", "--line"])
        .args(["--threads", "1", "--memory", "64M", "--no-book"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    said(&String::from_utf8(output.stdout).unwrap())
}

fn of_api(game: &str, position: &str) -> Value {
    let config = Config { memory: 64 << 20, threads: Some(1), books: false, ..Config::default() };
    let server = Direct::new(&config).unwrap();
    let path = format!("/api/v1/analysis?game={game}&start={position}&turns=true&line=true");
    let (status, body) = server.get(&path).unwrap();
    assert_eq!(status, 200, "{path}: {body}");
    let done = body.rsplit_once("event: done\ndata: ").unwrap().1;
    said(done.trim_end())
}

fn of_library(position: Position) -> Value {
    let options = SolverOptions { threads: 1, memory: 64 << 20, ..SolverOptions::default() };
    let mut solver = Solver::with_options(*position.game(), options).unwrap();
    let options = AnalysisOptions { turns: true, line: true, ..AnalysisOptions::default() };
    let found = analyze(&mut solver, &Playthrough::new(position), &options, &mut |_| {}).unwrap();
    said(&serde_json::to_string(&found).unwrap())
}

#[test]
fn command_api_and_library_say_the_same() {
    let mut compared = 0;
    for game in GAMES {
        for position in positions(game.parse().unwrap()) {
            let text = position.to_string();
            let library = of_library(position);
            assert_eq!(of_command(game, &text), library, "{game} {text}");
            assert_eq!(of_api(game, &text), library, "{game} {text}");
            compared += 1;
        }
    }
    assert_eq!(compared, 200);
}
