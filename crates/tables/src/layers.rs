//! The finished layers of some tables, in memory or in files.

use std::borrow::Cow;

use sowing_platform::Zeroed;

use crate::file::{Encoding, LayerFile};
use crate::layer::{Layout, shared, signed};
use crate::{Error, RowIndex, pack};

/// The finished layers, without a gap.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) row_index: RowIndex,
    pub(crate) layouts: Vec<Layout>,
    /// From layer 2 on.
    pub(crate) data: Vec<Data>,
}

impl Layers {
    pub(crate) fn new(houses: u8) -> Layers {
        Layers { row_index: RowIndex::new(houses), layouts: Vec::new(), data: Vec::new() }
    }

    /// The highest finished layer; 1 if there is none, since layer 1 has no live position.
    pub(crate) fn max_layer(&self) -> usize {
        self.data.len() + 1
    }

    pub(crate) fn push(&mut self, data: Data) {
        self.layouts.push(Layout::new(&self.row_index, self.max_layer() + 1));
        self.data.push(data);
    }

    /// Fails if a file has changed since it was opened. Callers ask before they publish a result.
    pub(crate) fn check_unchanged(&self) -> Result<(), Error> {
        self.data.iter().try_for_each(|data| match data {
            Data::File(file) => file.check_unchanged(),
            Data::Memory(_) => Ok(()),
        })
    }

    /// The values of the positions with `own` seeds in the mover's row and `other` in the opponent's.
    pub(crate) fn block(&self, own: usize, other: usize) -> &[i8] {
        let layer = own + other - 2;
        &self.data[layer].values()[self.layouts[layer].block(own)]
    }
}

/// The values of one layer.
#[derive(Debug)]
pub(crate) enum Data {
    Memory(Zeroed),
    File(LayerFile),
}

impl Data {
    /// The values, one byte each; of a packed file the packed bytes.
    pub(crate) fn values(&self) -> &[i8] {
        match self {
            Data::Memory(map) => signed(map),
            Data::File(file) => signed(file.values()),
        }
    }

    /// Fails if a file does not have its checksums.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Data::Memory(_) => Ok(()),
            Data::File(file) => file.check(),
        }
    }

    /// Whether the values lie packed in a file.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self, Data::File(file) if file.header.encoding != Encoding::Plain)
    }

    /// All values, one byte each; `None` if a packed file is damaged.
    pub(crate) fn unpacked(&self) -> Option<Cow<'_, [i8]>> {
        let plain = || Some(Cow::Borrowed(self.values()));
        let Data::File(file) = self else { return plain() };
        let Encoding::Packed(step) = file.header.encoding else { return plain() };
        let mut values = Vec::with_capacity(file.header.chunks.iter().map(|chunk| chunk.len).sum());
        for chunk in &file.header.chunks {
            let bytes = shared(&file.values()[chunk.start..chunk.end]);
            for index in 0..chunk.len {
                values.push(pack::unpack(bytes, chunk.len, step, index)?);
            }
        }
        Some(Cow::Owned(values))
    }
}
