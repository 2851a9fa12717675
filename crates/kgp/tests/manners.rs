//! Clients that are slow, send nonsense, dribble, flood, cheat or vanish; and servers that do.

use std::time::{Duration, Instant};

use crate::common::{self, Raw, Running, client, offers, play};
use sowing_kgp::{ClientError, Clock, ServerLimits, ServerOptions, Standing};
use sowing_protocol::kgp::{Command, Line, Mode};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

fn limits(patience: u64) -> ServerLimits {
    ServerLimits { patience: Duration::from_millis(patience), ..ServerLimits::default() }
}

fn is_state(command: &Command) -> bool {
    matches!(command, Command::State(_))
}

fn is_error(command: &Command) -> bool {
    matches!(command, Command::Error(_))
}

/// The last words of a server to a client that must go.
async fn last_words(raw: &mut Raw) -> String {
    let mut words = String::new();
    while let Some(line) = raw.hear().await {
        words = format!("{words}{line}\n");
    }
    assert!(words.ends_with("goodbye\n"), "{words}");
    words
}

/// Whoever misbehaves goes, and somebody who behaves does not notice.
#[test]
fn whoever_misbehaves_goes() {
    common::run(async {
        let options = ServerOptions { limits: limits(1500), ..offers(&["kalah(4,3)"]) };
        let server = Running::start(options).await;
        let tcp = server.tcp;
        let address = server.address(true);
        let good = tokio::spawn(async move {
            play(&address, &client(Mode::Freeplay, "level:3", "good", 12)).await.unwrap()
        });
        let silent = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            last_words(&mut raw).await
        });
        let no_pong = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            raw.say("mode freeplay").await;
            last_words(&mut raw).await
        });
        let nonsense = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            for _ in 0..200 {
                raw.say("\u{1b}[2J <<>> \"").await;
            }
            last_words(&mut raw).await
        });
        let floods = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            for _ in 0..5000 {
                raw.say("set a 1").await;
            }
            last_words(&mut raw).await
        });
        let endless = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            for _ in 0..100 {
                let _ = raw.write.write_all(&[b'x'; 1000]).await;
            }
            last_words(&mut raw).await
        });
        let bytes = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            let _ = raw
                .write
                .write_all(b"\xff\xfe\x00 mode\r\n\x00\r\n\n\n mode nothing\r\n5 mode eval 3\r\n")
                .await;
            let errors =
                [raw.until(is_error).await, raw.until(is_error).await, raw.until(is_error).await];
            let last = raw.until(is_error).await.unwrap();
            assert_eq!(last.0.reference, Some(5), "{errors:?} {last:?}");
        });
        // Somebody at the wrong door.
        let wrong = tokio::spawn(async move {
            let mut raw = Raw::open(tcp).await;
            raw.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
            last_words(&mut raw).await
        });
        assert!(silent.await.unwrap().contains("requested no mode"));
        assert!(no_pong.await.unwrap().contains("received no pong"));
        assert!(nonsense.await.unwrap().matches("error").count() > 50);
        assert!(floods.await.unwrap().contains("too many lines"));
        endless.await.unwrap();
        wrong.await.unwrap();
        bytes.await.unwrap();
        let summary = good.await.unwrap();
        assert_eq!(
            (summary.games, summary.missed, summary.errors, summary.lost),
            (12, 0, 0, 0),
            "{summary:?}"
        );
        server.end().await;
    });
}

fn standing<'a>(standings: &'a [Standing], name: &str) -> &'a Standing {
    let found = standings.iter().find(|standing| standing.name == name);
    found.unwrap_or_else(|| panic!("{name}: {standings:?}"))
}

async fn join(address: std::net::SocketAddr, name: &str) -> Raw {
    let mut raw = Raw::open(address).await;
    raw.say(&format!("set info:name \"{name}\"")).await;
    raw.say("mode freeplay").await;
    raw
}

/// Games against those who vanish, cheat, sleep or dribble go to their end, as the protocol has it.
#[test]
fn games_are_judged() {
    common::run(async {
        let options = ServerOptions {
            clock: Clock::Move(Duration::from_secs(4)),
            house: "random".parse().unwrap(),
            ..offers(&["kalah(3,2)"])
        };
        let server = Running::start(options).await;
        let tcp = server.tcp;
        let vanishes = tokio::spawn(async move {
            let mut raw = join(tcp, "vanishes").await;
            raw.until(is_state).await.unwrap();
        });
        let cheats = tokio::spawn(async move {
            let mut raw = join(tcp, "cheats").await;
            let (line, _) = raw.until(is_state).await.unwrap();
            let id = line.id.unwrap();
            // Answers to something else are refused, and do no harm.
            raw.say(&format!("7@{} move 1", id + 2)).await;
            let (line, _) = raw.until(is_error).await.unwrap();
            assert_eq!(line.reference, Some(7));
            raw.say(&format!("@{id} move 77")).await;
            raw.say(&format!("@{id} yield")).await;
            raw.until(
                |command| matches!(command, Command::Set { key, .. } if key == "info:comment"),
            )
            .await
            .unwrap();
            raw.say("goodbye").await;
            assert_eq!(
                raw.until(|command| *command == Command::Goodbye).await.unwrap().1,
                Command::Goodbye
            );
        });
        let sleeps = tokio::spawn(async move {
            let mut raw = join(tcp, "sleeps").await;
            let (line, _) = raw.until(is_state).await.unwrap();
            let (stop, _) = raw.until(|command| *command == Command::Stop).await.unwrap();
            assert_eq!(stop.reference, line.id);
            // Too late: a random move was played.
            raw.say(&format!("@{} move 1", line.id.unwrap())).await;
            raw.until(is_error).await.unwrap();
            raw.until(is_state).await;
            raw.say("goodbye").await;
        });
        let dribbles = tokio::spawn(async move {
            let mut raw = join(tcp, "dribbles").await;
            loop {
                let found = raw
                    .until(|command| {
                        is_state(command)
                            || matches!(command, Command::Set { key, .. } if key == "info:comment")
                    })
                    .await;
                let (line, command) = found.unwrap();
                let Command::State(board) = command else { return };
                let first = board.board().own().iter().position(|seeds| *seeds > 0).unwrap() + 1;
                let id = line.id.unwrap();
                // The first answer is improved on; it comes in drops.
                for byte in
                    format!("@{id} move 77\r\n@{id} move {first}\r\n@{id} yield\r\n").bytes()
                {
                    raw.write.write_all(&[byte]).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
        });
        for task in [vanishes, cheats, sleeps, dribbles] {
            task.await.unwrap();
        }
        let start = Instant::now();
        let standings = loop {
            // The game of who vanished is over when the server notices.
            tokio::time::sleep(Duration::from_millis(200)).await;
            if start.elapsed() > Duration::from_secs(2) {
                break server.end().await;
            }
        };
        for name in ["vanishes", "cheats"] {
            let found = standing(&standings, name);
            assert_eq!((found.losses, found.forfeits), (1, 1), "{found:?}");
        }
        assert!(standing(&standings, "sleeps").late >= 1);
        let found = standing(&standings, "dribbles");
        assert_eq!((found.games(), found.forfeits, found.late), (1, 0, 0), "{found:?}");
    });
}

#[test]
fn who_uses_up_the_clock_has_lost() {
    common::run(async {
        let options = ServerOptions {
            clock: Clock::Game(Duration::from_millis(1200)),
            house: "random".parse().unwrap(),
            ..offers(&["kalah(6,4)"])
        };
        let server = Running::start(options).await;
        let mut raw = join(server.tcp, "thinks").await;
        raw.until(is_state).await.unwrap();
        let over = |command: &Command| matches!(command, Command::Set { key, .. } if key == "info:comment");
        raw.until(over).await.unwrap();
        drop(raw);
        let standings = server.end().await;
        let found = standing(&standings, "thinks");
        assert_eq!((found.losses, found.forfeits), (1, 1), "{standings:?}");
    });
}

/// The player of the house and that of a client keep the server's time, also where they would look
/// ahead for ever.
#[test]
fn every_player_keeps_the_clock() {
    common::run(async {
        for clock in [Clock::Move(Duration::from_millis(50)), Clock::Game(Duration::from_secs(5))] {
            let house = "pdp:99".parse().unwrap();
            let options = ServerOptions { clock, house, ..offers(&["kalah(6,4)"]) };
            let server = Running::start(options).await;
            let options = client(Mode::Freeplay, "level:1", "quick", 1);
            let address = server.address(false);
            let played = tokio::time::timeout(Duration::from_secs(60), play(&address, &options));
            played.await.expect("the house moves").unwrap();
            let standings = server.end().await;
            assert_eq!(standing(&standings, "pdp:99").forfeits, 0, "{standings:?}");
        }
        let server = Running::start(offers(&["kalah(6,4)"])).await;
        for player in ["pdp:99", "level:9", "perfect"] {
            let mut options = client(Mode::Freeplay, player, player, 1);
            options.player.time = Some(Duration::from_millis(50));
            let address = server.address(false);
            let played = tokio::time::timeout(Duration::from_secs(60), play(&address, &options));
            let summary = played.await.expect("the client moves").unwrap();
            assert_eq!(summary.missed, 0, "{player}: {summary:?}");
        }
        server.end().await;
    });
}

/// Names that come over the network stand in records and standings with every character that turns
/// the reading round, or that a terminal obeys, written out.
#[test]
fn names_are_written_out() {
    const NAME: &str = "Ada\u{202e}evE\u{200b}\u{2066}";
    const WRITTEN: &str = r"Ada\u{202e}evE\u{200b}\u{2066}";
    fn names(folder: &std::path::Path) -> Vec<[String; 2]> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let names = files.map(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            let record: sowing_rules::Record = text.parse().unwrap();
            ["south", "north"].map(|key| record.header(key).unwrap().to_string())
        });
        names.collect()
    }
    common::run(async {
        let [served, played] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let options = ServerOptions {
            records: Some(served.path().into()),
            count: Some(1),
            ..offers(&["kalah(3,2)"])
        };
        let server = Running::start(options).await;
        let options = client(Mode::Freeplay, "level:1", NAME, 1);
        play(&server.address(false), &options).await.unwrap();
        assert_eq!(standing(&server.end().await, WRITTEN).games(), 1);
        assert_eq!(names(served.path()), [[WRITTEN, "level:1"]]);
        // A client believes a server no more than a server believes a client.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        let server = tokio::spawn(async move {
            let opponent = format!("set game:opponent \"{NAME}\"");
            let state = "6 state <4,0,0,3,3,3,3,3,3,3,3>";
            let script = ["kgp 1 0 1", "wait mode", &opponent, state, "wait yield", "goodbye"];
            scripted(&listener, &script).await
        });
        let mut options = client(Mode::Freeplay, "level:1", "Eve\u{202e}", 5);
        (options.retries, options.records) = (0, Some(played.path().into()));
        play(&address, &options).await.unwrap();
        server.await.unwrap();
        assert_eq!(names(played.path()), [[r"Eve\u{202e}", WRITTEN]]);
    });
}

#[test]
fn there_is_room_for_so_many() {
    common::run(async {
        let limits = ServerLimits { clients: 2, ..ServerLimits::default() };
        let server = Running::start(ServerOptions { limits, ..offers(&["kalah(3,2)"]) }).await;
        let mut inside = [Raw::open(server.tcp).await, Raw::open(server.tcp).await];
        for raw in &mut inside {
            assert!(raw.hear().await.unwrap().ends_with("kgp 1 0 1"));
        }
        let mut outside = Raw::open(server.tcp).await;
        assert!(last_words(&mut outside).await.contains("too many clients"));
        drop(inside);
        // There is room again once the others are gone.
        let start = Instant::now();
        loop {
            let mut raw = Raw::open(server.tcp).await;
            if raw.hear().await.is_some_and(|line| line.ends_with("kgp 1 0 1")) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(200));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server.end().await;
    });
}

/// A server that says these lines in turn: after a line that starts with `wait` it goes on when it has
/// heard what follows that word. What it heard.
async fn scripted(listener: &TcpListener, script: &[&str]) -> Vec<String> {
    let (stream, _) = listener.accept().await.unwrap();
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut heard = Vec::new();
    for line in script {
        match line.strip_prefix("wait ") {
            Some(wanted) => loop {
                let mut line = String::new();
                if read.read_line(&mut line).await.unwrap() == 0 {
                    return heard;
                }
                heard.push(line.trim_end().to_string());
                if line.contains(wanted) {
                    break;
                }
            },
            None => write.write_all(format!("{line}\r\n").as_bytes()).await.unwrap(),
        }
    }
    heard
}

fn parsed(lines: &[String]) -> Vec<(Line, Command)> {
    let parse = |line: &String| {
        let line: Line = line.parse().unwrap();
        let command = Command::try_from(&line).unwrap();
        (line, command)
    };
    lines.iter().map(parse).collect()
}

/// The public server may know nothing yet of the position that it sent: no move is lost to that.
#[test]
fn a_move_that_was_not_taken_is_sent_again() {
    common::run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        let server = tokio::spawn(async move {
            let script = [
                "kgp 1 0 1",
                "wait mode",
                "2 ok",
                "4 ping",
                "wait pong",
                "6 state <4,0,0,3,3,3,3,3,3,3,3>",
                "wait move",
                "8@3 error \"No state associated with id\"",
                "wait yield",
                "10@6 stop",
                "goodbye",
                "wait never",
            ];
            scripted(&listener, &script).await
        });
        let mut options = client(Mode::Freeplay, "level:9", "x", 5);
        options.retries = 0;
        let sent = Instant::now();
        let summary = play(&address, &options).await.unwrap();
        assert!(sent.elapsed() > Duration::from_millis(30));
        assert_eq!(
            (summary.states, summary.again, summary.missed, summary.errors),
            (1, 1, 0, 0),
            "{summary:?}"
        );
        let heard = parsed(&server.await.unwrap());
        let names: Vec<&str> = heard.iter().map(|(_, command)| command.name()).collect();
        assert_eq!(names[..3], ["set", "mode", "pong"], "{names:?}");
        assert_eq!(heard[2].0.reference, Some(4));
        let moves: Vec<&Line> =
            heard.iter().filter(|(_, c)| matches!(c, Command::Move(_))).map(|(l, _)| l).collect();
        assert!(
            moves.len() >= 2 && moves.iter().all(|line| line.reference == Some(6)),
            "{names:?}"
        );
        // The move that was not taken, the same again, and once more before the yield.
        assert_eq!(names[3..], ["move", "move", "move", "yield"], "{names:?}");
    });
}

#[test]
fn a_lost_connection_is_taken_up_again() {
    common::run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        let server = tokio::spawn(async move {
            let state = "6 state <4,0,0,3,3,3,3,3,3,3,3>";
            // Nonsense and boards that nobody can play do no harm.
            let odd = [
                "x y <",
                "8 state <17",
                "8 state <1,0,0,0,0>",
                "set time:clock 3",
                "set game:id 7",
                "stop",
            ];
            let first = [&["kgp 1 5 9", "wait mode"][..], &odd, &[state, "wait move"]].concat();
            scripted(&listener, &first).await;
            let second = [
                "kgp 1 0 1",
                "wait mode",
                "2 ok",
                state,
                "wait yield",
                "8@6 stop",
                "10 ping",
                "wait never",
            ];
            scripted(&listener, &second).await
        });
        let options = client(Mode::Freeplay, "level:2", "x", 2);
        let summary = play(&address, &options).await.unwrap();
        assert_eq!((summary.states, summary.lost, summary.games), (2, 1, 2), "{summary:?}");
        let heard = parsed(&server.await.unwrap());
        assert_eq!(heard.last().unwrap().1, Command::Goodbye);
    });
}

#[test]
fn other_servers_are_named() {
    common::run(async {
        for (greeting, right) in
            [("HTTP/1.1 400 Bad Request", "greets with"), ("kgp 2 0 0", "greets with")]
        {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap().to_string().parse().unwrap();
            tokio::spawn(async move { scripted(&listener, &[greeting, "wait x"]).await });
            let error = play(&address, &client(Mode::Freeplay, "random", "", 1)).await.unwrap_err();
            assert!(error.to_string().contains(right), "{error}");
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        tokio::spawn(async move {
            scripted(
                &listener,
                &["kgp 1 0 1", "wait mode", "2@1 error \"Unsupported mode %q\" \"eval\"", "wait x"],
            )
            .await
        });
        let error = play(&address, &client(Mode::Eval, "random", "", 1)).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { mode: Mode::Eval, .. }), "{error}");
        let nobody = "127.0.0.1:1".parse().unwrap();
        let error = play(&nobody, &client(Mode::Eval, "random", "", 1)).await.unwrap_err();
        assert!(matches!(error, ClientError::Connect { .. }), "{error}");
    });
}

/// A server that has had its last game says how it ended, and who has played as many as he wanted does
/// not come back.
#[test]
fn the_last_game_is_told_and_over() {
    common::run(async {
        let options = ServerOptions { count: Some(1), ..offers(&["kalah(3,2)"]) };
        let server = Running::start(options).await;
        let (address, mut heard) = (server.address(false), Vec::new());
        let options = client(Mode::Freeplay, "level:1", "Ada", 1);
        let over = std::future::pending();
        let started = std::time::Instant::now();
        let summary = sowing_kgp::connect(&address, &options, over, |event| match event {
            sowing_kgp::ClientEvent::Received(line) => heard.push(line.to_string()),
            sowing_kgp::ClientEvent::Lost(..) => panic!("nobody is missed"),
            _ => {}
        });
        let summary = summary.await.unwrap();
        assert_eq!((summary.games, summary.lost, summary.gave_up), (1, 0, None));
        assert!(started.elapsed() < Duration::from_secs(200));
        assert!(heard.iter().any(|line| line.contains("game 1 is over")), "{heard:?}");
        server.end().await;
    });
}

/// An engine that crashes has no move for a position, and is there again for the next.
#[cfg(unix)]
#[test]
fn an_engine_that_crashes_plays_on() {
    common::run(async {
        let server = Running::start(ServerOptions {
            clock: sowing_kgp::Clock::Move(Duration::from_millis(300)),
            ..offers(&["kalah(3,2)"])
        })
        .await;
        // Every second time that it is asked it is gone.
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("engine.sh");
        let text = format!(
            "while read -r word rest; do case $word in sow) echo sowok;; go) \
             if [ -e '{0}' ]; then rm '{0}'; exit 1; fi; : > '{0}'; echo bestmove 1;; esac; done",
            dir.path().join("flag").display()
        );
        std::fs::write(&script, text).unwrap();
        let player = format!("engine:sh '{}'", script.display());
        let options = client(Mode::Freeplay, &player, "Eve", 3);
        let summary = play(&server.address(false), &options).await.unwrap();
        assert!(summary.games >= 3 && summary.faults > 0, "{summary:?}");
        let standings = server.end().await;
        assert_eq!(standing(&standings, "Eve").games(), summary.games, "{standings:?}");
    });
}

/// The first line of the answer to a browser that opens a WebSocket with these headers.
async fn opened(server: &Running, headers: &str) -> String {
    let mut raw = Raw::open(server.web).await;
    raw.say(&format!(
        "GET /socket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}"
    ))
    .await;
    raw.hear().await.unwrap()
}

/// A page of another site cannot use its visitor's server, not even by a name that points to it.
#[test]
fn other_sites_are_refused() {
    common::run(async {
        let server = Running::start(offers(&["kalah(3,2)"])).await;
        let port = server.web.port();
        let (here, evil) = (format!("127.0.0.1:{port}"), format!("evil.example:{port}"));
        for (host, origin, status) in [
            (&*here, "http://evil.example", "403"),
            (&*here, "null", "403"),
            (&*here, "http://127.0.0.2", "403"),
            (&*here, "http://127.0.0.1:8080", "101"),
            (&*here, "", "101"),
            // The name was made to point here.
            (&*evil, &*format!("http://{evil}"), "421"),
            (&*evil, "", "421"),
            ("localhost:9", "http://localhost", "101"),
            ("[::1]:9", "", "101"),
        ] {
            let mut headers = format!("Host: {host}\r\n");
            if !origin.is_empty() {
                headers = format!("{headers}Origin: {origin}\r\n");
            }
            let answer = opened(&server, &headers).await;
            assert!(answer.contains(status), "{headers:?}: {answer}");
        }
        server.end().await;
    });
}

/// A name that the server was started with passes, as do the pages of that name.
#[test]
fn public_hosts_are_own() {
    common::run(async {
        let public_hosts = vec!["play.example.org".parse().unwrap()];
        let server =
            Running::start(ServerOptions { public_hosts, ..offers(&["kalah(3,2)"]) }).await;
        let headers = "Host: play.example.org\r\nOrigin: https://play.example.org\r\n";
        let answer = opened(&server, headers).await;
        assert!(answer.contains("101"), "{answer}");
        server.end().await;
    });
}

/// A page that has a browser post lines to the port for lines starts no game: the answer is one error.
#[test]
fn a_post_to_the_port_for_lines_starts_no_game() {
    common::run(async {
        let server = Running::start(offers(&["kalah(3,2)"])).await;
        for method in ["POST", "GET", "OPTIONS"] {
            // What a client says to play, and the answers to all pings that could come.
            let pongs: String = (1..50).map(|id| format!("@{id} pong\r\n")).collect();
            let body = format!("mode freeplay\r\n{pongs}mode verify\r\n");
            let mut raw = Raw::open(server.tcp).await;
            raw.say(&format!(
                "{method} / HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{body}",
                server.tcp,
                body.len()
            ))
            .await;
            let words = last_words(&mut raw).await;
            let lines: Vec<&str> = words.lines().collect();
            assert_eq!(lines.len(), 3, "{words}");
            assert!(lines[0].ends_with("kgp 1 0 1") && lines[1].contains("not HTTP"), "{words}");
        }
        let standings = server.end().await;
        assert!(standings.is_empty(), "{standings:?}");
    });
}
