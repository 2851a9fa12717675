//! Whole layers: their entries in order, and how their values are spread.

use std::collections::BTreeMap;

use sowing_rules::{Board, BoardIndex, CompactBoard};

use crate::layer::is_possible;
use crate::{Error, Tables};

/// A live board and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The board's index: see [`BoardIndex`].
    pub index: u64,
    /// The board.
    pub board: CompactBoard,
    /// The mover's net gain from the seeds in houses.
    pub value: i8,
}

impl Tables {
    /// All live boards of a layer with their values, in order of [`BoardIndex`].
    ///
    /// Fails if the tables do not have the layer. An item is an error if the file is damaged; no item follows it. A
    /// process that writes to the file meanwhile can cause wrong values: see
    /// [`integrity_error`](Tables::integrity_error).
    ///
    /// ```
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let tables = build_in_memory(&"kalah(2,1)".parse()?, 3, &BuildOptions::default())?;
    /// let entries = tables.entries(2)?.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(entries.iter().map(|entry| entry.value).collect::<Vec<_>>(), [0, 0, 0, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn entries(
        &self,
        layer: u32,
    ) -> Result<impl Iterator<Item = Result<TableEntry, Error>> + '_, Error> {
        self.require_layer(layer)?;
        let indices = BoardIndex::new(self.family().houses().into());
        let (first, end) =
            (indices.count_below(layer.into()), indices.count_below(layer as u64 + 1));
        let boards = (first..end).map(move |index| (index, indices.board(index)));
        let live = boards.filter(|(_, board)| board.own_seeds() > 0 && board.other_seeds() > 0);
        let mut sound = true;
        Ok(live.map_while(move |(index, board)| {
            let value = sound.then(|| self.probe(board))?;
            sound = value.is_some();
            let entry = value.map(|value| TableEntry { index, board, value });
            Some(entry.ok_or_else(|| self.integrity_error().unwrap_or_else(|| self.damaged(layer))))
        }))
    }

    /// The number of positions of a layer with each value that occurs. Fails if the tables do not have the layer, or
    /// its file is damaged or has changed.
    pub fn histogram(&self, layer: u32) -> Result<BTreeMap<i8, u64>, Error> {
        self.require_layer(layer)?;
        let data = &self.layers.data[layer as usize - 2];
        data.check()?;
        let mut counts = BTreeMap::new();
        let mut by_byte = [0_u64; 256];
        for value in data.unpacked().ok_or_else(|| self.damaged(layer))?.iter() {
            by_byte[usize::from(*value as u8)] += 1;
        }
        self.layers.check_unchanged()?;
        for (byte, count) in (0..=u8::MAX).zip(by_byte).filter(|(_, count)| *count > 0) {
            if !is_possible(byte as i8, layer as usize, self.family.step()) {
                return Err(self.damaged(layer));
            }
            counts.insert(byte as i8, count);
        }
        Ok(counts)
    }

    fn damaged(&self, layer: u32) -> Error {
        Error::Damaged { family: self.family, layer }
    }

    fn require_layer(&self, layer: u32) -> Result<(), Error> {
        let (family, max) = (self.family, self.max_layer());
        match (2..=max).contains(&layer) {
            true => Ok(()),
            false => Err(Error::Layer { family, layer, max }),
        }
    }
}
