//! The move-by-move pass over a pair: plays every move of every position, for any rules.

use sowing_platform::prefetch;
use sowing_rules::{CompactBoard, CompiledRules};

use super::Pair;
use crate::RowIndex;
use crate::layers::Layers;
use sowing_rules::Family;

/// The reference implementation that the streaming pass and all tables are checked against.
#[derive(Debug)]
pub(crate) struct MoveByMove {
    rules: CompiledRules<CompactBoard>,
}

/// The value after a move, and the terms that make it a value of the mover.
struct Child<'a> {
    value: &'a i8,
    gain: i8,
    again: bool,
}

/// Every block of the finished layers, by the seeds of the mover and of the opponent.
struct Blocks<'a> {
    row_index: &'a RowIndex,
    blocks: Vec<&'a [i8]>,
    stride: usize,
}

impl<'a> Blocks<'a> {
    fn new(layers: &'a Layers) -> Blocks<'a> {
        let stride = layers.max_layer() + 1;
        let mut blocks: Vec<&[i8]> = vec![&[]; stride * stride];
        for own in 1..stride {
            for other in 1..stride - own {
                blocks[own * stride + other] = layers.block(own, other);
            }
        }
        Blocks { row_index: &layers.row_index, blocks, stride }
    }

    /// The value of the position whose mover has row `a` of `p` seeds and whose opponent has row `b` of
    /// `q` seeds.
    #[inline]
    fn value(&self, p: usize, a: usize, q: usize, b: usize) -> &'a i8 {
        let count = |seeds| self.row_index.count(seeds);
        let at = if p >= q { a * count(q) + b } else { b * count(p) + a };
        &self.blocks[p * self.stride + q][at]
    }
}

/// Positions whose children are prefetched together.
const BATCH: usize = 64;

impl MoveByMove {
    pub(crate) fn new(family: &Family) -> MoveByMove {
        MoveByMove { rules: CompiledRules::new(&family.game()) }
    }

    /// Computes a pair from the layers below it.
    pub(super) fn fill(&self, layers: &Layers, pair: &mut Pair<'_>) {
        let (longer, shorter) = (layers.row_index.rows(pair.p), layers.row_index.rows(pair.q));
        let width = shorter.len();
        let blocks = Blocks::new(layers);
        for (t, row) in longer.into_iter().enumerate() {
            let boards = |b: &u64| CompactBoard::from_rows(row, *b);
            let (longer, shorter_values) = (&mut pair.longer[t * width..], &*pair.shorter);
            self.fill_line(
                &blocks,
                &mut longer[..width],
                shorter.iter().map(boards),
                |own, other| {
                    // The opponent's row is an earlier t.
                    &shorter_values[other * width + own]
                },
            );
            let boards = |b: &u64| CompactBoard::from_rows(*b, row);
            let (longer, out) = (&*pair.longer, &mut pair.shorter[t * width..]);
            self.fill_line(&blocks, &mut out[..width], shorter.iter().map(boards), |own, other| {
                &longer[own * width + other]
            });
        }
    }

    /// Recomputes a pair of finished layers. The error is the first position whose value differs, with
    /// the value that it should have.
    pub(crate) fn compare(
        &self,
        layers: &Layers,
        p: usize,
        q: usize,
        report: &mut dyn FnMut(usize),
    ) -> Result<(), (CompactBoard, i8)> {
        let shorter = layers.row_index.rows(q);
        let width = shorter.len();
        let blocks = Blocks::new(layers);
        let mut out = vec![0; width];
        for (t, row) in layers.row_index.rows(p).into_iter().enumerate() {
            for mover in [true, false].into_iter().filter(|mover| *mover || p != q) {
                let board = |b: &u64| {
                    if mover {
                        CompactBoard::from_rows(row, *b)
                    } else {
                        CompactBoard::from_rows(*b, row)
                    }
                };
                let (next, after) = if mover { (q, p) } else { (p, q) };
                let same_layer = |own, other| blocks.value(next, own, after, other);
                self.fill_line(&blocks, &mut out, shorter.iter().map(board), same_layer);
                let found = &layers.block(after, next)[t * width..][..width];
                if let Some(wrong) = (0..width).find(|column| out[*column] != found[*column]) {
                    return Err((board(&shorter[wrong]), out[wrong]));
                }
                report(width);
            }
        }
        Ok(())
    }

    /// Computes a line. `same_layer` looks up values of the same layer by the row indices of mover and
    /// opponent.
    fn fill_line<'a>(
        &self,
        blocks: &Blocks<'a>,
        out: &mut [i8],
        mut boards: impl Iterator<Item = CompactBoard>,
        same_layer: impl Fn(usize, usize) -> &'a i8,
    ) {
        let mut children = Vec::with_capacity(BATCH * blocks.row_index.houses());
        let mut ends = Vec::with_capacity(BATCH);
        for out in out.chunks_mut(BATCH) {
            children.clear();
            ends.clear();
            for board in boards.by_ref().take(out.len()) {
                let mut finished = i8::MIN;
                for slot in board.occupied() {
                    let played = self.rules.play_unchecked(board, slot);
                    let gain = played.gain as i8;
                    if played.finished {
                        let remaining = self.rules.remaining(&played.board) as i8;
                        finished = finished.max(to_mover(gain, remaining, played.again));
                        continue;
                    }
                    let (p, a) = blocks.row_index.index_of(played.board.own());
                    let (q, b) = blocks.row_index.index_of(played.board.other());
                    let value = if gain == 0 { same_layer(a, b) } else { blocks.value(p, a, q, b) };
                    prefetch(std::ptr::from_ref(value));
                    children.push(Child { value, gain, again: played.again });
                }
                ends.push((children.len(), finished));
            }
            let mut start = 0;
            for (out, (end, finished)) in out.iter_mut().zip(&ends) {
                let values = children[start..*end]
                    .iter()
                    .map(|child| to_mover(child.gain, *child.value, child.again));
                *out = values.fold(*finished, i8::max);
                start = *end;
            }
        }
    }

    /// The value of a live position, with `value` for the live positions after its moves. `None` if one
    /// of them is `None`.
    pub(crate) fn best(
        &self,
        board: CompactBoard,
        mut value: impl FnMut(CompactBoard) -> Option<i8>,
    ) -> Option<i8> {
        let mut best = None;
        for slot in board.occupied() {
            let played = self.rules.play_unchecked(board, slot);
            let next = if played.finished {
                self.rules.remaining(&played.board) as i8
            } else {
                value(played.board)?
            };
            best = best.max(Some(to_mover(played.gain as i8, next, played.again)));
        }
        best
    }
}

/// [`Played::to_mover`](sowing_rules::Played::to_mover) for bytes. It saturates, since a value from a
/// damaged file may be any byte.
#[inline(always)]
fn to_mover(gain: i8, value: i8, again: bool) -> i8 {
    if again { gain.saturating_add(value) } else { gain.saturating_sub(value) }
}
