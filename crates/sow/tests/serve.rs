//! The server: what it answers, what it refuses, and how it ends.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::server::{PATIENCE, Server, read};
use serde_json::{Value, json};

/// Every path of the description answers as described: its examples with what is described for
/// 200, nonsense with what is described for 400 or 404, each of the right type and shape.
#[test]
fn the_description_is_true() {
    let server = Server::start(&[]);
    let description = server.get("/api/v1/openapi.json").json();
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.len() >= 10, "{:?}", paths.keys());
    for (path, methods) in paths {
        let get = &methods["get"];
        let (mut right, mut wrong) = (path.clone(), path.clone());
        let mut queries = (Vec::new(), Vec::new());
        for parameter in get["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let example = match &parameter["example"] {
                Value::String(text) => text.clone(),
                Value::Null => continue,
                other => other.to_string(),
            };
            if parameter["in"] == "path" {
                right = right.replace(&format!("{{{name}}}"), &example);
                wrong = wrong.replace(&format!("{{{name}}}"), "nonsense");
            } else {
                // The notation's characters may stand in a query as they are.
                queries.0.push(format!("{name}={example}"));
                queries.1.push(format!("{name}=nonsense"));
            }
        }
        right.push_str(&format!("?{}", queries.0.join("&")));
        wrong.push_str(&format!("?{}", queries.1.join("&")));
        check(&server, &description, get, &right, 200);
        for status in [400, 404] {
            if !get["responses"][status.to_string()].is_null() {
                check(&server, &description, get, &wrong, status);
            }
        }
    }
}

fn check(server: &Server, description: &Value, get: &Value, path: &str, status: u16) {
    let answer = server.get(path);
    assert_eq!(answer.status, status, "{path}: {}", answer.body);
    let content = get["responses"][status.to_string()]["content"].as_object().unwrap();
    let (kind, content) = content.iter().next().unwrap();
    assert!(answer.headers["content-type"].starts_with(kind), "{path}: {:?}", answer.headers);
    let data = match kind.as_str() {
        "image/svg+xml" => vec![json!(answer.body)],
        "text/event-stream" => {
            let events = answer.events();
            assert_eq!(events.last().unwrap().0, "done", "{path}");
            events.into_iter().map(|(_, data)| data).collect()
        }
        _ => vec![answer.json()],
    };
    let mut schema = content["schema"].clone();
    schema["components"] = description["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for data in &data {
        let faults: Vec<String> =
            validator.iter_errors(data).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{path}: {faults:?} in {data}");
    }
    // A shape that anything fits would prove nothing.
    if kind != "image/svg+xml" {
        assert!(!validator.is_valid(&json!({ "nonsense": 1 })), "{path}: {schema}");
    }
}

#[test]
fn bad_requests_are_refused_as_json() {
    let server = Server::start(&[]);
    let long = format!("/api/v1/position?game=kalah(6,4)&moves={}", "1,".repeat(5000));
    for (path, status, word) in [
        ("/api/v1/position?game=chess(8,2)", 400, "chess"),
        ("/api/v1/position?game=kalah(6,4)&start=1,2|3", 400, "pits"),
        ("/api/v1/position?game=kalah(2,2)&start=1,1,0|1,1,0", 400, "8 seeds in all"),
        ("/api/v1/position?game=kalah(6,4)&moves=3,3", 400, "move 2"),
        ("/api/v1/position?game=kalah(6,4)&moves=7", 400, "houses are 1 to 6"),
        ("/api/v1/position?game=kalah(6,4)&moves=x", 400, "pie"),
        ("/api/v1/position?game=kalah(6,4)&moves=3,,2", 400, "move"),
        ("/api/v1/position?game=kalah(6,100)", 400, "1 to 99"),
        ("/api/v1/position?game=%ff", 400, "unknown game"),
        ("/api/v1/position", 400, "game"),
        ("/api/v1/analysis?game=kalah(0,4)", 400, "houses"),
        ("/api/v1/solitaire?stones=-1", 400, "stones"),
        ("/api/v1/solitaire?stones=8&plays=3", 400, "bin 3"),
        ("/api/v1/reply?game=kalah(6,4)&opponent=me", 400, "unknown player"),
        ("/api/v1/reply?game=kalah(1,1)&moves=1&opponent=random", 400, "over"),
        ("/api/v1/nothing", 404, "nothing"),
        ("/../Cargo.toml", 404, "nothing"),
        ("/..%2fCargo.toml", 404, "nothing"),
        ("/%2e%2e/%2e%2e/etc/passwd", 404, "nothing"),
        (&long, 414, "8192"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_string();
        assert!(message.contains(word), "{path}: {message}");
    }
    for (request, status) in [
        ("POST /api/v1/games HTTP/1.0\r\nHost: localhost\r\n\r\n", 405),
        ("DELETE / HTTP/1.0\r\nHost: localhost\r\n\r\n", 405),
        ("POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", 413),
        ("GET / HTTP/1.0\r\nHost: elsewhere.example\r\n\r\n", 421),
    ] {
        let answer = read(server.send(request.as_bytes()));
        assert_eq!(answer.status, status, "{request}");
        assert!(answer.json()["error"]["message"].is_string());
    }
    let head = format!("GET / HTTP/1.0\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(40_000));
    assert_eq!(read(server.send(head.as_bytes())).status, 431);
}

#[test]
fn files_of_the_page_are_safe_to_show() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
    let tag = &page.headers["etag"];
    let request = format!("GET / HTTP/1.0\r\nHost: localhost\r\nIf-None-Match: {tag}\r\n\r\n");
    let again = read(server.send(request.as_bytes()));
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

/// Values over the wire are those of `sow solve --json`, the second time from memory.
#[test]
fn analyses_agree_with_the_solver() {
    let server = Server::start(&["--time-each", "1m"]);
    for (game, position) in [
        ("kalah(4,3)", "3,3,3,3,0|3,3,3,3,0"),
        ("s-kalaha(3,3)", "3,3,3,0|3,3,3,0"),
        ("kalah(3,2,pie)", "2,2,2,0|2,2,2,0"),
        ("kalah(3,2,clockwise)", "2,2,2,0|2,2,2,0"),
        ("kalah(6,3)", "0,1,0,2,0,1,16|2,0,0,0,1,0,13"),
        ("kalah(2,1)", "0,0,2|1,1,0"),
    ] {
        let solved = Command::new(env!("CARGO_BIN_EXE_sow"))
            .args(["solve", game, position, "--json"])
            .output()
            .unwrap();
        let solved: Value = serde_json::from_slice(&solved.stdout).unwrap();
        let mut first: Option<Value> = None;
        for _ in 0..2 {
            let path = format!("/api/v1/analysis?game={game}&start={position}&line=true");
            let events = server.get(&path).events();
            let (name, done) = events.last().unwrap();
            assert_eq!(name, "done");
            for field in ["game", "position", "to_move", "value", "outcome", "words", "complete"] {
                assert_eq!(done[field], solved[field], "{field} of {game} {position}");
            }
            let worths = |analysis: &Value| {
                let moves = analysis["moves"].as_array().cloned().unwrap_or_default();
                moves.iter().map(|found| json!([found["move"], found["value"]])).collect::<Vec<_>>()
            };
            assert_eq!(worths(done), worths(&solved), "{game} {position}");
            assert_eq!(done["complete"], true);
            assert_eq!(events.iter().filter(|(name, _)| name == "done").count(), 1);
            line_is_worth_it(&server, game, position, done);
            match &first {
                None => first = Some(done.clone()),
                Some(first) => assert_eq!(done, first, "the second answer is from memory"),
            }
        }
    }
}

/// The line that is told, played out, ends with the margin that is told.
fn line_is_worth_it(server: &Server, game: &str, position: &str, done: &Value) {
    // Play that may go on for ever need have no line to its end.
    if game.contains("clockwise") {
        return;
    }
    let line = done["line"].as_array().unwrap();
    let moves: Vec<&str> = line
        .iter()
        .flat_map(|turn| turn.as_array().unwrap())
        .map(|m| m.as_str().unwrap())
        .collect();
    let path = format!("/api/v1/position?game={game}&start={position}&moves={}", moves.join(","));
    let view = server.get(&path).json();
    assert_eq!(view["finished"], true, "{path}");
    // A swap changes the players, not the rows.
    let margin = view["result"]["margin"].as_i64().unwrap();
    let margin = if view["swapped"] == true { -margin } else { margin };
    assert_eq!(json!(margin), done["value"], "{path}");
}

/// The motions of a move lead from the board before it to the board after it.
#[test]
fn motions_lead_from_board_to_board() {
    let server = Server::start(&[]);
    for game in
        ["kalah(6,4)", "s-kalaha(6,4)", "kalah(4,3,relay,empty-capture)", "kalah(3,3,clockwise)"]
    {
        let mut moves: Vec<String> = Vec::new();
        let view = |moves: &[String]| {
            let path = format!("/api/v1/position?game={game}&moves={}", moves.join(","));
            server.get(&path).json()
        };
        let mut before = view(&moves);
        for number in 0..40 {
            let legal = before["legal"].as_array().unwrap();
            let Some(choice) = legal.get(number % legal.len().max(1)) else { break };
            moves.push(choice["move"].as_str().unwrap().to_string());
            let after = view(&moves);
            let mut board = before["board"].clone();
            let (mut hand, mut last) = (0, Value::Null);
            for motion in after["motions"].as_array().unwrap() {
                let row = &mut board[motion["side"].as_str().unwrap()];
                let pit = match motion["house"].as_u64() {
                    Some(house) => &mut row["houses"][house as usize - 1],
                    None => &mut row["store"],
                };
                let (held, seeds) = (pit.as_u64().unwrap(), motion["seeds"].as_u64().unwrap());
                match motion["kind"].as_str().unwrap() {
                    "pickup" | "capture" => {
                        assert_eq!(held, seeds);
                        *pit = json!(0);
                        hand += seeds;
                    }
                    "sow" | "collect" => {
                        *pit = json!(held + seeds);
                        hand -= seeds;
                        last = if motion["kind"] == "sow" { motion.clone() } else { last };
                    }
                    other => panic!("{other}"),
                }
            }
            assert_eq!((hand, &board), (0, &after["board"]), "{game} {moves:?}");
            assert_eq!(last["side"], choice["lands"]["side"], "{game} {moves:?}");
            assert_eq!(last["house"], choice["lands"]["house"], "{game} {moves:?}");
            before = after;
        }
        assert!(moves.len() > 3);
    }
}

/// One slot: the same question is shared, a reader who leaves frees it, and who waits gets it from a
/// job that has had its share.
#[cfg(target_os = "linux")]
#[test]
fn slots_are_limited_and_freed() {
    let server = Server::start(&["--workers", "1", "--threads", "1", "--memory", "64M"]);
    let mut first = server.ask("/api/v1/analysis?game=kalah(7,7)");
    first.read_exact(&mut [0; 15]).unwrap();
    let mut same = server.ask("/api/v1/analysis?game=kalah(7,7)");
    let mut head = [0; 15];
    same.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.0 200 OK");
    // Cheap requests go on.
    assert_eq!(server.get("/api/v1/games").status, 200);
    assert_eq!(server.get("/api/v1/reply?game=kalah(6,4)&opponent=level:2").status, 200);
    drop(first);
    // By the time that these are answered, the end of the first reader is known.
    for _ in 0..20 {
        assert_eq!(server.get("/api/v1/games").status, 200);
    }
    assert!(server.workers() > 0, "another reader is still there");
    drop(same);
    let start = Instant::now();
    while server.workers() > 0 {
        assert!(start.elapsed() < PATIENCE, "no reader is left");
        std::thread::sleep(Duration::from_millis(20));
    }
    let long = server.ask("/api/v1/analysis?game=kalah(7,7)");
    server.wait_for_busy(1);
    let other = server.get("/api/v1/analysis?game=kalah(3,2)");
    assert_eq!(other.status, 200, "{}", other.body);
    let (name, done) = read(long).events().pop().unwrap();
    assert_eq!((name.as_str(), &done["complete"]), ("done", &json!(false)), "it gave way");
}

/// An opponent that would look ahead for ever answers within the server's time.
#[test]
fn every_opponent_answers_in_time() {
    let server = Server::start(&["--time-each", "2s", "--memory", "64M"]);
    for (opponent, game) in [
        ("pdp:99", "kalah(6,6)"),
        ("pdp:99", "s-kalaha(16,99)"),
        ("level:9", "s-kalaha(16,99)"),
        ("perfect", "s-kalaha(16,99)"),
    ] {
        let before = server.processor_time();
        let answer = server.get(&format!("/api/v1/reply?game={game}&opponent={opponent}"));
        // A machine that is busy may leave no time to the opponent, which gives way to everything else.
        let used = server.processor_time() - before;
        let is_starved = answer.status == 503 && used < Duration::from_secs(1);
        assert!(answer.status == 200 || is_starved, "{opponent} {game}: {} {used:?}", answer.body);
    }
}

/// Two clients that hold both slots and ask for more do not keep a third one out: a slot is given up
/// once it has had its share, and goes to who holds nothing. What was proven by then is told.
#[cfg(target_os = "linux")]
#[test]
fn no_client_keeps_the_others_out() {
    let server = Server::start(&["--workers", "2", "--threads", "1", "--memory", "64M"]);
    let ask = |from: [u8; 4], path: &str| server.ask_from(from, path);
    let mut greedy = vec![
        ask([127, 0, 0, 2], "/api/v1/analysis?game=kalah(7,7)"),
        ask([127, 0, 0, 3], "/api/v1/analysis?game=kalah(8,7)"),
    ];
    greedy[1].read_exact(&mut [0; 15]).unwrap();
    for (number, seeds) in [(2, 5), (2, 6), (3, 5), (3, 6)] {
        let path = format!("/api/v1/analysis?game=kalah(9,{seeds})");
        greedy.push(ask([127, 0, 0, number], &path));
    }
    server.wait_for_busy(2);
    let start = Instant::now();
    let answer = loop {
        let answer = read(ask([127, 0, 0, 1], "/api/v1/analysis?game=kalah(3,2)"));
        // On a machine with far more work than cores a search takes its time to stop.
        if answer.status == 200 || start.elapsed() > PATIENCE {
            break answer;
        }
    };
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.events().last().unwrap().1["complete"], true);
}

/// One address that asks for moves that take long, over and over, does not keep another from its
/// quick ones.
#[cfg(target_os = "linux")]
#[test]
fn no_client_keeps_the_others_from_opponents() {
    let server = Server::start(&["--workers", "1", "--memory", "64M", "--proxy", "none"]);
    let long = "/api/v1/reply?game=kalah(16,30)&opponent=pdp:99";
    let mut greedy: Vec<_> = (0..8).map(|_| server.ask_from([127, 0, 0, 2], long)).collect();
    for _ in 0..3 {
        let quick = "/api/v1/reply?game=kalah(6,4)&opponent=level:3";
        let answer = read(server.ask_from([127, 0, 0, 3], quick));
        assert_eq!(answer.status, 200, "{}", answer.body);
        greedy.extend((0..4).map(|_| server.ask_from([127, 0, 0, 2], long)));
    }
}

/// The paths that make the machine work.
const WORK: [&str; 5] = [
    "/api/v1/analysis?game=kalah(3,2)",
    "/api/v1/review?game=kalah(3,2)&moves=1",
    "/api/v1/reply?game=kalah(3,2)&opponent=random",
    "/api/v1/choices?game=kalah(3,2)",
    "/api/v1/studies/thesis-4",
];

/// Paths that cost next to nothing.
const CHEAP: [&str; 4] = ["/", "/embed.html", "/api/v1/games", "/api/v1/board.svg?game=kalah(6,4)"];

/// The status of the answer to a request with these headers, without fetch metadata unless they
/// have it. A refusal is an error in the form of the API.
fn status(server: &Server, path: &str, headers: &str) -> u16 {
    let request = format!("GET {path} HTTP/1.0\r\n{headers}\r\n");
    let answer = read(server.send(request.as_bytes()));
    if answer.status >= 400 {
        let message = answer.json()["error"]["message"].as_str().unwrap().to_string();
        assert!(!message.is_empty() && !message.contains('\n'), "{path} {headers:?}: {message}");
    }
    answer.status
}

/// Pages of other sites cannot make a visitor's own server work; its own page, programs and plain
/// pictures are as before.
#[test]
fn pages_of_other_sites_start_no_work() {
    let server = Server::start(&[]);
    let from = |site: &str| format!("Host: localhost\r\nSec-Fetch-Site: {site}\r\n");
    for path in WORK {
        assert_eq!(status(&server, path, &from("cross-site")), 403, "{path}");
        assert_eq!(status(&server, path, &from("same-site")), 403, "{path}");
        if !path.contains("studies") {
            assert_eq!(status(&server, path, &from("same-origin")), 200, "{path}");
            assert_eq!(status(&server, path, &from("none")), 200, "{path}");
        }
    }
    for path in CHEAP {
        assert_eq!(status(&server, path, &from("cross-site")), 200, "{path}");
    }
    let framed = server.get("/embed.html").headers["content-security-policy"].clone();
    assert!(framed.ends_with("frame-ancestors *") && !framed.contains("unsafe"), "{framed}");
    let page = server.get("/").headers["content-security-policy"].clone();
    assert!(page.ends_with("frame-ancestors 'none'"), "{page}");
    // A picture has its own style, and is not black where it is opened by itself.
    let picture = server.get("/api/v1/board.svg?game=kalah(6,4)");
    let policy = &picture.headers["content-security-policy"];
    assert!(policy.contains("style-src 'unsafe-inline'") && !policy.contains("script"), "{policy}");
}

/// A foreign `Origin` is refused on every path of the API, whether or not the browser says more.
#[test]
fn foreign_origins_are_refused() {
    let server = Server::start(&[]);
    let port = server.address.port();
    let host = format!("Host: localhost:{port}\r\n");
    for origin in [
        "http://evil.example".to_string(),
        format!("http://evil.example:{port}"),
        format!("http://127.0.0.1:{port}"),
        format!("ftp://localhost:{port}"),
        format!("http://localhost:{port}.evil.example"),
        format!("http://localhost:{port}/"),
        "http://localhost".to_string(),
        "http://localhost:1".to_string(),
        "null".to_string(),
        String::new(),
    ] {
        let headers = format!("{host}Origin: {origin}\r\n");
        for path in WORK.iter().chain(&["/api/v1/games", "/api/v1/status"]) {
            assert_eq!(status(&server, path, &headers), 403, "{path} {headers:?}");
        }
        assert_eq!(status(&server, "/", &headers), 200, "{headers:?}");
    }
    let twice = format!("{host}Origin: http://localhost:{port}\r\nOrigin: http://evil.example\r\n");
    assert_eq!(status(&server, WORK[0], &twice), 403);
    // The page itself, and programs, which have no origin.
    for headers in [format!("{host}Origin: http://localhost:{port}\r\n"), host] {
        assert_eq!(status(&server, WORK[0], &headers), 200, "{headers:?}");
    }
}

/// A browser that says neither whose page asks nor from which origin, as over plain HTTP for a
/// picture, starts work for the server's own page alone.
#[test]
fn browsers_that_say_nothing_start_no_work() {
    let server = Server::start(&[]);
    let browser = "Host: localhost\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n";
    for path in WORK {
        assert_eq!(status(&server, path, browser), 403, "{path}");
    }
    for path in CHEAP {
        assert_eq!(status(&server, path, browser), 200, "{path}");
    }
    assert_eq!(status(&server, WORK[0], &format!("{browser}Sowing-Page: 1\r\n")), 200);
    assert_eq!(status(&server, WORK[0], "Host: localhost\r\nUser-Agent: curl/8.5.0\r\n"), 200);
}

/// The server answers to its own names only: a page whose name was made to point here has another.
#[test]
fn foreign_hosts_are_refused() {
    let server = Server::start(&["--public-host", "play.example.org"]);
    let port = server.address.port();
    for path in WORK.iter().chain(&CHEAP) {
        let headers =
            format!("Host: evil.example:{port}\r\nOrigin: http://evil.example:{port}\r\n");
        assert_eq!(status(&server, path, &headers), 421, "{path}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "evil.example.",
        "10.0.0.1",
        "[2001:db8::1]:8080",
        "localhost@evil.example",
        "localhost:8080:8080",
        "localhost\r\nHost: evil.example",
        "",
    ] {
        let headers = format!("Host: {host}\r\n");
        assert_eq!(status(&server, "/", &headers), 421, "{headers:?}");
    }
    let request = b"GET / HTTP/1.0\r\nHost: \xff\xfe\r\n\r\n";
    assert_eq!(read(server.send(request)).status, 421);
    for headers in [
        "Host: localhost\r\n".to_string(),
        format!("Host: LocalHost:{port}\r\n"),
        format!("Host: 127.0.0.1:{port}\r\n"),
        format!("Host: [::1]:{port}\r\n"),
        // A tunnel has another port.
        "Host: localhost:9000\r\n".to_string(),
        // A program need not say whom it asks.
        String::new(),
        // A proxy in front passes the public name on, and its page's origin.
        "Host: play.example.org\r\nOrigin: https://play.example.org\r\n".to_string(),
        "Host: Play.Example.org:443\r\nOrigin: https://play.example.org\r\n".to_string(),
        // Or it passes its own name for the server on.
        "Host: 127.0.0.1:8080\r\nOrigin: https://play.example.org\r\n".to_string(),
    ] {
        assert_eq!(status(&server, WORK[0], &headers), 200, "{headers:?}");
    }
}

/// What somebody pastes is read as what it is, and comments come along.
#[test]
fn pasted_games_are_read() {
    let server = Server::start(&[]);
    let import = |text: &str| {
        let text: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        server.get(&format!("/api/v1/import?game=kalah(4,3)&text={text}"))
    };
    let record = import("# game: kalah(6,4)\n3!.6, {well seen} 2?\n").json();
    assert_eq!(
        (&record["game"], &record["moves"]),
        (&json!("kalah(6,4)"), &json!(["3", "6", "2"]))
    );
    let notes = json!([
        { "ply": 1, "mark": "!", "comment": "" },
        { "ply": 2, "mark": "", "comment": "well seen" },
        { "ply": 3, "mark": "?", "comment": "" },
    ]);
    assert_eq!(record["notes"], notes);
    let moves = import("3,2").json();
    assert_eq!((&moves["game"], &moves["start"]), (&json!("kalah(4,3)"), &Value::Null));
    assert_eq!(moves["moves"], json!(["3", "2"]));
    let position = import("(1,0,2,3|0,4,1,1)").json();
    assert_eq!(position["start"], "1,0,2,3|0,4,1,1");
    assert_eq!((&position["game"], &position["free"]), (&json!("kalah(3,2)"), &json!(false)));
    let literal = import("<2,1,0,2,0,1,0>").json();
    assert_eq!((&literal["start"], &literal["free"]), (&json!("2,0,1|1,0,0"), &json!(false)));
    for bad in ["", "what is this", "9", "1,2|3", "<2,1>", "# game: chess(8,2)\n1"] {
        let answer = import(bad);
        assert_eq!(answer.status == 200, bad.is_empty(), "{bad}: {}", answer.body);
    }
}

/// When the time is up, what is proven is told.
#[test]
fn a_limit_ends_with_bounds() {
    let server = Server::start(&["--time-each", "1s", "--memory", "64M"]);
    let events = server.get("/api/v1/analysis?game=kalah(7,7)").events();
    let (name, done) = events.last().unwrap();
    assert_eq!(name, "done");
    assert_eq!((&done["complete"], &done["value"]), (&json!(false), &Value::Null));
    let (low, high) = (done["bounds"][0].as_i64().unwrap(), done["bounds"][1].as_i64().unwrap());
    assert!(-98 <= low && low < high && high <= 98, "{done}");
    let review = server.get("/api/v1/review?game=kalah(7,7)&moves=1,2").events();
    let (name, done) = review.last().unwrap();
    assert_eq!((name.as_str(), &done["complete"]), ("done", &json!(false)));
}

/// A termination lets requests finish: an analysis with what it has by then.
#[test]
fn it_ends_gracefully() {
    let mut server = Server::start(&["--memory", "64M"]);
    let analysis = server.ask("/api/v1/analysis?game=kalah(7,7)");
    let idle = server.send(b"GET / HTTP/1.1\r\nHost: loc");
    server.wait_for_busy(1);
    let kill = Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert!(kill.success());
    let (name, done) = read(analysis).events().pop().unwrap();
    assert_eq!((name.as_str(), &done["complete"]), ("done", &json!(false)));
    assert!(server.child.wait().unwrap().success());
    drop(idle);
}

/// A termination in the middle of a study, of a review and of a reply answers all of them, soon.
#[test]
fn it_ends_promptly_whatever_it_is_at() {
    let mut server = Server::start(&[
        "--memory",
        "64M",
        "--workers",
        "4",
        "--threads",
        "1",
        "--time-each",
        "1h",
    ]);
    let study = server.ask("/api/v1/studies/article-6");
    let analysis = server.ask("/api/v1/analysis?game=kalah(7,7)");
    let review = server.ask("/api/v1/review?game=kalah(7,7)&moves=1,2");
    server.wait_for_busy(2);
    let start = Instant::now();
    let kill = Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert!(kill.success());
    let study = read(study);
    assert_eq!(study.status, 503);
    assert!(study.json()["error"]["message"].as_str().unwrap().contains("the server is ending"));
    for stream in [analysis, review] {
        let (name, data) = read(stream).events().pop().unwrap();
        assert!(name == "done" || name == "failed", "{name} {data}");
    }
    assert!(server.child.wait().unwrap().success());
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

/// A client that does not end its request is shown the door, and so is one that sends nonsense.
#[test]
fn slow_and_broken_clients_are_turned_away() {
    let server = Server::start(&["--connections", "3", "--memory", "64M", "--threads", "1"]);
    let mut broken = server.send(b"\x16\x03\x01\x02\x00 what is this\r\n\r\n");
    let mut text = String::new();
    broken.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 400"), "{text}");
    let mut slow = server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    let start = Instant::now();
    let _ = slow.read(&mut [0; 512]);
    assert!(start.elapsed() < PATIENCE);
    // Where all connections are answered there is no room, and that is said.
    let mut busy: Vec<_> = (0..3).map(|_| server.ask("/api/v1/analysis?game=kalah(7,7)")).collect();
    for stream in &mut busy {
        stream.read_exact(&mut [0; 15]).unwrap();
    }
    let full = server.get("/");
    assert_eq!(full.status, 503);
    assert!(full.json()["error"]["message"].as_str().unwrap().contains("connections"));
    drop(busy);
    let start = Instant::now();
    while server.get("/").status != 200 {
        assert!(start.elapsed() < PATIENCE, "there is no room again");
    }
}

/// Connections from an address of this machine that ask for nothing: half of them are in the midst
/// of a request, the others wait for the next one.
#[cfg(target_os = "linux")]
fn idle(server: &Server, from: [u8; 4], number: usize) -> Vec<TcpStream> {
    let one = |number: usize| {
        let mut stream = server.connect_from(from);
        let request = match number % 2 {
            0 => "GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
            _ => "GET /api/v1/games HTTP/1.1\r\nHost: localhost\r\n\r\n",
        };
        // It may be turned away already.
        let _ = stream.write_all(request.as_bytes());
        stream
    };
    (0..number).map(one).collect()
}

/// One address with as many idle connections as there may be in all does not keep another out, and
/// the log has a line of the first refusal, and a line each minute with the number of the others.
#[cfg(target_os = "linux")]
#[test]
fn one_address_does_not_take_all_connections() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logged(&["--proxy", "none"], log.reopen().unwrap());
    let mut held = idle(&server, [127, 0, 0, 2], 512);
    for _ in 0..10 {
        assert_eq!(read(server.ask_from([127, 0, 0, 3], "/api/v1/games")).status, 200);
    }
    // The address itself gets a refusal that says why, unless too many are being written.
    let start = Instant::now();
    let refused = loop {
        let mut stream = server.connect_from([127, 0, 0, 2]);
        let _ = stream.write_all(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        if text.starts_with("HTTP/1.1 429") {
            break text;
        }
        assert!(start.elapsed() < PATIENCE, "{text}");
        if text.starts_with("HTTP/1.0 200") {
            held.extend(idle(&server, [127, 0, 0, 2], 256));
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(refused.contains("more than 256 connections are open from your address"), "{refused}");
    let visitors =
        read(server.ask_from([127, 0, 0, 3], "/api/v1/status")).json()["visitors"].clone();
    assert!(visitors["connections"].as_u64().unwrap() <= 258, "{visitors}");
    assert!(visitors["turned_away"].as_u64().unwrap() >= 256, "{visitors}");
    drop(held);
    let lines = std::fs::read_to_string(log.path()).unwrap();
    assert!((1..=3).contains(&lines.lines().count()), "{lines}");
    assert!(lines.contains("WARN") && lines.contains("127.0.0.2"), "{lines}");
}

/// Where several addresses hold all connections, those that wait for their clients give way.
#[cfg(target_os = "linux")]
#[test]
fn idle_connections_give_way() {
    let server = Server::start(&["--proxy", "none", "--connections", "16"]);
    let mut held = idle(&server, [127, 0, 0, 2], 8);
    held.extend(idle(&server, [127, 0, 0, 3], 8));
    for _ in 0..5 {
        // A newcomer waits for room; where none is made, it is refused over and over.
        let mut refused = 0;
        while read(server.ask_from([127, 0, 0, 4], "/api/v1/games")).status != 200 {
            refused += 1;
            assert!(refused < 10, "idle connections do not give way");
        }
        held.extend(idle(&server, [127, 0, 0, 2], 8));
        held.extend(idle(&server, [127, 0, 0, 3], 8));
    }
}

/// Thirty pupils behind one address, with as many connections as a browser opens.
#[cfg(target_os = "linux")]
#[test]
fn a_class_shares_an_address() {
    let server = Server::start(&["--proxy", "none"]);
    let mut open = Vec::new();
    for _ in 0..30 * 6 {
        let mut stream = server.connect_from([127, 0, 0, 2]);
        stream.write_all(b"GET /api/v1/games HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut head = [0; 15];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200 OK", "connection {}", open.len());
        open.push(stream);
    }
}

#[test]
fn a_port_in_use_is_one_line() {
    let server = Server::start(&[]);
    let port = server.address.port().to_string();
    let second =
        Command::new(env!("CARGO_BIN_EXE_sow")).args(["serve", "--port", &port]).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.starts_with("sow: cannot listen on 127.0.0.1:"), "{said}");
    assert!(said.lines().count() == 1 && said.contains("sow serve --port"), "{said}");
}

/// The short form of the load test. How quick it is depends on who else uses the machine; that
/// everything is answered does not.
#[test]
fn it_holds_under_load() {
    let output = Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["bench", "serve", "--rate", "500", "--seconds", "3", "--p99", "600000", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["requests"], &line["failed"]), (&json!(1500), &json!(0)));
    assert!(line["bad_clients"].as_u64().unwrap() >= 200, "{line}");
}

/// Tables that are cut while an analysis reads them end that analysis with the name of the file;
/// the server goes on, and answers the next time without them.
#[cfg(target_os = "linux")]
#[test]
fn tables_that_are_cut_do_not_end_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let built = Command::new(env!("CARGO_BIN_EXE_sow"))
        .args(["tables", "build", "kalah(6,4)", "--seeds", "14"])
        .env("SOW_DATA", data)
        .output()
        .unwrap();
    assert!(built.status.success(), "{built:?}");
    let limits = ["--memory", "32M", "--time-each", "1h", "--no-book"];
    let mut server = Server::start_with(&limits, &[("SOW_DATA", data)]);
    let stream = server.ask("/api/v1/analysis?game=kalah(6,4)");
    server.wait_for_map("level-14.table");
    for level in 8..=14 {
        let path = dir.path().join(format!("tables/kalah-6/level-{level:02}.table"));
        std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(4096).unwrap();
    }
    let said = read(stream).body;
    assert!(said.contains(".table: truncated while in use"), "{said}");
    assert!(server.child.try_wait().unwrap().is_none(), "the server is gone");
    let value = |server: &Server| {
        let answer = server.get("/api/v1/analysis?game=kalah(6,2)");
        let (name, done) = answer.events().pop().unwrap();
        assert_eq!(name, "done", "{done}");
        done["value"].as_i64().unwrap()
    };
    assert_eq!(value(&server), value(&Server::start(&[])));
}

/// What a visitor asked is known after a restart.
#[test]
fn what_visitors_asked_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("books");
    // A search gives way to everything else: on a busy machine it may take long.
    let arguments =
        ["--books", folder.to_str().unwrap(), "--threads", "1", "--no-book", "--time-each", "1h"];
    let path = "/api/v1/analysis?game=kalah(5,4)";
    let ask = |server: &Server| server.get(path).events().pop().unwrap().1;
    let server = Server::start(&arguments);
    let first = ask(&server);
    assert_eq!((&first["value"], &first["source"]), (&10.into(), &"search".into()));
    let start = std::time::Instant::now();
    while !folder.join("kalah-5.book").exists() {
        assert!(start.elapsed() < PATIENCE, "no book is written");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(server);
    let again = ask(&Server::start(&arguments));
    assert_eq!(again["value"], first["value"]);
    let [first, again] = [first, again].map(|found| found["nodes"].as_u64().unwrap());
    assert!(again < first / 2, "{again} of {first} nodes");
    // A damaged book is no reason not to answer.
    let book = folder.join("kalah-5.book");
    let mut bytes = std::fs::read(&book).unwrap();
    bytes[30] ^= 1;
    std::fs::write(&book, bytes).unwrap();
    assert_eq!(ask(&Server::start(&arguments))["value"], 10);
}
