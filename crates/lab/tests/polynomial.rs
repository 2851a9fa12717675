//! Loss polynomials: the published ones, the rule behind them, and plain play beside the sweep.

use sowing_lab::{Openings, Polynomial};
use sowing_rules::Outcome;
use sowing_rules::{Playthrough, Position};

fn losses(degree: usize, houses: std::ops::RangeInclusive<u8>) -> Vec<String> {
    let found = Polynomial::losses(degree, houses, |_| {}).unwrap();
    found.iter().map(Polynomial::to_string).collect()
}

#[test]
fn the_fifteen_of_the_thesis() {
    let table = include_str!("../published/s_kalaha_loss_polynomials.csv");
    let rows = table.lines().filter(|line| line.starts_with('l'));
    let printed: Vec<&str> = rows.map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(printed.len(), 15);
    assert_eq!(losses(6, 2..=6), printed);
}

/// Those of degree n are l^n and, for each divisor k > 1 of n + 1, the sum of l^e - l^(e-1) over
/// e = k - 1, 2k - 1, ..., n. The thesis asks why 5, 2 is one of them and 5, 3 is not.
#[test]
fn the_rule_behind_them() {
    let mut expected = Vec::new();
    for degree in 1..=11 {
        let mut steps: Vec<usize> = (2..=degree + 1).filter(|k| (degree + 1) % k == 0).collect();
        // The fewer terms, the smaller.
        steps.reverse();
        for step in steps {
            let powers = (0..=degree).rev().filter(|power| (power + 1) % step == 0);
            let terms = powers.map(|power| {
                let [high, low] = [power, power - 1].map(|power| match power {
                    0 => "1".to_string(),
                    1 => "l".to_string(),
                    _ => format!("l^{power}"),
                });
                format!("{high}-{low}")
            });
            expected.push(terms.collect::<Vec<_>>().join("+"));
        }
        expected.push(if degree == 1 { "l".to_string() } else { format!("l^{degree}") });
    }
    assert_eq!(losses(11, 2..=12), expected);
}

/// Why l^5-l^4+l^3-l^2 is none: for each number of houses a first turn that wins, move by move.
#[test]
fn the_one_that_is_not() {
    let polynomial: Polynomial = "l^5 - l^4 + l^3 - l^2".parse().unwrap();
    for houses in 2..=12 {
        let start = polynomial.start(houses).unwrap().unwrap();
        assert_eq!(start.outcome, Outcome::Win, "{}", start.game);
        let turn = Openings::shortest_win(start.game, 1_000_000).unwrap().unwrap();
        let mut play = Playthrough::new(Position::start(start.game));
        let (last, before) = turn.moves.split_last().unwrap();
        assert!(before.iter().all(|action| play.try_play(*action).unwrap().report.again));
        let again = play.try_play(*last).unwrap().report.again;
        let end = if again { *play.position() } else { play.position().flip() };
        assert!(2 * end.board().store() > start.game.total(), "{}", start.game);
    }
}

#[test]
fn text_and_values() {
    for text in ["l-1", "l", "l^2-l", "l^15", "l^5-l^4+l^3-l^2+l-1", "-l^3+1"] {
        assert_eq!(text.parse::<Polynomial>().unwrap().to_string(), text);
    }
    for bad in ["", "+", "x", "l^16", "2l", "l+l", "l^-1", "l^2 l", "l--1"] {
        assert!(bad.parse::<Polynomial>().is_err(), "{bad:?}");
    }
    let polynomial: Polynomial = "l^5-l^4+l^2-l".parse().unwrap();
    assert_eq!(
        (2..=6).map(|h| polynomial.seeds(h).unwrap()).collect::<Vec<_>>(),
        [2_520, 14_448, 52_560, 146_520, 342_888]
    );
    assert_eq!("-l".parse::<Polynomial>().unwrap().seeds(2), None);
    assert_eq!(Polynomial::largest(15).seeds(12), None);
    assert_eq!(Polynomial::largest(3).seeds(2), Some(125 + 25 + 5 + 1));
}
