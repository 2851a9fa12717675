//! Our client on our server: whole games, problems, positions.

use std::collections::HashMap;
use std::time::Duration;

use crate::common::{self, Running, client, offers, play};
use sowing_kgp::{Clock, ServerOptions};
use sowing_protocol::kgp::Mode;
use sowing_rules::{Playthrough, Position, Record, Side};

const SIZES: [&str; 10] = [
    "kalah(3,4)",
    "kalah(4,3)",
    "kalah(5,2)",
    "kalah(6,4)",
    "kalah(7,2)",
    "kalah(8,1)",
    "kalah(9,2)",
    "kalah(10,1)",
    "kalah(11,2)",
    "kalah(12,1)",
];

/// Where a player was asked, and had a choice. Two ways may lead to one position, so that this is all that
/// a client can know for sure.
fn choices(play: &Playthrough, me: Side) -> Vec<Position> {
    let before = std::iter::once((*play.start(), Side::South));
    let after = play.plays().iter().map(|play| (play.after, play.next));
    let asked = before.chain(after).take(play.plays().len());
    let asked = asked.filter(|(position, side)| *side == me && position.moves().count() > 1);
    asked.map(|(position, _)| position).collect()
}

/// Every size from both sides, over both wires, and no move lost, late or illegal.
#[test]
fn whole_games_of_all_sizes() {
    common::run(async {
        let records = tempfile::tempdir().unwrap();
        let own = tempfile::tempdir().unwrap();
        let options = ServerOptions { records: Some(records.path().into()), ..offers(&SIZES) };
        let server = Running::start(options).await;
        let count = 2 * SIZES.len() as u64;
        // One after the other: two that wait at once would meet each other.
        for (web, player, name) in [(false, "perfect", "lines"), (true, "level:3", "socket")] {
            let mut options = client(Mode::Freeplay, player, name, count);
            options.records = Some(own.path().join(name));
            let summary = play(&server.address(web), &options).await.unwrap();
            let counts = (summary.games, summary.missed, summary.errors);
            assert_eq!(counts, (count, 0, 0), "{summary:?}");
            assert_eq!((summary.again, summary.lost), (0, 0), "{summary:?}");
        }
        let standings = server.end().await;
        assert_eq!(standings.len(), 3, "{standings:?}");
        for standing in &standings {
            assert_eq!((standing.forfeits, standing.late), (0, 0), "{standings:?}");
        }
        // Each wire has played each size from each side, and every record is a game.
        let mut seen: HashMap<(String, String, String), u32> = HashMap::new();
        let mut whole = HashMap::new();
        for entry in std::fs::read_dir(records.path()).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let record: Record = text.parse().unwrap();
            let play = record.replay().unwrap();
            let header = |key| record.header(key).unwrap().to_string();
            *seen
                .entry((record.game().to_string(), header("south"), header("north")))
                .or_default() += 1;
            assert!(sowing_kgp::is_over(play.position()));
            let key = (record.game().to_string(), header("south"), header("north"));
            whole.insert(key, play);
        }
        for game in SIZES {
            for name in ["lines", "socket"] {
                for (south, north) in [(name, "level:1"), ("level:1", name)] {
                    let key = (game.to_string(), south.to_string(), north.to_string());
                    assert_eq!(seen.get(&key), Some(&1), "{key:?}: {seen:?}");
                }
            }
        }
        // What the client put together is what was played, as far as it saw it.
        let mut compared = 0;
        for name in ["lines", "socket"] {
            for entry in std::fs::read_dir(own.path().join(name)).unwrap() {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                let record: Record = text.parse().unwrap();
                let play = record.replay().unwrap();
                let header = |key| record.header(key).unwrap().to_string();
                let key = (record.game().to_string(), header("south"), header("north"));
                let all = whole.get(&key).unwrap_or_else(|| panic!("{key:?}"));
                let me = if header("south") == name { Side::South } else { Side::North };
                assert_eq!(choices(&play, me), choices(all, me), "{key:?}");
                compared += 1;
            }
        }
        assert_eq!(compared, 2 * count);
    });
}

/// `perfect` wins what is won: the first player of these games, and its opponent of others.
#[test]
fn perfect_wins_what_is_won() {
    common::run(async {
        // Kalah(4,3), (3,4) and (5,2) are won by the first player.
        let records = tempfile::tempdir().unwrap();
        let options = ServerOptions {
            house: "level:9".parse().unwrap(),
            records: Some(records.path().into()),
            ..offers(&["kalah(4,3)", "kalah(5,2)"])
        };
        let server = Running::start(options).await;
        let mut options = client(Mode::Freeplay, "perfect", "perfect one", 8);
        options.player.time = Some(Duration::from_secs(5));
        play(&server.address(false), &options).await.unwrap();
        server.end().await;
        let mut won = 0;
        for entry in std::fs::read_dir(records.path()).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let record: Record = text.parse().unwrap();
            if record.header("south") == Some("perfect one") {
                let play = record.replay().unwrap();
                assert_eq!(sowing_kgp::winner(&play), Some(Side::South), "{text}");
                won += 1;
            }
        }
        assert!(won >= 4, "{won}");
    });
}

/// Two clients who wait meet each other, on either wire, with a clock for the whole game.
#[test]
fn clients_meet_each_other() {
    common::run(async {
        let options = ServerOptions {
            wait: Duration::from_secs(3600),
            clock: Clock::Game(Duration::from_secs(600)),
            count: Some(6),
            ..offers(&["kalah(4,3)"])
        };
        let server = Running::start(options).await;
        let mut tasks = Vec::new();
        for (web, name) in [(false, "Ada"), (true, "Bob")] {
            let options = client(Mode::Freeplay, "level:4", name, 1000);
            let address = server.address(web);
            tasks.push(tokio::spawn(async move { play(&address, &options).await.unwrap() }));
        }
        for task in tasks {
            let summary = task.await.unwrap();
            assert_eq!((summary.games, summary.missed, summary.errors), (6, 0, 0), "{summary:?}");
        }
        let standings = server.end().await;
        let names: Vec<&str> = standings.iter().map(|standing| standing.name.as_str()).collect();
        assert!(names.contains(&"Ada") && names.contains(&"Bob") && names.len() == 2, "{names:?}");
        assert!(standings.iter().all(|standing| standing.games() == 6 && standing.forfeits == 0));
    });
}

#[test]
fn problems_are_solved() {
    common::run(async {
        let server = Running::start(offers(&["kalah(6,4)"])).await;
        for (web, name) in [(false, "lines"), (true, "socket")] {
            let options = client(Mode::Verify, "perfect", name, 300);
            let summary = play(&server.address(web), &options).await.unwrap();
            assert_eq!((summary.problems, summary.errors), (300, 0), "{summary:?}");
        }
        for standing in server.end().await {
            // The last may be on its way when the client leaves.
            assert!(standing.solved >= 299 && standing.wrong == 0, "{standing:?}");
        }
    });
}

#[test]
fn positions_are_evaluated() {
    common::run(async {
        let options = ServerOptions { problems: Some(8), ..offers(&["kalah(4,3)", "kalah(8,3)"]) };
        let server = Running::start(options).await;
        for (web, name) in [(false, "lines"), (true, "socket")] {
            let mut options = client(Mode::Eval, "perfect", name, 8);
            options.retries = 0;
            let summary = play(&server.address(web), &options).await.unwrap();
            assert_eq!((summary.states, summary.errors), (8, 0), "{summary:?}");
        }
        for standing in server.end().await {
            assert_eq!(standing.evaluated, 8, "{standing:?}");
            // A value is rarely far from what a look ahead sees.
            assert!(standing.distance < 12.0, "{standing:?}");
        }
    });
}
