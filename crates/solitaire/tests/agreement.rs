//! The constructions agree with each other and with plain unplaying.

use crate::plain::{self, Dice};
use proptest::prelude::*;
use sowing_solitaire::{
    Board, Digest, Line, Winning, check, check_bins, fewest_stones, inverse_product, recursion,
    unplay, unplay_product,
};

/// Board, moves, matrices, congruences and play, for every number of stones to 100,000.
#[test]
fn every_number_of_stones_to_100_000() {
    let mut bins: Vec<u64> = Vec::new();
    let mut counted: Vec<u64> = Vec::new();
    for stones in 1..=100_000 {
        // The plain unplay, written out here.
        let before = bins.clone();
        let empty = bins.iter().position(|&in_bin| in_bin == 0).unwrap_or_else(|| {
            bins.push(0);
            counted.push(0);
            bins.len() - 1
        });
        for in_bin in &mut bins[..empty] {
            *in_bin -= 1;
        }
        bins[empty] = empty as u64 + 1;
        counted[empty] += 1;

        let winning = Winning::new(stones).unwrap();
        assert!(winning.bins().eq(bins.iter().copied()), "board of {stones}");
        assert!(winning.moves().eq(counted.iter().copied()), "moves of {stones}");
        assert_eq!(winning.length(), bins.len() as u64);

        let signed: Vec<i64> = bins.iter().map(|&in_bin| in_bin as i64).collect();
        let moves: Vec<i64> = counted.iter().map(|&times| times as i64).collect();
        assert!(unplay_product(&moves).into_iter().eq(signed.iter().map(|&b| i128::from(b))));
        assert!(
            inverse_product(&signed)
                .into_iter()
                .map(|entry| entry.whole())
                .eq(moves.iter().map(|&m| Some(i128::from(m))))
        );

        let board = winning.board();
        assert_eq!(recursion(&board).as_ref(), Ok(&counted));
        assert_eq!(check(&board), Ok(()));
        // One play leads to the board of one stone fewer, one unplay back.
        let mut line = Line::new(board).unwrap();
        assert_eq!(line.advance(), Some(empty as u64 + 1));
        assert_eq!(line.bins()[..before.len()], before[..]);
        let mut again = before;
        assert_eq!(unplay(&mut again), empty as u64 + 1);
        assert_eq!(again, bins);
    }
}

/// Folding, which goes by runs, gives the same bins as stepping, from anywhere.
#[test]
fn folding_is_stepping() {
    for stones in 1..300 {
        let winning = Winning::new(stones).unwrap();
        for skip in 0..5 {
            let (mut bins, mut moves) = (winning.bins(), winning.moves());
            for _ in 0..skip {
                bins.next();
                moves.next();
            }
            let (mut stepped, mut folded) = (Vec::new(), Vec::new());
            for entry in bins.clone() {
                stepped.push(entry);
            }
            bins.for_each(|entry| folded.push(entry));
            assert_eq!(stepped, folded);
            let (mut stepped, mut folded) = (Vec::new(), Vec::new());
            for entry in moves.clone() {
                stepped.push(entry);
            }
            moves.for_each(|entry| folded.push(entry));
            assert_eq!(stepped, folded);
        }
    }
}

#[test]
fn a_whole_play_counts_its_moves() {
    for stones in [1, 17, 1_000, 100_000] {
        let winning = Winning::new(stones).unwrap();
        let mut line = Line::new(winning.board()).unwrap();
        let mut counted = vec![0; line.bins().len()];
        while let Some(bin) = line.advance() {
            counted[bin as usize - 1] += 1;
        }
        assert!(line.bins().iter().all(|&in_bin| in_bin == 0));
        assert!(winning.moves().eq(counted));
    }
}

/// Random boards of up to 10^12 stones pass Theorem 1 and are those of the plain constructions.
#[test]
fn random_stones_to_10_to_the_12() {
    let mut dice = Dice(1);
    for round in 0..24 {
        let bound = [1_000_000, 1_000_000_000, 1_000_000_000_000][round % 3];
        let stones = 1 + dice.below(bound);
        let winning = Winning::new(stones).unwrap();
        let board = winning.board();
        assert_eq!(board.stones(), stones);
        assert!(
            check_bins(&board)
                .all(|bin| bin.fits() && bin.lower_congruence() && bin.upper_congruence())
        );
        assert!(winning.bins().eq(plain::board_by_remainders(stones)), "board of {stones}");
        assert!(winning.moves().eq(plain::moves_by_ceilings(stones)), "moves of {stones}");
    }
}

#[test]
fn summaries_are_of_the_whole_vector() {
    let mut dice = Dice(2);
    for round in 0..60 {
        let stones = 1 + dice.below([100, 1_000_000, 10_000_000_000][round % 3]);
        let winning = Winning::new(stones).unwrap();
        let summary = winning.summary(5);
        let bins: Vec<u64> = winning.bins().collect();
        assert_eq!(summary.length, bins.len() as u64);
        assert_eq!(summary.stones, u128::from(stones));
        let mut digest = Digest::new();
        bins.iter().for_each(|&in_bin| digest.push(in_bin));
        assert_eq!(summary.digest, digest.value(), "digest of {stones}");
        let mut largest: Vec<(u64, u64)> = (1..).zip(bins).collect();
        largest.sort_by_key(|&(bin, in_bin)| (std::cmp::Reverse(in_bin), bin));
        largest.truncate(5);
        assert_eq!(summary.largest, largest, "largest of {stones}");

        let summary = winning.moves_summary(5);
        let moves: Vec<u64> = winning.moves().collect();
        assert_eq!(summary.length, moves.len() as u64);
        assert_eq!(summary.stones, u128::from(stones));
        let mut digest = Digest::new();
        moves.iter().for_each(|&times| digest.push(times));
        assert_eq!(summary.digest, digest.value());
        let largest: Vec<(u64, u64)> = (1..).zip(moves).take(5).collect();
        assert_eq!(summary.largest, largest);
    }
}

/// The digest is the sum that its documentation says.
#[test]
fn a_digest_written_out() {
    let mut digest = Digest::new();
    [3, 1, 4].into_iter().for_each(|entry| digest.push(entry));
    let (x, p) = (u128::from(Digest::BASE), u128::from(Digest::MODULUS));
    let sum = (3 * x + x * x + 4 * (x * x % p) * x) % p;
    assert_eq!(u128::from(digest.value()), sum);
}

/// The largest boards: no overflow, and the length fits between two terms of A002491.
#[test]
fn the_largest_boards() {
    for stones in [10u64.pow(18), 10u64.pow(19), u64::MAX - 1, u64::MAX] {
        let winning = Winning::new(stones).unwrap();
        let summary = winning.summary(1);
        assert_eq!(summary.stones, u128::from(stones));
        assert_eq!(summary.largest, [(summary.length, summary.length)]);
        assert_eq!(winning.moves_summary(1).stones, u128::from(stones));
        assert!(fewest_stones(summary.length).unwrap() <= stones);
        assert!(fewest_stones(summary.length + 1).is_none_or(|next| next > stones));
        let first: Vec<u64> = winning.bins().take(1_000).collect();
        let mut left = stones;
        for (modulus, in_bin) in (2..).zip(first) {
            assert_eq!(in_bin, left % modulus);
            left -= in_bin;
        }
    }
    assert!(Winning::new(0).is_none());
}

proptest! {
    #[test]
    fn boards_and_vectors_round_trip(bins in prop::collection::vec(0u64..1_000_000, 1..20)) {
        let board = Board::new(bins).unwrap();
        prop_assert_eq!(&board.to_string().parse::<Board>().unwrap(), &board);
        let spaced = format!("({})", board.to_string().replace(',', " , "));
        prop_assert_eq!(spaced.parse::<Board>().unwrap(), board);
    }

    /// Theorem 1 says of any board what trying every play says.
    #[test]
    fn theorem_1_decides(bins in prop::collection::vec(0u64..6, 1..6)) {
        let board = Board::new(bins.clone()).unwrap();
        let won = plain::exhaust(sowing_solitaire::Variant::TCHOUKAILLON, &bins).plays;
        prop_assert!(won <= 1);
        prop_assert_eq!(check(&board).is_ok(), won == 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_winning_board_is_the_constructed_one(stones in 1u64..1_000_000_000_000_000_000) {
        let winning = Winning::new(stones).unwrap();
        prop_assert_eq!(winning.summary(0).stones, u128::from(stones));
        let length = winning.length();
        prop_assert!(fewest_stones(length).unwrap() <= stones);
        prop_assert!(fewest_stones(length + 1).unwrap() > stones);
    }
}
