//! What `docs/losses.md` says of first moves that do not go again.

use std::collections::HashMap;

use sowing_lab::FirstMove;

/// Houses, seeds and polynomial of the losses that were found.
fn listed() -> Vec<(u8, u64, &'static str)> {
    let text = include_str!("../../../results/s_kalaha_losses.csv");
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'h']));
    rows.map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        (fields[0].parse().unwrap(), fields[1].parse().unwrap(), fields[4])
    })
    .collect()
}

fn pits(houses: u8) -> u64 {
    2 * u64::from(houses) + 1
}

/// The sum of the first n of (l-1) l^j, (l-1) l^(2j+2), ..., if games have so many seeds.
fn polynomial(houses: u8, j: u32, n: u32) -> Option<u64> {
    let l = pits(houses);
    let term = |i: u32| l.checked_pow(j + i * (j + 2))?.checked_mul(l - 1);
    let sum = (0..n).try_fold(0u64, |sum, i| sum.checked_add(term(i)?))?;
    (sum <= sowing_rules::MAX_SEEDS).then_some(sum)
}

fn never_again(houses: u8, seeds: u64) -> Option<FirstMove> {
    FirstMove::of(houses, seeds).filter(|first| first.goes_again().is_none())
}

/// A start is lost just where no first move goes again, but for one: every row, and all starts to
/// a million.
#[test]
fn losses_are_the_starts_whose_first_moves_never_go_again() {
    let listed = listed();
    assert!(listed.iter().all(|(houses, seeds, _)| never_again(*houses, *seeds).is_some()));
    for houses in 2..=6 {
        let found = (1..=1_000_000).filter(|seeds| never_again(houses, *seeds).is_some());
        let listed = listed.iter().filter(|(h, s, _)| *h == houses && *s <= 1_000_000);
        let mut listed: Vec<u64> = listed.map(|(_, seeds, _)| *seeds).collect();
        if houses == 3 {
            listed.insert(0, 5);
        }
        assert_eq!(found.collect::<Vec<_>>(), listed, "{houses} houses");
    }
}

/// Theorem 1, and Lemma 1: as many pick-ups as they say, in the places that they say.
#[test]
fn polynomials_go_straight() {
    let mut checked = 0;
    for houses in 1..=16 {
        for m in 1..=15 {
            let Some(seeds) = pits(houses).checked_pow(m) else { break };
            let Some(first) = never_again(houses, seeds) else { break };
            assert_eq!(first.pick_ups.len(), m as usize);
            assert!(first.pick_ups.iter().all(|pick_up| pick_up.last == 0));
            checked += 1;
        }
        for (j, n) in (0..15).flat_map(|j| (1..8).map(move |n| (j, n))) {
            let Some(seeds) = polynomial(houses, j, n) else { continue };
            let first = never_again(houses, seeds).expect("no first move goes again");
            let k = j + 2;
            assert_eq!(first.pick_ups.len() as u32, (n + 1) * k - 2, "{houses}: {j}, {n}");
            assert!(first.pick_ups.iter().all(|pick_up| [0, -1].contains(&pick_up.last)));
            let power = first.pick_ups.iter().find(|pick_up| pick_up.place == -1).unwrap();
            assert_eq!(power.seeds, pits(houses).pow(j + 1 + (n - 1) * k));
            checked += 1;
        }
    }
    assert!(checked > 400, "{checked}");
}

/// The starts that Theorems 1 and 2 give with so many houses, and how far back their last seeds
/// fall.
fn given(houses: u8, upto: u64) -> HashMap<u64, u64> {
    let l = pits(houses);
    let mut given = HashMap::new();
    // What Theorem 2 makes of a number is a little smaller than it.
    let bases = (1..=15).map_while(|m| l.checked_pow(m)).take_while(|power| *power <= 2 * upto);
    given.extend(bases.map(|power| (power, 0)));
    let sums = (0..15).flat_map(|j| (1..15).map_while(move |n| polynomial(houses, j, n)));
    given.extend(sums.filter(|sum| *sum <= 2 * upto).map(|sum| (sum, 1)));
    let mut open: Vec<(u64, u64)> = given.iter().map(|(c, b)| (*c, *b)).collect();
    while let Some((c, b)) = open.pop() {
        let a = (l + 1 - c % (l + 1)) % (l + 1);
        if a == 0 || a + b > houses.into() {
            continue;
        }
        assert_eq!((l * c - a) % (l + 1), 0);
        let next = ((l * c - a) / (l + 1), a + b);
        if given.insert(next.0, next.1).is_none() {
            open.push(next);
        }
    }
    given.retain(|seeds, _| *seeds <= upto);
    given
}

/// Theorem 2: of none of what it gives a first move goes again; and how many of the losses that no
/// polynomial gives are among that.
#[test]
fn losses_from_losses() {
    let listed = listed();
    let mut explained = Vec::new();
    for houses in 2..=12 {
        let given = given(houses, 1_000_000_000);
        for (seeds, back) in &given {
            let first = never_again(houses, *seeds).expect("no first move goes again");
            let back = -(*back as i8);
            let within = |last: i8| (back..=0).contains(&last);
            assert!(first.pick_ups.iter().all(|pick_up| within(pick_up.last)), "{first:?}");
        }
        let of = listed.iter().filter(|(h, s, _)| *h == houses && given.contains_key(s));
        let new = of.filter(|(.., polynomial)| polynomial.is_empty()).count();
        if houses <= 6 {
            explained.push(new);
            let lost = |seeds: &u64| listed.iter().any(|(h, s, _)| (*h, *s) == (houses, *seeds));
            let others: Vec<&u64> = given.keys().filter(|seeds| !lost(seeds)).collect();
            assert_eq!(others, if houses == 3 { vec![&5] } else { vec![] });
        }
    }
    assert_eq!(explained, [0, 5, 6, 6, 8]);
}

/// How the first moves of the losses end.
#[test]
fn nearly_all_end_in_a_power() {
    let (mut longest, mut others) = (0, Vec::new());
    for (houses, seeds, polynomial) in listed() {
        let first = never_again(houses, seeds).unwrap();
        let count = first.pick_ups.len();
        let left = |index: usize| u32::try_from(count - index).unwrap();
        let power = |index: usize| pits(houses).checked_pow(left(index));
        let mut seeds_of = first.pick_ups.iter().map(|pick_up| pick_up.seeds).enumerate();
        if !seeds_of.any(|(index, seeds)| power(index) == Some(seeds)) {
            others.push((houses, seeds));
        }
        if polynomial.is_empty() {
            longest = longest.max(count);
        }
    }
    assert_eq!(others, [(4, 24), (4, 42)]);
    assert_eq!(longest, 22);
}

/// Adds the starts to `upto` of which no first move goes again and whose last digits in base l are
/// those of `known`, which is less than `power`, a power of l.
///
/// The first m places that last seeds fall into depend on the last m digits alone: where one of
/// them goes again, so do all.
fn grow(houses: u8, known: u64, power: u64, upto: u64, found: &mut Vec<u64>) {
    let far = 1 << 20;
    for seeds in (0..pits(houses)).map(|digit| known + digit * power) {
        if seeds > upto {
            break;
        }
        if seeds >= power && never_again(houses, seeds).is_some() {
            found.push(seeds);
        }
        let next = power * pits(houses);
        let alike = FirstMove::of(houses, seeds + far * next).unwrap();
        let digits = next.ilog(pits(houses)) as usize;
        let again = alike.goes_again().is_some() && alike.pick_ups.len() <= digits;
        if !again && next <= upto {
            grow(houses, seeds, next, upto, found);
        }
    }
}

/// To 1.2 * 10^8 seeds there is no start but those listed of which no first move goes again. (To 10^9,
/// as far as the list goes, that takes half a minute.)
#[test]
fn none_is_missing_far_out() {
    let listed = listed();
    for houses in 2..=6 {
        let mut found = Vec::new();
        let upto = 120_000_000;
        grow(houses, 0, 1, upto, &mut found);
        found.sort_unstable();
        let mut known: Vec<u64> = if houses == 3 { vec![5] } else { vec![] };
        let rows = listed.iter().filter(|(h, s, _)| *h == houses && *s <= upto);
        known.extend(rows.map(|(_, seeds, _)| *seeds));
        assert_eq!(found, known, "{houses} houses");
    }
}
