//! A set of boards that is cleared in constant time.

use super::search_board::SearchBoard;

/// A hash set of boards. Clearing it takes constant time and keeps its memory.
#[derive(Debug)]
pub(crate) struct BoardSet<B> {
    /// Boards with the stamp of their insertion. Any other stamp than the current one means empty.
    slots: Vec<(u32, B)>,
    /// The slots in use, few at first: a small set stays in the cache although there was a large one before.
    used: usize,
    stamp: u32,
    count: usize,
    /// A buffer of [`grow`](BoardSet::grow).
    moving: Vec<B>,
}

const INITIAL_SLOTS: usize = 64;

impl<B: SearchBoard> BoardSet<B> {
    pub(crate) fn new() -> BoardSet<B> {
        let slots = vec![(0, B::EMPTY); INITIAL_SLOTS];
        BoardSet { slots, used: INITIAL_SLOTS, stamp: 1, count: 0, moving: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn clear(&mut self) {
        self.used = INITIAL_SLOTS;
        self.forget();
    }

    fn forget(&mut self) {
        self.count = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, B::EMPTY));
            self.stamp = 1;
        }
    }

    /// Inserts a board. Returns whether it is new.
    pub(crate) fn insert(&mut self, board: B) -> bool {
        if 2 * self.count >= self.used {
            self.grow();
        }
        let mask = self.used - 1;
        let mut index = board.hash_key() as usize & mask;
        loop {
            match self.slots[index] {
                (stamp, known) if stamp == self.stamp => {
                    if known == board {
                        return false;
                    }
                }
                _ => {
                    self.slots[index] = (self.stamp, board);
                    self.count += 1;
                    return true;
                }
            }
            index = (index + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut moving = std::mem::take(&mut self.moving);
        let held = self.slots[..self.used].iter().filter(|(stamp, _)| *stamp == self.stamp);
        moving.extend(held.map(|(_, board)| *board));
        self.used *= 2;
        if self.used > self.slots.len() {
            self.slots = vec![(0, B::EMPTY); self.used];
        }
        self.forget();
        for board in moving.drain(..) {
            self.insert(board);
        }
        self.moving = moving;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use sowing_rules::{CompactBoard, SeededRng};

    /// It agrees with the standard set, through growth and clearing.
    #[test]
    fn it_is_a_set() {
        let mut random = SeededRng::new(4, 0);
        let mut set = BoardSet::new();
        for round in 0..20 {
            let mut plain = HashSet::new();
            for _ in 0..[10, 100, 5_000][round % 3] {
                let board = CompactBoard::from_rows(random.below(40), random.below(40));
                assert_eq!(set.insert(board), plain.insert(board));
                assert_eq!(set.len(), plain.len());
            }
            set.clear();
            assert_eq!(set.len(), 0);
        }
    }
}
