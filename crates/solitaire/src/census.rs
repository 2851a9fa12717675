//! Counting winning boards.

use crate::game::Variant;
use crate::pack::{Packer, WordSet};
use crate::search::SearchError;
use crate::wrapping::unwrap;

/// The positions from which one play leads to the given one, without wrapping: at most one for each
/// bin. A chain leaves its bins empty, and every other bin below its first with a stone; a play that
/// does not chain is a chain of one bin.
fn unplays(variant: Variant, bins: &[u64], mut visit: impl FnMut(&[u64])) {
    let mut before = bins.to_vec();
    // The empty bins nearer than the first of the chain, the nearest first: the rest of it.
    let mut rest: Vec<usize> = Vec::new();
    for first in (1..=bins.len()).filter(|&bin| bins[bin - 1] == 0) {
        let fits = rest.first().is_none_or(|&nearest| variant.chaining && nearest >= 2)
            && rest.windows(2).all(|pair| pair[1] - pair[0] >= 2);
        if !fits {
            // The chains of farther bins would go through all of these too.
            break;
        }
        before.copy_from_slice(bins);
        let mut nearer = 0;
        for bin in 1..first {
            if bins[bin - 1] > 0 {
                before[bin - 1] -= 1;
            } else {
                before[bin - 1] = (bin - nearer) as u64 - 1;
                nearer = bin;
            }
        }
        before[first - 1] = (first - nearer) as u64;
        visit(&before);
        rest.push(first);
    }
}

/// How many boards can be won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinningCounts {
    /// For each number of stones, from 0.
    pub counts: Vec<u64>,
    /// The farthest bin that holds a stone on any of these boards; 0 if none does.
    pub farthest: usize,
}

/// How many boards of exactly so many bins, empty ones included, can be won, for each number of
/// stones from 0 to `stones`. At most `limit` boards are kept, or looked at for Tchuka Ruma.
///
/// Without wrapping, the winning boards are made by taking plays back from the cleared board, so
/// that losing boards are never looked at. With wrapping and without chaining there is at most one
/// for each number of stones: see [`unwrap`]. For Tchuka Ruma every board is tried.
///
/// With chaining, a first chain beyond the farthest bin in use can start at most two bins farther:
/// where `farthest` is at most two less than the bins, the counts are those of boards of any length.
///
/// ```
/// use sowing_solitaire::{Variant, winning_boards};
///
/// // One bin with wrapping: 1, 3, 7, ... stones.
/// let census = winning_boards(Variant::WRAPPING, 1, 8, 1000)?;
/// assert_eq!(census.counts, [1, 1, 0, 1, 0, 0, 0, 1, 0]);
/// # Ok::<(), sowing_solitaire::SearchError>(())
/// ```
pub fn winning_boards(
    variant: Variant,
    length: usize,
    stones: u64,
    limit: usize,
) -> Result<WinningCounts, SearchError> {
    let too_large = SearchError::TooLarge { bins: length, stones, bits: 128 };
    if length == 0 {
        return Err(too_large);
    }
    if variant == Variant::WRAPPING {
        return Ok(unwrapped(length, stones));
    }
    let packer = Packer::new(length, stones).ok_or(too_large)?;
    if variant == Variant::TCHUKA_RUMA {
        return forward(variant, packer, length, stones, limit);
    }
    let mut levels = vec![WordSet::default(); stones as usize + 1];
    levels[0].insert(0);
    let mut census = WinningCounts { counts: Vec::with_capacity(levels.len()), farthest: 0 };
    let mut kept = 1;
    let mut bins = Vec::new();
    for level in 0..levels.len() {
        let boards = std::mem::take(&mut levels[level]);
        census.counts.push(boards.len() as u64);
        for &word in &boards {
            packer.unpack(word, &mut bins);
            census.see(&bins);
            unplays(variant, &bins, |before| {
                let total: u64 = before.iter().sum();
                if total <= stones && levels[total as usize].insert(packer.pack(before)) {
                    kept += 1;
                }
            });
            if kept > limit {
                return Err(SearchError::Limit { limit });
            }
        }
        kept -= boards.len();
    }
    Ok(census)
}

impl WinningCounts {
    fn see(&mut self, bins: &[u64]) {
        let farthest = bins.iter().rposition(|&stones| stones > 0).map_or(0, |index| index + 1);
        self.farthest = self.farthest.max(farthest);
    }
}

fn unwrapped(length: usize, stones: u64) -> WinningCounts {
    let mut census = WinningCounts { counts: vec![0; stones as usize + 1], farthest: 0 };
    let mut bins = vec![0; length];
    let mut total = 0;
    while let Some(count) = census.counts.get_mut(total as usize) {
        *count = 1;
        census.see(&bins);
        let Some(leg) = unwrap(&mut bins) else { break };
        total += leg.laps + 1;
    }
    census
}

/// Counts by playing every board, the fewest stones first.
fn forward(
    variant: Variant,
    packer: Packer,
    length: usize,
    stones: u64,
    limit: usize,
) -> Result<WinningCounts, SearchError> {
    let mut won = WordSet::default();
    won.insert(0);
    let mut looked = 0;
    let mut census = WinningCounts { counts: vec![1], farthest: 0 };
    for total in 1..=stones {
        let before = won.len();
        let mut bins = vec![0; length];
        bins[0] = total;
        let mut next = Vec::new();
        loop {
            looked += 1;
            if looked > limit {
                return Err(SearchError::Limit { limit });
            }
            let wins = (1..=length).any(|bin| {
                next.clone_from(&bins);
                variant.play(&mut next, bin, |_| ()).is_ok() && won.contains(&packer.pack(&next))
            });
            if wins {
                won.insert(packer.pack(&bins));
                census.see(&bins);
            }
            if !next_composition(&mut bins) {
                break;
            }
        }
        census.counts.push((won.len() - before) as u64);
    }
    Ok(census)
}

/// Steps to the next way of laying the same stones out. Starts from all stones in the first bin and
/// ends with all of them in the last.
fn next_composition(bins: &mut [u64]) -> bool {
    let Some(first) = bins.iter().position(|&stones| stones > 0) else { return false };
    if first + 1 == bins.len() {
        return false;
    }
    let stones = std::mem::take(&mut bins[first]);
    bins[0] = stones - 1;
    bins[first + 1] += 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_all_there() {
        let mut bins = vec![4, 0, 0];
        let mut count = 1;
        while next_composition(&mut bins) {
            assert_eq!(bins.iter().sum::<u64>(), 4);
            count += 1;
        }
        assert_eq!(count, 15);
        assert_eq!(bins, [0, 0, 4]);
    }
}
