//! Finished tables, and looking values up in them.

use sowing::Small;

use crate::Family;
use crate::build::Levels;

/// The endgame tables of a family: every live position to some number of seeds.
///
/// A value is the mover's net gain, with perfect play, from the seeds in houses: what the mover
/// gets of them minus what the opponent gets. Stores are left out.
#[derive(Debug)]
pub struct Tables {
    family: Family,
    levels: Levels,
    /// Where to look: by the mover's seeds and the other's.
    blocks: Vec<Block>,
    side: usize,
}

/// The values of the positions with so many seeds on either side.
#[derive(Clone, Copy, Debug)]
struct Block {
    values: *const i8,
    len: usize,
    /// Places a line.
    width: usize,
}

// SAFETY: the pointers lead into maps that the tables own and that nobody writes to.
unsafe impl Send for Tables {}
// SAFETY: as above; probing only reads.
unsafe impl Sync for Tables {}

impl Tables {
    pub(crate) fn new(family: Family, levels: Levels) -> Tables {
        let side = levels.max_level() + 1;
        let none = Block { values: std::ptr::null(), len: 0, width: 0 };
        let mut blocks = vec![none; side * side];
        for own in 1..side {
            for other in 1..side - own {
                let values = levels.block(own, other);
                let width = levels.ranks.count(own.min(other));
                let block = Block { values: values.as_ptr(), len: values.len(), width };
                blocks[own * side + other] = block;
            }
        }
        Tables { family, levels, blocks, side }
    }

    /// The games that the tables are for.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// The most seeds in houses that the tables know everything about; 1 if they are empty.
    pub fn max_level(&self) -> u32 {
        self.levels.max_level() as u32
    }

    /// The mover's net gain from the seeds in houses; `None` for a finished position and for one
    /// with more seeds than the tables have.
    ///
    /// Costs about one cache miss. The rows must be of the family's houses.
    #[inline]
    pub fn probe(&self, board: Small) -> Option<i8> {
        let (p, a) = self.levels.ranks.rank(board.own());
        let (q, b) = self.levels.ranks.rank(board.other());
        if p + q >= self.side {
            return None;
        }
        let block = self.blocks[p * self.side + q];
        let (line, place) = if p >= q { (a, b) } else { (b, a) };
        let index = line * block.width + place;
        if index >= block.len {
            return None;
        }
        // SAFETY: the index is inside the block, which lies in a map that self owns.
        Some(unsafe { *block.values.add(index) })
    }
}
