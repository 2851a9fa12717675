//! Counting winning boards.

use crate::game::Variant;
use crate::pack::{Packer, WordSet};
use crate::search::SearchError;

/// The positions from which one play leads to the given one. For games without both wrapping and
/// chaining, where what was played can be read off the board: at most one for each bin.
///
/// Without chaining, a play of bin `i` with `k` laps leaves exactly `k` stones there. Without
/// wrapping, a chain leaves its bins empty and every other bin below its first with a stone.
fn unplays(variant: Variant, bins: &[u64], mut visit: impl FnMut(&[u64])) {
    let mut before = bins.to_vec();
    let pits = bins.len() as u64 + 1;
    let mut chain: Vec<usize> = Vec::new();
    for first in 1..=bins.len() {
        let laps = bins[first - 1];
        if variant.chaining {
            if laps > 0 {
                continue;
            }
            // The empty bins so far, the nearest first, are the rest of the chain.
            let rest_fits = chain.first().is_none_or(|&nearest| nearest >= 2)
                && chain.windows(2).all(|pair| pair[1] - pair[0] >= 2);
            if rest_fits {
                before.copy_from_slice(bins);
                before[..first - 1].iter_mut().for_each(|stones| *stones = stones.wrapping_sub(1));
                let mut nearer = 0;
                for &bin in &chain {
                    before[bin - 1] = (bin - nearer) as u64 - 1;
                    nearer = bin;
                }
                before[first - 1] = (first - nearer) as u64;
                visit(&before);
            }
            chain.push(first);
        } else if laps == 0 || variant.wrapping {
            let taken = |bin: usize| laps + u64::from(bin < first);
            let enough = (1..=bins.len()).all(|bin| bin == first || bins[bin - 1] >= taken(bin));
            if enough {
                for bin in 1..=bins.len() {
                    before[bin - 1] = bins[bin - 1].wrapping_sub(taken(bin));
                }
                before[first - 1] = first as u64 + laps * pits;
                visit(&before);
            }
        }
    }
}

/// How many boards of exactly so many bins, empty ones included, are winnable, for each number of
/// stones from 0 to `stones`. At most `limit` boards are kept.
///
/// Where the game does not both wrap and chain, the winning boards are made by taking plays back
/// from the cleared board, so that losing boards are never looked at. For Tchuka Ruma all boards
/// are.
///
/// ```
/// use sowing_solitaire::{Variant, winning_boards};
///
/// // One bin with wrapping: 1, 3, 7, ... stones.
/// let counts = winning_boards(Variant::WRAPPING, 1, 8, 1000)?;
/// assert_eq!(counts, [1, 1, 0, 1, 0, 0, 0, 1, 0]);
/// # Ok::<(), sowing_solitaire::SearchError>(())
/// ```
pub fn winning_boards(
    variant: Variant,
    length: usize,
    stones: u64,
    limit: usize,
) -> Result<Vec<u64>, SearchError> {
    let packer = Packer::new(length, stones.max(length as u64))
        .filter(|_| length > 0)
        .ok_or(SearchError::TooLarge { bins: length, stones })?;
    if variant == Variant::TCHUKA_RUMA {
        return forward(variant, packer, length, stones, limit);
    }
    let mut levels = vec![WordSet::default(); stones as usize + 1];
    levels[0].insert(0);
    let mut counts = Vec::with_capacity(levels.len());
    let mut kept = 1;
    let mut bins = Vec::new();
    for level in 0..levels.len() {
        let boards = std::mem::take(&mut levels[level]);
        counts.push(boards.len() as u64);
        for &word in &boards {
            packer.unpack(word, &mut bins);
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
    Ok(counts)
}

/// Counts by playing every board, the fewest stones first.
fn forward(
    variant: Variant,
    packer: Packer,
    length: usize,
    stones: u64,
    limit: usize,
) -> Result<Vec<u64>, SearchError> {
    let mut won = WordSet::default();
    won.insert(0);
    let mut counts = vec![1];
    for total in 1..=stones {
        let before = won.len();
        let mut bins = vec![0; length];
        bins[0] = total;
        let mut next = Vec::new();
        loop {
            let wins = (1..=length).any(|bin| {
                next.clone_from(&bins);
                variant.play(&mut next, bin, |_| ()).is_ok() && won.contains(&packer.pack(&next))
            });
            if wins {
                won.insert(packer.pack(&bins));
                if won.len() > limit {
                    return Err(SearchError::Limit { limit });
                }
            }
            if !next_composition(&mut bins) {
                break;
            }
        }
        counts.push((won.len() - before) as u64);
    }
    Ok(counts)
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
