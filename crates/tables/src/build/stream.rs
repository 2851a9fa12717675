//! The streaming pass over a pair, for rules without relay.
//!
//! Bottom-up building, one line at a time, an algorithm of this crate: values flow from the layers below to whole
//! lines of a block, so that memory is read in order and the inner loops are vectorized.
//!
//! Step t fixes row t of the side with more seeds, in order of its index. First t is the mover's row: each house
//! has the same effect for all rows b of the opponent, so that the line of t is the maximum of one line per
//! house. Then t is the opponent's row: the values after every possible move form one short array, the
//! candidates, which depend on t alone. A table computed once lists the candidates of each b; their maximum is
//! its value. A move inside a row leads to a row of lower index, so that step t only reads
//! lines of earlier steps and of layers below.

use std::sync::Arc;

use sowing_rules::{Capture, Rules};

use super::Pair;
use super::kernels::{GainedLine, Kernels};
use super::row_maps::{CandidateTable, CaptureMap, CrossingMap, EmptyHouseMap, RowMaps, Segment};
use super::sow_effect::{Last, SowEffect, SowEffects};
use super::transposed::{BlockKey, CachedBlock, TransposedCache};
use crate::layers::Layers;
use crate::row_index::seeds_in;
use crate::{Error, RowIndex};
use sowing_rules::Family;

/// The state that all pairs of a build share.
#[derive(Debug)]
pub(crate) struct StreamingPass {
    rules: Rules,
    effects: SowEffects,
    maps: RowMaps,
    transposed: TransposedCache,
    kernels: Kernels,
}

impl StreamingPass {
    pub(super) fn new(
        family: &Family,
        layer: usize,
        budget: usize,
        kernels: Kernels,
    ) -> StreamingPass {
        StreamingPass {
            rules: family.rules(),
            effects: SowEffects::new(family.houses().into(), layer),
            maps: RowMaps::default(),
            transposed: TransposedCache::new(budget),
            kernels,
        }
    }

    /// `fresh` for higher layers of the same tables, with the maps and blocks that `self` has cached.
    pub(super) fn reuse(self, fresh: StreamingPass) -> StreamingPass {
        let transposed = self.transposed.with_budget(fresh.transposed.budget());
        StreamingPass { maps: self.maps, transposed, ..fresh }
    }

    /// Computes a pair from the layers below it.
    pub(super) fn fill(&self, layers: &Layers, pair: &mut Pair<'_>) -> Result<(), Error> {
        let (p, q) = (pair.p, pair.q);
        let row_index = &layers.row_index;
        let table = self.maps.candidate_table(row_index, &self.effects, self.rules.capture, q);
        let mut reader = BlockReader::new(self, layers, p + q);
        let sources: Vec<Source> =
            table.segments().iter().map(|segment| self.source(row_index, p, q, *segment)).collect();
        for source in &sources {
            source.prepare(&mut reader, self, p, q)?;
        }
        let width = row_index.count(q);
        let mut step = PairPass {
            pass: self,
            row_index,
            p,
            q,
            width,
            gathered: vec![0; width],
            candidates: vec![i8::MIN; table.bound()],
            crossings: vec![None; p + q + 1],
            captures: vec![None; (p + q + 1) * row_index.houses()],
        };
        for (t, row) in row_index.rows(p).into_iter().enumerate() {
            step.fill_mover_line(&mut reader, pair, t, row)?;
            step.fill_opponent_line(&reader, &sources, &table, pair, t);
        }
        Ok(())
    }

    fn source(
        &self,
        row_index: &RowIndex,
        p: usize,
        q: usize,
        segment: (Segment, usize, usize),
    ) -> Source {
        let houses = row_index.houses();
        let (segment, start, len) = segment;
        let crossing = match segment {
            Segment::Pass => 0,
            Segment::Cross(crossing) => crossing,
            Segment::Again(laps) | Segment::LastSeed(laps) | Segment::Capture(laps, _) => {
                houses * laps
            }
        };
        let mut source =
            Source { segment, start, len, crossing, map: None, capture: None, empty_houses: None };
        if let Segment::Capture(laps, house) = segment {
            let opposite = houses - 1 - house;
            source.capture = Some(self.maps.capture(row_index, p, crossing, opposite));
            if laps == 0 {
                source.empty_houses = Some(self.maps.empty_houses(row_index, q - 1, house));
            }
        } else if segment != Segment::Pass {
            source.map = Some(self.maps.crossing(row_index, p, crossing));
        }
        source
    }
}

/// The source of the candidates of a segment.
struct Source {
    segment: Segment,
    start: usize,
    len: usize,
    crossing: usize,
    map: Option<Arc<CrossingMap>>,
    capture: Option<Arc<CaptureMap>>,
    empty_houses: Option<Arc<EmptyHouseMap>>,
}

impl Source {
    /// The block whose line the candidates are if `taken` seeds are captured, and the gain.
    fn key(&self, houses: usize, p: usize, q: usize, taken: usize) -> (BlockKey, i8) {
        let m = self.crossing;
        let key = |mover, line, column| BlockKey { mover, line, column };
        match self.segment {
            Segment::Pass => (key(true, p, q), 0),
            Segment::Cross(_) => {
                let gain = m.div_ceil(houses);
                (key(true, p + m, q - m - gain), gain as i8)
            }
            Segment::Again(laps) => (key(false, p + m, q - m - laps - 1), laps as i8 + 1),
            Segment::LastSeed(laps) => (key(true, p + m, q - m - laps - 1), laps as i8 + 1),
            Segment::Capture(laps, _) => {
                (key(true, p + m - taken, q - m - laps - 1), (laps + 1 + taken) as i8)
            }
        }
    }

    /// Looks up all blocks that the segment reads.
    fn prepare(
        &self,
        reader: &mut BlockReader,
        pass: &StreamingPass,
        p: usize,
        q: usize,
    ) -> Result<(), Error> {
        let houses = reader.layers.row_index.houses();
        match &self.capture {
            None if self.segment == Segment::Pass => Ok(()),
            None => reader.ensure(self.key(houses, p, q, 0).0),
            Some(map) => {
                let needs_victims = pass.rules.capture == Capture::Standard;
                let taken = map.bounds().iter().enumerate().filter(|(_, bound)| **bound > 0);
                for (taken, _) in taken.filter(|(taken, _)| *taken > 0 || !needs_victims) {
                    reader.ensure(self.key(houses, p, q, taken).0)?;
                }
                Ok(())
            }
        }
    }
}

/// The blocks that a pair reads, each looked up once.
struct BlockReader<'a> {
    pass: &'a StreamingPass,
    layers: &'a Layers,
    stride: usize,
    blocks: Vec<Option<Block<'a>>>,
}

enum Block<'a> {
    Stored(&'a [i8]),
    Transposed(CachedBlock),
    /// A row is empty, so that the game is finished: a line of equal values.
    Constant(Vec<i8>),
}

impl<'a> BlockReader<'a> {
    fn new(pass: &'a StreamingPass, layers: &'a Layers, layer: usize) -> BlockReader<'a> {
        let stride = layer + 1;
        let blocks = (0..2 * stride * stride).map(|_| None).collect();
        BlockReader { pass, layers, stride, blocks }
    }

    fn slot(&self, key: BlockKey) -> usize {
        (usize::from(key.mover) * self.stride + key.line) * self.stride + key.column
    }

    /// Looks a block up, so that its lines can be read.
    fn ensure(&mut self, key: BlockKey) -> Result<(), Error> {
        let slot = self.slot(key);
        if self.blocks[slot].is_none() {
            self.blocks[slot] = Some(self.find(key)?);
        }
        Ok(())
    }

    fn find(&self, key: BlockKey) -> Result<Block<'a>, Error> {
        let BlockKey { mover, line, column } = key;
        let row_index = &self.layers.row_index;
        let width = row_index.count(column);
        if line == 0 || column == 0 {
            let left = line as i8 - column as i8;
            let left = if self.pass.rules.remaining_lost { 0 } else { left };
            return Ok(Block::Constant(vec![if mover { left } else { -left }; width]));
        }
        let (own, other) = if mover { (line, column) } else { (column, line) };
        let block = self.layers.block(own, other);
        // The lines of a stored block are rows of the longer side, of equal sides the mover's.
        if line > column || line == column && mover {
            return Ok(Block::Stored(block));
        }
        Ok(Block::Transposed(self.pass.transposed.get(key, block, width, row_index.count(line))?))
    }

    /// A line of a block that [`ensure`](BlockReader::ensure) has looked up.
    #[inline]
    fn line(&self, key: BlockKey, index: usize) -> &[i8] {
        let width = self.layers.row_index.count(key.column);
        match self.blocks[self.slot(key)].as_ref().expect("ensure was called") {
            Block::Stored(block) => &block[index * width..][..width],
            Block::Transposed(block) => &block.values()[index * width..][..width],
            Block::Constant(line) => line,
        }
    }
}

/// The steps of a pair, with their buffers.
struct PairPass<'a> {
    pass: &'a StreamingPass,
    row_index: &'a RowIndex,
    p: usize,
    q: usize,
    width: usize,
    gathered: Vec<i8>,
    candidates: Vec<i8>,
    crossings: Vec<Option<Arc<CrossingMap>>>,
    captures: Vec<Option<Arc<CaptureMap>>>,
}

impl PairPass<'_> {
    /// The mover has row t: computes the line of all rows of the opponent.
    fn fill_mover_line(
        &mut self,
        reader: &mut BlockReader,
        pair: &mut Pair<'_>,
        t: usize,
        row: u64,
    ) -> Result<(), Error> {
        let StreamingPass { rules, effects, kernels, .. } = self.pass;
        let (row_index, width) = (self.row_index, self.width);
        let out = &mut pair.longer[t * width..][..width];
        out.fill(i8::MIN);
        for house in (0..row_index.houses()).filter(|house| seeds_in(row, *house) > 0) {
            let (after, effect) = effects.sow(row, house);
            let (m, gain) = (effect.crossing, effect.gain as i8);
            let (line, column) = (self.p - m - effect.gain, self.q + m);
            let alone = match effect.last {
                Last::Own(last) if seeds_in(after, last) == 1 => Some(last),
                _ => None,
            };
            let (key, after, gain) = match (alone, rules.capture) {
                (Some(last), Capture::LastSeed) => {
                    let key = BlockKey { mover: false, line: line - 1, column };
                    (key, after - (1 << (8 * last)), gain + 1)
                }
                (Some(last), Capture::Standard | Capture::Empty) => {
                    self.gather_captures(reader, pair.shorter, after, effect, last)?;
                    (kernels.max_add)(out, &self.gathered, 0);
                    continue;
                }
                _ => (BlockKey { mover: effect.last == Last::Store, line, column }, after, gain),
            };
            let index = row_index.index_of(after).1;
            let line = if gain == 0 {
                &pair.shorter[index * width..][..width]
            } else {
                reader.ensure(key)?;
                reader.line(key, index)
            };
            let best = if key.mover { kernels.max_add } else { kernels.max_sub };
            if m == 0 {
                best(out, line, gain);
            } else {
                let map = self.crossing_map(m);
                (kernels.gather)(&mut self.gathered, line, &map);
                best(out, &self.gathered, gain);
            }
        }
        Ok(())
    }

    /// The mover's values of a move whose last seed falls into the empty house `last`, with captures. `after` is the
    /// mover's row before the capture.
    fn gather_captures(
        &mut self,
        reader: &mut BlockReader,
        shorter: &[i8],
        after: u64,
        effect: SowEffect,
        last: usize,
    ) -> Result<(), Error> {
        let (row_index, width) = (self.row_index, self.width);
        let (m, gain) = (effect.crossing, effect.gain as i8);
        let (line, column) = (self.p - m - effect.gain - 1, self.q + m);
        let map = self.capture_map(m, row_index.houses() - 1 - last);
        let here = row_index.index_of(after).1;
        let without = row_index.index_of(after - (1 << (8 * last))).1;
        let needs_victims = self.pass.rules.capture == Capture::Standard;
        let key = |taken| BlockKey { mover: false, line, column: column - taken };
        for (taken, bound) in map.bounds().iter().enumerate() {
            if *bound > 0 && (taken > 0 || !needs_victims) {
                reader.ensure(key(taken))?;
            }
        }
        let gained = |(taken, bound): (usize, &usize)| match taken {
            _ if *bound == 0 => GainedLine { line: &[], gain: 0 },
            0 if needs_victims => GainedLine { line: &shorter[here * width..][..width], gain },
            _ => {
                let gain = gain + 1 + taken as i8;
                GainedLine { line: reader.line(key(taken), without), gain }
            }
        };
        let gained: Vec<_> = map.bounds().iter().enumerate().map(gained).collect();
        (self.pass.kernels.gather_capture)(&mut self.gathered, &gained, &map);
        Ok(())
    }

    /// The opponent has row t: computes the line of all rows of the mover.
    fn fill_opponent_line(
        &mut self,
        reader: &BlockReader,
        sources: &[Source],
        table: &CandidateTable,
        pair: &mut Pair<'_>,
        t: usize,
    ) {
        let StreamingPass { rules, kernels, .. } = self.pass;
        let width = self.width;
        let passed = &pair.longer[t * width..][..width];
        for source in sources {
            let out = &mut self.candidates[source.start..][..source.len];
            let (taken, index) = match (&source.capture, &source.map) {
                (Some(map), _) => (map.entries()[t].taken(), map.entries()[t].index()),
                (None, Some(map)) => (0, map.index(t)),
                (None, None) => {
                    (kernels.sub)(out, passed, 0);
                    continue;
                }
            };
            if let (0, Capture::Standard, Some(empty_houses)) =
                (taken, rules.capture, &source.empty_houses)
            {
                for (empty, filled) in &empty_houses.0 {
                    out[*empty as usize] = -passed[*filled as usize];
                }
                continue;
            }
            let (key, gain) = source.key(self.row_index.houses(), self.p, self.q, taken);
            let fill = if key.mover { kernels.sub } else { kernels.add };
            fill(out, reader.line(key, index), gain);
        }
        let out = &mut pair.shorter[t * width..][..width];
        (kernels.best)(out, &self.candidates, table);
    }

    fn crossing_map(&mut self, crossing: usize) -> Arc<CrossingMap> {
        let maps = &self.pass.maps;
        let make = || maps.crossing(self.row_index, self.q, crossing);
        self.crossings[crossing].get_or_insert_with(make).clone()
    }

    fn capture_map(&mut self, crossing: usize, house: usize) -> Arc<CaptureMap> {
        let maps = &self.pass.maps;
        let make = || maps.capture(self.row_index, self.q, crossing, house);
        let slot = crossing * self.row_index.houses() + house;
        self.captures[slot].get_or_insert_with(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::{BuildOptions, MoveByMove, PairBuilder, build_layer};
    use super::*;
    use crate::layers::Data;

    /// Games and their highest layers; the last two sow laps.
    const GAMES: [(&str, usize); 7] = [
        ("kalah(3,1)", 9),
        ("kalah(4,1,empty-capture)", 9),
        ("kalah(3,1,last-seed-capture)", 9),
        ("kalah(4,1,no-capture)", 9),
        ("kalah(2,1,remaining-lost)", 9),
        ("kalah(1,1)", 20),
        ("kalah(2,1,empty-capture)", 14),
    ];

    fn family(game: &str) -> Family {
        Family::for_game(&game.parse().unwrap()).unwrap()
    }

    fn extend(layers: &mut Layers, layer: usize, builder: &PairBuilder, threads: usize) {
        let options = BuildOptions { threads, ..BuildOptions::default() };
        while layers.max_layer() < layer {
            let next = layers.max_layer() + 1;
            let built = build_layer(layers, next, builder, &options, &AtomicU64::new(0), 0);
            layers.push(Data::Memory(built.unwrap()));
        }
    }

    fn reference(family: &Family, layer: usize) -> Layers {
        let mut layers = Layers::new(family.houses());
        extend(&mut layers, layer, &PairBuilder::MoveByMove(MoveByMove::new(family)), 1);
        layers
    }

    #[track_caller]
    fn assert_same(found: &Layers, expected: &Layers, what: &str) {
        assert_eq!(found.max_layer(), expected.max_layer());
        for (layer, (found, expected)) in (2..).zip(found.data.iter().zip(&expected.data)) {
            assert!(found.values() == expected.values(), "{what}: layer {layer} differs");
        }
    }

    #[test]
    fn all_kernels_threads_and_budgets_equal_move_by_move() {
        for (game, top) in GAMES {
            let family = family(game);
            let expected = reference(&family, top);
            for kernels in [Kernels::PORTABLE, Kernels::detect()] {
                for (threads, budget) in [(1, usize::MAX), (1, 0), (3, usize::MAX), (3, 1 << 12)] {
                    let pass = StreamingPass::new(&family, top, budget, kernels);
                    let mut layers = Layers::new(family.houses());
                    extend(&mut layers, top, &PairBuilder::Streaming(Box::new(pass)), threads);
                    let what = format!("{game}, {threads} threads, {budget} bytes");
                    assert_same(&layers, &expected, &what);
                }
            }
        }
    }

    /// A step reads only lines of earlier steps: the old content of a pair does not matter.
    #[test]
    fn a_pair_depends_on_the_layers_below_alone() {
        for (game, top) in GAMES {
            let family = family(game);
            let expected = reference(&family, top);
            let below = reference(&family, top - 1);
            let pass = StreamingPass::new(&family, top, usize::MAX, Kernels::detect());
            for q in 1..=top / 2 {
                let p = top - q;
                let size = expected.block(p, q).len();
                let (mut longer, mut shorter) = (vec![77; size], vec![-77; size]);
                let mut pair = Pair { p, q, longer: &mut longer, shorter: &mut shorter };
                pass.fill(&below, &mut pair).unwrap();
                assert!(longer == expected.block(p, q), "{game}");
                // Of equal rows one block is stored; the second is its transpose.
                assert!(p == q || shorter == expected.block(q, p), "{game}");
            }
        }
    }

    #[test]
    fn a_reused_cache_gives_the_same_values() {
        for (game, top) in GAMES {
            let family = family(game);
            let pass =
                |layer, budget| StreamingPass::new(&family, layer, budget, Kernels::detect());
            let mut layers = Layers::new(family.houses());
            let first = PairBuilder::Streaming(Box::new(pass(top - 2, usize::MAX)));
            extend(&mut layers, top - 2, &first, 1);
            let PairBuilder::Streaming(first) = first else { unreachable!() };
            let second = PairBuilder::Streaming(Box::new(first.reuse(pass(top, 1 << 12))));
            extend(&mut layers, top, &second, 1);
            assert_same(&layers, &reference(&family, top), game);
        }
    }
}
