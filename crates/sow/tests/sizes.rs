//! Games of every size, up to 16 houses and 10^16 seeds, through every command that takes a game
//! and every path of the server, with limits of a quarter of a second and of little memory: nothing crashes,
//! nothing runs over, nothing takes more than it was given.
#![cfg(unix)]

use crate::measured;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::server::Server;

/// Small, middling and huge, near the edges of what boards hold: 8 houses and 255 seeds for a small
/// one, 99 seeds a house for the server; and every rule.
const GAMES: [&str; 29] = [
    "kalah(1,1)",
    "kalah(1,10000000000000000)",
    "kalah(2,7)",
    "kalah(4,3)",
    "kalah(6,4)",
    "kalah(6,21)",
    "kalah(6,22)",
    "kalah(8,15)",
    "kalah(8,16)",
    "kalah(8,1000000000)",
    "kalah(9,1)",
    "kalah(16,1)",
    "kalah(16,99)",
    "kalah(16,2000)",
    "kalah(16,10000000000000000)",
    "kalah(16,99,no-capture)",
    "kalah(16,99,empty-capture,remaining-lost)",
    "kalah(16,10000000000000000,last-seed-capture,pie)",
    "kalah(6,4,pie)",
    "kalah(6,4,clockwise)",
    "kalah(16,10000000000000000,clockwise,relay)",
    "s-kalaha(2,99)",
    "s-kalaha(6,6)",
    "s-kalaha(8,99)",
    "s-kalaha(16,99)",
    "s-kalaha(16,10000000000000000)",
    "s-kalaha(6,6,pie)",
    "s-kalaha(8,99,pie)",
    "kalah(16,10000000000000000,relay,pie)",
];

/// For what needs no limit.
const SECOND: Duration = Duration::from_secs(1);

/// What the others are given.
const LIMIT: Duration = Duration::from_millis(250);

/// What a process may take besides what it was told to: the program itself, its threads, a board.
const BASE: u64 = 64 << 20;

/// What the books that are built in take once games of all their families were asked for.
const BOOKS: u64 = 32 << 20;

/// A command line about a game, and its limits.
struct Line {
    args: Vec<String>,
    stdin: &'static str,
    time: Duration,
    memory: u64,
}

fn lines() -> Vec<Line> {
    let mut lines = Vec::new();
    for game in GAMES {
        let mut add = |words: &str, stdin, time, memory: u64| {
            let args = words.split(' ').map(|word| word.replace("GAME", game)).collect();
            lines.push(Line { args, stdin, time, memory: memory << 20 });
        };
        // What needs no limit needs no time.
        add("show GAME", "", SECOND, 0);
        add("perft GAME 1", "", SECOND, 0);
        add("replay GAME - --partial", "1", SECOND, 0);
        add("tree GAME --depth 1", "", SECOND, 0);
        add("playouts GAME --games 1 --limit 1000", "", SECOND, 0);
        // What has a time keeps to it.
        for what in ["", " --value", " --wdl", " --turns", " --line", " --threads 1 --no-tables"] {
            let words = format!("solve GAME --time 250ms --memory 128M{what}");
            add(&words, "", LIMIT, 128);
        }
        add("solve GAME - --time 250ms --memory 128M", "nonsense\n", LIMIT, 128);
        add("tree GAME --depth 1 --values --time 250ms --memory 128M", "", LIMIT, 128);
        // What has a memory or a number to keep to is done soon where these are small.
        add("openings GAME --memory 16M --limit 1000", "", SECOND, 16);
        add("tree GAME --turns --depth 1 --limit 1000", "", SECOND, 16);
        add(
            "tree GAME --turns --depth 1 --limit 10000 --values --time 250ms --memory 128M",
            "",
            LIMIT,
            128,
        );
        add("tables probe GAME --dir no-tables", "", SECOND, 0);
        add("book probe GAME", "", SECOND, 0);
        add("review GAME 1 --time 250ms --memory 128M", "", LIMIT, 128);
    }
    lines
}

/// How a line fails its limits. What others do at the same time may slow a command down, so that
/// it is given three chances to keep its time; memory and the way it ends have one.
fn fault(line: &Line) -> Option<String> {
    let mut best = Duration::MAX;
    for attempt in 0..3 {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(&line.args).current_dir(dir.path()).env("SOW_DATA", dir.path());
        std::fs::write(dir.path().join("stdin"), line.stdin).unwrap();
        let stdin = std::fs::File::open(dir.path().join("stdin")).unwrap();
        let ended = measured::run(command.stdin(Stdio::from(stdin)), HOPELESS);
        let most = line.memory + line.memory / 10 + BASE;
        if ended.peak > most {
            return Some(format!("{} MiB of {}", ended.peak >> 20, most >> 20));
        }
        match ended.status.code() {
            Some(0..=2) => {}
            // Killed for its time.
            None if ended.time > HOPELESS => {}
            _ => return Some(format!("{}: {}", ended.status, ended.err)),
        }
        best = best.min(ended.time);
        if best <= line.time + line.time / 10 + START {
            return None;
        }
        if attempt > 0 && ended.time > HOPELESS {
            break;
        }
    }
    Some(format!("{best:?} at best"))
}

/// What takes so long twice does so by itself, not because of others.
const HOPELESS: Duration = Duration::from_secs(4);

/// For a process to start and to give its memory back.
const START: Duration = Duration::from_millis(150);

/// Who measures times is alone: the server gives way to whatever else runs.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn through_every_command() {
    let _alone = ALONE.lock();
    let lines = lines();
    let faults = Mutex::new(Vec::new());
    measured::each(&lines, |line| {
        if let Some(fault) = fault(line) {
            faults.lock().unwrap().push(format!("sow {}: {fault}", line.args.join(" ")));
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {} lines:\n{}", faults.len(), lines.len(), faults.join("\n"));
}

/// Long searches, whose memory is asked for: the whole process stays within it.
#[test]
fn searches_stay_within_their_memory() {
    let _alone = ALONE.lock();
    let games = [
        "kalah(6,4)",
        "kalah(6,5,empty-capture)",
        "s-kalaha(6,6)",
        "kalah(8,3)",
        "kalah(6,6,remaining-lost)",
    ];
    for game in games {
        for (size, bytes) in [("64M", 64 << 20), ("512M", 512 << 20), ("4G", 4 << 30)] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
            let limits = ["--memory", size, "--time", "2s", "--value", "--no-book"];
            let ended = measured::run(command.args(["solve", game]).args(limits), 4 * HOPELESS);
            assert!(matches!(ended.status.code(), Some(0 | 1)), "{game} {size}: {}", ended.err);
            assert!(ended.peak <= bytes, "{game} {size}: {} MiB", ended.peak >> 20);
        }
    }
}

#[test]
fn through_every_path_of_the_server() {
    let _alone = ALONE.lock();
    let arguments = ["--time", "250ms", "--memory", "128M", "--slots", "2", "--threads", "1"];
    let mut server = Server::start(&arguments);
    let mut faults = Vec::new();
    for game in GAMES {
        for path in [
            "position?game=GAME&moves=1",
            "board.svg?game=GAME&moves=1",
            "analysis?game=GAME",
            "analysis?game=GAME&turns=true&line=true",
            "review?game=GAME&moves=1",
            "choices?game=GAME&moves=1",
            "rules?game=GAME",
            "import?game=GAME&text=1",
            "reply?game=GAME&opponent=random",
            "reply?game=GAME&opponent=level:9",
            "reply?game=GAME&opponent=pdp:4",
            "reply?game=GAME&opponent=perfect",
        ] {
            let path = format!("/api/v1/{}", path.replace("GAME", game));
            let mut best = Duration::MAX;
            for _ in 0..3 {
                let start = Instant::now();
                let Some(answer) = server.try_get(&path) else { break };
                best = best.min(start.elapsed());
                if ![200, 400, 503].contains(&answer.status) {
                    faults.push(format!("{path}: {} {}", answer.status, answer.body));
                }
                if best <= LIMIT + LIMIT / 10 + START || start.elapsed() > HOPELESS {
                    break;
                }
            }
            if best > LIMIT + LIMIT / 10 + START {
                faults.push(format!("{path}: {best:?} at best"));
            }
            // Whoever was answered holds no slot any more.
            let free = Instant::now();
            while server.get("/api/v1/status").json()["slots"]["busy"] != 0 {
                if free.elapsed() > SECOND {
                    faults.push(format!("{path}: a slot stays busy"));
                    break;
                }
            }
            if let Some(status) = server.child.try_wait().unwrap() {
                faults.push(format!("{path}: the server ended with {status}"));
                server = Server::start(&arguments);
            }
        }
    }
    let peak = server.peak();
    if peak > ((2 * 128) << 20) * 11 / 10 + BASE + BOOKS {
        faults.push(format!("{} MiB of memory", peak >> 20));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
