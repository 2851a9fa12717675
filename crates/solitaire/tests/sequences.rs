//! The sequences agree with the Encyclopedia, with plain methods and with themselves.

use crate::plain;

use sowing_solitaire::{Sequence, Term, Winning, decimal, fewest_stones, parse_b_file, unplay};

#[test]
fn published_terms() {
    let mut checked = 0;
    for line in include_str!("data/oeis.csv").lines().skip(2) {
        let fields: Vec<&str> = line.split(',').collect();
        let Ok(sequence) = fields[0].parse::<Sequence>() else { continue };
        let offset: u64 = fields[1].parse().unwrap();
        for ((index, term), (place, published)) in
            sequence.terms().zip((offset..).zip(fields[2].split(' ')))
        {
            assert_eq!((index, term.to_string().as_str()), (place, published), "{sequence}");
        }
        checked += 1;
    }
    assert_eq!(checked, Sequence::ALL.len());
    for line in include_str!("../../lab/published/tchoukaillon_sequences.csv").lines().skip(3) {
        let (name, terms) = line.split_once(',').unwrap();
        let sequence: Sequence = name.parse().unwrap();
        let computed = sequence.terms().map(|(_, term)| term.to_string());
        assert!(terms.split(' ').eq(computed.take(terms.split(' ').count())), "{name}");
    }
}

#[test]
fn fewest_stones_by_three_methods() {
    let sieved = plain::sieve(50_000);
    for (n, &kept) in (1..).zip(&sieved) {
        assert_eq!(fewest_stones(n), Some(kept));
    }
    for n in 1..=3_000 {
        assert_eq!(fewest_stones(n), Some(plain::round_up(n)));
    }
    let mut dice = plain::Dice(4);
    for _ in 0..20 {
        let n = 1 + dice.below(3_000_000);
        assert_eq!(fewest_stones(n), Some(plain::round_up(n)), "{n}");
        let stones = fewest_stones(n).unwrap();
        assert_eq!(Winning::new(stones).unwrap().length(), n);
        assert_eq!(Winning::new(stones - 1).map_or(0, Winning::length), n - 1);
    }
    assert_eq!(fewest_stones(0), None);
    assert!(fewest_stones(7_600_000_000).is_some());
    assert_eq!(fewest_stones(8_000_000_000), None);
    assert_eq!(fewest_stones(8_000_000_001), None);
    assert_eq!(fewest_stones(u64::MAX), None);
}

/// Terms by themselves are those of the running list.
#[test]
fn single_terms() {
    for sequence in Sequence::ALL {
        for (index, term) in sequence.terms().take(3_000) {
            match sequence {
                Sequence::A028932 | Sequence::A028933 => assert_eq!(sequence.at(index), None),
                _ => assert_eq!(sequence.at(index), Some(term), "{sequence} at {index}"),
            }
        }
        if sequence.offset() == 1 {
            assert_eq!(sequence.at(0), None, "{sequence}");
        }
    }
}

#[test]
fn the_sequences_say_of_each_other_what_they_are() {
    let numbers = |sequence: Sequence, count: usize| -> Vec<u64> {
        let terms = sequence.terms().take(count);
        terms
            .map(|(_, term)| match term {
                Term::Number(number) => number,
                Term::Digits(digits) => digits.parse().unwrap(),
            })
            .collect()
    };
    let fewest = numbers(Sequence::A002491, 400);
    assert!(numbers(Sequence::A007952, 400).iter().map(|term| term + 1).eq(fewest.clone()));
    assert!(numbers(Sequence::A104738, 399).iter().map(|term| term * 2).eq(fewest[1..].to_vec()));
    let harvested = numbers(Sequence::A028920, 50_000);
    let first_uses: Vec<u64> = (1..)
        .zip(&numbers(Sequence::A130747, 50_000))
        .filter(|&(_, &times)| times == 1)
        .map(|(index, _)| index)
        .collect();
    assert_eq!(first_uses, fewest[..first_uses.len()]);
    let mut bins = Vec::new();
    let mut times = Vec::new();
    for (bin, time) in harvested.iter().zip(numbers(Sequence::A130747, 50_000)) {
        assert_eq!(unplay(&mut bins), *bin);
        times.resize(bins.len(), 0);
        times[*bin as usize - 1] += 1;
        assert_eq!(times[*bin as usize - 1], time);
    }
    for (stones, used) in (1..).zip(numbers(Sequence::A082447, 50_000)) {
        assert_eq!(used, fewest.partition_point(|&fewest| fewest <= stones) as u64);
    }
}

#[test]
fn b_files_are_read() {
    let text = "# a comment\n\n1 1\n2 2\n 3 4 \n";
    let lines = parse_b_file(text).unwrap();
    assert_eq!(lines, [(1, "1".to_owned()), (2, "2".to_owned()), (3, "4".to_owned())]);
    for (text, line) in [("1", 1), ("1 2 3", 1), ("# x\n1 a", 2), ("x 1", 1), ("1 -2", 1)] {
        let error = parse_b_file(text).unwrap_err();
        assert_eq!(error.line, line, "{text}");
        assert!(error.to_string().contains("as in 10 34"));
    }
}

#[test]
fn pi_is_approached() {
    let n = 1_000_000u64;
    let stones = fewest_stones(n).unwrap();
    let digits = decimal(u128::from(n) * u128::from(n), u128::from(stones), 6);
    assert!(digits.starts_with("3.14158"), "{digits}");
    assert_eq!(decimal(22, 7, 5), "3.14285");
    assert_eq!(decimal(7, 1, 0), "7");
    assert_eq!(decimal(1, 8, 4), "0.1250");
}
