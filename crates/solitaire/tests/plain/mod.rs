//! The solitaires written down as plainly as they can be, to check the library against: one stone
//! at a time, every play tried, nothing remembered.
#![allow(dead_code, reason = "no test uses all of it")]

use sowing_solitaire::Variant;

/// Sows bin after bin, stone by stone. The Ruma is pit 0; sowing goes down and then round.
/// Gives what the Ruma got, the sowings made, and whether the play ended in the Ruma.
pub(crate) fn play(variant: Variant, bins: &mut [u64], bin: usize) -> (u64, u64, bool) {
    let mut ruma = 0;
    let mut sowings = 0;
    let mut from = bin;
    loop {
        let mut hand = bins[from - 1];
        bins[from - 1] = 0;
        if hand == 0 {
            return (ruma, sowings, false);
        }
        sowings += 1;
        let mut pit = from;
        let mut was_empty = false;
        while hand > 0 {
            if pit == 0 && !variant.wrapping {
                return (ruma, sowings, false);
            }
            pit = if pit == 0 { bins.len() } else { pit - 1 };
            if pit == 0 {
                ruma += 1;
            } else {
                was_empty = bins[pit - 1] == 0;
                bins[pit - 1] += 1;
            }
            hand -= 1;
        }
        if pit == 0 {
            return (ruma, sowings, true);
        }
        if !variant.chaining || was_empty {
            return (ruma, sowings, false);
        }
        from = pit;
    }
}

/// What trying every play finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Winning plays.
    pub(crate) plays: u128,
    /// Moves and sowings of a shortest and a longest of them.
    pub(crate) shortest: Option<(u64, u64)>,
    pub(crate) longest: Option<(u64, u64)>,
    /// The most stones brought home, with those of a last, losing play of Tchuka Ruma.
    pub(crate) home: u64,
}

pub(crate) fn exhaust(variant: Variant, bins: &[u64]) -> Outcome {
    let mut outcome = Outcome::default();
    let mut path = Vec::new();
    walk(variant, bins, 0, &mut path, &mut outcome);
    outcome
}

fn walk(variant: Variant, bins: &[u64], home: u64, path: &mut Vec<u64>, outcome: &mut Outcome) {
    outcome.home = outcome.home.max(home);
    if bins.iter().all(|&stones| stones == 0) {
        let length = (path.len() as u64, path.iter().sum());
        outcome.plays += 1;
        outcome.shortest = Some(outcome.shortest.map_or(length, |best| best.min(length)));
        outcome.longest = Some(outcome.longest.map_or(length, |best| best.max(length)));
        return;
    }
    for bin in 1..=bins.len() {
        let mut next = bins.to_vec();
        let (ruma, sowings, ended_home) = play(variant, &mut next, bin);
        if ended_home {
            path.push(sowings);
            walk(variant, &next, home + ruma, path, outcome);
            path.pop();
        } else if variant == Variant::TCHUKA_RUMA {
            outcome.home = outcome.home.max(home + ruma);
        }
    }
}

/// Every board of so many bins and at most so many stones.
pub(crate) fn boards(bins: usize, stones: u64) -> Vec<Vec<u64>> {
    if bins == 0 {
        return vec![vec![]];
    }
    (0..=stones)
        .flat_map(|first| {
            boards(bins - 1, stones - first).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

/// The board constructed by remainders, as in the paper, one division a bin.
pub(crate) fn board_by_remainders(stones: u64) -> Vec<u64> {
    let mut bins = Vec::new();
    let mut left = stones;
    let mut modulus = 2;
    while left > 0 {
        bins.push(left % modulus);
        left -= left % modulus;
        modulus += 1;
    }
    bins
}

/// The moves by Theorem 4's ceilings, one division a bin.
pub(crate) fn moves_by_ceilings(stones: u64) -> Vec<u64> {
    let mut moves = Vec::new();
    let mut left = stones;
    let mut divisor = 2;
    while left > 0 {
        let m = left.div_ceil(divisor);
        moves.push(m);
        left -= m;
        divisor += 1;
    }
    moves
}

/// A002491 by rounding up to multiples, n steps a term.
pub(crate) fn round_up(n: u64) -> u64 {
    (1..n).rev().fold(n, |x, k| x.next_multiple_of(k))
}

/// A002491 by its sieve: of the numbers left keep the first, drop every second, then third, ...
pub(crate) fn sieve(up_to: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (1..=up_to).collect();
    let mut kept = Vec::new();
    let mut step = 2;
    while let Some(&first) = numbers.first() {
        kept.push(first);
        let mut index = 0;
        numbers.retain(|_| {
            index += 1;
            (index - 1) % step != 0
        });
        step += 1;
    }
    kept
}

/// Small numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
