//! The boards that are reached but not yet played from.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use sowing_rules::{Board, CompactBoard, CompiledRules};

use super::folder::Folder;
use super::order::Order;
use super::splits::Splits;
use super::{CensusError, LiveAndFinished};

/// A board by its rank in a layer, with what the stores can hold when the first player is to move,
/// and when the second is. A finished board is as the first player sees it, who counts as to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<const W: usize> {
    pub(super) rank: u64,
    pub(super) splits: [Splits<W>; 2],
}

/// Records in order, packed: the way from one rank to the next, and what splits there are.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    Memory(Box<[u8]>),
    /// Bytes of a file in the folder.
    File {
        run: u64,
        offset: u64,
        bytes: u64,
    },
}

/// What one thread has reached since it was last packed, by stage.
struct Fresh<const W: usize> {
    stages: Vec<Vec<Record<W>>>,
    bytes: u64,
}

impl<const W: usize> Fresh<W> {
    #[inline]
    fn add(&mut self, order: &Order, board: CompactBoard, splits: [Splits<W>; 2]) {
        let (stage, rank) = order.place(board);
        let stage = &mut self.stages[stage];
        if stage.len() == stage.capacity() {
            let old = stage.capacity();
            stage.reserve(1.max(old / 2));
            self.bytes += ((stage.capacity() - old) * size_of::<Record<W>>()) as u64;
        }
        stage.push(Record { rank, splits });
    }

    fn take(&mut self, stage: usize) -> Vec<Record<W>> {
        let records = std::mem::take(&mut self.stages[stage]);
        self.bytes -= (records.capacity() * size_of::<Record<W>>()) as u64;
        records
    }

    /// Plays every move from a board.
    fn play(
        &mut self,
        order: &Order,
        rules: &CompiledRules<CompactBoard>,
        board: CompactBoard,
        splits: [Splits<W>; 2],
    ) {
        for slot in board.occupied() {
            let played = rules.play_unchecked(board, slot);
            let [first, second] = [splits[0].plus(played.gain), splits[1]];
            let splits = if played.again { [first, second] } else { [second, first] };
            if !played.finished {
                self.add(order, played.board, splits);
                continue;
            }
            for (board, splits) in [played.board, played.board.flip()].into_iter().zip(splits) {
                if !splits.is_none() {
                    self.add(order, board, [splits, Splits::NONE]);
                }
            }
        }
    }
}

/// All boards that are reached but not yet played from, by stage.
pub(super) struct Pending<'a, const W: usize> {
    order: &'a Order,
    fresh: Vec<Fresh<W>>,
    packed: Vec<Vec<Segment>>,
    packed_bytes: u64,
}

/// The records of several piles, of which one at a time is there twice.
fn gather<const W: usize>(piles: impl Iterator<Item = Vec<Record<W>>>) -> Vec<Record<W>> {
    let mut records = Vec::new();
    for pile in piles {
        if records.is_empty() {
            records = pile;
        } else {
            records.reserve_exact(pile.len());
            records.extend(pile);
        }
    }
    records
}

/// Records in order, each board once.
fn join<const W: usize>(records: &mut Vec<Record<W>>) {
    records.par_sort_unstable_by_key(|record| record.rank);
    records.dedup_by(|next, kept| {
        let same = next.rank == kept.rank;
        if same {
            for (kept, next) in kept.splits.iter_mut().zip(next.splits) {
                *kept = *kept | next;
            }
        }
        same
    });
}

fn pack<const W: usize>(records: &[Record<W>], split_bytes: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(records.len() * (2 + split_bytes));
    let mut last = 0;
    for record in records {
        let there = record.splits.map(|splits| !splits.is_none());
        // The way there is short, mostly: seven bits a byte, as long as there are more.
        let mut number =
            u128::from(record.rank - last) << 2 | u128::from(there[0]) | u128::from(there[1]) << 1;
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
        for splits in record.splits.iter().zip(there).filter_map(|(s, there)| there.then_some(s)) {
            splits.write(split_bytes, &mut out);
        }
        last = record.rank;
    }
    out.shrink_to_fit();
    out
}

/// How many records are packed in these bytes, which may be anything.
fn count(bytes: &[u8], split_bytes: usize) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(first) = bytes.get(at) {
        let splits = (first & 1) + (first >> 1 & 1);
        let rank = bytes[at..].iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
        at += rank + usize::from(splits) * split_bytes;
        count += 1;
    }
    count
}

/// Adds the records of packed bytes, whose ranks lie below `ranks`; `None` if the bytes are not
/// those of any.
fn unpack<const W: usize>(
    mut bytes: &[u8],
    split_bytes: usize,
    ranks: u64,
    out: &mut Vec<Record<W>>,
) -> Option<()> {
    let mut rank = 0_u64;
    while !bytes.is_empty() {
        let (mut number, mut shift) = (0_u128, 0);
        loop {
            let (byte, rest) = bytes.split_first()?;
            bytes = rest;
            number |= u128::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        rank = rank.checked_add(u64::try_from(number >> 2).ok()?).filter(|rank| *rank < ranks)?;
        let mut splits = |there: bool| {
            let (splits, rest) = bytes.split_at_checked(if there { split_bytes } else { 0 })?;
            bytes = rest;
            Some(Splits::read(splits))
        };
        let splits = [splits(number & 1 == 1)?, splits(number & 2 == 2)?];
        out.push(Record { rank, splits });
    }
    Some(())
}

impl<'a, const W: usize> Pending<'a, W> {
    pub(super) fn new(order: &'a Order) -> Pending<'a, W> {
        let stages = order.stages();
        let fresh = (0..rayon::current_num_threads())
            .map(|_| Fresh { stages: vec![Vec::new(); stages], bytes: 0 })
            .collect();
        Pending { order, fresh, packed: vec![Vec::new(); stages], packed_bytes: 0 }
    }

    /// Bytes that an empty one takes.
    pub(super) fn least_bytes(order: &Order) -> u64 {
        let each = (1 + rayon::current_num_threads()) * size_of::<Vec<Segment>>();
        (order.stages() * each) as u64
    }

    /// Adds a board to begin with.
    pub(super) fn add(&mut self, board: CompactBoard, splits: [Splits<W>; 2]) {
        self.fresh[0].add(self.order, board, splits);
    }

    /// Adds what was packed before.
    pub(super) fn add_segment(&mut self, stage: usize, segment: Segment) {
        if let Segment::Memory(bytes) = &segment {
            self.packed_bytes += bytes.len() as u64;
        }
        self.packed[stage].push(segment);
    }

    /// Bytes that fresh records take.
    pub(super) fn fresh_bytes(&self) -> u64 {
        self.fresh.iter().map(|fresh| fresh.bytes).sum()
    }

    /// Bytes of memory that packed records take.
    pub(super) fn packed_bytes(&self) -> u64 {
        self.packed_bytes
    }

    /// Takes out the boards of a stage, in order; `None` if they are more than `most`.
    pub(super) fn take(
        &mut self,
        stage: usize,
        most: usize,
        folder: Option<&Folder>,
    ) -> Result<Option<Vec<Record<W>>>, CensusError> {
        let mut records = gather(self.fresh.iter_mut().map(|fresh| fresh.take(stage)));
        let layer = self.order.layer(stage);
        let (split_bytes, ranks) = (self.order.split_bytes(layer), self.order.boards(layer));
        for segment in std::mem::take(&mut self.packed[stage]) {
            let (bytes, run) = match (segment, folder) {
                (Segment::Memory(bytes), _) => {
                    self.packed_bytes -= bytes.len() as u64;
                    (bytes, None)
                }
                (Segment::File { run, offset, bytes }, Some(folder)) => {
                    let bytes = folder.read(stage, run, offset, bytes)?;
                    (bytes, Some(folder.damaged_run(run)))
                }
                (Segment::File { .. }, None) => unreachable!("files lie in a folder"),
            };
            let more = count(&bytes, split_bytes);
            if records.len() + more > most {
                // Boards that several segments hold may make room.
                join(&mut records);
                if records.len() + more > most {
                    return Ok(None);
                }
            }
            records.reserve_exact(more);
            let unpacked = unpack(&bytes, split_bytes, ranks, &mut records);
            unpacked.ok_or_else(|| run.expect("what was packed here can be unpacked"))?;
        }
        join(&mut records);
        Ok(Some(records))
    }

    /// Packs all fresh records, into the folder if there is one.
    pub(super) fn pack(&mut self, folder: Option<&mut Folder>) -> Result<(), CensusError> {
        let mut piles = Vec::new();
        for stage in 0..self.packed.len() {
            let records = gather(self.fresh.iter_mut().map(|fresh| fresh.take(stage)));
            if !records.is_empty() {
                piles.push((stage, records));
            }
        }
        let order = self.order;
        let packed: Vec<(usize, Vec<u8>)> = piles
            .into_par_iter()
            .map(|(stage, mut records)| {
                join(&mut records);
                (stage, pack(&records, order.split_bytes(order.layer(stage))))
            })
            .collect();
        let segments = match folder {
            Some(folder) => folder.write(&packed)?,
            None => packed
                .into_iter()
                .map(|(stage, bytes)| (stage, Segment::Memory(bytes.into_boxed_slice())))
                .collect(),
        };
        for (stage, segment) in segments {
            self.add_segment(stage, segment);
        }
        Ok(())
    }

    /// Counts boards of a layer and plays every move from them, on all threads.
    pub(super) fn play(
        &mut self,
        rules: &CompiledRules<CompactBoard>,
        layer: usize,
        records: &[Record<W>],
    ) -> LiveAndFinished {
        const CHUNK: usize = 256;
        let (order, next) = (self.order, AtomicUsize::new(0));
        let work = |fresh: &mut Fresh<W>| {
            let mut tally = LiveAndFinished::default();
            while let Some(chunk) = records.chunks(CHUNK).nth(next.fetch_add(1, Ordering::Relaxed))
            {
                for record in chunk {
                    let board = order.board(layer, record.rank);
                    let positions = record.splits.iter().map(Splits::count).sum::<u64>();
                    if board.is_finished() {
                        tally.finished += positions;
                    } else {
                        tally.live += positions;
                        fresh.play(order, rules, board, record.splits);
                    }
                }
            }
            tally
        };
        if records.len() <= CHUNK {
            return work(&mut self.fresh[0]);
        }
        self.fresh
            .par_iter_mut()
            .with_max_len(1)
            .map(work)
            .reduce(LiveAndFinished::default, |a, b| a + b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_undone_by_unpacking() {
        let splits = |seeds| Splits::<2>::START.plus(seeds);
        let records = [
            Record { rank: 0, splits: [splits(0), Splits::NONE] },
            Record { rank: 1, splits: [Splits::NONE, splits(71)] },
            Record { rank: 1 << 40, splits: [splits(3) | splits(64), splits(70)] },
            Record { rank: u64::MAX - 1, splits: [splits(1), splits(2)] },
        ];
        let (packed, mut unpacked) = (pack(&records, 9), Vec::new());
        unpack(&packed, 9, u64::MAX, &mut unpacked).unwrap();
        assert_eq!(unpacked, records);
        // What is cut in the middle of a record or goes beyond the last rank is no segment.
        let refused = |bytes, ranks| unpack::<2>(bytes, 9, ranks, &mut Vec::new()).is_none();
        assert!(refused(&packed[..packed.len() - 1], u64::MAX));
        assert!(refused(&packed, u64::MAX - 1));
        assert!(refused(&[0xff; 40], u64::MAX));
    }

    #[test]
    fn a_board_is_kept_once_with_all_its_splits() {
        let record = |rank, first, second| Record {
            rank,
            splits: [Splits::<1>::START.plus(first), Splits::START.plus(second)],
        };
        let mut records = vec![record(7, 1, 1), record(3, 0, 0), record(7, 2, 1)];
        join(&mut records);
        let [one, two] = [1, 2].map(|seeds| Splits::START.plus(seeds));
        assert_eq!(records, [record(3, 0, 0), Record { rank: 7, splits: [one | two, one] }]);
    }
}
