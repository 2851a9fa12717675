//! Finished tables, and looking values up in them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sowing::{Game, Law, Position, Small};

use crate::build::{Layers, fetch};
use crate::file::{CHUNK, Form, LayerFile};
use crate::layer::{Data, is_possible, shared, unsigned};
use crate::{Error, Family, live_positions, pack};

/// The endgame tables of a family: every live position to some number of seeds.
///
/// A value is the mover's net gain, with perfect play, from the seeds in houses: what the mover
/// gets of them minus what the opponent gets. Stores are left out.
#[derive(Debug)]
pub struct Tables {
    pub(crate) family: Family,
    pub(crate) layers: Layers,
    /// Where to look: by the mover's seeds and the other's.
    blocks: Vec<Block>,
    side: usize,
    /// Values of one layer differ by multiples of this.
    step: u8,
    /// For layers in files: a bit for each chunk whose checksum was right.
    sound: Vec<AtomicU64>,
    /// For layers in files: the bytes of each chunk.
    chunks: Vec<Bytes>,
    /// The first chunk that was found damaged: its layer, and which of the layer's it is.
    bad: OnceLock<(usize, usize)>,
}

/// The values of the positions with so many seeds on either side.
#[derive(Clone, Copy, Debug)]
struct Block {
    values: *const i8,
    len: usize,
    /// Places a line.
    width: u32,
    /// The number of the first chunk in all of the tables.
    chunk: u32,
    place: Storage,
}

/// Where a value lies in some tables.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Which block, and which value of it.
    block: u32,
    index: u64,
}

impl Spot {
    fn layer(self, side: usize) -> usize {
        self.block as usize / side + self.block as usize % side
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
    /// Packed, as values that are so far apart.
    Packed(u8),
}

/// One layer of some tables, for people.
#[derive(Clone, Debug)]
pub struct LayerInfo {
    /// Seeds in houses.
    pub seeds: u32,
    /// Live positions.
    pub positions: u64,
    /// Bytes that they take, heads included.
    pub bytes: u64,
    /// How they lie.
    pub form: Form,
}

// SAFETY: the pointers lead into maps that the tables own and that nobody writes to.
unsafe impl Send for Tables {}
// SAFETY: as above; probing reads values and sets atomic bits.
unsafe impl Sync for Tables {}

impl Tables {
    /// Bytes of the layers that lie in memory, not in files.
    pub fn memory(&self) -> u64 {
        let bytes = self.layers.data.iter().map(|data| match data {
            Data::Memory(values) => values.len() as u64,
            Data::File(_) => 0,
        });
        bytes.sum()
    }

    pub(crate) fn new(family: Family, layers: Layers) -> Tables {
        let side = layers.max_layer() + 1;
        let none =
            Block { values: std::ptr::null(), len: 0, width: 0, chunk: 0, place: Storage::Memory };
        let mut blocks = vec![none; side * side];
        let mut chunks = Vec::new();
        for (layer, data) in layers.data.iter().enumerate() {
            let layer = layer + 2;
            for own in 1..layer {
                let other = layer - own;
                let block = layers.layouts[layer - 2].block(own);
                let width = layers.ranks.count(own.min(other)) as u32;
                let (place, chunk) = match data {
                    Data::Memory(_) => (Storage::Memory, 0),
                    Data::File(file) => {
                        let first =
                            file.head.chunks.partition_point(|chunk| chunk.first < block.start);
                        let place = match file.head.form {
                            Form::Bytes => Storage::File,
                            Form::Packed(step) => Storage::Packed(step),
                        };
                        (place, (chunks.len() + first) as u32)
                    }
                };
                let values = match place {
                    Storage::Packed(_) => std::ptr::null(),
                    Storage::Memory | Storage::File => data.values()[block.clone()].as_ptr(),
                };
                blocks[own * side + other] =
                    Block { values, len: block.len(), width, chunk, place };
            }
            if let Data::File(file) = data {
                chunks.extend(file.head.chunks.iter().map(|chunk| {
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
            side,
            step: family.step(),
            sound,
            chunks,
            bad: OnceLock::new(),
        }
    }

    /// The games that the tables are for.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Fails unless the tables are for this game: its rules, but for the pie rule, and its houses.
    ///
    /// Boards do not say what game they are of, so [`probe`](Tables::probe) answers for any. Whatever
    /// is given tables by somebody else asks this first.
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
        match Family::of(game) {
            Ok(family) if family == self.family => Ok(()),
            _ => Err(Error::Family { tables: self.family, game: *game }),
        }
    }

    /// The most seeds in houses that the tables know everything about; 1 if they are empty.
    pub fn max_layer(&self) -> u32 {
        self.layers.max_layer() as u32
    }

    /// What each layer holds.
    pub fn info(&self) -> Vec<LayerInfo> {
        let info = |(index, data): (usize, &Data)| {
            let layer = index as u32 + 2;
            let positions = live_positions(self.family.houses(), layer) as u64;
            let (bytes, form) = match data {
                Data::Memory(_) => (positions, Form::Bytes),
                Data::File(file) => (file.len() as u64, file.head.form),
            };
            LayerInfo { seeds: layer, positions, bytes, form }
        };
        self.layers.data.iter().enumerate().map(info).collect()
    }

    /// The value of a position: the mover's margin with perfect play, stores included. `None` where
    /// more seeds lie in houses than the tables have, and where the pie rule still matters.
    ///
    /// It fails if the tables are not for the position's game, or a file of theirs is damaged. For
    /// many positions of a game that is known to be the right one there is
    /// [`probe`](Tables::probe).
    ///
    /// ```
    /// use sowing::Position;
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
        let gain = Small::new(position.board()).ok().and_then(|board| self.probe(board));
        match self.damage() {
            Some(damage) => Err(damage),
            None => Ok(gain.map(|gain| position.lead() + i64::from(gain))),
        }
    }

    /// The mover's net gain from the seeds in houses; `None` for a finished position and for one
    /// with more seeds than the tables have.
    ///
    /// Costs about one cache miss. The rows must be of the family's houses. Where layers lie in
    /// files, the checksum of 65536 positions is checked when one of them is first asked for; if
    /// it is wrong the answer is `None`. A file that is cut short answers `None` from then on. A
    /// file that some other program writes to after the checksum was looked at may give a wrong
    /// value. The file's time of change tells, unless that program sets it back: a caller that gives out what was
    /// made of values asks [`damage`](Tables::damage) first, which says why values are missing too.
    #[inline]
    pub fn probe(&self, board: Small) -> Option<i8> {
        self.read(self.spot(board)?)
    }

    /// The mover's net gain from the seeds in houses if the mover plays the house in a slot, which must
    /// hold seeds: what the move gains and what the position after it is worth. `None` as for
    /// [`probe`](Tables::probe), but a game that the move ends has its value. The law must be that of
    /// the family.
    ///
    /// ```
    /// use sowing::{Law, Small};
    /// use sowing_tables::{BuildOptions, build_in_memory};
    ///
    /// let game = "kalah(3,2)".parse()?;
    /// let tables = build_in_memory(&game, 6, &BuildOptions::default())?;
    /// let board = Small::from_rows(0x01_00_01, 0x00_00_02);
    /// let moves = [0, 2].map(|slot| tables.after(&Law::new(&game), board, slot));
    /// assert_eq!(tables.probe(board).map(i64::from), moves.into_iter().flatten().max());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(&self, law: &Law<Small>, board: Small, slot: usize) -> Option<i64> {
        let next = law.play(board, slot);
        let rest = match next.finished {
            true => law.remaining(&next.board),
            false => self.probe(next.board)?.into(),
        };
        Some(next.gain as i64 + if next.again { rest } else { -rest })
    }

    /// Where the value of a position lies: to ask for it ahead, and to read it later, for one
    /// numbering of the board. `None` as for [`probe`](Tables::probe).
    #[inline(always)]
    pub fn spot(&self, board: Small) -> Option<Spot> {
        let (p, a) = self.layers.ranks.rank(board.own());
        let (q, b) = self.layers.ranks.rank(board.other());
        if p + q >= self.side {
            return None;
        }
        let place = p * self.side + q;
        let block = &self.blocks[place];
        // The longer row is the line. Which one that is is a coin toss, so no branch: a wrong guess
        // would keep the processor from the probes that follow.
        let exchange = (a ^ b) & usize::from(p < q).wrapping_neg();
        let (line, column) = (a ^ exchange, b ^ exchange);
        let index = line.wrapping_mul(block.width as usize).wrapping_add(column);
        (index < block.len).then_some(Spot { block: place as u32, index: index as u64 })
    }

    /// The value at a spot of these tables, as [`probe`](Tables::probe) gives it.
    ///
    /// # Panics
    /// If the spot is of other tables that are larger.
    #[inline]
    pub fn read(&self, spot: Spot) -> Option<i8> {
        let Spot { block, index } = spot;
        let block = &self.blocks[block as usize];
        let index = index as usize;
        assert!(index < block.len, "a spot of other tables");
        if block.place != Storage::Memory {
            let layer = spot.layer(self.side);
            let chunk = block.chunk as usize + index / CHUNK;
            let sound = self.sound[chunk / 64].load(Ordering::Relaxed) >> (chunk % 64) & 1;
            if sound == 0 && !self.check_chunk(layer, chunk) {
                return None;
            }
            let value = match block.place {
                Storage::Packed(step) => {
                    let Bytes { start, len, positions } = self.chunks[chunk];
                    // SAFETY: the chunk lies in a map that self owns.
                    let packed = unsafe { std::slice::from_raw_parts(start, len as usize) };
                    pack::unpack(shared(packed), positions as usize, step, index % CHUNK)
                }
                // SAFETY: the index is inside the block, which lies in a map that self owns. The
                // file may change, so that the value is read once, now.
                _ => Some(unsafe { block.values.add(index).read_volatile() }),
            };
            let value = value.filter(|value| is_possible(*value, layer, self.step));
            if value.is_none() {
                self.note_damage(layer, chunk);
            }
            return value.filter(|_| !self.is_lost(layer));
        }
        // SAFETY: the index is inside the block, which lies in a map that self owns.
        Some(unsafe { *block.values.add(index) })
    }

    /// Asks for the value at a spot to be brought near, to be [read](Tables::read) soon. Does nothing
    /// where layers are packed.
    #[inline]
    pub fn prefetch(&self, spot: Spot) {
        let block = &self.blocks[spot.block as usize];
        if !block.values.is_null() && (spot.index as usize) < block.len {
            // SAFETY: the index is inside the block, which lies in a map that self owns.
            fetch(unsafe { &*block.values.add(spot.index as usize) });
        }
    }

    /// Whether a value of a layer that was just read may be one that its file does not have.
    #[inline(always)]
    fn is_lost(&self, layer: usize) -> bool {
        matches!(&self.layers.data[layer - 2], Data::File(file) if file.is_lost())
    }

    /// The file of a layer, and which of its chunks this one of all is.
    fn chunk_of(&self, layer: usize, chunk: usize) -> Option<(&LayerFile, usize)> {
        let Data::File(file) = &self.layers.data[layer - 2] else { return None };
        // The first block of a layer has its first chunk.
        let first = self.blocks[(layer - 1) * self.side + 1].chunk;
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
    fn note_damage(&self, layer: usize, chunk: usize) {
        if let Some((_, index)) = self.chunk_of(layer, chunk) {
            self.bad.get_or_init(|| (layer, index));
        }
    }

    /// Notes that every checksum was found right.
    pub(crate) fn all_sound(&self) {
        self.sound.iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
    }

    /// A checksum of all values, to tell whether two tables are the same. `None` if a file is
    /// damaged.
    pub fn checksum(&self) -> Option<u64> {
        let sum = self.layers.data.iter().try_fold(0_u64, |sum, data| {
            let crc = crc32fast::hash(unsigned(&data.unpacked()?));
            Some(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(crc))
        });
        sum.filter(|_| self.layers.still().is_ok())
    }

    /// How many bits a position of a layer takes at least: coded by themselves, with a code for
    /// each block, and given the value before them in their line. `None` if there is no such layer
    /// or its file is damaged.
    pub fn entropy(&self, layer: u32) -> Option<(f64, f64)> {
        let index = layer.checked_sub(2)? as usize;
        let values = self.layers.data.get(index)?.unpacked()?;
        let layout = &self.layers.layouts[index];
        let bits = |counts: &[u64]| {
            let all = counts.iter().sum::<u64>() as f64;
            let each = |count: &u64| -(*count as f64 / all).log2() * *count as f64;
            counts.iter().filter(|count| **count > 0).map(each).sum::<f64>()
        };
        let (mut alone, mut given) = (0.0, 0.0);
        for own in 1..layer as usize {
            let width = self.layers.ranks.count(own.min(layer as usize - own));
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
            alone += bits(&counts);
            given += pairs.chunks(256).map(bits).sum::<f64>();
        }
        self.layers.still().ok()?;
        Some((alone / values.len() as f64, given / values.len() as f64))
    }

    /// What is wrong with the files, as far as it has shown: a checksum that a probe found to differ or
    /// a value that no position can have, with the file and the place in it; a file that was cut short or written to since it was
    /// opened. `None` means that every value that was given out came from bytes whose checksum was
    /// right, in files that are still as they were then.
    ///
    /// Costs a question to the system for each layer, so it is asked once for an answer, not once
    /// for a value. To look for damage everywhere there is [`verify`](Tables::verify).
    pub fn damage(&self) -> Option<Error> {
        let bad = self.bad.get().and_then(|(layer, index)| match &self.layers.data[layer - 2] {
            Data::File(file) => {
                let found = file.check_chunk(*index).and_then(|()| file.check_values(*index));
                // A chunk that was wrong once is not trusted though it is right now.
                Some(found.err().unwrap_or_else(|| {
                    Error::file(&file.path, "damaged when it was read, though it is not now")
                }))
            }
            Data::Memory(_) => None,
        });
        bad.or_else(|| self.layers.still().err())
    }
}
