//! The figures under `results/` that this crate computed, as far as a test's time goes.

use sowing::{Game, Rules};
use sowing_lab::{Census, Start, non_wins};
use sowing_solver::Outcome;

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with(['#', 'h']));
    lines.map(|line| line.split(',').collect())
}

#[test]
fn counts_of_positions() {
    let text = include_str!("../../../results/s_kalaha_states.csv");
    let mut checked = 0;
    for row in rows(text) {
        let numbers: Vec<u64> = row[..5].iter().map(|field| field.parse().unwrap()).collect();
        let [houses, seeds, states, live, finished] = numbers[..] else { panic!("{row:?}") };
        assert_eq!(states, live + finished, "{row:?}");
        if states < 5_000_000 {
            let game = Game::new(Rules::S_KALAHA, houses as u8, seeds).unwrap();
            let census = Census::of(&game, 1 << 28).unwrap();
            assert_eq!((census.live(), census.finished()), (live, finished), "{game}");
            checked += 1;
        }
    }
    assert_eq!(checked, 24);
}

/// The value of a polynomial such as `l^3-l^2+l-1`.
fn value(polynomial: &str, l: i128) -> i128 {
    let spaced = polynomial.replace('-', " -").replace('+', " ");
    let term = |term: &str| {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |rest| (-1, rest));
        let power = match term.split_once('^') {
            Some((_, power)) => power.parse().unwrap(),
            None => u32::from(term == "l"),
        };
        sign * l.pow(power)
    };
    spaced.split_whitespace().map(term).sum()
}

/// Every row is a loss, its polynomial gives its seeds, and up to a million none is missing.
#[test]
fn losses_and_their_polynomials() {
    let text = include_str!("../../../results/s_kalaha_losses.csv");
    let mut listed = Vec::new();
    for row in rows(text) {
        let (houses, seeds): (u8, u64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let game = Game::new(Rules::S_KALAHA, houses, seeds).unwrap();
        let start = Start::of(game).unwrap();
        let moves = start.moves.unwrap().to_string();
        assert_eq!((start.outcome, row[2], &*moves), (Outcome::Loss, "loss", row[3]), "{row:?}");
        if !row[4].is_empty() {
            assert_eq!(value(row[4], 2 * i128::from(houses) + 1), seeds.into(), "{row:?}");
        }
        listed.push((houses, seeds, row[4]));
    }
    for houses in 2..=6 {
        let to = 1_000_000;
        let found = non_wins(Rules::S_KALAHA, houses, 4..=to).unwrap();
        let found: Vec<u64> = found.iter().map(|start| start.game.seeds()).collect();
        let listed = listed.iter().filter(|(h, s, _)| *h == houses && *s <= to);
        assert_eq!(found, listed.map(|(_, s, _)| *s).collect::<Vec<_>>(), "{houses} houses");
    }
    let printed = include_str!("../../../published/s_kalaha_loss_polynomials.csv");
    let printed = printed.lines().filter(|line| line.starts_with('l'));
    for polynomial in printed.map(|line| line.split(',').next().unwrap()) {
        let named = listed.iter().filter(|(.., name)| *name == polynomial).count();
        assert_eq!(named, 5, "{polynomial}");
    }
}
