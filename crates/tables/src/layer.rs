//! Where the values of a layer lie.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::AtomicU8;

use sowing_platform::Zeroed;

use crate::file::{Form, LayerFile};
use crate::pack;
use crate::{Error, RowRanks};

/// The order of the values of one layer.
///
/// Layer n is cut into pairs: p seeds in one row, q in the other, p + q = n, p >= q >= 1, the pairs
/// in order of growing q. A pair has two blocks, first that of the positions whose mover has the p
/// seeds, then that whose mover has the q seeds; with p = q there is only the first. In both, the
/// row of p seeds is the line and the row of q seeds the place in it.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    layer: usize,
    /// Where the first block of each pair starts, from q = 1; then the end.
    starts: Vec<usize>,
    sizes: Vec<usize>,
}

impl Layout {
    pub(crate) fn new(ranks: &RowRanks, layer: usize) -> Layout {
        let mut starts = vec![0];
        let mut sizes = Vec::new();
        for q in 1..=layer / 2 {
            let p = layer - q;
            let size = ranks.count(p) * ranks.count(q);
            sizes.push(size);
            starts.push(starts[q - 1] + if p == q { size } else { 2 * size });
        }
        Layout { layer, starts, sizes }
    }

    /// All values of the layer.
    pub(crate) fn len(&self) -> usize {
        *self.starts.last().expect("there is always an end")
    }

    /// The values of a pair, both blocks.
    pub(crate) fn pair(&self, q: usize) -> Range<usize> {
        self.starts[q - 1]..self.starts[q]
    }

    /// All blocks, in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (1..=self.layer / 2).flat_map(|q| {
            let p = self.layer - q;
            let first = self.block(p);
            [Some(first), (p != q).then(|| self.block(q))].into_iter().flatten()
        })
    }

    /// The values of the positions whose mover has `own` seeds.
    pub(crate) fn block(&self, own: usize) -> Range<usize> {
        let other = self.layer - own;
        let q = own.min(other);
        let start = self.starts[q - 1] + if own < other { self.sizes[q - 1] } else { 0 };
        start..start + self.sizes[q - 1]
    }
}

/// The values of one layer.
#[derive(Debug)]
pub(crate) enum Data {
    Memory(Zeroed),
    File(LayerFile),
}

impl Data {
    /// The values, one byte each; the bytes that hold them if the file is packed.
    pub(crate) fn values(&self) -> &[i8] {
        match self {
            Data::Memory(map) => signed(map),
            Data::File(file) => signed(file.values()),
        }
    }

    /// All values, one byte each; `None` if a packed file does not hold them.
    pub(crate) fn unpacked(&self) -> Option<Cow<'_, [i8]>> {
        let Data::File(file) = self else { return Some(Cow::Borrowed(self.values())) };
        let Form::Packed(step) = file.head.form else { return Some(Cow::Borrowed(self.values())) };
        let mut values = Vec::with_capacity(file.head.chunks.iter().map(|chunk| chunk.len).sum());
        for chunk in &file.head.chunks {
            let bytes = shared(&file.values()[chunk.start..chunk.end]);
            for place in 0..chunk.len {
                values.push(pack::unpack(bytes, chunk.len, step, place)?);
            }
        }
        Some(Cow::Owned(values))
    }
}

/// Whether a position with `layer` seeds in houses can have a value: no more than all seeds are won,
/// and values differ by multiples of `step`, 1 or 2.
#[inline(always)]
pub(crate) fn is_possible(value: i8, layer: usize, step: u8) -> bool {
    let (value, layer) = (i32::from(value), layer as i32);
    value.abs() <= layer && (value + layer) & i32::from(step - 1) == 0
}

/// Bytes that other programs may write to.
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

/// Fresh memory, in large pages where the system has them.
pub(crate) fn memory(len: usize) -> Result<Zeroed, Error> {
    Zeroed::new(len).map_err(Error::Map)
}
