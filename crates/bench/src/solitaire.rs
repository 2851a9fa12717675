//! Boards and terms of the solitaires.

use sowing_command::failure::Failure;
use sowing_solitaire::{Winning, fewest_stones};

use crate::report::BenchReport;

/// Boards of consecutive numbers of stones, and the checksums that come out.
struct Work {
    near: &'static str,
    first: u64,
    boards: u64,
    bins: u64,
    digests: u64,
}

const WORK: [Work; 2] = [
    Work {
        near: "10^6",
        first: 1_000_000,
        boards: 20_000,
        bins: 0xfb7f_d166_a410_74d0,
        digests: 0x0663_a63b_a5f5_c730,
    },
    Work {
        near: "10^12",
        first: 1_000_000_000_000,
        boards: 100,
        bins: 0xfcd6_f415_49d2_23b2,
        digests: 0x25da_2068_dca2_665e,
    },
];

const TERMS: u64 = 0x9ca6_fcaf_119d_1a13;
const LAST: u64 = 0x4fcd_2986_e0cd_73ec;

pub(crate) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    for work in &WORK {
        let Work { near, first, boards, .. } = *work;
        let stones = || first..first + boards;
        let by_runs = |stones| Winning::new(stones).into_iter().flat_map(Winning::bins);
        let title = format!("boards near {near}, bin by bin");
        let bins = report.line(&title, "boards", (boards, work.bins), || {
            (boards, stones().fold(0, |sum, stones| weigh(sum, by_runs(stones))))
        })?;
        // A tenth of the work: it is slower.
        let title = format!("boards near {near}, by remainders");
        let tenth = || (first..first + boards / 10).fold(0, |sum, n| weigh(sum, by_runs(n)));
        let plain = report.line(&title, "boards", (boards / 10, tenth()), || {
            let stones = first..first + boards / 10;
            (boards / 10, stones.fold(0, |sum, stones| weigh(sum, remainders(stones))))
        })?;
        report.ratio("bin by bin to remainders", bins / plain)?;
        let title = format!("digests near {near}, run by run");
        report.line(&title, "boards", (boards, work.digests), || {
            let winning = stones().filter_map(Winning::new);
            (boards, mix(winning.map(|winning| winning.summary(0).digest)))
        })?;
    }
    let terms = 100_000;
    report.line("terms of A002491 to 10^5", "terms", (terms, TERMS), || {
        (terms, mix((1..=terms).filter_map(fewest_stones)))
    })?;
    let last = || terms - 999..=terms;
    let plain = report.line("the last 1000, rounding up", "terms", (1000, LAST), || {
        (1000, mix(last().map(round_up)))
    })?;
    let steps = report.line("the last 1000, equal steps at once", "terms", (1000, LAST), || {
        (1000, mix(last().filter_map(fewest_stones)))
    })?;
    report.ratio("equal steps at once to rounding up", steps / plain)
}

fn mix(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |sum: u64, value| sum.wrapping_mul(31).wrapping_add(value))
}

fn weigh(sum: u64, bins: impl Iterator<Item = u64>) -> u64 {
    bins.enumerate().fold(sum.wrapping_mul(31), |sum, (index, in_bin)| {
        sum.wrapping_add((2 * index as u64 + 1).wrapping_mul(in_bin))
    })
}

/// Theorem 1's construction as it is printed, one division a bin.
fn remainders(stones: u64) -> impl Iterator<Item = u64> {
    let mut left = stones;
    (2..).map_while(move |modulus| {
        let in_bin = left % modulus;
        let more = left > 0;
        left -= in_bin;
        more.then_some(in_bin)
    })
}

/// The definition of A002491, one step a multiple.
fn round_up(n: u64) -> u64 {
    (1..n).rev().fold(n, |x, k| x.next_multiple_of(k))
}
