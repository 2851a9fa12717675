//! The client on a server of another project:
//! `SOW_KGP_SERVER="127.0.0.1:2671 ws://127.0.0.1:8080/socket" SOW_KGP_GAMES=10 cargo test -p sowing-kgp -- --ignored by_hand`.

use std::io::Write;
use std::time::Duration;

use crate::common::{self, client, play};
use sowing_kgp::{Address, ClientError};
use sowing_protocol::kgp::Mode;

/// How many clients play at a time; the public server starts games every 20 seconds or so.
const CLIENTS: u64 = 10;

#[test]
#[ignore = "needs a server that SOW_KGP_SERVER names"]
fn by_hand_a_server_that_is_named() {
    common::run(async {
        let named = std::env::var("SOW_KGP_SERVER").expect("SOW_KGP_SERVER names a server");
        let games: u64 = std::env::var("SOW_KGP_GAMES").map_or(1, |games| games.parse().unwrap());
        for (address, which) in named.split_whitespace().zip(0u64..) {
            let address: Address = address.parse().unwrap();
            let summary = play(&address, &client(Mode::Verify, "perfect", "", 200)).await.unwrap();
            assert_eq!((summary.problems, summary.errors), (200, 0), "{summary:?}");
            // The public server does not offer it.
            match play(&address, &client(Mode::Eval, "perfect", "", 1)).await {
                Ok(_) | Err(ClientError::Refused { .. }) => {}
                Err(error) => panic!("{error}"),
            }
            let mut tasks = Vec::new();
            for number in 0..CLIENTS {
                let player = ["perfect", "level:3", "level:6", "random"][number as usize % 4];
                let name = format!("sow {which} {number}");
                let mut options = client(Mode::Freeplay, player, &name, games);
                options.introduction.token = format!("token of {name}");
                options.player.time = Some(Duration::from_secs(1));
                let address = address.clone();
                tasks.push(tokio::spawn(async move { play(&address, &options).await.unwrap() }));
            }
            let (mut played, mut states, mut again) = (0, 0, 0);
            for task in tasks {
                let summary = task.await.unwrap();
                assert_eq!(
                    (summary.missed, summary.errors, summary.lost),
                    (0, 0, 0),
                    "{summary:?}"
                );
                assert_eq!(summary.games, games, "{summary:?}");
                (played, states, again) =
                    (played + summary.games, states + summary.states, again + summary.again);
            }
            let words =
                format!("{address}: {played} games, {states} positions, {again} moves sent again");
            writeln!(std::io::stderr(), "{words}").unwrap();
        }
    });
}
