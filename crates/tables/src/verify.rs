//! Holding tables to their checksums and to the rules.

use std::sync::atomic::{AtomicU64, Ordering};

use sowing::{Setup, Small, Stream, Wide};

use crate::build::{BuildOptions, BuildProgress, Each, side_by_side};
use crate::file::Form;
use crate::layer::Data;
use crate::{Error, Tables, dir, live_positions_to};

/// How many positions to compute again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many of each layer, chosen at random but the same every time.
    Sample(u64),
    /// Every one.
    All,
}

impl Tables {
    /// Checks every checksum, then computes positions anew from the rules and the values of the
    /// positions that their moves lead to. Returns how many positions that were.
    pub fn verify(&self, extent: Extent, options: &BuildOptions) -> Result<u64, Error> {
        dir::check_all(&self.layers, options.threads)?;
        self.all_sound();
        let computed = match extent {
            Extent::Sample(each) => self.verify_sample(each, options),
            Extent::All => self.verify_all(options),
        };
        // A file that changed in the meantime explains everything.
        self.layers.still()?;
        computed
    }

    fn wrong(&self, board: Small, found: Option<i8>, expected: Option<i8>) -> Error {
        let houses = self.family.houses();
        let row = |row: u64| -> Vec<u64> { (0..houses).map(|i| row >> (8 * i) & 0xff).collect() };
        let wide = Wide::new(&row(board.own()), 0, &row(board.other()), 0);
        Error::Wrong {
            family: self.family,
            position: Setup::from(wide).to_string(),
            found: found.unwrap_or(i8::MIN),
            expected: expected.unwrap_or(i8::MIN),
        }
    }

    /// The position of a place in a layer.
    fn board_at(&self, layer: usize, at: usize) -> Small {
        let (ranks, layout) = (&self.layers.ranks, &self.layers.layouts[layer - 2]);
        let own = (1..layer)
            .find(|own| layout.block(*own).contains(&at))
            .expect("blocks cover the layer");
        let other = layer - own;
        let place = at - layout.block(own).start;
        let (long, short) = (own.max(other), own.min(other));
        let line = ranks.row(long, place / ranks.count(short));
        let place = ranks.row(short, place % ranks.count(short));
        let (own, other) = if own >= other { (line, place) } else { (place, line) };
        Small::from_rows(own, other)
    }

    fn verify_board(&self, each: &Each, board: Small) -> Result<(), Error> {
        let expected = each.best(board, |after| self.probe(after));
        let found = self.probe(board);
        if found.is_none() || found != expected {
            return Err(self.wrong(board, found, expected));
        }
        Ok(())
    }

    fn verify_sample(&self, sample: u64, options: &BuildOptions) -> Result<u64, Error> {
        let each = Each::new(&self.family);
        // A layer that has no more than the sample is computed again as a whole, each once.
        let most = |layer: u32| sample.min(self.layers.layouts[layer as usize - 2].len() as u64);
        let total = (2..=self.max_layer()).map(most).sum();
        let done = AtomicU64::new(0);
        let layers = (2..=self.max_layer()).collect();
        side_by_side(options.threads, layers, |layer: u32| {
            let len = self.layers.layouts[layer as usize - 2].len() as u64;
            // All positions alike: a place in the layer, then the block that it is in.
            let mut random = Stream::new(0, layer.into());
            for index in 0..most(layer) {
                let at = if len <= sample { index } else { random.below(len) };
                self.verify_board(&each, self.board_at(layer as usize, at as usize))?;
            }
            let done = done.fetch_add(most(layer), Ordering::Relaxed) + most(layer);
            (options.progress)(BuildProgress { layer, done, total });
            Ok(())
        })?;
        Ok(total)
    }

    fn verify_all(&self, options: &BuildOptions) -> Result<u64, Error> {
        let each = Each::new(&self.family);
        let ranks = &self.layers.ranks;
        let total = live_positions_to(self.family.houses(), self.max_layer()) as u64;
        let done = AtomicU64::new(0);
        let packed = self
            .layers
            .data
            .iter()
            .any(|data| matches!(data, Data::File(file) if file.head.form != Form::Bytes));
        for layer in 2..=self.max_layer() as usize {
            side_by_side(options.threads, (1..=layer / 2).collect(), |q: usize| {
                let p = layer - q;
                let mut positions = 0;
                let mut report = |count: usize| {
                    positions += count;
                    let done = done.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
                    (options.progress)(BuildProgress { layer: layer as u32, done, total });
                };
                if packed {
                    for line in ranks.rows(p) {
                        for place in ranks.rows(q) {
                            self.verify_board(&each, Small::from_rows(line, place))?;
                            if p != q {
                                self.verify_board(&each, Small::from_rows(place, line))?;
                            }
                        }
                        report(ranks.count(q) * if p == q { 1 } else { 2 });
                    }
                    return Ok(());
                }
                let wrong =
                    |board: Small, expected| self.wrong(board, self.probe(board), Some(expected));
                each.compare(&self.layers, p, q, &mut report)
                    .map_err(|(board, value)| wrong(board, value))
            })?;
        }
        Ok(total)
    }
}
