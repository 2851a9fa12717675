//! The players against plain transcriptions of what they promise.

use sowing_analysis::Review;
use sowing_plain::{Negamax, Plain};
use sowing_players::{ChooseError, Opponent, Player, PlayerOptions, play_out};
use sowing_rules::{Game, Move, Playthrough, Position, SeededRng};
use sowing_solver::Solver;

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn player(opponent: &str, game: Game, seed: u64) -> Player {
    let options = PlayerOptions { seed, memory: 1 << 26, ..PlayerOptions::default() };
    Player::new(opponent.parse().unwrap(), game, options).unwrap()
}

/// A game that two players play to its end.
fn played(game: Game, south: &str, north: &str, seed: u64) -> Playthrough {
    let mut play = Playthrough::new(Position::start(game));
    play_out(&mut play, &mut player(south, game, seed), &mut player(north, game, !seed)).unwrap();
    play
}

#[test]
fn a_play_of_another_game_is_refused() {
    let play = Playthrough::new(Position::start(game("kalah(4,3,empty-capture)")));
    for name in ["random", "pdp:2", "level:3", "perfect"] {
        let refused = player(name, game("kalah(4,3)"), 1).choose(&play);
        assert!(matches!(refused, Err(ChooseError::OtherGame { .. })), "{name}: {refused:?}");
    }
}

/// The note's definition, word by word: A is to move if `a`, and a position's value is its utility
/// at the depth or where it is terminal, else the best of what its moves lead to.
fn note_value(position: &Plain, a: bool, level: u32, depth: u32) -> i64 {
    let sign = if a { 1 } else { -1 };
    if position.finished() {
        return sign * position.margin();
    }
    if level == depth {
        return sign * (position.stores[0] as i64 - position.stores[1] as i64);
    }
    let houses = (0..position.houses()).filter(|house| position.rows[0][*house] > 0);
    let values = houses.map(|house| {
        let (next, again) = position.play(house);
        if again {
            note_value(&next, a, level, depth)
        } else {
            note_value(&next, !a, level + 1, depth)
        }
    });
    if a { values.max().unwrap() } else { values.min().unwrap() }
}

/// The note's choice: houses are tried from the store outwards, and the first best one is taken.
fn note_choice(position: &Plain, a: bool, depth: u32) -> usize {
    let mut best: Option<(i64, usize)> = None;
    for house in (0..position.houses()).rev().filter(|house| position.rows[0][*house] > 0) {
        let (next, again) = position.play(house);
        let value =
            if again { note_value(&next, a, 0, depth) } else { note_value(&next, !a, 1, depth) };
        let better = best.is_none_or(|(known, _)| if a { value > known } else { value < known });
        if better {
            best = Some((value, house));
        }
    }
    best.unwrap().1
}

#[test]
fn pdp_chooses_as_the_note_says() {
    let games = [
        ("kalah(6,3)", 4),
        ("kalah(6,4)", 4),
        ("kalah(4,3,empty-capture)", 5),
        ("kalah(3,2,relay)", 5),
        ("s-kalaha(3,2)", 4),
        ("kalah(3,2,clockwise)", 5),
        ("kalah(3,3,remaining-lost)", 5),
        ("kalah(9,2)", 3),
    ];
    for (name, most) in games {
        let game = game(name);
        for seed in 0..6 {
            let mut random = player("random", game, seed);
            let mut play = Playthrough::new(Position::start(game));
            for number in 0..40 {
                if play.result().is_some() {
                    break;
                }
                let depth = 1 + (number + seed as u32) % most;
                let action = player(&format!("pdp:{depth}"), game, 1).choose(&play).unwrap();
                let plain = Plain::from_position(play.position());
                // Which player is A must not matter.
                let house = note_choice(&plain, number % 2 == 0, depth);
                assert_eq!(action, Move::house(house as u8 + 1), "{name} {plain:?} depth {depth}");
                play.try_play(random.choose(&play).unwrap()).unwrap();
            }
        }
    }
}

/// With nothing to cut the search short the machine plays perfectly, the pie rule included.
#[test]
fn pdp_of_great_depth_is_perfect() {
    for name in ["kalah(2,2)", "kalah(3,1,pie)", "kalah(2,2,pie)", "kalah(3,1,relay,pie)"] {
        let game = game(name);
        let value = Solver::new(game).unwrap().value(&Position::start(game)).unwrap().value();
        let play = played(game, "pdp:30", "pdp:30", 1);
        let margin = play.position().margin().unwrap();
        let south = if play.side() == sowing_rules::Side::South { margin } else { -margin };
        let first_player = if play.swapped() { -south } else { south };
        assert_eq!(Some(first_player), value, "{name}");
    }
}

#[test]
fn perfect_never_loses_seeds_against_its_exact_value() {
    let games = [
        "kalah(4,3)",
        "kalah(3,4,empty-capture)",
        "kalah(4,2,last-seed-capture)",
        "s-kalaha(3,3)",
        "kalah(3,3,relay)",
        "kalah(4,3,pie)",
        "kalah(3,3,remaining-lost)",
        "kalah(3,2,clockwise)",
        "kalah(2,3,clockwise,relay)",
        "kalah(3,2,clockwise,pie)",
        "kalah(9,1)",
        "kalah(1,5)",
    ];
    for name in games {
        let game = game(name);
        let mut solver = Solver::new(game).unwrap();
        for seed in 0..6 {
            let (south, north) =
                if seed % 2 == 0 { ("perfect", "random") } else { ("level:4", "perfect") };
            let play = played(game, south, north, seed);
            let perfect =
                if seed % 2 == 0 { sowing_rules::Side::South } else { sowing_rules::Side::North };
            // Its own turns lose nothing, and it ends with no less than it was promised.
            let review = Review::from_playthrough(&play, &mut solver, |_| {}).unwrap();
            let lost = match perfect {
                sowing_rules::Side::South => review.lost.south,
                sowing_rules::Side::North => review.lost.north,
            };
            assert_eq!(lost, 0, "{name} {seed}");
            let start = solver.value(play.start()).unwrap().value().unwrap();
            let promised = if perfect == sowing_rules::Side::South { start } else { -start };
            let row = if play.swapped() { !perfect } else { perfect };
            let got = match play.result().unwrap() {
                sowing_rules::Ending::Draw => 0,
                sowing_rules::Ending::Win(side, margin) if side == row => margin as i64,
                sowing_rules::Ending::Win(_, margin) => -(margin as i64),
            };
            assert!(got >= promised, "{name} {seed}: {got} of {promised}");
        }
    }
}

/// The losses of all turns add up to what separates the result from the value at the start.
#[test]
fn a_review_agrees_with_plain_negamax() {
    for name in ["kalah(3,3)", "s-kalaha(3,2)", "kalah(3,2,pie)", "kalah(3,3,remaining-lost)"] {
        let game = game(name);
        let mut solver = Solver::new(game).unwrap();
        let mut plain = Negamax::default();
        for seed in 0..20 {
            let play = played(game, "random", "level:3", seed);
            let review = Review::from_playthrough(&play, &mut solver, |_| {}).unwrap();
            let moves: usize = review.turns.iter().map(|turn| turn.moves.len()).sum();
            assert_eq!(moves, play.plays().len());
            for turn in &review.turns {
                let before = match turn.ply {
                    0 => play.start(),
                    first => &play.plays()[first - 1].after,
                };
                let value = plain.value(&Plain::from_position(before));
                assert_eq!(turn.before.value(), Some(value), "{name} {before}");
                assert!(turn.lost.unwrap() >= 0);
                let mut better = Playthrough::new(*before);
                for action in turn.best.as_ref().expect("there is time enough") {
                    better.try_play(*action).unwrap();
                }
                let last = better.plays().last().unwrap();
                let after = plain.value(&Plain::from_position(&last.after));
                assert_eq!(if last.report.again { after } else { -after }, value);
            }
            let worst = review.turns.iter().filter_map(|turn| turn.lost).max();
            assert_eq!(review.worst().and_then(|turn| turn.lost), worst.filter(|loss| *loss > 0));
        }
    }
}

#[test]
fn players_repeat_themselves_and_seeds_differ() {
    for name in ["random", "level:1", "level:5", "pdp:2", "perfect"] {
        let game = game("kalah(4,3)");
        let record = |seed| {
            sowing_rules::Record::from_playthrough(&played(game, name, "level:2", seed)).to_string()
        };
        assert_eq!(record(3), record(3), "{name}");
        assert!((0..20).any(|seed| record(seed) != record(20 + seed)), "{name}");
    }
}

/// A time limit that is enough changes no move.
#[test]
fn enough_time_is_as_good_as_no_limit() {
    let games = [
        ("kalah(6,4)", 6),
        ("s-kalaha(4,3)", 4),
        ("kalah(6,4,clockwise,pie)", 4),
        ("kalah(4,3,relay,pie)", 4),
        ("kalah(9,3)", 4),
    ];
    for (name, depth) in games {
        let game = game(name);
        for opponent in ["level:2", "level:7", &format!("pdp:{depth}")] {
            let with = |time| {
                let options = PlayerOptions { seed: 5, time, ..PlayerOptions::default() };
                Player::new(opponent.parse().unwrap(), game, options).unwrap()
            };
            let mut unhurried = with(None);
            let mut timed = with(Some(std::time::Duration::from_secs(600)));
            let mut play = Playthrough::new(Position::start(game));
            for number in 0..30 {
                if play.result().is_some() {
                    break;
                }
                let action = unhurried.choose(&play).unwrap();
                assert_eq!(timed.choose(&play).unwrap(), action, "{name} {opponent} {number}");
                play.try_play(action).unwrap();
            }
        }
    }
}

/// Every game of every size is played, quickly, by everybody.
#[test]
fn all_games() {
    let games = [
        "kalah(1,1)",
        "kalah(1,7,relay)",
        "kalah(16,4)",
        "s-kalaha(16,2)",
        "s-kalaha(6,6)",
        "kalah(8,10000000000)",
        "kalah(16,3,relay,clockwise,pie)",
        "kalah(6,4,clockwise)",
        "kalah(6,4,pie)",
        "kalah(2,10000000000000000,clockwise,last-seed-capture)",
    ];
    for name in games {
        let game = game(name);
        for opponent in ["random", "level:1", "level:9", "perfect"] {
            let time = std::time::Duration::from_millis(50);
            let options =
                PlayerOptions { memory: 1 << 24, time: Some(time), ..PlayerOptions::default() };
            let opponent: Opponent = opponent.parse().unwrap();
            let mut player = Player::new(opponent, game, options).unwrap();
            let mut play = Playthrough::new(Position::start(game));
            let start = std::time::Instant::now();
            for _ in 0..2 {
                if play.result().is_some() {
                    break;
                }
                let action = player.choose(&play).unwrap();
                play.try_play(action).unwrap();
            }
            // Far more than it takes, for busy machines.
            assert!(start.elapsed().as_secs() < 300, "{name} {opponent}");
        }
    }
}

#[test]
fn a_circle_is_endless() {
    let game = game("kalah(3,1,clockwise,no-capture)");
    let mut found = 0;
    for seed in 0..200 {
        let mut play = Playthrough::new(Position::start(game));
        let mut random = SeededRng::new(seed, 0);
        for _ in 0..5000 {
            let moves: Vec<Move> = play.position().moves().collect();
            if moves.is_empty() {
                break;
            }
            play.try_play(moves[random.below(moves.len() as u64) as usize]).unwrap();
            let now = (*play.position(), play.side());
            let after = play.plays().iter().map(|play| (play.after, play.next));
            let all = std::iter::once((*play.start(), sowing_rules::Side::South)).chain(after);
            let times = all.filter(|then| *then == now).count();
            assert_eq!(play.is_endless(), times >= 3 && !play.position().is_finished());
            if play.is_endless() {
                found += 1;
                break;
            }
        }
    }
    assert!(found > 0, "no circle was met");
}

#[test]
fn a_stopped_player_gives_up() {
    let game = game("kalah(6,6)");
    for name in ["pdp:60", "perfect"] {
        let options = PlayerOptions {
            time: Some(std::time::Duration::from_secs(600)),
            ..PlayerOptions::default()
        };
        let mut player = Player::new(name.parse().unwrap(), game, options).unwrap();
        let stop = player.stop_switch();
        let waiting = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let start = std::time::Instant::now();
        assert!(player.choose(&Playthrough::new(Position::start(game))).is_err(), "{name}");
        assert!(start.elapsed().as_secs() < 30, "{name}");
        waiting.join().unwrap();
    }
}
