//! The order of the values of one layer, and their bytes.

use std::ops::Range;
use std::sync::atomic::AtomicU8;

use sowing_platform::Zeroed;

use crate::{Error, RowIndex};

/// The order of the values of one layer.
///
/// Layer n consists of pairs of blocks: p seeds in one row, q in the other, p + q = n, p >= q >= 1, in
/// order of increasing q. The first block of a pair has the positions whose mover has the p seeds, the
/// second those whose mover has the q seeds; with p = q there is only the first. Both blocks are matrices:
/// the index of the row of p seeds is the line, the index of the row of q seeds is the column.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    layer: usize,
    /// Where the first block of each pair starts, from q = 1; then the end.
    starts: Vec<usize>,
    sizes: Vec<usize>,
}

impl Layout {
    pub(crate) fn new(row_index: &RowIndex, layer: usize) -> Layout {
        let mut starts = vec![0];
        let mut sizes = Vec::new();
        for q in 1..=layer / 2 {
            let p = layer - q;
            let size = row_index.count(p) * row_index.count(q);
            sizes.push(size);
            starts.push(starts[q - 1] + if p == q { size } else { 2 * size });
        }
        Layout { layer, starts, sizes }
    }

    /// The number of values in the layer.
    pub(crate) fn len(&self) -> usize {
        *self.starts.last().expect("there is always an end")
    }

    /// The range of a pair: both of its blocks.
    pub(crate) fn pair(&self, q: usize) -> Range<usize> {
        self.starts[q - 1]..self.starts[q]
    }

    /// The ranges of all blocks, in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (1..=self.layer / 2).flat_map(|q| {
            let p = self.layer - q;
            let first = self.block(p);
            [Some(first), (p != q).then(|| self.block(q))].into_iter().flatten()
        })
    }

    /// The range of the block whose mover has `own` seeds.
    pub(crate) fn block(&self, own: usize) -> Range<usize> {
        let other = self.layer - own;
        let q = own.min(other);
        let start = self.starts[q - 1] + if own < other { self.sizes[q - 1] } else { 0 };
        start..start + self.sizes[q - 1]
    }
}

/// Whether a position with `layer` seeds in houses can have this value: its size is at most `layer`, and the
/// values of a layer differ by multiples of `step`, 1 or 2.
#[inline(always)]
pub(crate) fn is_possible(value: i8, layer: usize, step: u8) -> bool {
    let (value, layer) = (i32::from(value), layer as i32);
    value.abs() <= layer && (value + layer) & i32::from(step - 1) == 0
}

/// Bytes that another process may write to.
pub(crate) fn shared(bytes: &[u8]) -> &[AtomicU8] {
    // SAFETY: u8 and AtomicU8 have the same size and alignment, and relaxed loads of bytes are
    // allowed in memory that is only read.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

/// Bytes as values.
pub(crate) fn signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: u8 and i8 have the same size, alignment and valid values.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

/// Bytes as values.
pub(crate) fn signed_mut(bytes: &mut [u8]) -> &mut [i8] {
    // SAFETY: u8 and i8 have the same size, alignment and valid values.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Values as bytes.
pub(crate) fn unsigned(values: &[i8]) -> &[u8] {
    // SAFETY: u8 and i8 have the same size, alignment and valid values.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Zeroed memory, in huge pages where the system has them.
pub(crate) fn memory(len: usize) -> Result<Zeroed, Error> {
    Zeroed::new(len).map_err(Error::Map)
}
