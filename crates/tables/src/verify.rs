//! Verification of tables against their checksums and the rules.

use std::sync::atomic::{AtomicU64, Ordering};

use sowing_rules::{CompactBoard, SeededRng, Setup, WideBoard};

use crate::build::{BuildOptions, BuildProgress, MoveByMove, run_parallel};
use crate::layers::Data;
use crate::{Error, Tables, dir, live_positions_to};

/// The positions to recompute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyScope {
    /// This number of positions per layer, from a fixed pseudorandom sequence.
    Sample(u64),
    /// All positions.
    All,
}

impl Tables {
    /// Checks all checksums, then recomputes positions from the rules and the values after their moves. Returns
    /// the number of recomputed positions.
    pub fn verify(&self, scope: VerifyScope, options: &BuildOptions) -> Result<u64, Error> {
        dir::check_all(&self.layers, options.threads)?;
        self.mark_all_sound();
        let computed = match scope {
            VerifyScope::Sample(count) => self.verify_sample(count, options),
            VerifyScope::All => self.verify_all(options),
        };
        // A change of a file is the better explanation of a wrong value.
        self.layers.check_unchanged()?;
        computed
    }

    fn wrong(&self, board: CompactBoard, found: Option<i8>, expected: Option<i8>) -> Error {
        let houses = self.family.houses();
        let row = |row: u64| -> Vec<u64> { (0..houses).map(|i| row >> (8 * i) & 0xff).collect() };
        let wide = WideBoard::new(&row(board.own()), 0, &row(board.other()), 0);
        Error::Wrong {
            family: self.family,
            position: Setup::from(wide).to_string(),
            found,
            expected,
        }
    }

    /// The position of a value in a layer.
    fn board_at(&self, layer: usize, at: usize) -> CompactBoard {
        let (row_index, layout) = (&self.layers.row_index, &self.layers.layouts[layer - 2]);
        let own = (1..layer)
            .find(|own| layout.block(*own).contains(&at))
            .expect("blocks cover the layer");
        let other = layer - own;
        let at = at - layout.block(own).start;
        let (long, short) = (own.max(other), own.min(other));
        let line = row_index.row(long, at / row_index.count(short));
        let column = row_index.row(short, at % row_index.count(short));
        let (own, other) = if own >= other { (line, column) } else { (column, line) };
        CompactBoard::from_rows(own, other)
    }

    fn verify_board(&self, reference: &MoveByMove, board: CompactBoard) -> Result<(), Error> {
        let expected = reference.best(board, |after| self.probe(after));
        let found = self.probe(board);
        if found.is_none() || found != expected {
            return Err(self.wrong(board, found, expected));
        }
        Ok(())
    }

    fn verify_sample(&self, sample: u64, options: &BuildOptions) -> Result<u64, Error> {
        let reference = MoveByMove::new(&self.family);
        // A layer no larger than the sample is recomputed completely.
        let count = |layer: u32| sample.min(self.layers.layouts[layer as usize - 2].len() as u64);
        let total = (2..=self.max_layer()).map(count).sum();
        let done = AtomicU64::new(0);
        let layers = (2..=self.max_layer()).collect();
        run_parallel(options.threads, layers, |layer: u32| {
            let len = self.layers.layouts[layer as usize - 2].len() as u64;
            // Uniform over the positions of the layer.
            let mut random = SeededRng::new(0, layer.into());
            for index in 0..count(layer) {
                let at = if len <= sample { index } else { random.below(len) };
                self.verify_board(&reference, self.board_at(layer as usize, at as usize))?;
            }
            let done = done.fetch_add(count(layer), Ordering::Relaxed) + count(layer);
            (options.progress)(BuildProgress { layer, done, total });
            Ok(())
        })?;
        Ok(total)
    }

    fn verify_all(&self, options: &BuildOptions) -> Result<u64, Error> {
        let reference = MoveByMove::new(&self.family);
        let row_index = &self.layers.row_index;
        let total = live_positions_to(self.family.houses(), self.max_layer()) as u64;
        let done = AtomicU64::new(0);
        let packed = self.layers.data.iter().any(Data::is_packed);
        for layer in 2..=self.max_layer() as usize {
            run_parallel(options.threads, (1..=layer / 2).collect(), |q: usize| {
                let p = layer - q;
                let mut positions = 0;
                let mut report = |count: usize| {
                    positions += count;
                    let done = done.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
                    (options.progress)(BuildProgress { layer: layer as u32, done, total });
                };
                if packed {
                    for line in row_index.rows(p) {
                        for column in row_index.rows(q) {
                            self.verify_board(&reference, CompactBoard::from_rows(line, column))?;
                            if p != q {
                                self.verify_board(
                                    &reference,
                                    CompactBoard::from_rows(column, line),
                                )?;
                            }
                        }
                        report(row_index.count(q) * if p == q { 1 } else { 2 });
                    }
                    return Ok(());
                }
                let wrong = |board: CompactBoard, expected| {
                    self.wrong(board, self.probe(board), Some(expected))
                };
                reference
                    .compare(&self.layers, p, q, &mut report)
                    .map_err(|(board, value)| wrong(board, value))
            })?;
        }
        Ok(total)
    }
}
