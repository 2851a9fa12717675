//! The streaming pass over a pair, for games without relay.
//!
//! The longer row t of the pair is fixed in turn, in order. First it is the mover's: what each of
//! its houses does is the same for all rows b of the other side, so a whole line is the best of a
//! few lines read in order. Then it is the other's: for each mover b a record made beforehand names
//! the values that its houses lead to, among candidates that depend on t alone and fit a cache.
//! Step t reads what the steps before it wrote, since a move inside a row leads to an earlier one.

use std::sync::Arc;

use sowing::{Capture, Rules};

use super::flip::{Flips, Key, Turned};
use super::lay::{Last, Lays};
use super::maps::{CaptureMap, Gaps, Map, Maps, Records, Segment};
use super::vector::{Gained, Kernels};
use super::{Layers, Pair};
use crate::rank::seeds_in;
use crate::{Error, Family, RowRanks};

/// What all pairs of a build share.
#[derive(Debug)]
pub(crate) struct Streams {
    rules: Rules,
    lays: Lays,
    maps: Maps,
    flips: Flips,
    kernels: Kernels,
}

impl Streams {
    pub(super) fn new(family: &Family, layer: usize, budget: usize, kernels: Kernels) -> Streams {
        Streams {
            rules: family.rules(),
            lays: Lays::new(family.houses().into(), layer),
            maps: Maps::new(),
            flips: Flips::new(budget),
            kernels,
        }
    }

    /// What was made for some tables, for higher layers of the same.
    pub(super) fn again(self, fresh: Streams) -> Streams {
        let flips = self.flips.within(fresh.flips.budget());
        Streams { maps: self.maps, flips, ..fresh }
    }

    /// Fills in a pair from the layers below it.
    pub(super) fn fill(&self, layers: &Layers, pair: &mut Pair<'_>) -> Result<(), Error> {
        let (p, q) = (pair.p, pair.q);
        let ranks = &layers.ranks;
        let records = self.maps.records(ranks, &self.lays, self.rules.capture, q);
        let mut lines = Lines::new(self, layers, p + q);
        let sources: Vec<Source> =
            records.segments().iter().map(|segment| self.source(ranks, p, q, *segment)).collect();
        for source in &sources {
            source.prepare(&mut lines, self, p, q)?;
        }
        let width = ranks.count(q);
        let mut step = PairPass {
            streams: self,
            ranks,
            p,
            q,
            width,
            picked: vec![0; width],
            candidates: vec![i8::MIN; records.bound()],
            crossings: vec![None; p + q + 1],
            captures: vec![None; (p + q + 1) * ranks.houses()],
        };
        for (t, row) in ranks.rows(p).into_iter().enumerate() {
            step.mover(&mut lines, pair, t, row)?;
            step.other(&lines, &sources, &records, pair, t);
        }
        Ok(())
    }

    fn source(
        &self,
        ranks: &RowRanks,
        p: usize,
        q: usize,
        segment: (Segment, usize, usize),
    ) -> Source {
        let houses = ranks.houses();
        let (segment, start, len) = segment;
        let crossing = match segment {
            Segment::Pass => 0,
            Segment::Cross(crossing) => crossing,
            Segment::Again(laps) | Segment::LastSeed(laps) | Segment::Capture(laps, _) => {
                houses * laps
            }
        };
        let mut source =
            Source { segment, start, len, crossing, map: None, capture: None, gaps: None };
        if let Segment::Capture(laps, house) = segment {
            let opposite = houses - 1 - house;
            source.capture = Some(self.maps.capture(ranks, p, crossing, opposite));
            if laps == 0 {
                source.gaps = Some(self.maps.gaps(ranks, q - 1, house));
            }
        } else if segment != Segment::Pass {
            source.map = Some(self.maps.crossing(ranks, p, crossing));
        }
        source
    }
}

/// Where the candidates of a segment come from.
struct Source {
    segment: Segment,
    start: usize,
    len: usize,
    crossing: usize,
    map: Option<Arc<Map>>,
    capture: Option<Arc<CaptureMap>>,
    gaps: Option<Arc<Gaps>>,
}

impl Source {
    /// The block that the candidates are a line of, where `taken` seeds are captured, and the gain.
    fn key(&self, houses: usize, p: usize, q: usize, taken: usize) -> (Key, i8) {
        let m = self.crossing;
        let key = |mover, line, place| Key { mover, line, place };
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

    fn prepare(
        &self,
        lines: &mut Lines,
        streams: &Streams,
        p: usize,
        q: usize,
    ) -> Result<(), Error> {
        let houses = lines.layers.ranks.houses();
        match &self.capture {
            None if self.segment == Segment::Pass => Ok(()),
            None => lines.ensure(self.key(houses, p, q, 0).0),
            Some(map) => {
                let misses = streams.rules.capture == Capture::Standard;
                let taken = map.bounds().iter().enumerate().filter(|(_, bound)| **bound > 0);
                for (taken, _) in taken.filter(|(taken, _)| *taken > 0 || !misses) {
                    lines.ensure(self.key(houses, p, q, taken).0)?;
                }
                Ok(())
            }
        }
    }
}

/// The blocks that a pair reads, each once looked up.
struct Lines<'a> {
    streams: &'a Streams,
    layers: &'a Layers,
    side: usize,
    blocks: Vec<Option<Block<'a>>>,
}

enum Block<'a> {
    Here(&'a [i8]),
    Turned(Turned),
    /// A row is empty: one value everywhere.
    Finished(Vec<i8>),
}

impl<'a> Lines<'a> {
    fn new(streams: &'a Streams, layers: &'a Layers, layer: usize) -> Lines<'a> {
        let side = layer + 1;
        let blocks = (0..2 * side * side).map(|_| None).collect();
        Lines { streams, layers, side, blocks }
    }

    fn slot(&self, key: Key) -> usize {
        (usize::from(key.mover) * self.side + key.line) * self.side + key.place
    }

    fn ensure(&mut self, key: Key) -> Result<(), Error> {
        let slot = self.slot(key);
        if self.blocks[slot].is_none() {
            self.blocks[slot] = Some(self.find(key)?);
        }
        Ok(())
    }

    fn find(&self, key: Key) -> Result<Block<'a>, Error> {
        let Key { mover, line, place } = key;
        let ranks = &self.layers.ranks;
        let width = ranks.count(place);
        if line == 0 || place == 0 {
            let left = line as i8 - place as i8;
            let left = if self.streams.rules.remaining_lost { 0 } else { left };
            return Ok(Block::Finished(vec![if mover { left } else { -left }; width]));
        }
        let (own, other) = if mover { (line, place) } else { (place, line) };
        let block = self.layers.block(own, other);
        // In a stored block the longer row is the line; of equal ones the mover's.
        if line > place || line == place && mover {
            return Ok(Block::Here(block));
        }
        Ok(Block::Turned(self.streams.flips.get(key, block, width, ranks.count(line))?))
    }

    /// A line of a block that was ensured.
    #[inline]
    fn line(&self, key: Key, rank: usize) -> &[i8] {
        let width = self.layers.ranks.count(key.place);
        match self.blocks[self.slot(key)].as_ref().expect("ensured before") {
            Block::Here(block) => &block[rank * width..][..width],
            Block::Turned(block) => &block.values()[rank * width..][..width],
            Block::Finished(line) => line,
        }
    }
}

/// The steps of a pair.
struct PairPass<'a> {
    streams: &'a Streams,
    ranks: &'a RowRanks,
    p: usize,
    q: usize,
    width: usize,
    picked: Vec<i8>,
    candidates: Vec<i8>,
    crossings: Vec<Option<Arc<Map>>>,
    captures: Vec<Option<Arc<CaptureMap>>>,
}

impl PairPass<'_> {
    /// The mover's row is t: writes the line of all other rows.
    fn mover(
        &mut self,
        lines: &mut Lines,
        pair: &mut Pair<'_>,
        t: usize,
        row: u64,
    ) -> Result<(), Error> {
        let Streams { rules, lays, kernels, .. } = self.streams;
        let (ranks, width) = (self.ranks, self.width);
        let out = &mut pair.longer[t * width..][..width];
        out.fill(i8::MIN);
        for house in (0..ranks.houses()).filter(|house| seeds_in(row, *house) > 0) {
            let (after, lay) = lays.sow(row, house);
            let (m, gain) = (lay.crossing, lay.gain as i8);
            let (line, place) = (self.p - m - lay.gain, self.q + m);
            let alone = match lay.last {
                Last::Own(last) if seeds_in(after, last) == 1 => Some(last),
                _ => None,
            };
            let (key, after, gain) = match (alone, rules.capture) {
                (Some(last), Capture::LastSeed) => {
                    let key = Key { mover: false, line: line - 1, place };
                    (key, after - (1 << (8 * last)), gain + 1)
                }
                (Some(last), Capture::Standard | Capture::Empty) => {
                    let map = self.capture_map(m, ranks.houses() - 1 - last);
                    let here = ranks.rank(after).1;
                    let without = ranks.rank(after - (1 << (8 * last))).1;
                    let misses = rules.capture == Capture::Standard;
                    let key = |taken| Key { mover: false, line: line - 1, place: place - taken };
                    for (taken, bound) in map.bounds().iter().enumerate() {
                        if *bound > 0 && (taken > 0 || !misses) {
                            lines.ensure(key(taken))?;
                        }
                    }
                    let shorter = &pair.shorter;
                    let gained = |(taken, bound): (usize, &usize)| match taken {
                        _ if *bound == 0 => Gained { line: &[], gain: 0 },
                        0 if misses => Gained { line: &shorter[here * width..][..width], gain },
                        _ => {
                            let gain = gain + 1 + taken as i8;
                            Gained { line: lines.line(key(taken), without), gain }
                        }
                    };
                    let gained: Vec<_> = map.bounds().iter().enumerate().map(gained).collect();
                    (kernels.pick_capture)(&mut self.picked, &gained, &map);
                    (kernels.max_add)(out, &self.picked, 0);
                    continue;
                }
                _ => (Key { mover: lay.last == Last::Store, line, place }, after, gain),
            };
            let rank = ranks.rank(after).1;
            let line = if gain == 0 {
                &pair.shorter[rank * width..][..width]
            } else {
                lines.ensure(key)?;
                lines.line(key, rank)
            };
            let best = if key.mover { kernels.max_add } else { kernels.max_sub };
            if m == 0 {
                best(out, line, gain);
            } else {
                let map = self.crossing_map(m);
                (kernels.pick)(&mut self.picked, line, &map);
                best(out, &self.picked, gain);
            }
        }
        Ok(())
    }

    /// The other's row is t: writes the line of all movers.
    fn other(
        &mut self,
        lines: &Lines,
        sources: &[Source],
        records: &Records,
        pair: &mut Pair<'_>,
        t: usize,
    ) {
        let Streams { rules, kernels, .. } = self.streams;
        let width = self.width;
        let passed = &pair.longer[t * width..][..width];
        for source in sources {
            let out = &mut self.candidates[source.start..][..source.len];
            let (taken, rank) = match (&source.capture, &source.map) {
                (Some(map), _) => (map.entries()[t].taken(), map.entries()[t].place()),
                (None, Some(map)) => (0, map.place(t)),
                (None, None) => {
                    (kernels.sub)(out, passed, 0);
                    continue;
                }
            };
            if let (0, Capture::Standard, Some(gaps)) = (taken, rules.capture, &source.gaps) {
                for (gap, filled) in &gaps.0 {
                    out[*gap as usize] = -passed[*filled as usize];
                }
                continue;
            }
            let (key, gain) = source.key(self.ranks.houses(), self.p, self.q, taken);
            let fill = if key.mover { kernels.sub } else { kernels.add };
            fill(out, lines.line(key, rank), gain);
        }
        let out = &mut pair.shorter[t * width..][..width];
        (kernels.best)(out, &self.candidates, records);
    }

    fn crossing_map(&mut self, crossing: usize) -> Arc<Map> {
        let maps = &self.streams.maps;
        let make = || maps.crossing(self.ranks, self.q, crossing);
        self.crossings[crossing].get_or_insert_with(make).clone()
    }

    fn capture_map(&mut self, crossing: usize, house: usize) -> Arc<CaptureMap> {
        let maps = &self.streams.maps;
        let make = || maps.capture(self.ranks, self.q, crossing, house);
        let slot = crossing * self.ranks.houses() + house;
        self.captures[slot].get_or_insert_with(make).clone()
    }
}
