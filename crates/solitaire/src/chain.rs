//! The chains of Tchoukaillon with chaining.

use std::fmt;

/// The bins that one play sows from, each nearer the Ruma than the one before: `5>4>2`.
///
/// A bin that a chain comes to holds a stone before the last one falls into it, so that every bin
/// but the first sows at least two: the gaps between the bins, and from the last bin to the Ruma,
/// are 2 or more, except that the first gap may be 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain(Vec<usize>);

impl Chain {
    /// The chain through these bins. `None` if no board lets them be chained.
    pub fn new(bins: Vec<usize>) -> Option<Chain> {
        let first = *bins.first()?;
        let gaps_fit = bins.windows(2).enumerate().all(|(index, pair)| {
            pair[0] > pair[1] && pair[0] - pair[1] >= if index == 0 { 1 } else { 2 }
        });
        let last_fits = if bins.len() == 1 { first >= 1 } else { bins[bins.len() - 1] >= 2 };
        (gaps_fit && last_fits).then_some(Chain(bins))
    }

    /// The bins in the order in which they are sown from.
    pub fn bins(&self) -> &[usize] {
        &self.0
    }

    /// What taking the chain back does to a board of so many bins: its column of the unchaining
    /// matrix.
    ///
    /// # Panics
    /// If the board has no such bin.
    pub fn effect(&self, length: usize) -> Vec<i64> {
        let mut effect = vec![0; length];
        effect[..self.0[0]].fill(-1);
        for (index, &bin) in self.0.iter().enumerate() {
            let next = self.0.get(index + 1).copied().unwrap_or(0);
            // All bins but the first had one stone fewer before the chain came to them.
            effect[bin - 1] = (bin - next) as i64 - i64::from(index > 0);
        }
        effect
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, bin) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(">")?;
            }
            write!(f, "{bin}")?;
        }
        Ok(())
    }
}

/// The chains that boards of so many bins allow, in the order of the columns of the unchaining
/// matrix: by first bin; then the shorter first; then the farther bins first.
///
/// There are [`chain_count`] of them.
///
/// ```
/// use sowing_solitaire::chains;
///
/// let names: Vec<String> = chains(5).iter().map(|chain| chain.to_string()).collect();
/// assert_eq!(
///     names,
///     ["1", "2", "3", "3>2", "4", "4>3", "4>2", "5", "5>4", "5>3", "5>2", "5>4>2"],
/// );
/// ```
pub fn chains(length: usize) -> Vec<Chain> {
    let mut all = Vec::new();
    for first in 1..=length {
        let mut from_first = Vec::new();
        let mut bins = vec![first];
        extend(&mut bins, 1, &mut from_first);
        from_first.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| b.0.cmp(&a.0)));
        all.append(&mut from_first);
    }
    all
}

fn extend(bins: &mut Vec<usize>, gap: usize, chains: &mut Vec<Chain>) {
    chains.push(Chain(bins.clone()));
    let last = bins[bins.len() - 1];
    for next in (2..=last.saturating_sub(gap)).rev() {
        bins.push(next);
        extend(bins, 2, chains);
        bins.pop();
    }
}

/// The number of chains that boards of so many bins allow: the sum of the first `length` Fibonacci
/// numbers 1, 1, 2, 3, 5, ..., which is F(length + 2) - 1. `None` if it outgrows a `u128`.
pub fn chain_count(length: usize) -> Option<u128> {
    let (mut sum, mut this, mut next) = (0u128, 1u128, 1u128);
    for step in 0..length {
        sum = sum.checked_add(this)?;
        if step + 1 < length {
            (this, next) = (next, this.checked_add(next)?);
        }
    }
    Some(sum)
}
