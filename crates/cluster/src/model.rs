//! What a layer of tables takes on many machines: bytes, traffic, memory, time.

use sowing_rules::Game;
use sowing_tables::{BuildOptions, Error, RowIndex, plan_build};

/// How fast things go.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Positions that one thread fills in a second.
    pub positions: f64,
    /// Positions of lower blocks that one thread turns in a second.
    pub turned: f64,
    /// Bytes that the file system takes in a second, from all ranks together.
    pub written: f64,
    /// Seconds that agreeing on a layer takes.
    pub step: f64,
}

/// What one layer takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerCost {
    /// The layer.
    pub layer: u32,
    /// Its positions.
    pub positions: u64,
    /// The bytes of its file.
    pub bytes: u64,
    /// The bytes of lower layers that its pairs look into, each pair's counted by itself: what has to
    /// go over the network if nothing of it is kept, at most.
    pub read: u64,
    /// The bytes of memory that a rank needs.
    pub memory: u64,
    /// The threads of a rank that its memory is enough for.
    pub threads: usize,
    /// How many times as fast as one thread any number of them can fill pairs: the work of all pairs
    /// by that of the largest.
    pub speed_up: f64,
    /// The time it takes.
    pub seconds: f64,
}

/// What a layer of a game's tables takes with so many ranks of so many threads, each rank with so much
/// memory.
///
/// Every rank turns the blocks of the layer below for itself, half of that layer, shared by its
/// threads; pairs go to whichever thread is free, on any rank.
///
/// ```
/// use sowing_cluster::{Rates, layer_cost};
///
/// let rates = Rates { positions: 1e8, turned: 1e8, written: 1e9, step: 0.0 };
/// let game = "kalah(6,4)".parse()?;
/// let cost = layer_cost(&game, 36, (16, 4), 64 << 30, &rates)?;
/// assert_eq!(cost.positions, 17_415_634_821);
/// // However many ranks there are, the pair of 19 and 17 seeds takes its time.
/// assert!((7.0..9.0).contains(&cost.speed_up));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn layer_cost(
    game: &Game,
    layer: u32,
    (ranks, threads): (usize, usize),
    memory: u64,
    rates: &Rates,
) -> Result<LayerCost, Error> {
    let family = sowing_rules::Family::for_game(game)?;
    let options = BuildOptions { threads, memory, ..BuildOptions::default() };
    // A folder that is not there has no layers.
    let nowhere = std::path::Path::new("/nonexistent");
    let whole = plan_build(nowhere, game, layer, &options)?;
    let below = match layer {
        2 => None,
        _ => Some(plan_build(nowhere, game, layer - 1, &options)?),
    };
    let less = |all: u64, below: Option<u64>| all - below.unwrap_or(0);
    let positions = less(whole.positions, below.as_ref().map(|plan| plan.positions));
    let bytes = less(whole.disk, below.as_ref().map(|plan| plan.disk));
    let counts = RowIndex::new(family.houses());
    let size = |own: usize, other: usize| (counts.count(own) * counts.count(other)) as u64;
    let n = layer as usize;
    let pairs = 1..=n / 2;
    let read = pairs.clone().map(|q| looks_into(&size, n - q, q)).sum();
    // Of a pair with equal rows both blocks are found, and one is kept.
    let mut work: Vec<f64> = pairs.map(|q| 2.0 * size(n - q, q) as f64).collect();
    work.sort_by(|a, b| b.total_cmp(a));
    let (all, largest) = (work.iter().sum::<f64>(), work[0]);
    let threads = whole.threads;
    let fill = longest(&work, ranks.saturating_mul(threads)) / rates.positions;
    let pairs_below = (1..=(n - 1) / 2).map(|q| size(n - 1 - q, q));
    let turn = pairs_below.sum::<u64>() as f64 / rates.turned / threads as f64;
    let seconds = (fill + turn).max(bytes as f64 / rates.written) + rates.step;
    Ok(LayerCost {
        layer,
        positions,
        bytes,
        read,
        memory: whole.memory,
        threads,
        speed_up: all / largest,
        seconds,
    })
}

/// What the rank with most to do has to do, if pairs are taken by whoever is free, largest first.
fn longest(work: &[f64], ranks: usize) -> f64 {
    // More ranks than pairs have nothing to do.
    let mut ranks = vec![0.0_f64; ranks.clamp(1, work.len().max(1))];
    for pair in work {
        let free = ranks.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("there is a rank");
        *free += pair;
    }
    ranks.into_iter().fold(0.0, f64::max)
}

/// The blocks of lower layers that moves from a pair lead to, in positions.
fn looks_into(size: &impl Fn(usize, usize) -> u64, p: usize, q: usize) -> u64 {
    let mut blocks = successors(p, q);
    blocks.extend(successors(q, p));
    blocks.sort_unstable();
    blocks.dedup();
    blocks.into_iter().map(|(own, other)| size(own, other)).sum()
}

/// The blocks of lower layers that a move can lead to, as the seeds of the next mover and of the
/// other, where `own` seeds face `other`: into the store, across it, or a capture. Moves that come
/// round to their own row again are left out: houses with so many seeds are rare.
fn successors(own: usize, other: usize) -> Vec<(usize, usize)> {
    let again = (own - 1, other);
    let across = (1..own).map(|seeds| (other + seeds, own - 1 - seeds));
    let captures = (1..other).map(|taken| (other - taken, own - 1));
    let blocks = across.chain(captures).chain([again]);
    blocks.filter(|(own, other)| *own > 0 && *other > 0).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use sowing_rules::{Board, CompactBoard, CompiledRules};
    use sowing_tables::RowIndex;

    use super::*;

    /// The blocks are those that the rules lead to, all of them and no others.
    #[test]
    fn blocks_are_those_that_moves_lead_to() {
        let game: Game = "kalah(3,3)".parse().unwrap();
        let rules: CompiledRules<CompactBoard> = CompiledRules::new(&game);
        let ranks = RowIndex::new(3);
        // With at most 4 seeds in a row no move comes round to its own row again.
        for (own, other) in (1..=4).flat_map(|own| (1..=6).map(move |other| (own, other))) {
            let mut found = BTreeSet::new();
            for a in 0..ranks.count(own) {
                for b in 0..ranks.count(other) {
                    let board = CompactBoard::from_rows(ranks.row(own, a), ranks.row(other, b));
                    for slot in board.occupied() {
                        let next = rules.play_unchecked(board, slot);
                        let [x, y] = [next.board.own_seeds(), next.board.other_seeds()];
                        if !next.finished && x + y < (own + other) as u64 {
                            found.insert((x as usize, y as usize));
                        }
                    }
                }
            }
            let expected: BTreeSet<_> = successors(own, other).into_iter().collect();
            assert!(found.is_subset(&expected), "{own} {other}: {found:?}, not {expected:?}");
            assert!(
                found.len() * 5 >= expected.len() * 2,
                "{own} {other}: {found:?}, {expected:?}"
            );
        }
    }

    #[test]
    fn two_ranks_take_half_the_time_at_best() {
        let rates = Rates { positions: 1e6, turned: 1e12, written: 1e12, step: 0.0 };
        let game: Game = "kalah(6,4)".parse().unwrap();
        let cost = |ranks| layer_cost(&game, 20, (ranks, 1), u64::MAX, &rates).unwrap();
        let seconds = |ranks| cost(ranks).seconds;
        let (one, two, many) = (seconds(1), seconds(2), seconds(1000));
        assert!(two >= one / 2.0 && two < 0.6 * one, "{one} {two}");
        let most = cost(1).speed_up;
        assert!((one / many - most).abs() < 1e-3, "{one} {many} {most}");
    }
}
