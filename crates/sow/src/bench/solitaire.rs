//! Boards and terms of the solitaires.

use sowing_solitaire::{Digest, Winning, fewest_stones};

use super::Report;
use crate::failure::Failure;

pub(super) fn run(report: &mut Report) -> Result<(), Failure> {
    for (name, first, boards, expected) in
        [("near 10^6", 1_000_000, 4_000, SMALL), ("near 10^12", 1_000_000_000_000, 20, LARGE)]
    {
        let title = format!("boards {name}, bin by bin");
        let bins = report.line(&title, "boards", (boards, expected), || {
            let digest = (first..first + boards).map(|stones| {
                let mut digest = Digest::new();
                let bins = Winning::new(stones).into_iter().flat_map(Winning::bins);
                bins.for_each(|in_bin| digest.push(in_bin));
                digest.value()
            });
            (boards, mix(digest))
        })?;
        let title = format!("boards {name}, run by run");
        let runs = report.line(&title, "boards", (boards, expected), || {
            let digest = (first..first + boards)
                .filter_map(Winning::new)
                .map(|winning| winning.summary(0).digest);
            (boards, mix(digest))
        })?;
        report.ratio("runs to bins", runs / bins)?;
    }
    let terms = 100_000;
    let steps = report.line("terms of A002491 to 10^5", "terms", (terms, TERMS), || {
        (terms, mix((1..=terms).filter_map(fewest_stones)))
    })?;
    let plain = report.line("the last 100 by rounding up", "terms", (100, LAST), || {
        (100, mix((terms - 99..=terms).map(round_up)))
    })?;
    report.line("the last 100 by equal steps", "terms", (100, LAST), || {
        (100, mix((terms - 99..=terms).filter_map(fewest_stones)))
    })?;
    report.ratio("terms to rounding up", steps / plain)
}

const SMALL: u64 = 0x3602_315a_e741_3a30;
const LARGE: u64 = 0x050b_9aa5_e84d_2406;
const TERMS: u64 = 0x9ca6_fcaf_119d_1a13;
const LAST: u64 = 0x3fdd_3bcd_f36d_0fea;

fn mix(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |sum: u64, value| sum.wrapping_mul(31).wrapping_add(value))
}

/// The definition, one step a multiple.
fn round_up(n: u64) -> u64 {
    (1..n).rev().fold(n, |x, k| x.next_multiple_of(k))
}
