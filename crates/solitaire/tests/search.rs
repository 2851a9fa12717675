//! The searches agree with trying every play, one stone at a time.

use crate::plain;

use std::collections::HashMap;

use sowing_solitaire::{
    Board, Chain, DEFAULT_LIMIT, Matrix, MatrixKind, SearchError, Variant, Vector, WinAnalysis,
    any_win, chains, decide, losses, shortest_win, sowing_column, sowing_index, tally, tchuka_ruma,
    unwrap, winning_boards, wrapping_play,
};

fn signed(entries: &[u64]) -> Vector {
    Vector::new(entries.iter().map(|&entry| entry as i64).collect()).unwrap()
}

fn whole(kind: MatrixKind, length: usize, vector: &Vector) -> Vec<i64> {
    let product = Matrix::new(kind, length).unwrap().apply(vector).unwrap();
    product.into_iter().map(|entry| entry.whole().unwrap() as i64).collect()
}

fn sum(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Every board of up to 5 bins and 12 stones, in every game: who wins, in how many ways, how
/// quickly, how slowly, how much comes home; and the matrix equation of every winning play.
#[test]
fn all_boards_of_5_bins_and_12_stones() {
    for variant in Variant::ALL {
        let mut won = 0;
        for length in 1..=5 {
            let listed = chains(length);
            for bins in plain::boards(length, 12) {
                let plain = plain::exhaust(variant, &bins);
                let board = Board::new(bins).unwrap();
                let analysis = WinAnalysis::new(variant, board.clone(), DEFAULT_LIMIT).unwrap();
                let name = format!("{variant} {board}");
                assert_eq!(analysis.plays(), Some(plain.plays), "{name}");
                assert_eq!(analysis.winnable(), plain.plays > 0, "{name}");
                let lengths = |length: sowing_solitaire::Length| (length.moves, length.sowings);
                assert_eq!(analysis.shortest_length().map(lengths), plain.shortest, "{name}");
                assert_eq!(analysis.longest_length().map(lengths), plain.longest, "{name}");
                let all: Vec<Vec<usize>> = analysis.all().collect();
                assert_eq!(all.len() as u128, plain.plays, "{name}");
                let mut distinct = all.clone();
                distinct.dedup();
                assert_eq!(distinct.len(), all.len(), "{name}");
                for play in &all {
                    equations(variant, &board, play, &listed);
                }
                if plain.plays > 0 {
                    won += 1;
                    let of = |play: &[usize]| {
                        let legs = tally(variant, &board, play).legs;
                        (legs.len() as u64, legs.iter().map(|l| l.len() as u64).sum())
                    };
                    assert_eq!(analysis.shortest().as_deref().map(of), plain.shortest, "{name}");
                    assert_eq!(analysis.longest().as_deref().map(of), plain.longest, "{name}");
                }
                let shortest = shortest_win(variant, &board, DEFAULT_LIMIT).unwrap();
                let any = any_win(variant, &board, DEFAULT_LIMIT).unwrap();
                let decided = decide(variant, &board, DEFAULT_LIMIT).unwrap();
                assert_eq!(decided.win, shortest.win, "{name}");
                assert!(decided.is_shortest() == decided.win.is_some(), "{name}");
                assert_eq!(any.win.is_some(), plain.plays > 0, "{name}");
                assert_eq!((shortest.home, any.home), (plain.home, plain.home), "{name}");
                let moves = shortest.win.as_ref().map(|win| win.len() as u64);
                assert_eq!(moves, plain.shortest.map(|(moves, _)| moves), "{name}");
                for found in [&shortest, &any] {
                    if let Some(win) = &found.win {
                        assert!(all.contains(win), "{name}");
                    }
                    assert_eq!(brought(variant, &board, &found.best), plain.home, "{name}");
                }
            }
        }
        assert!(won > 20, "{variant}: {won} boards won");
    }
}

fn brought(variant: Variant, board: &Board, play: &[usize]) -> u64 {
    let mut bins = board.bins().to_vec();
    play.iter().map(|&bin| plain::play(variant, &mut bins, bin).0).sum()
}

/// The board is what the matrices make of a winning play.
fn equations(variant: Variant, board: &Board, play: &[usize], listed: &[Chain]) {
    let length = board.len();
    let tally = tally(variant, board, play);
    let bins = signed(board.bins());
    if !variant.chaining {
        let unplayed = whole(MatrixKind::Unplay, length, &signed(&tally.moves));
        let unwrapped = whole(MatrixKind::Wrap, length, &signed(&tally.wraps));
        assert_eq!(sum(&unplayed, &unwrapped), bins.entries(), "U m + W w of {board}");
    }
    if !variant.wrapping {
        let mut t = vec![0; listed.len()];
        for legs in &tally.legs {
            let chain = Chain::new(legs.iter().map(|leg| leg.from).collect()).unwrap();
            t[listed.iter().position(|other| *other == chain).unwrap()] += 1;
        }
        let unchained = whole(MatrixKind::Chain, length, &signed(&t));
        assert_eq!(unchained, bins.entries(), "C t of {board}");
    }
    let mut v = vec![0; length * length];
    for leg in tally.legs.iter().flatten() {
        if let Some(index) = sowing_index(leg.from, leg.to, length) {
            assert_eq!(sowing_column(index, length), (leg.from, leg.to));
            v[index] += 1;
        }
    }
    let unsown = whole(MatrixKind::Sowing, length, &signed(&v));
    let unwrapped = whole(MatrixKind::Wrap, length, &signed(&tally.wraps));
    assert_eq!(sum(&unsown, &unwrapped), bins.entries(), "V v + W w of {variant} {board}");
}

/// Larger boards, where laps and long chains happen, stone by stone.
#[test]
fn one_play_agrees_with_sowing_stone_by_stone() {
    let mut dice = plain::Dice(3);
    for _ in 0..20_000 {
        let length = 1 + dice.below(9) as usize;
        let most = [3, 12, 60][dice.below(3) as usize];
        let bins: Vec<u64> = (0..length).map(|_| dice.below(most)).collect();
        let bin = 1 + dice.below(length as u64) as usize;
        for variant in Variant::ALL {
            let (mut fast, mut slow) = (bins.clone(), bins.clone());
            let mut sowings = 0;
            let result = variant.play(&mut fast, bin, |_| sowings += 1);
            let (ruma, plain_sowings, home) = plain::play(variant, &mut slow, bin);
            assert_eq!(result.is_ok(), home, "{variant} {bins:?} bin {bin}");
            if home {
                assert_eq!((result, fast, sowings), (Ok(ruma), slow, plain_sowings));
            }
        }
    }
}

/// Winning boards made by taking plays back are those that trying every play finds.
#[test]
fn winning_boards_are_counted() {
    for variant in Variant::ALL {
        for length in 1..=5 {
            let mut counts = vec![0u64; 13];
            let mut known: HashMap<Vec<u64>, bool> = HashMap::new();
            for bins in plain::boards(length, 12) {
                let stones = bins.iter().sum::<u64>() as usize;
                counts[stones] += u64::from(wins(variant, bins, &mut known));
            }
            let counted = winning_boards(variant, length, 12, DEFAULT_LIMIT).unwrap();
            assert_eq!(counted.counts, counts, "{variant}, {length} bins");
        }
    }
    let limited = winning_boards(Variant::CHAINING, 8, 40, 10);
    assert_eq!(limited, Err(SearchError::Limit { limit: 10 }));
}

fn wins(variant: Variant, bins: Vec<u64>, known: &mut HashMap<Vec<u64>, bool>) -> bool {
    if bins.iter().all(|&stones| stones == 0) {
        return true;
    }
    if let Some(&won) = known.get(&bins) {
        return won;
    }
    let won = (1..=bins.len()).any(|bin| {
        let mut next = bins.clone();
        plain::play(variant, &mut next, bin).2 && wins(variant, next, known)
    });
    known.insert(bins, won);
    won
}

/// With wrapping a board is won by one play at most, and unplaying from the cleared board finds it.
#[test]
fn wrapping_is_won_in_one_way() {
    for length in 1..=5 {
        for bins in plain::boards(length, 14) {
            let plain = plain::exhaust(Variant::WRAPPING, &bins);
            assert!(plain.plays <= 1);
            let board = Board::new(bins).unwrap();
            let analysis = WinAnalysis::new(Variant::WRAPPING, board.clone(), 10_000).unwrap();
            assert_eq!(wrapping_play(&board), analysis.shortest(), "{board}");
        }
    }
    // As far as a word goes, forwards again stone by stone.
    for length in [1, 2, 3, 6, 10] {
        let mut bins = vec![0; length];
        let mut total = 0u64;
        for _ in 0..1_000 {
            let before = bins.clone();
            let Some(leg) = unwrap(&mut bins) else { break };
            total += leg.laps + 1;
            assert_eq!(bins.iter().sum::<u64>(), total);
            let mut after = bins.clone();
            if total < 1_000_000 {
                let (home, _, ended_home) = plain::play(Variant::WRAPPING, &mut after, leg.from);
                assert!(ended_home && home == leg.laps + 1);
                assert_eq!(after, before);
            }
            // No other play of this board leads on to a win: the one found is a full search's.
            if total < 2_000 {
                let board = Board::new(bins.clone()).unwrap();
                let analysis = WinAnalysis::new(Variant::WRAPPING, board, 100_000).unwrap();
                assert_eq!(analysis.plays(), Some(1));
            }
        }
        assert!(length > 6 || total > 1 << 40, "{length} bins: {total}");
    }
}

/// With chaining the counts settle once the board is longer than its stones can reach.
#[test]
fn chaining_of_any_length() {
    let long = winning_boards(Variant::CHAINING, 24, 12, DEFAULT_LIMIT).unwrap();
    assert!(long.farthest + 2 <= 24, "{long:?}");
    let longer = winning_boards(Variant::CHAINING, 32, 12, DEFAULT_LIMIT).unwrap();
    assert_eq!(long, longer);
}

#[test]
fn tchuka_ruma_with_two_bins_is_a007780() {
    let line = include_str!("data/oeis.csv").lines().find(|line| line.starts_with("A007780"));
    let terms = line.unwrap().rsplit(',').next().unwrap();
    let published: Vec<u64> = terms.split(' ').map(|term| term.parse().unwrap()).collect();
    let found: Result<Vec<u64>, _> = losses(2, 20_000, DEFAULT_LIMIT).collect();
    let published: Vec<u64> = published.into_iter().filter(|&term| term <= 20_000).collect();
    assert_eq!(found.unwrap(), published);
}

/// The usual board of 4 bins with 2 seeds each is won, and not by its losing first moves.
#[test]
fn the_usual_tchuka_ruma() {
    let board = tchuka_ruma(4, 2).unwrap();
    let found = shortest_win(Variant::TCHUKA_RUMA, &board, DEFAULT_LIMIT).unwrap();
    let win = found.win.unwrap();
    let tally = tally(Variant::TCHUKA_RUMA, &board, &win);
    assert_eq!(tally.boards.last().unwrap(), &[0, 0, 0, 0]);
    assert_eq!(brought(Variant::TCHUKA_RUMA, &board, &win), 8);
}

/// Where a limit ends the search for a shortest win, what it says of one is true.
#[test]
fn a_win_is_known_before_a_shortest_one() {
    let mut open = 0;
    for (bins, seeds) in [(4, 2), (6, 4), (7, 5), (8, 3), (5, 8)] {
        let board = tchuka_ruma(bins, seeds).unwrap();
        let shortest = shortest_win(Variant::TCHUKA_RUMA, &board, DEFAULT_LIMIT).unwrap();
        let fewest = shortest.win.unwrap().len();
        let any = any_win(Variant::TCHUKA_RUMA, &board, DEFAULT_LIMIT).unwrap();
        for limit in [any.positions, any.positions + 10, 2 * any.positions] {
            let found = decide(Variant::TCHUKA_RUMA, &board, limit).unwrap();
            let win = found.win.as_deref().unwrap();
            assert_eq!(brought(Variant::TCHUKA_RUMA, &board, win), board.stones());
            assert!((1..=fewest).contains(&found.fewest), "{board}");
            assert_eq!(found.is_shortest(), win.len() == found.fewest);
            open += u32::from(!found.is_shortest());
        }
        let short = decide(Variant::TCHUKA_RUMA, &board, any.positions - 1);
        assert_eq!(short, Err(SearchError::Limit { limit: any.positions - 1 }));
    }
    assert!(open > 3, "{open}");
}

/// The tables in `results/`: every start is there, what is said is possible, the larger table says
/// what the smaller does, and cheap starts are searched again.
#[test]
fn tables_of_tchuka_ruma() {
    let small = include_str!("../../../results/tchuka_ruma_12.csv");
    let large = include_str!("../../../results/tchuka_ruma_20.csv");
    let [small, large] = [small, large].map(|text| {
        let rows = text.lines().filter(|line| !line.starts_with(['#', 'b']));
        let rows = rows.map(|row| row.split(',').collect::<Vec<_>>());
        let number = |field: &str| field.parse::<u64>().unwrap();
        rows.map(|row| ((number(row[0]), number(row[1])), row[2..].to_vec())).collect::<Vec<_>>()
    });
    for (rows, most) in [(&small, 12), (&large, 20)] {
        let places: Vec<(u64, u64)> = rows.iter().map(|(place, _)| *place).collect();
        let wanted = (1..=most).flat_map(|bins| (1..=most).map(move |seeds| (bins, seeds)));
        assert_eq!(places, wanted.collect::<Vec<_>>());
    }
    assert!(small.iter().all(|(_, row)| !row[0].is_empty()), "none is left open to 12 by 12");
    let known: HashMap<_, _> = small.into_iter().collect();
    let mut searched = 0;
    for ((bins, seeds), row) in large {
        let [winnable, home, total, positions] = row[..] else { panic!("{row:?}") };
        assert_eq!(total, (bins * seeds).to_string());
        if winnable.is_empty() {
            assert!(home.is_empty() && positions.is_empty());
            continue;
        }
        if let Some(row) = known.get(&(bins, seeds)) {
            assert_eq!(*row, [winnable, home, total, positions]);
        }
        assert_eq!(winnable == "true", home == total);
        if positions.parse::<usize>().unwrap() <= 5_000 {
            let board = tchuka_ruma(bins as usize, seeds).unwrap();
            let found = any_win(Variant::TCHUKA_RUMA, &board, DEFAULT_LIMIT).unwrap();
            let ours = [found.win.is_some().to_string(), found.home.to_string()];
            assert_eq!(ours, [winnable, home], "{board}");
            assert_eq!(found.positions.to_string(), positions, "{board}");
            searched += 1;
        }
    }
    assert!(searched > 100, "{searched}");
}

#[test]
fn searches_that_are_too_large_say_so() {
    let board = tchuka_ruma(4, 2).unwrap();
    let limited = WinAnalysis::new(Variant::TCHUKA_RUMA, board, 1).err();
    assert_eq!(limited, Some(SearchError::Limit { limit: 1 }));
    let board = Board::level(100, 5).unwrap();
    assert!(matches!(
        any_win(Variant::WRAPPING, &board, 1_000),
        Err(SearchError::TooLarge { bins: 100, stones: 500, bits: 256 })
    ));
}
