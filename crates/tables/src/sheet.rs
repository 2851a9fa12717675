//! The file of a layer while its pairs are filled in, one by one.

use std::ops::Range;

use sowing_platform::Zeroed;

use crate::build::{Filler, Layers};
use crate::file::{Chunk, Form, Head, chunks};
use crate::layer::{Layout, memory, signed_mut};
use crate::{Error, Family, RowRanks};

/// Where everything of a layer's file will lie.
#[derive(Debug)]
pub(crate) struct Sheet {
    family: Family,
    layer: u32,
    layout: Layout,
    /// The chunks, as stretches of values.
    stretches: Vec<(usize, usize)>,
}

/// A pair that is filled in.
pub(crate) struct Filled {
    map: Zeroed,
    len: usize,
    /// The checksums of its chunks.
    pub(crate) crcs: Vec<u32>,
}

impl Filled {
    /// The values, as they lie in the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map[..self.len]
    }
}

impl Sheet {
    pub(crate) fn new(family: &Family, ranks: &RowRanks, layer: u32) -> Sheet {
        let layout = Layout::new(ranks, layer as usize);
        Sheet { family: *family, layer, layout, stretches: chunks(ranks, layer as usize) }
    }

    /// The pairs, by the seeds of the shorter row: those with most are the largest, but for the last.
    pub(crate) fn pairs(&self) -> Range<usize> {
        1..self.layer as usize / 2 + 1
    }

    /// The bytes of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.start() + self.layout.len()
    }

    /// Where the values start.
    fn start(&self) -> usize {
        Head::len(self.stretches.len(), Form::Bytes)
    }

    /// Where a pair lies in the file.
    pub(crate) fn place(&self, q: usize) -> Range<usize> {
        let pair = self.layout.pair(q);
        self.start() + pair.start..self.start() + pair.end
    }

    /// How many chunks there are.
    pub(crate) fn chunks_in_all(&self) -> usize {
        self.stretches.len()
    }

    /// The chunks of a pair.
    pub(crate) fn chunks(&self, q: usize) -> Range<usize> {
        let pair = self.layout.pair(q);
        let before = |place: usize| self.stretches.partition_point(|(first, _)| *first < place);
        before(pair.start)..before(pair.end)
    }

    /// The checksums of the bytes of a pair.
    pub(crate) fn crcs(&self, q: usize, bytes: &[u8]) -> Vec<u32> {
        let start = self.layout.pair(q).start;
        let chunks = &self.stretches[self.chunks(q)];
        chunks.iter().map(|(at, len)| crc32fast::hash(&bytes[at - start..][..*len])).collect()
    }

    /// Finds the values of a pair.
    pub(crate) fn fill(&self, layers: &Layers, filler: &Filler, q: usize) -> Result<Filled, Error> {
        let len = self.layout.pair(q).len();
        let mut map = memory(len)?;
        filler.fill(layers, self.layer as usize, q, &mut signed_mut(&mut map)[..len])?;
        let crcs = self.crcs(q, &map[..len]);
        Ok(Filled { map, len, crcs })
    }

    /// The head of the finished file.
    pub(crate) fn head(&self, crcs: &[u32]) -> Head {
        let chunk = |((first, len), crc): (&(usize, usize), &u32)| Chunk {
            first: *first,
            len: *len,
            start: *first,
            end: first + len,
            crc: *crc,
        };
        let chunks = self.stretches.iter().zip(crcs).map(chunk).collect();
        let Sheet { family, layer, .. } = *self;
        Head { family, layer, form: Form::Bytes, data: self.layout.len(), chunks }
    }
}
