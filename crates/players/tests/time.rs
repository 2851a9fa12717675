//! Every player keeps its time, whatever the game.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use sowing_players::{EngineOptions, PlayerOptions, serve_engine};
use sowing_protocol::engine::Answer;
use sowing_rules::{Game, Position};

/// Far more than 50 ms, for busy machines, and far less than these games take without a clock.
const MOST: Duration = Duration::from_secs(100);

const PLAYERS: [&str; 7] =
    ["random", "level:1", "level:5", "level:9", "pdp:6", "pdp:99", "perfect"];

/// All kinds of rules on small boards, on wide ones, and on the largest that there are.
const GAMES: [&str; 9] = [
    "kalah(6,4)",
    "s-kalaha(6,5)",
    "kalah(6,6,clockwise)",
    "kalah(8,31,relay,pie)",
    "kalah(16,99,no-capture)",
    "s-kalaha(16,10000000000000000)",
    "kalah(16,10000000000000000,pie)",
    "kalah(16,10000000000000000,clockwise)",
    "kalah(16,10000000000000000,clockwise,relay,pie)",
];

/// Our engine in a thread of its own, as another program meets it.
struct Engine {
    requests: Sender<Vec<u8>>,
    answers: Receiver<String>,
}

struct Requests(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let length = self.1.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.1[..length]);
        self.1.drain(..length);
        Ok(length)
    }
}

/// Passes whole lines on.
struct Answers(Sender<String>, Vec<u8>);

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(bytes);
        while let Some(end) = self.1.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.1.drain(..=end).collect();
            let _ = self.0.send(String::from_utf8(line).unwrap().trim_end().to_string());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Engine {
    fn start(player: &str) -> Engine {
        let (requests, waiting) = channel();
        let (sender, answers) = channel();
        let options = EngineOptions {
            name: "Test".to_string(),
            opponent: player.parse().unwrap(),
            player: PlayerOptions { memory: 1 << 26, ..PlayerOptions::default() },
            aids: Box::new(|_| (None, None)),
        };
        std::thread::spawn(move || {
            let input = BufReader::new(Requests(waiting, Vec::new()));
            serve_engine(input, Answers(sender, Vec::new()), options)
        });
        Engine { requests, answers }
    }

    fn say(&self, lines: &str) {
        self.requests.send(lines.as_bytes().to_vec()).unwrap();
    }

    /// The answer to `go`, and whether there was an error before it; nothing if it is late.
    fn best_move(&self) -> Option<(Answer, bool)> {
        let asked = Instant::now();
        let mut error = false;
        loop {
            let line = self.answers.recv_timeout(MOST.checked_sub(asked.elapsed())?).ok()?;
            match line.parse() {
                Ok(Answer::Error(_)) => error = true,
                Ok(answer @ Answer::BestMove(_)) => return Some((answer, error)),
                _ => {}
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.say("quit\n");
    }
}

/// Whatever was thought about, a legal move comes in time, and no error.
#[test]
fn every_player_keeps_its_time() {
    let mut late = Vec::new();
    for player in PLAYERS {
        for name in GAMES {
            let engine = Engine::start(player);
            engine.say(&format!("game {name}\ngo time 50\n"));
            let Some((Answer::BestMove(Some(action)), error)) = engine.best_move() else {
                late.push(format!("{player} {name}"));
                continue;
            };
            let game: Game = name.parse().unwrap();
            assert!(Position::start(game).try_play(action).is_ok(), "{player} {name}: {action}");
            assert!(!error, "{player} {name}");
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

/// `stop` has the best move so far for an answer.
#[test]
fn every_player_moves_when_it_is_stopped() {
    for player in ["pdp:99", "perfect"] {
        let engine = Engine::start(player);
        engine.say("game kalah(6,6)\ngo\n");
        std::thread::sleep(Duration::from_millis(100));
        engine.say("stop\n");
        let answer = engine.best_move();
        assert!(matches!(answer, Some((Answer::BestMove(Some(_)), false))), "{player}: {answer:?}");
    }
}
