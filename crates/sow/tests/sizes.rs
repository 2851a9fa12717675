//! Games of every size, up to 16 houses and 10^16 seeds, through every command that takes a game
//! and every path of the server, with limits of a tenth of a second and of little memory: nothing crashes,
//! nothing runs over, nothing takes more than it was given.
#![cfg(target_os = "linux")]

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
const LIMIT: Duration = Duration::from_millis(100);

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
            let words = format!("solve GAME --time 100ms --memory 128M{what}");
            add(&words, "", LIMIT, 128);
        }
        add("solve GAME - --time-each 100ms --memory 128M", "nonsense\n", LIMIT, 128);
        add("tree GAME --depth 1 --values --time 100ms --memory 128M", "", LIMIT, 128);
        // What has a memory or a number to keep to is done soon where these are small.
        add("openings GAME --memory 16M --limit 1000", "", SECOND, 16);
        add("tree GAME --turns --depth 1 --limit 1000", "", SECOND, 16);
        add(
            "tree GAME --turns --depth 1 --limit 10000 --values --time 100ms --memory 128M",
            "",
            LIMIT,
            128,
        );
        add("tables probe GAME --dir no-tables", "", SECOND, 0);
        add("book probe GAME", "", SECOND, 0);
        add("review GAME 1 --move-time 100ms --memory 128M", "", LIMIT, 128);
    }
    lines
}

/// How a line fails its limits. A command that keeps its time uses no more of the processors than
/// that on each core, whatever else the machine does.
fn fault(line: &Line) -> Option<String> {
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
    if !matches!(ended.status.code(), Some(0..=2)) {
        return Some(format!("{} after {:?}: {}", ended.status, ended.time, ended.err));
    }
    let most = within(line.time);
    (ended.processor > most).then(|| format!("{:?} of {most:?}", ended.processor))
}

/// What a limit of this time lets a process use of the processors.
fn within(time: Duration) -> Duration {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    cores * (time + time / 10) + START
}

/// What does not end after this long hangs.
const HOPELESS: Duration = Duration::from_secs(60);

/// What a process uses to start and to give its memory back.
const START: Duration = Duration::from_millis(300);

/// Those that measure memory run one after the other.
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
            if bytes > 1 << 30 && game != games[0] {
                continue;
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
            let limits = ["--memory", size, "--time", "1s", "--value", "--no-book"];
            let ended = measured::run(command.args(["solve", game]).args(limits), HOPELESS);
            assert!(matches!(ended.status.code(), Some(0 | 1)), "{game} {size}: {}", ended.err);
            assert!(ended.peak <= bytes, "{game} {size}: {} MiB", ended.peak >> 20);
        }
    }
}

#[test]
fn through_every_path_of_the_server() {
    let _alone = ALONE.lock();
    let arguments =
        ["--time-each", "100ms", "--memory", "128M", "--workers", "2", "--threads", "1"];
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
            let before = server.processor_time();
            match server.try_get(&path) {
                Some(answer) if [200, 400, 503].contains(&answer.status) => {}
                Some(answer) => faults.push(format!("{path}: {} {}", answer.status, answer.body)),
                None => faults.push(format!("{path}: no answer")),
            }
            let used = server.processor_time() - before;
            if used > within(LIMIT) {
                faults.push(format!("{path}: {used:?} of {:?}", within(LIMIT)));
            }
            // A client that was answered holds no slot any more.
            let free = Instant::now();
            while server.get("/api/v1/status").json()["workers"]["busy"] != 0 {
                if free.elapsed() > HOPELESS {
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

/// Data sets in every form and matches, on any number of threads: the whole process stays within the
/// memory that it was given.
#[test]
#[ignore = "half a minute"]
fn data_sets_and_matches_stay_within_their_memory() {
    let _alone = ALONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let mut lines = Vec::new();
    for threads in ["1", "8", "64"] {
        for ending in ["csv", "jsonl", "parquet"] {
            let file = format!("{threads}.{ending}");
            lines.push(format!("dataset kalah(6,4) --positions 140000 --seeds 2..13 --out {file} --threads {threads}"));
        }
        for (number, source) in ["level:9", "pdp:6"].into_iter().enumerate() {
            let file = format!("{threads}-{number}.csv");
            lines.push(format!("dataset kalah(6,4) --positions 24 --source {source} --seeds 2..11 --out {file} --threads {threads}"));
        }
        for players in ["perfect perfect", "perfect random", "level:9 level:9", "pdp:8 level:8"] {
            lines.push(format!(
                "match kalah(6,4) {players} --move-time 100ms --games 8 --threads {threads}"
            ));
        }
    }
    for line in lines {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(line.split(' ')).args(["--memory", "64M"]);
        command.current_dir(dir.path()).env("SOW_DATA", dir.path());
        let ended = measured::run(&mut command, 4 * HOPELESS);
        assert_eq!(ended.status.code(), Some(0), "{line}: {}", ended.err);
        assert!(ended.peak <= 64 << 20, "{line}: {} MiB", ended.peak >> 20);
    }
}

/// A data set that is taken up again is not read into memory.
#[test]
fn what_is_taken_up_again_stays_in_its_file() {
    let _alone = ALONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let sow = |time: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(["dataset", "kalah(2,6)", "--positions", "10^6", "--out", "d.jsonl"]);
        command.args(["--memory", "64M", "--time", time]);
        command.current_dir(dir.path()).env("SOW_DATA", dir.path());
        measured::run(&mut command, 4 * HOPELESS)
    };
    let file = dir.path().join("d.jsonl");
    let begun = Instant::now();
    while file.metadata().map_or(0, |found| found.len()) < 70 << 20 {
        let ended = sow("200ms");
        assert_eq!(ended.status.code(), Some(1), "{}", ended.err);
        assert!(begun.elapsed() < 4 * HOPELESS, "it does not get anywhere");
        assert!(ended.peak <= 64 << 20, "{} MiB", ended.peak >> 20);
    }
    let ended = sow("1h");
    assert_eq!(ended.status.code(), Some(0), "{}", ended.err);
    assert!(ended.peak <= 64 << 20, "{} MiB", ended.peak >> 20);
}

/// The memory that a build has for itself; layers that it has finished are mapped, and come on top.
#[test]
fn builds_stay_within_their_memory() {
    let _alone = ALONE.lock();
    for threads in ["1", "8", "64"] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sow"));
        command.args(["tables", "build", "kalah(6,4)", "--seeds", "19", "--memory", "64M"]);
        command.args(["--threads", threads, "--dir"]).arg(dir.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        let ended = loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
            let own = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            peak = peak.max(own.unwrap_or(0) << 10);
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(ended.success() && peak > 0);
        assert!(peak <= 64 << 20, "{threads} threads: {} MiB", peak >> 20);
    }
}

/// Everything that a server does, asked for by 60 clients for a while, many of whom do not wait for the
/// answer: the most memory that it held, and how many requests there were.
fn under_load(memory: &str, time: Duration) -> (u64, u64) {
    use std::io::Read;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    const PATHS: [&str; 14] = [
        "position?game=GAME&moves=1",
        "board.svg?game=GAME",
        "puzzles",
        "fair?game=GAME",
        "rules?game=GAME",
        "studies/irving-2",
        "analysis?game=GAME&moves=1",
        "analysis?game=GAME&turns=true&line=true",
        "review?game=GAME&moves=1",
        "choices?game=GAME&moves=1",
        "reply?game=GAME&opponent=level:9",
        "reply?game=GAME&opponent=pdp:9",
        "reply?game=GAME&opponent=pdp:12&moves=1",
        "reply?game=GAME&opponent=perfect",
    ];
    let mut server = Server::start(&[
        "--memory",
        memory,
        "--workers",
        "2",
        "--time-each",
        "10s",
        "--log",
        "off",
    ]);
    let (requests, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    let end = Instant::now() + time;
    std::thread::scope(|scope| {
        for client in 0..60 {
            let (server, requests, answered) = (&server, &requests, &answered);
            scope.spawn(move || {
                let mut random = sowing_rules::SeededRng::new(client, 0);
                let mut any = |many: usize| random.below(many as u64) as usize;
                while Instant::now() < end {
                    let path = PATHS[any(PATHS.len())].replace("GAME", GAMES[any(GAMES.len())]);
                    let patience = Duration::from_millis([100, 1000, 10_000][any(3)]);
                    let from = [127, 0, 0, 2 + client as u8];
                    let mut stream = server.ask_from(from, &format!("/api/v1/{path}"));
                    stream.set_read_timeout(Some(patience)).unwrap();
                    let (begun, mut bytes) = (Instant::now(), [0; 4096]);
                    let over = loop {
                        match stream.read(&mut bytes) {
                            Ok(0) => break true,
                            Ok(_) if begun.elapsed() < patience => {}
                            _ => break false,
                        }
                    };
                    requests.fetch_add(1, Relaxed);
                    answered.fetch_add(over.into(), Relaxed);
                }
            });
        }
    });
    assert!(server.child.try_wait().unwrap().is_none(), "the server has ended");
    assert_eq!(server.get("/api/v1/status").status, 200);
    assert!(answered.into_inner() > 60, "hardly anything is answered");
    (server.peak(), requests.into_inner())
}

/// What is promised of a server with two slots.
fn promised(memory: u64) -> u64 {
    2 * memory * 11 / 10 + BASE + BOOKS
}

#[test]
#[ignore = "half a minute"]
fn a_server_under_load_keeps_its_memory() {
    let _alone = ALONE.lock();
    let (peak, requests) = under_load("64M", Duration::from_secs(25));
    let most = promised(64 << 20);
    assert!(peak <= most, "{} MiB of {} after {requests} requests", peak >> 20, most >> 20);
}

#[test]
#[ignore = "ten minutes: cargo test -p sowing-cli --test all -- --ignored by_hand_ten_minutes"]
fn by_hand_ten_minutes_under_load() {
    let _alone = ALONE.lock();
    let (peak, requests) = under_load("256M", Duration::from_secs(600));
    let most = promised(256 << 20);
    eprintln!("{} MiB of {} after {requests} requests", peak >> 20, most >> 20);
    assert!(peak <= most, "{} MiB of {} after {requests} requests", peak >> 20, most >> 20);
}
