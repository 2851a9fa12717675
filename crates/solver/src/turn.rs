//! The turns that a player can make.

use std::cmp::Reverse;

use sowing::Law;

use crate::memory::Place;
use crate::rank::Ranked;

/// Where a turn can end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<B> {
    /// The board as the opponent sees it, who is to move.
    pub(crate) board: B,
    /// What the turn brought to the mover's store.
    pub(crate) gain: i64,
    /// How good the turn looks, for trying the best first.
    promise: i64,
    /// Where the board may be remembered.
    pub(crate) place: Option<Place>,
}

/// What came out of generating the turns of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The mover surely gets this much: at least the target.
    Enough(i64),
    /// No turn that was seen is enough by itself. The best of those that end the game gives this
    /// much; `None` if none does.
    Ends(Option<i64>),
}

/// Generates turns, and is reused from position to position.
#[derive(Debug)]
pub(crate) struct Turns<B> {
    seen: BoardSet<B>,
    pending: Vec<(B, i64)>,
    /// Moves played.
    pub(crate) moves: u64,
    /// Positions whose moves were generated.
    pub(crate) nodes: u64,
}

impl<B: Ranked> Turns<B> {
    pub(crate) fn new() -> Turns<B> {
        Turns { seen: BoardSet::new(), pending: Vec::new(), moves: 0, nodes: 0 }
    }

    /// Pushes every distinct board in which a turn from this live position can pass to the
    /// opponent, richest first, unless some turn reaches the target all by itself: whatever the
    /// opponent then does with the seeds that are left, `level` of them at the start.
    pub(crate) fn generate(
        &mut self,
        law: &Law<B>,
        board: B,
        level: u64,
        target: i64,
        ends: &mut Vec<End<B>>,
    ) -> Found {
        let base = ends.len();
        let level = level as i64;
        let lost = law.rules().remaining_lost;
        let mut finished = None;
        self.seen.clear();
        self.pending.clear();
        self.pending.push((board, 0));
        while let Some((board, before)) = self.pending.pop() {
            self.nodes += 1;
            for slot in board.near_first(law.houses()) {
                self.moves += 1;
                let played = law.play(board, slot);
                let gain = before + played.gain as i64;
                // At worst the opponent gets all that is left.
                let sure = 2 * gain - level;
                if sure >= target && !lost {
                    return Found::Enough(sure);
                }
                if played.finished {
                    let rest = law.remaining(&played.board);
                    let value = gain + if played.again { rest } else { -rest };
                    if value >= target {
                        return Found::Enough(value);
                    }
                    finished = finished.max(Some(value));
                } else if !played.again {
                    let promise = promise(law, &played.board, gain);
                    ends.push(End { board: played.board, gain, promise, place: None });
                } else if self.seen.insert(played.board) {
                    self.pending.push((played.board, gain));
                }
            }
        }
        let fresh = &mut ends[base..];
        fresh.sort_unstable_by_key(|end| (Reverse(end.promise), end.board));
        dedup_tail(ends, base);
        Found::Ends(finished)
    }
}

/// Seeds in the store count most. Among equals, an opponent with few moves, few of them into the
/// store, and few seeds, above all next to it, has least to answer with. The weights are those that
/// needed the fewest nodes over a dozen small games.
fn promise<B: Ranked>(law: &Law<B>, board: &B, gain: i64) -> i64 {
    let (mut moves, mut agains) = (0, 0);
    for slot in board.near_first(law.houses()) {
        moves += 1;
        agains += i64::from(board.seeds(slot) == (law.houses() - slot) as u64);
    }
    let near = board.seeds(law.houses() - 1) as i64;
    16 * gain - 4 * moves - 3 * agains - near - 2 * board.own_seeds() as i64
}

/// Removes repeated boards from the sorted part of a stack that starts at `base`.
fn dedup_tail<B: Ranked>(ends: &mut Vec<End<B>>, base: usize) {
    let mut kept = base;
    for index in base..ends.len() {
        if kept == base || ends[kept - 1].board != ends[index].board {
            ends[kept] = ends[index];
            kept += 1;
        }
    }
    ends.truncate(kept);
}

/// A set of boards that is emptied in no time.
#[derive(Debug)]
struct BoardSet<B> {
    slots: Vec<Option<(u32, B)>>,
    stamp: u32,
    count: usize,
}

impl<B: Ranked> BoardSet<B> {
    fn new() -> BoardSet<B> {
        BoardSet { slots: vec![None; 64], stamp: 0, count: 0 }
    }

    fn clear(&mut self) {
        self.count = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(None);
        }
    }

    /// Whether the board was not there before.
    fn insert(&mut self, board: B) -> bool {
        if 2 * self.count >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut index = board.mix() as usize & mask;
        loop {
            match self.slots[index] {
                Some((stamp, known)) if stamp == self.stamp => {
                    if known == board {
                        return false;
                    }
                }
                _ => {
                    self.slots[index] = Some((self.stamp, board));
                    self.count += 1;
                    return true;
                }
            }
            index = (index + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        let old = std::mem::replace(&mut self.slots, vec![None; size]);
        let stamp = self.stamp;
        self.count = 0;
        for (_, board) in old.into_iter().flatten().filter(|(of, _)| *of == stamp) {
            self.insert(board);
        }
    }
}
