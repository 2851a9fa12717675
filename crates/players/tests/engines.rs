//! The engine side of the protocol, and external engines.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sowing_players::{EngineOptions, Opponent, PlayerOptions, serve_engine};
use sowing_protocol::engine::{Answer, Evaluation, Info};
use sowing_rules::{Bounds, Game, Playthrough, Position};

fn options(opponent: &str) -> EngineOptions {
    EngineOptions {
        name: "Test".to_string(),
        opponent: opponent.parse().unwrap(),
        player: PlayerOptions { memory: 1 << 26, ..PlayerOptions::default() },
        aids: Box::new(|_| (None, None)),
    }
}

/// The answers of our engine to these lines, sent at once.
fn answers(opponent: &str, requests: &str) -> Vec<String> {
    let output = Shared::default();
    serve_engine(requests.as_bytes(), output.clone(), options(opponent)).unwrap();
    output.lines()
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        text.lines().map(str::to_string).collect()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_session() {
    let lines =
        answers("perfect", "sow\nisready\ngame kalah(4,3)\nposition start moves 2\ngo exact\n");
    assert_eq!(lines[..3], ["id name Test", "sowok", "readyok"]);
    assert_eq!(lines.last().unwrap(), "bestmove 4");
    let mut infos = Vec::new();
    for line in &lines[3..lines.len() - 1] {
        let Ok(Answer::Info(info)) = line.parse() else { panic!("{line}") };
        infos.push(info);
    }
    // An estimate first, then proven bounds of the position, with its turn, and of every move.
    assert!(matches!(infos[0].known, Some(Evaluation::Estimate(_))), "{lines:?}");
    let value = infos.iter().find(|info| {
        info.known == Some(Evaluation::Proven(Bounds::exact(6))) && !info.turn.is_empty()
    });
    assert_eq!(sowing_rules::turn_text(&value.unwrap().turn), "4");
    let moves = infos.iter().filter_map(|info| {
        matches!(info.known, Some(Evaluation::Proven(bounds)) if bounds.value().is_some())
            .then_some(info.action)
            .flatten()
    });
    assert_eq!(moves.collect::<std::collections::HashSet<_>>().len(), 3, "{lines:?}");
}

/// Bounds only tighten.
#[test]
fn bounds_only_tighten() {
    let lines = answers("perfect", "game kalah(5,3)\ngo exact\n");
    let mut known = (i64::MIN, i64::MAX);
    for line in &lines[..lines.len() - 1] {
        let Ok(Answer::Info(Info { action: None, known: Some(evaluation), .. })) = line.parse()
        else {
            continue;
        };
        let (low, high) = match evaluation {
            Evaluation::Proven(Bounds { low, high }) => (low, high),
            Evaluation::Estimate(_) => continue,
        };
        assert!(known.0 <= low && low <= high && high <= known.1, "{lines:?}");
        known = (low, high);
    }
    assert_eq!(known, (6, 6), "{lines:?}");
}

#[test]
fn errors_and_finished_games() {
    for (requests, right) in [
        ("go fast\n", "error go is written as in"),
        ("\n\nmove 3\n", "error unknown word \"move\""),
        ("game chess\n", "error unknown game"),
        ("position start moves 9\n", "error move 1, 9: there is no house 9"),
        ("position 1,0|0,1\n", "error kalah(6,4) has 6 houses per row, the position 1"),
        ("game kalah(2,1)\nposition 0,0,3|1,0,0\ngo\n", "bestmove none"),
        ("game kalah(2,1)\nposition 0,0,3|1,0,0\neval\n", "eval value 2"),
        ("game kalah(3,2)\neval\n", "eval value "),
        ("game kalah(6,4)\neval time 1\n", "eval "),
        ("game kalah(6,4,pie)\nposition start moves 1\ngo time 50\n", "info "),
        ("\u{7}\u{fffd}\n", "error unknown word"),
    ] {
        let lines = answers("perfect", requests);
        assert!(!lines.is_empty() && lines[0].starts_with(right), "{requests}: {lines:?}");
        assert!(lines.iter().all(|line| !line.contains(char::is_control)), "{lines:?}");
    }
    let long = format!("position start moves {}\nisready\n", "1 ".repeat(200_000));
    let lines = answers("perfect", &long);
    assert!(lines[0].starts_with("error a line has at most"), "{}", lines[0]);
    assert_eq!(lines[1..], ["readyok"]);
}

/// Limits hold, and a move comes in any case, a legal one.
#[test]
fn limits() {
    let games = [
        "kalah(6,6)",
        "kalah(12,10)",
        "s-kalaha(8,9)",
        "kalah(6,4,clockwise)",
        "kalah(16,9999999)",
    ];
    for name in games {
        let game: Game = name.parse().unwrap();
        for limit in ["go time 300", "go nodes 1000", "go time 0"] {
            let start = Instant::now();
            let lines = answers("perfect", &format!("game {name}\n{limit}\n"));
            let Ok(Answer::BestMove(Some(action))) = lines.last().unwrap().parse() else {
                panic!("{name} {limit}: {lines:?}")
            };
            assert!(Position::start(game).try_play(action).is_ok(), "{name} {limit}");
            // Far more than it takes, for busy machines.
            assert!(start.elapsed() < Duration::from_secs(200), "{name} {limit}");
        }
    }
}

/// Our opponents as engines play as they do anywhere else.
#[test]
fn opponents_are_engines_too() {
    let game: Game = "kalah(4,3)".parse().unwrap();
    for name in ["random", "level:4", "pdp:3"] {
        let opponent: Opponent = name.parse().unwrap();
        let options = PlayerOptions { memory: 1 << 26, ..PlayerOptions::default() };
        let mut player = sowing_players::Player::new(opponent, game, options).unwrap();
        let mut play = Playthrough::new(Position::start(game));
        for _ in 0..6 {
            let action = player.choose(&play).unwrap();
            let moves: Vec<String> =
                play.plays().iter().map(|play| play.action.to_string()).collect();
            let moves = if moves.is_empty() {
                String::new()
            } else {
                format!(" moves {}", moves.join(" "))
            };
            let lines =
                answers(name, &format!("game kalah(4,3)\nposition start{moves}\ngo time 1000\n"));
            assert_eq!(lines, [format!("bestmove {action}")], "{name} after{moves}");
            play.try_play(action).unwrap();
            if play.result().is_some() {
                break;
            }
        }
    }
}

/// Lines that are sent one after the other, as a program would.
struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
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

fn wait_for(output: &Shared, wanted: &str) {
    let start = Instant::now();
    while !output.lines().iter().any(|line| line.starts_with(wanted)) {
        assert!(start.elapsed() < Duration::from_secs(300), "no {wanted}: {:?}", output.lines());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn it_is_stopped_and_asked_again() {
    let (sender, receiver): (Sender<Vec<u8>>, _) = channel();
    let output = Shared::default();
    let theirs = output.clone();
    let engine = std::thread::spawn(move || {
        serve_engine(BufReader::new(Pipe(receiver, Vec::new())), theirs, options("perfect"))
    });
    let say = |text: &str| sender.send(text.as_bytes().to_vec()).unwrap();
    say("game kalah(6,6)\ngo exact\n");
    wait_for(&output, "info estimate");
    say("isready\ngo\n");
    wait_for(&output, "readyok");
    wait_for(&output, "error a search is running");
    assert!(!output.lines().iter().any(|line| line.starts_with("bestmove")));
    say("stop\n");
    wait_for(&output, "bestmove");
    say("stop\ngame kalah(3,2)\ngo exact\n");
    wait_for(&output, "info value");
    say("game kalah(6,6)\ngo\nquit\n");
    let start = Instant::now();
    engine.join().unwrap().unwrap();
    assert!(start.elapsed() < Duration::from_secs(200));
}

#[cfg(unix)]
mod others {
    use std::os::unix::fs::PermissionsExt;

    use sowing_players::{ChooseError, Contender, EngineFault, Player};

    use super::*;

    /// A script that completes the handshake and runs `on_go` at each `go`.
    fn script(dir: &std::path::Path, name: &str, on_go: &str) -> Contender {
        let path = dir.join(name);
        let text = format!(
            "#!/bin/sh\nwhile read -r line; do case $line in sow) echo sowok;; go*) {on_go};; quit) exit;; esac; done\n"
        );
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        format!("engine:{}", path.display()).parse().unwrap()
    }

    #[test]
    fn a_play_of_another_game_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let engine = script(dir.path(), "right", "echo 'bestmove 3'");
        let options = PlayerOptions::default();
        let mut player =
            Player::for_contender(&engine, "kalah(6,4)".parse().unwrap(), options).unwrap();
        let play = Playthrough::new(Position::start("kalah(6,5)".parse().unwrap()));
        assert!(matches!(player.choose(&play), Err(ChooseError::OtherGame { .. })));
    }

    fn fault(contender: &Contender, time: Duration) -> Result<sowing_rules::Move, EngineFault> {
        let game: Game = "kalah(6,4)".parse().unwrap();
        let options = PlayerOptions { time: Some(time), ..PlayerOptions::default() };
        let play = Playthrough::new(Position::start(game));
        let chosen = Player::for_contender(contender, game, options)
            .and_then(|mut player| player.choose(&play));
        match chosen {
            Ok(action) => Ok(action),
            Err(ChooseError::Engine(fault)) => Err(fault),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn each_fault_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let script = |name: &str, on_go: &str| script(dir.path(), name, on_go);
        // Those that answer have all the time that a busy machine takes; the others use up theirs.
        let (time, little) = (Duration::from_secs(60), Duration::from_millis(300));
        let right = script("right", "echo info; echo nonsense; echo 'bestmove 3'");
        assert_eq!(fault(&right, time), Ok(sowing_rules::Move::house(3)));
        let hangs = script("hangs", "sleep 1000");
        assert!(matches!(
            fault(&hangs, little),
            Err(EngineFault::Late { allowed: 300, after: 300.. })
        ));
        let floods = script("floods", "yes info nodes 1");
        assert!(matches!(fault(&floods, little), Err(EngineFault::Late { .. })));
        // A line without an end is not read to its end.
        let endless = script("endless", "cat /dev/zero");
        assert_eq!(fault(&endless, time), Err(EngineFault::Flooded));
        let early = script("early", "echo 'bestmove 2'; echo 'bestmove 9'");
        assert_eq!(fault(&early, time), Ok(sowing_rules::Move::house(2)));
        for (name, on_go) in [("crashes", "exit 3"), ("dies", "kill -9 $$")] {
            let found = fault(&script(name, on_go), time);
            assert_eq!(found, Err(EngineFault::Crashed { stderr: None }));
        }
        for answer in ["0", "7", "99", "none", "swap", "", "3 4", "x", "-1"] {
            let illegal = script("illegal", &format!("echo 'bestmove {answer}'"));
            let found = fault(&illegal, time);
            let Err(EngineFault::Illegal { answer: named, .. }) = found else {
                panic!("{answer}: {found:?}")
            };
            assert_eq!(named, answer);
        }
        let gone: Contender = "engine:/no/such/program".parse().unwrap();
        assert!(matches!(fault(&gone, time), Err(EngineFault::Start { .. })));
    }

    /// The author of a bot learns what the bot wrote instead, also on standard error.
    #[test]
    fn an_engine_that_fails_is_quoted() {
        let dir = tempfile::tempdir().unwrap();
        let words = |contender: &Contender| {
            fault(contender, Duration::from_secs(60)).unwrap_err().to_string()
        };
        let other: Contender = "engine:echo hello".parse().unwrap();
        assert_eq!(
            words(&other),
            r#""echo hello" did not answer sow with the line sowok: it wrote "hello""#
        );
        let broken: Contender = "engine:sh -c 'echo no such module >&2'".parse().unwrap();
        let said = words(&broken);
        assert!(
            said.ends_with(
                r#": it ended without writing a line; on standard error "no such module""#
            ),
            "{said}"
        );
        let crashes = script(dir.path(), "crashes", "echo first >&2; echo IndexError >&2; exit 1");
        assert_eq!(
            words(&crashes),
            r#"the engine ended in the middle of a game; on standard error "IndexError""#
        );
    }

    /// Whatever an engine started is ended with it.
    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let pids = dir.path().join("pids");
        let on_go = format!(
            "sleep 1000 & echo $! $$ > {0}.new; mv {0}.new {0}; sleep 1000",
            pids.display()
        );
        let hangs = script(dir.path(), "starts", &on_go);
        assert!(fault(&hangs, Duration::from_secs(3)).is_err());
        let text = std::fs::read_to_string(&pids).unwrap();
        for pid in text.split_whitespace() {
            let start = Instant::now();
            // A process that nobody has waited for yet has ended all the same.
            let runs = || {
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                stat.rsplit(')')
                    .next()
                    .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
            };
            while runs() {
                assert!(start.elapsed() < Duration::from_secs(300), "{pid} still runs");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
