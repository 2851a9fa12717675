//! How many positions of a game can be reached.

use sowing::{Board, Game, Law, Position, Small};

/// The number of positions that play from the start can reach.
///
/// A live position is a board with its stores and the player to move; a finished board counts
/// once, whoever would be to move, with the seeds left where they lie.
///
/// ```
/// use sowing_lab::Census;
///
/// let census = Census::of(&"s-kalaha(3,1)".parse()?, 1 << 20)?;
/// assert_eq!(census.total(), 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    /// One layer for every number of seeds in houses that occurs, the most first.
    pub layers: Vec<Layer>,
}

/// The positions with so many seeds in houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The seeds in houses, both rows together.
    pub level: u32,
    /// Live positions.
    pub live: u64,
    /// Finished boards.
    pub finished: u64,
}

/// Why the positions of a game are not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CensusError {
    /// The board is too large to be packed.
    #[error("{0} is too large to count: at most 7 houses and 255 seeds, as in s-kalaha(6,3)")]
    TooLarge(Game),
    /// The swap of the pie rule is not a position.
    #[error("{0} has the pie rule, which changes who sits where but no board: count it without")]
    Pie(Game),
    /// Even the start takes more.
    #[error(
        "{given} bytes of memory are too few to count in: give at least {MINIMUM}, as in --memory 1G"
    )]
    TooLittleMemory {
        /// The bytes allowed.
        given: u64,
    },
    /// The positions do not fit the memory that was allowed.
    #[error(
        "memory is full at {level} seeds in houses, with {counted} positions counted before: allow for more than {limit} bytes"
    )]
    MemoryFull {
        /// The layer that was being counted.
        level: u32,
        /// Positions of the layers that are done.
        counted: u64,
        /// The bytes allowed.
        limit: u64,
    },
}

/// The least memory that a census takes.
const MINIMUM: u64 = 1 << 20;

impl Census {
    /// Counts the positions of a game, layer by layer, in so many bytes of memory.
    pub fn of(game: &Game, memory: u64) -> Result<Census, CensusError> {
        Census::of_observed(game, memory, |_| {})
    }

    /// Counts like [`of`](Census::of), and shows each layer when it is done.
    pub fn of_observed(
        game: &Game,
        memory: u64,
        mut observe: impl FnMut(Layer),
    ) -> Result<Census, CensusError> {
        let start = Small::new(Position::start(*game).board());
        let Some(start) = start.ok().filter(|_| game.houses() <= 7) else {
            return Err(CensusError::TooLarge(*game));
        };
        if game.rules().pie {
            return Err(CensusError::Pie(*game));
        }
        if memory < MINIMUM {
            return Err(CensusError::TooLittleMemory { given: memory });
        }
        let pack = Pack::new(game);
        let count = if pack.bits() < 64 { count::<u64> } else { count::<u128> };
        count(game, start, pack, memory, &mut observe)
    }

    /// Live positions.
    pub fn live(&self) -> u64 {
        self.layers.iter().map(|layer| layer.live).sum()
    }

    /// Finished boards.
    pub fn finished(&self) -> u64 {
        self.layers.iter().map(|layer| layer.finished).sum()
    }

    /// All positions.
    pub fn total(&self) -> u64 {
        self.live() + self.finished()
    }
}

/// A board as the player to move sees it, with that player's store and seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seated {
    board: Small,
    store: u64,
    second: bool,
}

/// How a position is packed: every house but the last of the opponent's, the mover's store, the
/// seat. The last house is what is missing to the layer's level, and the opponent's store what is
/// missing to the game's seeds, so that no two positions of a layer share a number.
#[derive(Clone, Copy, Debug)]
struct Pack {
    houses: u32,
    width: u32,
}

impl Pack {
    fn new(game: &Game) -> Pack {
        Pack { houses: game.houses().into(), width: 64 - game.total().leading_zeros() }
    }

    fn bits(&self) -> u32 {
        2 * self.houses * self.width + 1
    }

    fn pack(&self, position: Seated) -> u128 {
        let mut packed = u128::from(position.store) << 1 | u128::from(position.second);
        for slot in 0..self.houses {
            packed = packed << self.width | u128::from(position.board.own() >> (8 * slot) & 0xff);
        }
        for slot in 0..self.houses - 1 {
            packed = packed << self.width | u128::from(position.board.other() >> (8 * slot) & 0xff);
        }
        packed
    }

    fn unpack(&self, mut packed: u128, level: u64) -> Seated {
        let (mut own, mut other, mut rest) = (0, 0, level);
        let mut next = || {
            let seeds = (packed & ((1 << self.width) - 1)) as u64;
            packed >>= self.width;
            rest -= seeds;
            seeds
        };
        for slot in (0..self.houses - 1).rev() {
            other |= next() << (8 * slot);
        }
        for slot in (0..self.houses).rev() {
            own |= next() << (8 * slot);
        }
        other |= rest << (8 * (self.houses - 1));
        let board = Small::from_rows(own, other);
        Seated { board, store: (packed >> 1) as u64, second: packed & 1 == 1 }
    }
}

/// A packed position.
trait Key: Copy + Eq + Into<u128> {
    /// A number that no position packs to.
    const NONE: Self;
    fn of(packed: u128) -> Self;
}

impl Key for u64 {
    const NONE: u64 = u64::MAX;

    fn of(packed: u128) -> u64 {
        packed as u64
    }
}

impl Key for u128 {
    const NONE: u128 = u128::MAX;

    fn of(packed: u128) -> u128 {
        packed
    }
}

/// A set of packed positions: open addressing, at most three quarters full.
struct Set<K> {
    slots: Vec<K>,
    len: usize,
}

impl<K: Key> Set<K> {
    fn new() -> Set<K> {
        Set { slots: Vec::new(), len: 0 }
    }

    fn place(&self, key: K) -> usize {
        let packed: u128 = key.into();
        let mixed = (packed as u64 ^ ((packed >> 64) as u64).rotate_left(29))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mask = self.slots.len() - 1;
        let mut at = (mixed ^ mixed >> 32) as usize & mask;
        while self.slots[at] != K::NONE && self.slots[at] != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Puts a key in. Whether it is new, or `None` if there is no memory left for it.
    fn insert(&mut self, key: K, free: &mut u64) -> Option<bool> {
        if 4 * (self.len + 1) > 3 * self.slots.len() {
            let size = std::mem::size_of::<K>() as u64;
            let (old, new) = (self.slots.len(), (2 * self.slots.len()).max(16));
            // Both are there while the keys move.
            *free = free.checked_sub(new as u64 * size)?;
            let slots = std::mem::replace(&mut self.slots, vec![K::NONE; new]);
            for key in slots.into_iter().filter(|key| *key != K::NONE) {
                let at = self.place(key);
                self.slots[at] = key;
            }
            *free += old as u64 * size;
        }
        let at = self.place(key);
        let new = self.slots[at] != key;
        self.slots[at] = key;
        self.len += usize::from(new);
        Some(new)
    }

    fn bytes(&self) -> u64 {
        (self.slots.len() * std::mem::size_of::<K>()) as u64
    }
}

/// A layer that is being filled.
struct Filling<K> {
    live: Set<K>,
    finished: Set<K>,
}

/// Goes down the layers: a move never adds seeds to the houses, so that a layer is complete when
/// it and those above it have been played through.
fn count<K: Key>(
    game: &Game,
    start: Small,
    pack: Pack,
    memory: u64,
    observe: &mut dyn FnMut(Layer),
) -> Result<Census, CensusError> {
    let law = Law::<Small>::new(game);
    let total = game.total();
    let mut free = memory;
    let mut layers: Vec<Filling<K>> =
        (0..=total).map(|_| Filling { live: Set::new(), finished: Set::new() }).collect();
    let mut census = Census { layers: Vec::new() };
    let first = Seated { board: start, store: 0, second: false };
    layers[total as usize].live.insert(K::of(pack.pack(first)), &mut free);
    for level in (0..=total).rev() {
        let (below, rest) = layers.split_at_mut(level as usize);
        let layer = &mut rest[0];
        let full =
            CensusError::MemoryFull { level: level as u32, counted: census.total(), limit: memory };
        let size = std::mem::size_of::<K>() as u64;
        // What came from above is read off; what the layer itself adds is pushed as it comes.
        let mut room = layer.live.len;
        free = free.checked_sub(room as u64 * size).ok_or_else(|| full.clone())?;
        let mut open = Vec::with_capacity(room);
        open.extend(layer.live.slots.iter().copied().filter(|key| *key != K::NONE));
        while let Some(key) = open.pop() {
            let position = pack.unpack(key.into(), level);
            for slot in position.board.occupied() {
                let played = law.play(position.board, slot);
                let left = level - played.gain;
                let store = position.store + played.gain;
                let other = total - level - position.store;
                let next = Seated {
                    board: played.board,
                    store: if played.again { store } else { other },
                    second: position.second == played.again,
                };
                let into = if played.gain == 0 { &mut *layer } else { &mut below[left as usize] };
                if played.finished {
                    // The first player's view, whoever would be to move.
                    let board = if next.second { next.board.flip() } else { next.board };
                    let store = if next.second { total - left - next.store } else { next.store };
                    let seen = Seated { board, store, second: false };
                    let key = K::of(pack.pack(seen));
                    into.finished.insert(key, &mut free).ok_or_else(|| full.clone())?;
                    continue;
                }
                let key = K::of(pack.pack(next));
                let new = into.live.insert(key, &mut free).ok_or_else(|| full.clone())?;
                if new && played.gain == 0 {
                    if open.len() == room {
                        let more = room.max(16);
                        free = free.checked_sub(more as u64 * size).ok_or_else(|| full.clone())?;
                        room += more;
                        open.reserve_exact(more);
                    }
                    open.push(key);
                }
            }
        }
        let done = Layer {
            level: level as u32,
            live: layer.live.len as u64,
            finished: layer.finished.len as u64,
        };
        free += layer.live.bytes() + layer.finished.bytes() + room as u64 * size;
        *layer = Filling { live: Set::new(), finished: Set::new() };
        if done.live + done.finished > 0 {
            observe(done);
            census.layers.push(done);
        }
    }
    Ok(census)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games that need wide keys are too large for a test.
    #[test]
    fn wide_keys_count_the_same() {
        let game: Game = "s-kalaha(3,2)".parse().unwrap();
        let start = Small::new(Position::start(game).board()).unwrap();
        let wide = count::<u128>(&game, start, Pack::new(&game), 1 << 24, &mut |_| {}).unwrap();
        assert_eq!(wide.total(), 1219);
        assert_eq!(Ok(wide), Census::of(&game, 1 << 24));
    }

    #[test]
    fn packing_is_undone_by_unpacking() {
        for name in ["kalah(1,3)", "s-kalaha(3,2)", "kalah(7,18)"] {
            let game: Game = name.parse().unwrap();
            let (pack, houses) = (Pack::new(&game), usize::from(game.houses()));
            let law = Law::<Small>::new(&game);
            let start = Small::new(Position::start(game).board()).unwrap();
            for slot in 0..houses {
                let played = law.play(start, slot);
                let level = played.board.own_seeds() + played.board.other_seeds();
                for second in [false, true] {
                    let position = Seated { board: played.board, store: played.gain, second };
                    assert_eq!(pack.unpack(pack.pack(position), level), position, "{name}");
                }
            }
            assert!(pack.bits() < 128);
        }
    }
}
