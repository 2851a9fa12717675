//! The plain pass over a pair: position by position, move by move, for any game.

use sowing::{Law, Small};

use super::{Layers, Pair};
use crate::{Family, RowRanks};

/// The rules, ready to be played.
#[derive(Debug)]
pub(crate) struct Each {
    law: Law<Small>,
}

/// Where a move leads: the value there, and what the move makes of it.
struct Child<'a> {
    value: &'a i8,
    gain: i8,
    again: bool,
}

/// Every block of the finished layers, at hand.
struct Blocks<'a> {
    ranks: &'a RowRanks,
    blocks: Vec<&'a [i8]>,
    side: usize,
}

impl<'a> Blocks<'a> {
    fn new(layers: &'a Layers) -> Blocks<'a> {
        let side = layers.max_layer() + 1;
        let mut blocks: Vec<&[i8]> = vec![&[]; side * side];
        for own in 1..side {
            for other in 1..side - own {
                blocks[own * side + other] = layers.block(own, other);
            }
        }
        Blocks { ranks: &layers.ranks, blocks, side }
    }

    /// The value of a position by seeds and ranks of mover and other.
    #[inline]
    fn value(&self, p: usize, a: usize, q: usize, b: usize) -> &'a i8 {
        let place = if p >= q { a * self.ranks.count(q) + b } else { b * self.ranks.count(p) + a };
        &self.blocks[p * self.side + q][place]
    }
}

/// Positions whose children are fetched together.
const BATCH: usize = 64;

impl Each {
    pub(crate) fn new(family: &Family) -> Each {
        Each { law: Law::new(&family.game()) }
    }

    /// Fills in a pair from the layers below it.
    pub(super) fn fill(&self, layers: &Layers, pair: &mut Pair<'_>) {
        let (longer, shorter) = (layers.ranks.rows(pair.p), layers.ranks.rows(pair.q));
        let width = shorter.len();
        let blocks = Blocks::new(layers);
        for (t, row) in longer.into_iter().enumerate() {
            let boards = |b: &u64| Small::from_rows(row, *b);
            let (longer, shorter_values) = (&mut pair.longer[t * width..], &*pair.shorter);
            self.line(&blocks, &mut longer[..width], shorter.iter().map(boards), |own, other| {
                // The mover b, the other an earlier t.
                &shorter_values[other * width + own]
            });
            let boards = |b: &u64| Small::from_rows(*b, row);
            let (longer, out) = (&*pair.longer, &mut pair.shorter[t * width..]);
            self.line(&blocks, &mut out[..width], shorter.iter().map(boards), |own, other| {
                &longer[own * width + other]
            });
        }
    }

    /// Holds a pair of finished layers to what this pass makes of it: the first position that
    /// differs, with the value it should have.
    pub(crate) fn compare(
        &self,
        layers: &Layers,
        p: usize,
        q: usize,
        report: &mut dyn FnMut(usize),
    ) -> Result<(), (Small, i8)> {
        let shorter = layers.ranks.rows(q);
        let width = shorter.len();
        let blocks = Blocks::new(layers);
        let mut out = vec![0; width];
        for (t, row) in layers.ranks.rows(p).into_iter().enumerate() {
            for mover in [true, false].into_iter().filter(|mover| *mover || p != q) {
                let board = |b: &u64| {
                    if mover { Small::from_rows(row, *b) } else { Small::from_rows(*b, row) }
                };
                let (next, after) = if mover { (q, p) } else { (p, q) };
                let same = |own, other| blocks.value(next, own, after, other);
                self.line(&blocks, &mut out, shorter.iter().map(board), same);
                let found = &layers.block(after, next)[t * width..][..width];
                if let Some(wrong) = (0..width).find(|place| out[*place] != found[*place]) {
                    return Err((board(&shorter[wrong]), out[wrong]));
                }
                report(width);
            }
        }
        Ok(())
    }

    /// Fills in a line; `same` finds values of the same layer by the ranks of mover and other.
    fn line<'a>(
        &self,
        blocks: &Blocks<'a>,
        out: &mut [i8],
        boards: impl Iterator<Item = Small>,
        same: impl Fn(usize, usize) -> &'a i8,
    ) {
        let mut children = Vec::with_capacity(BATCH * blocks.ranks.houses());
        let mut ends = Vec::with_capacity(BATCH);
        let mut boards = boards;
        for out in out.chunks_mut(BATCH) {
            children.clear();
            ends.clear();
            for board in boards.by_ref().take(out.len()) {
                let mut finished = i8::MIN;
                for slot in board.occupied() {
                    let played = self.law.play(board, slot);
                    if played.finished {
                        let left = self.law.remaining(&played.board) as i8;
                        let gain = played.gain as i8;
                        finished =
                            finished.max(if played.again { gain + left } else { gain - left });
                        continue;
                    }
                    let (p, a) = blocks.ranks.rank(played.board.own());
                    let (q, b) = blocks.ranks.rank(played.board.other());
                    let value =
                        if played.gain == 0 { same(a, b) } else { blocks.value(p, a, q, b) };
                    fetch(value);
                    children.push(Child { value, gain: played.gain as i8, again: played.again });
                }
                ends.push((children.len(), finished));
            }
            let mut start = 0;
            for (out, (end, finished)) in out.iter_mut().zip(&ends) {
                let values = children[start..*end]
                    .iter()
                    .map(|child| after(child.gain, *child.value, child.again));
                *out = values.fold(*finished, i8::max);
                start = *end;
            }
        }
    }

    /// The value of a live position as its moves make it, with the values after them looked up.
    pub(crate) fn best(
        &self,
        board: Small,
        mut value: impl FnMut(Small) -> Option<i8>,
    ) -> Option<i8> {
        let mut best = None;
        for slot in board.occupied() {
            let played = self.law.play(board, slot);
            let next = if played.finished {
                self.law.remaining(&played.board) as i8
            } else {
                value(played.board)?
            };
            best = best.max(Some(after(played.gain as i8, next, played.again)));
        }
        best
    }
}

/// What a move is worth that gains so much and leads to a position of this value. No true value
/// comes near the ends of its range; one that is read from a file may be anything.
#[inline(always)]
fn after(gain: i8, value: i8, again: bool) -> i8 {
    if again { gain.saturating_add(value) } else { gain.saturating_sub(value) }
}

/// Asks for a value to be brought near.
#[inline(always)]
pub(crate) fn fetch(value: &i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing, and the address is that of a value.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
