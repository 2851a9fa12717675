//! Finished tables: probing, checksums, integrity.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing_rules::{CompactBoard, CompiledRules, Game, Position};

use sowing_platform::prefetch;

use crate::file::{CHUNK, Encoding, LayerFile};
use crate::layer::{is_possible, shared, unsigned};
use crate::layers::{Data, Layers};
use crate::{Error, live_positions, pack};
use sowing_rules::Family;

/// The endgame tables of a family: the values of all live positions up to a number of seeds in houses.
///
/// A value is a house value: of the seeds in houses, those that the mover gets with perfect play minus those that
/// the opponent gets. Stores do not count.
#[derive(Debug)]
pub struct Tables {
    pub(crate) family: Family,
    pub(crate) layers: Layers,
    /// Blocks by the mover's seeds and the opponent's.
    blocks: Vec<Block>,
    stride: usize,
    /// Values of a layer differ by multiples of this.
    step: u8,
    /// For layers in files: one bit per chunk, set when its checksum was found right.
    sound: Vec<AtomicU64>,
    /// For layers in files: the bytes of each chunk.
    chunks: Vec<Bytes>,
    /// The first damaged chunk found: its layer and its number in the layer.
    bad: OnceLock<(usize, usize)>,
}

/// The values of the positions with given numbers of seeds in the two rows.
#[derive(Clone, Copy, Debug)]
struct Block {
    values: *const i8,
    len: usize,
    /// Columns per line.
    width: u32,
    /// The number of the first chunk, counted over all layers.
    chunk: u32,
    storage: Storage,
}

/// The location of a position's value in some tables.
#[derive(Clone, Copy, Debug)]
pub struct ValueLocation {
    block: u32,
    index: u64,
}

impl ValueLocation {
    fn layer(self, stride: usize) -> usize {
        self.block as usize / stride + self.block as usize % stride
    }
}

/// The bytes of a chunk.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    start: *const u8,
    len: u32,
    positions: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Memory,
    File,
    /// Packed with this step.
    Packed(u8),
}

/// Statistics of one layer.
#[derive(Clone, Debug)]
pub struct LayerInfo {
    /// Seeds in houses.
    pub seeds: u32,
    /// Live positions.
    pub positions: u64,
    /// Bytes in memory or on disk, header included.
    pub bytes: u64,
    /// Their encoding.
    pub encoding: Encoding,
}

// SAFETY: the pointers point into maps that the tables own and never write to.
unsafe impl Send for Tables {}
// SAFETY: as above; probing reads values and sets atomic bits.
unsafe impl Sync for Tables {}

impl Tables {
    /// Bytes of the layers in memory. Layers in files do not count.
    pub fn memory(&self) -> u64 {
        let bytes = self.layers.data.iter().map(|data| match data {
            Data::Memory(values) => values.len() as u64,
            Data::File(_) => 0,
        });
        bytes.sum()
    }

    pub(crate) fn new(family: Family, layers: Layers) -> Tables {
        let stride = layers.max_layer() + 1;
        let none = Block {
            values: std::ptr::null(),
            len: 0,
            width: 0,
            chunk: 0,
            storage: Storage::Memory,
        };
        let mut blocks = vec![none; stride * stride];
        let mut chunks = Vec::new();
        for (layer, data) in layers.data.iter().enumerate() {
            let layer = layer + 2;
            for own in 1..layer {
                let other = layer - own;
                let block = layers.layouts[layer - 2].block(own);
                let width = layers.row_index.count(own.min(other)) as u32;
                let (storage, chunk) = match data {
                    Data::Memory(_) => (Storage::Memory, 0),
                    Data::File(file) => {
                        let first =
                            file.header.chunks.partition_point(|chunk| chunk.first < block.start);
                        let storage = match file.header.encoding {
                            Encoding::Plain => Storage::File,
                            Encoding::Packed(step) => Storage::Packed(step),
                        };
                        (storage, (chunks.len() + first) as u32)
                    }
                };
                let values = match storage {
                    Storage::Packed(_) => std::ptr::null(),
                    Storage::Memory | Storage::File => data.values()[block.clone()].as_ptr(),
                };
                blocks[own * stride + other] =
                    Block { values, len: block.len(), width, chunk, storage };
            }
            if let Data::File(file) = data {
                chunks.extend(file.header.chunks.iter().map(|chunk| {
                    let bytes = &file.values()[chunk.start..chunk.end];
                    let (len, positions) = (bytes.len() as u32, chunk.len as u32);
                    Bytes { start: bytes.as_ptr(), len, positions }
                }));
            }
        }
        let sound = (0..chunks.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Tables {
            family,
            layers,
            blocks,
            stride,
            step: family.step(),
            sound,
            chunks,
            bad: OnceLock::new(),
        }
    }

    /// The family of games.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Fails unless the tables are for this game: its houses and its rules, except the pie rule.
    ///
    /// A board does not know its game, so that [`probe`](Tables::probe) cannot check this. Code that receives
    /// tables from a caller calls this first.
    ///
    /// ```
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let tables = build_in_memory(&"kalah(3,2)".parse()?, 6, &BuildOptions::default())?;
    /// assert!(tables.require(&"kalah(3,9,pie)".parse()?).is_ok());
    /// assert!(tables.require(&"kalah(3,2,empty-capture)".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn require(&self, game: &Game) -> Result<(), Error> {
        match Family::for_game(game) {
            Ok(family) if family == self.family => Ok(()),
            _ => Err(Error::Family { tables: self.family, game: *game }),
        }
    }

    /// The highest layer: the most seeds in houses of positions in the tables; 1 if they are empty.
    pub fn max_layer(&self) -> u32 {
        self.layers.max_layer() as u32
    }

    /// Statistics of all layers.
    pub fn info(&self) -> Vec<LayerInfo> {
        let info = |(index, data): (usize, &Data)| {
            let layer = index as u32 + 2;
            let positions = live_positions(self.family.houses(), layer) as u64;
            let (bytes, encoding) = match data {
                Data::Memory(_) => (positions, Encoding::Plain),
                Data::File(file) => (file.len() as u64, file.header.encoding),
            };
            LayerInfo { seeds: layer, positions, bytes, encoding }
        };
        self.layers.data.iter().enumerate().map(info).collect()
    }

    /// The value of a position: the mover's margin with perfect play, stores included. `None` if more seeds
    /// are in houses than the tables have, or if the pie rule is still open.
    ///
    /// Fails if the tables are for another family or a file is damaged. For many positions of one game,
    /// [`probe`](Tables::probe) is faster.
    ///
    /// ```
    /// use sowing_rules::Position;
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let game = "kalah(3,2)".parse()?;
    /// let tables = build_in_memory(&game, 6, &BuildOptions::default())?;
    /// let position = Position::new(game, &"0,0,1,5|2,0,0,4".parse()?)?;
    /// assert_eq!(tables.value(&position)?, Some(0));
    /// assert_eq!(tables.value(&Position::start(game))?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<i64>, Error> {
        self.require(position.game())?;
        if position.is_finished() || position.pie_is_open() {
            return Ok(position.margin());
        }
        let gain = CompactBoard::new(position.board()).ok().and_then(|board| self.probe(board));
        match self.integrity_error() {
            Some(damage) => Err(damage),
            None => Ok(gain.map(|gain| position.lead() + i64::from(gain))),
        }
    }

    /// The house value of a position. `None` for a finished position and for one with more seeds than the tables
    /// have.
    ///
    /// Costs about one cache miss. The board must have the family's number of houses.
    ///
    /// For layers in files, the checksum of a chunk of 65536 positions is checked at its first probe. Probes of
    /// a damaged chunk or a truncated file give `None`. A process that writes to a file after that check can
    /// cause wrong values; unless it also resets the modification time,
    /// [`integrity_error`](Tables::integrity_error) reports it. Callers ask that before they publish results,
    /// and to learn why values are missing.
    #[inline]
    pub fn probe(&self, board: CompactBoard) -> Option<i8> {
        self.value_at(self.locate(board)?)
    }

    /// The mover's house value with the move from `slot`, which must hold seeds: the gain of the move plus the
    /// house value of the position after it, as the mover counts it. `None` as for [`probe`](Tables::probe), except
    /// that a move that ends the game has a value. `rules` must be of the family.
    ///
    /// ```
    /// use sowing_rules::{CompactBoard, CompiledRules, Position};
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let game = "kalah(3,2)".parse()?;
    /// let tables = build_in_memory(&game, 6, &BuildOptions::default())?;
    /// let position = Position::free(game, &"1,0,1,0|2,0,0,0".parse()?)?;
    /// let board = CompactBoard::new(position.board())?;
    /// let moves = [0, 2].map(|slot| tables.probe_move(&CompiledRules::new(&game), board, slot));
    /// assert_eq!(tables.probe(board).map(i64::from), moves.into_iter().flatten().max());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn probe_move(
        &self,
        rules: &CompiledRules<CompactBoard>,
        board: CompactBoard,
        slot: usize,
    ) -> Option<i64> {
        let next = rules.play_unchecked(board, slot);
        let value = match next.finished {
            true => rules.remaining(&next.board),
            false => self.probe(next.board)?.into(),
        };
        Some(next.to_mover(value))
    }

    /// The location of a position's value, for [`prefetch`](Tables::prefetch) and
    /// [`value_at`](Tables::value_at). `None` as for [`probe`](Tables::probe).
    #[inline(always)]
    pub fn locate(&self, board: CompactBoard) -> Option<ValueLocation> {
        let (p, a) = self.layers.row_index.index_of(board.own());
        let (q, b) = self.layers.row_index.index_of(board.other());
        if p + q >= self.stride {
            return None;
        }
        let number = p * self.stride + q;
        let block = &self.blocks[number];
        // The longer row is the line. Branchless: the comparison is unpredictable, and a misprediction would
        // delay the probes that follow.
        let exchange = (a ^ b) & usize::from(p < q).wrapping_neg();
        let (line, column) = (a ^ exchange, b ^ exchange);
        let index = line.wrapping_mul(block.width as usize).wrapping_add(column);
        (index < block.len).then_some(ValueLocation { block: number as u32, index: index as u64 })
    }

    /// The value at a location in these tables, as [`probe`](Tables::probe) gives it.
    ///
    /// # Panics
    /// May panic if the location is one of other tables.
    #[inline]
    pub fn value_at(&self, location: ValueLocation) -> Option<i8> {
        let ValueLocation { block, index } = location;
        let block = &self.blocks[block as usize];
        let index = index as usize;
        assert!(index < block.len, "a location in other tables");
        if block.storage != Storage::Memory {
            let layer = location.layer(self.stride);
            let chunk = block.chunk as usize + index / CHUNK;
            let sound = self.sound[chunk / 64].load(Ordering::Relaxed) >> (chunk % 64) & 1;
            if sound == 0 && !self.check_chunk(layer, chunk) {
                return None;
            }
            let value = match block.storage {
                Storage::Packed(step) => {
                    let Bytes { start, len, positions } = self.chunks[chunk];
                    // SAFETY: the chunk lies in a map that self owns.
                    let packed = unsafe { std::slice::from_raw_parts(start, len as usize) };
                    pack::unpack(shared(packed), positions as usize, step, index % CHUNK)
                }
                // SAFETY: the index is inside the block, which lies in a map that self owns. Volatile,
                // since the file may change: the value is read once.
                _ => Some(unsafe { block.values.add(index).read_volatile() }),
            };
            let value = value.filter(|value| is_possible(*value, layer, self.step));
            if value.is_none() {
                self.record_damage(layer, chunk);
            }
            return value.filter(|_| !self.is_truncated(layer));
        }
        // SAFETY: the index is inside the block, which lies in a map that self owns.
        Some(unsafe { *block.values.add(index) })
    }

    /// Prefetches the value at a location. Does nothing if its layer is packed.
    #[inline]
    pub fn prefetch(&self, location: ValueLocation) {
        let block = &self.blocks[location.block as usize];
        if !block.values.is_null() && (location.index as usize) < block.len {
            prefetch(block.values.wrapping_add(location.index as usize));
        }
    }

    /// Whether a value just read from a layer may be beyond the end of its truncated file.
    #[inline(always)]
    fn is_truncated(&self, layer: usize) -> bool {
        matches!(&self.layers.data[layer - 2], Data::File(file) if file.is_truncated())
    }

    /// The file of a layer, and the number in that layer of a chunk counted over all layers.
    fn chunk_of(&self, layer: usize, chunk: usize) -> Option<(&LayerFile, usize)> {
        let Data::File(file) = &self.layers.data[layer - 2] else { return None };
        // The first block of a layer has its first chunk.
        let first = self.blocks[(layer - 1) * self.stride + 1].chunk;
        Some((file, chunk - first as usize))
    }

    #[cold]
    fn check_chunk(&self, layer: usize, chunk: usize) -> bool {
        let Some((file, index)) = self.chunk_of(layer, chunk) else { return false };
        let sound = file.check_chunk(index).is_ok();
        if sound {
            self.sound[chunk / 64].fetch_or(1 << (chunk % 64), Ordering::Relaxed);
        } else {
            self.bad.get_or_init(|| (layer, index));
        }
        sound
    }

    #[cold]
    fn record_damage(&self, layer: usize, chunk: usize) {
        if let Some((_, index)) = self.chunk_of(layer, chunk) {
            self.bad.get_or_init(|| (layer, index));
        }
    }

    /// Marks all chunks as checked.
    pub(crate) fn mark_all_sound(&self) {
        self.sound.iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
    }

    /// A checksum of all values, independent of their encoding. `None` if a file is damaged.
    pub fn checksum(&self) -> Option<u64> {
        let sum = self.layers.data.iter().try_fold(0_u64, |sum, data| {
            data.check().ok()?;
            let crc = crc32fast::hash(unsigned(&data.unpacked()?));
            Some(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(crc))
        });
        sum.filter(|_| self.layers.check_unchanged().is_ok())
    }

    /// The entropy of a layer in bits per position: of order 0, with one distribution per block, and of order
    /// 1, given the previous value in the line. `None` if there is no such layer or its file is damaged.
    pub fn entropy(&self, layer: u32) -> Option<(f64, f64)> {
        let index = layer.checked_sub(2)? as usize;
        let data = self.layers.data.get(index)?;
        data.check().ok()?;
        let values = data.unpacked()?;
        let layout = &self.layers.layouts[index];
        let bits = |counts: &[u64]| {
            let all = counts.iter().sum::<u64>() as f64;
            let each = |count: &u64| -(*count as f64 / all).log2() * *count as f64;
            counts.iter().filter(|count| **count > 0).map(each).sum::<f64>()
        };
        let (mut order0, mut order1) = (0.0, 0.0);
        for own in 1..layer as usize {
            let width = self.layers.row_index.count(own.min(layer as usize - own));
            let mut counts = vec![0; 256];
            let mut pairs = vec![0; 1 << 16];
            for line in values[layout.block(own)].chunks(width) {
                let mut before = 0;
                for value in line.iter().map(|value| usize::from(*value as u8)) {
                    counts[value] += 1;
                    pairs[before << 8 | value] += 1;
                    before = value;
                }
            }
            order0 += bits(&counts);
            order1 += pairs.chunks(256).map(bits).sum::<f64>();
        }
        self.layers.check_unchanged().ok()?;
        Some((order0 / values.len() as f64, order1 / values.len() as f64))
    }

    /// The first defect of the files that has been noticed: a chunk with a wrong checksum or an impossible value
    /// that a probe has read, or a file that was truncated or written to since it was opened. `None` means that
    /// every value so far came from bytes with the right checksum, in files whose length and modification time have
    /// not changed since.
    ///
    /// Costs one system call per layer: ask once per result, not once per value. To check all chunks, use
    /// [`verify`](Tables::verify).
    pub fn integrity_error(&self) -> Option<Error> {
        let bad = self.bad.get().and_then(|(layer, index)| match &self.layers.data[layer - 2] {
            Data::File(file) => {
                let found = file.check_chunk(*index).and_then(|()| file.check_values(*index));
                // A chunk that was wrong once stays untrusted.
                Some(found.err().unwrap_or_else(|| {
                    Error::file(&file.path, "damaged when it was read, though it is not now")
                }))
            }
            Data::Memory(_) => None,
        });
        bad.or_else(|| self.layers.check_unchanged().err())
    }
}
