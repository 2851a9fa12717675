//! The layout of a layer's file while its pairs are filled in, one by one.

use std::ops::Range;

use sowing_platform::Zeroed;

use crate::build::PairBuilder;
use crate::file::{Chunk, Encoding, Header, chunk_ranges};
use crate::layer::{Layout, memory, signed_mut};
use crate::layers::Layers;
use crate::{Error, RowIndex};
use sowing_rules::Family;

/// The byte ranges of a layer's file.
#[derive(Debug)]
pub(crate) struct LayerFileLayout {
    family: Family,
    layer: u32,
    layout: Layout,
    /// First value and length of each chunk.
    chunks: Vec<(usize, usize)>,
}

/// The values of a pair.
pub(crate) struct PairValues {
    map: Zeroed,
    len: usize,
    /// The checksums of its chunks.
    pub(crate) crcs: Vec<u32>,
}

impl PairValues {
    /// The values as the file stores them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map[..self.len]
    }
}

impl LayerFileLayout {
    pub(crate) fn new(family: &Family, row_index: &RowIndex, layer: u32) -> LayerFileLayout {
        let layout = Layout::new(row_index, layer as usize);
        let chunks = chunk_ranges(row_index, layer as usize);
        LayerFileLayout { family: *family, layer, layout, chunks }
    }

    /// The pairs, by the seeds of the shorter row. Sizes increase, except that of the last pair.
    pub(crate) fn pairs(&self) -> Range<usize> {
        1..self.layer as usize / 2 + 1
    }

    /// The length of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.start() + self.layout.len()
    }

    /// The offset of the first value.
    fn start(&self) -> usize {
        Header::len(self.chunks.len(), Encoding::Plain)
    }

    /// The bytes of a pair in the file.
    pub(crate) fn pair_bytes(&self, q: usize) -> Range<usize> {
        let pair = self.layout.pair(q);
        self.start() + pair.start..self.start() + pair.end
    }

    /// The number of chunks in the file.
    pub(crate) fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// The chunks of a pair, by their numbers in the file.
    pub(crate) fn pair_chunks(&self, q: usize) -> Range<usize> {
        let pair = self.layout.pair(q);
        let before = |value: usize| self.chunks.partition_point(|(first, _)| *first < value);
        before(pair.start)..before(pair.end)
    }

    /// The checksums of the chunks of a pair with these bytes.
    pub(crate) fn crcs(&self, q: usize, bytes: &[u8]) -> Vec<u32> {
        let start = self.layout.pair(q).start;
        let chunks = &self.chunks[self.pair_chunks(q)];
        chunks.iter().map(|(at, len)| crc32fast::hash(&bytes[at - start..][..*len])).collect()
    }

    /// Computes the values of a pair.
    pub(crate) fn fill(
        &self,
        layers: &Layers,
        builder: &PairBuilder,
        q: usize,
    ) -> Result<PairValues, Error> {
        let len = self.layout.pair(q).len();
        let mut map = memory(len)?;
        builder.fill(layers, self.layer as usize, q, &mut signed_mut(&mut map)[..len])?;
        let crcs = self.crcs(q, &map[..len]);
        Ok(PairValues { map, len, crcs })
    }

    /// The header of the finished file.
    pub(crate) fn header(&self, crcs: &[u32]) -> Header {
        let chunk = |((first, len), crc): (&(usize, usize), &u32)| Chunk {
            first: *first,
            len: *len,
            start: *first,
            end: first + len,
            crc: *crc,
        };
        let chunks = self.chunks.iter().zip(crcs).map(chunk).collect();
        let LayerFileLayout { family, layer, .. } = *self;
        Header { family, layer, encoding: Encoding::Plain, data: self.layout.len(), chunks }
    }
}
