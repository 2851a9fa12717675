//! First turns: the published table, every turn replayed, and a plain recursion beside them.

use std::collections::HashSet;

use sowing_lab::{Openings, TooManyPositions};
use sowing_plain::Plain;
use sowing_rules::{Game, Playthrough, Position, Rules};

fn s_kalaha(houses: u8, seeds: u64) -> Game {
    Game::new(Rules::S_KALAHA, houses, seeds).unwrap()
}

#[test]
fn the_published_table_cell_by_cell() {
    let text = include_str!("../published/s_kalaha_openings.csv");
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'h']));
    let printed: HashSet<(u8, u64)> = rows
        .map(|row| {
            let (houses, seeds) = row.split_once(',').unwrap();
            (houses.parse().unwrap(), seeds.parse().unwrap())
        })
        .collect();
    assert_eq!(printed.len(), 15);
    for houses in 1..=6 {
        for seeds in 1..=6 {
            let openings = Openings::of(s_kalaha(houses, seeds), 10_000_000).unwrap();
            let wins = openings.shortest.is_some();
            assert_eq!(wins, printed.contains(&(houses, seeds)), "{}", openings.game);
            assert_eq!(wins, openings.winning_ends > 0);
            assert_eq!(wins, openings.richest.is_some());
        }
    }
}

#[test]
fn the_turns_are_what_they_are_said_to_be() {
    for (houses, seeds) in [(1, 5), (2, 6), (4, 3), (5, 4), (6, 4)] {
        let game = s_kalaha(houses, seeds);
        let openings = Openings::of(game, 10_000_000).unwrap();
        let (shortest, richest) = (openings.shortest.unwrap(), openings.richest.unwrap());
        assert!(shortest.moves.len() <= richest.moves.len() && shortest.seeds <= richest.seeds);
        for turn in [shortest, richest] {
            let mut play = Playthrough::new(Position::start(game));
            let mut again = true;
            for action in &turn.moves {
                assert!(again, "the turn is one turn");
                again = play.try_play(*action).unwrap().report.again;
            }
            assert_eq!(play.result().is_some(), turn.finished);
            let position = if again { *play.position() } else { play.position().flip() };
            let row: u64 = if turn.finished { position.board().own().iter().sum() } else { 0 };
            assert_eq!(position.board().store() + row, turn.seeds);
            assert!(2 * turn.seeds > game.total());
        }
    }
}

/// All ends of the first turn, as the first player sees them.
fn plain_ends(position: &Plain, ends: &mut HashSet<([Vec<u64>; 2], [u64; 2])>) {
    for house in (0..position.houses()).filter(|house| position.rows[0][*house] > 0) {
        let (mut next, again) = position.play(house);
        if again && !next.finished() {
            plain_ends(&next, ends);
            continue;
        }
        if !again {
            next.rows.swap(0, 1);
            next.stores.swap(0, 1);
        }
        ends.insert((next.rows, next.stores));
    }
}

#[test]
fn a_plain_recursion_finds_the_same_ends() {
    let names = ["kalah(6,4)", "kalah(3,3,empty-capture)", "s-kalaha(3,4)", "kalah(4,3,clockwise)"];
    for name in names {
        let game: Game = name.parse().unwrap();
        let mut ends = HashSet::new();
        plain_ends(&Plain::start(&game), &mut ends);
        assert_eq!(Openings::of(game, 1_000_000).unwrap().ends, ends.len() as u64, "{name}");
    }
}

/// Half of the seeds are a win only where every answer ends the game behind.
#[test]
fn half_of_the_seeds_and_one_more_for_sure() {
    let openings = Openings::of(s_kalaha(1, 2), 100).unwrap();
    assert_eq!((openings.ends, openings.winning_ends), (1, 1));
    assert_eq!(openings.shortest.unwrap().seeds, 2);
    assert!(Openings::of(s_kalaha(3, 3), 100_000).unwrap().shortest.is_none());
}

/// The opponent could swap into the won seat, unless the game is over.
#[test]
fn the_pie_rule_takes_wins_back() {
    let pie: Game = "s-kalaha(4,5,pie)".parse().unwrap();
    let plain = Openings::of(s_kalaha(4, 5), 1_000_000).unwrap();
    let openings = Openings::of(pie, 1_000_000).unwrap();
    assert_eq!(openings.ends, plain.ends);
    assert!(openings.winning_ends < plain.winning_ends);
    assert!(openings.shortest.is_none_or(|turn| turn.finished));
}

#[test]
fn a_limit_is_kept() {
    let game = s_kalaha(6, 4);
    let error = Openings::of(game, 100).unwrap_err();
    assert_eq!(error, TooManyPositions { game, limit: 100 });
}
