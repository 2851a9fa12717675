//! The turns that a player can make, as the search tries them.

use std::cmp::Reverse;

use sowing::{Law, Played};
use sowing_tables::{Spot, Tables};

use crate::estimate::Estimator;
use crate::kept;
use crate::memory::{Memory, Place};
use crate::order::Order;
use crate::rank::Ranked;
use crate::verdict::Bounds;

/// Where a turn can end, or where a move leads if turns are taken move by move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<B> {
    /// The board as the next mover sees it.
    pub(crate) board: B,
    /// What it brought to the mover's store.
    pub(crate) gain: i64,
    /// Whether the same player moves on. Never so at the end of a turn.
    pub(crate) again: bool,
    /// How good it looks, for trying the best first.
    promise: i64,
    /// Where the board may be remembered.
    pub(crate) place: Option<Place>,
}

impl<B> End<B> {
    /// What a move leads to, of which nothing is known.
    #[cfg(test)]
    pub(crate) fn of_move(board: B, gain: i64, again: bool) -> End<B> {
        End { board, gain, again, promise: 0, place: None }
    }

    /// What the mover gets if the next mover gets this out of the board.
    #[inline]
    pub(crate) fn to_mover(&self, value: i64) -> i64 {
        self.gain + if self.again { value } else { -value }
    }

    /// What must be asked of the board to know whether the mover gets at least `target`: the answer
    /// "at least" means yes if the same player moves on, else no.
    #[inline]
    pub(crate) fn question(&self, target: i64) -> i64 {
        if self.again { target - self.gain } else { self.gain - target + 1 }
    }

    /// What the mover gets if the next mover gets within these bounds out of the board.
    #[inline]
    fn bounds_to_mover(&self, bounds: Bounds) -> Bounds {
        if self.again { bounds } else { -bounds }.plus(self.gain)
    }
}

/// A board on the way of a turn, where the mover moves again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Where the board may be remembered.
    pub(crate) place: Place,
    /// What the turn brought to the mover's store so far.
    pub(crate) gain: i64,
}

/// A board on the way of a turn, or at its end, that tables know.
#[derive(Clone, Copy, Debug)]
struct InTable {
    /// Where they have it.
    spot: Spot,
    /// What the turn brought to the mover's store so far.
    gain: i64,
    /// Whether the same player moves on.
    again: bool,
}

/// What came out of generating the turns of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The mover surely gets this much: at least the target.
    Enough(i64),
    /// No turn that was seen is enough by itself. The best of those that end the game or lead to a
    /// board in the tables gives this much; `None` if none does.
    Ends(Option<i64>),
    /// The tables lack a board that they should have.
    Damage,
    /// The turns pass through more boards than may be held.
    Wide,
    /// Somebody wanted it to end.
    Halted,
}

/// How far turns are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To their ends, unless there are more boards on the way than this.
    Turns(usize),
    /// One move only: no position has too many of those.
    Moves,
}

/// What turns are generated from and looked up in.
pub(crate) struct Knowledge<'a, B: Ranked> {
    pub(crate) law: &'a Law<B>,
    pub(crate) memory: &'a Memory,
    pub(crate) tables: Option<&'a Tables>,
    pub(crate) order: &'a Order,
    pub(crate) estimate: Option<&'a Estimator>,
    /// Whether somebody wants it all to end.
    pub(crate) halted: &'a dyn Fn() -> bool,
}

impl<B: Ranked> Knowledge<'_, B> {
    /// Whether what is remembered of an end with so many seeds is worth waiting for.
    #[inline]
    fn is_far(&self, seeds: i64) -> bool {
        self.tables.is_none_or(|tables| seeds > i64::from(tables.max_layer()) + FAR)
    }

    /// Where a board with so many seeds may be remembered: what is, is asked for.
    #[inline]
    fn place(&self, board: &B, seeds: i64) -> Option<Place> {
        if self.tables.is_some_and(|tables| seeds <= i64::from(tables.max_layer()) + NEAR) {
            return None;
        }
        let place = self.memory.place(board, seeds as u64)?;
        self.memory.prefetch(place);
        Some(place)
    }
}

/// Generates turns, and is reused from position to position.
///
/// Most of the time would be spent on waiting for memory: what tables and memory know of the boards
/// that moves lead to lies anywhere. So a board's moves are played first, and what is known of the
/// boards after them is asked for; somebody else can work until it is there to be read.
#[derive(Debug)]
pub(crate) struct Turns<B> {
    seen: BoardSet<B>,
    pending: Vec<(B, i64, Option<Place>)>,
    known: Vec<InTable>,
    of: Asked,
    /// Where the ends of the moves start that were played last.
    fresh: usize,
    /// Moves played.
    pub(crate) moves: u64,
    /// Positions whose moves were generated.
    pub(crate) nodes: u64,
}

/// The position whose turns are generated.
#[derive(Clone, Copy, Debug)]
struct Asked {
    layer: i64,
    target: i64,
    reach: Reach,
    /// Where its ends start.
    base: usize,
    /// The best of the turns that are known to be too little.
    settled: Option<i64>,
}

impl<B: Ranked> Turns<B> {
    /// The bytes that it takes for each board that turns pass through, at worst: when a set grows,
    /// its boards are there twice.
    pub(crate) const BYTES: usize =
        6 * size_of::<(u32, B)>() + 2 * size_of::<(B, i64, Option<Place>)>() + size_of::<End<B>>();

    pub(crate) fn new() -> Turns<B> {
        let (pending, known) = (Vec::new(), Vec::new());
        let of = Asked { layer: 0, target: 0, reach: Reach::Moves, base: 0, settled: None };
        Turns { seen: BoardSet::new(), pending, known, of, fresh: 0, moves: 0, nodes: 0 }
    }

    /// Begins with a live position, whose ends go on top of those that are there.
    ///
    /// Then [`play`](Turns::play) and [`read`](Turns::read) are called in turn until one of them has found
    /// something. That pushes every distinct board in which a turn can pass to the
    /// opponent, most promising first, unless some turn reaches the target all by itself, whatever
    /// the opponent then does with the seeds that are left. Boards that the tables know are looked
    /// up and not followed, whoever is to move there; what is remembered of the others may be
    /// enough too. Where only moves are asked for, the boards after them are pushed, whoever is to
    /// move there.
    pub(crate) fn begin(&mut self, board: B, target: i64, reach: Reach, ends: &[End<B>]) {
        let layer = (board.own_seeds() + board.other_seeds()) as i64;
        self.of = Asked { layer, target, reach, base: ends.len(), settled: None };
        self.fresh = ends.len();
        self.seen.clear();
        self.pending.clear();
        self.known.clear();
        self.pending.push((board, 0, None));
    }

    /// Plays the moves of the next board on the way, and asks for what is known of the boards after them.
    pub(crate) fn play(
        &mut self,
        known: &Knowledge<'_, B>,
        ends: &mut Vec<End<B>>,
        ways: &mut Vec<Way>,
    ) -> Option<Found> {
        let Knowledge { law, memory, tables, halted, .. } = *known;
        let Asked { layer, target, reach, base, .. } = self.of;
        let lost = law.rules().remaining_lost;
        let table_layer = tables.map_or(0, |tables| i64::from(tables.max_layer()));
        let (board, before) = loop {
            let Some((board, before, place)) = self.pending.pop() else {
                return Some(self.found(known, ends));
            };
            let Some(place) = place else { break (board, before) };
            if let Some(Bounds { low, high }) = memory.get(place) {
                if before + low >= target {
                    return Some(Found::Enough(before + low));
                }
                if before + high < target {
                    self.settle(before + high);
                    continue;
                }
            }
            ways.push(Way { place, gain: before });
            break (board, before);
        };
        // So many seeds in the opponent's store are too many for the mover, whatever comes after.
        let need = if lost { i64::MAX } else { (layer - target) / 2 + 1 };
        self.nodes += 1;
        let held = self.seen.count + ends.len() - base;
        if matches!(reach, Reach::Turns(most) if held > most) {
            return Some(Found::Wide);
        }
        if self.nodes.is_multiple_of(B::PATIENCE) && halted() {
            return Some(Found::Halted);
        }
        self.fresh = ends.len();
        let start = self.pending.len();
        for slot in board.near_first(law.houses()) {
            self.moves += 1;
            let played = law.play(board, slot);
            let gain = before + played.gain as i64;
            let left = layer - gain;
            let bounds = kept::bounds(law, &played.board, left);
            let to_mover = if played.again { bounds } else { -bounds };
            let Bounds { low: sure, high: most } = to_mover.plus(gain);
            if sure >= target && !lost {
                return Some(Found::Enough(sure));
            }
            if played.finished {
                let rest = law.remaining(&played.board);
                let value = gain + if played.again { rest } else { -rest };
                if value >= target {
                    return Some(Found::Enough(value));
                }
                self.settle(value);
            } else if most < target {
                self.settle(most);
            } else if let Some(tables) = tables.filter(|_| left <= table_layer) {
                let Some(spot) = played.board.spot(tables) else { return Some(Found::Damage) };
                self.known.push(InTable { spot, gain, again: played.again });
            } else if !played.again || reach == Reach::Moves {
                let Played { board, again, .. } = played;
                if !again
                    && need <= FEW
                    && ends.len() - base >= SEVERAL
                    && let Some(banked) = banks(law, board, need, &mut self.moves)
                {
                    self.settle(layer - 2 * banked);
                    continue;
                }
                let place = if known.is_far(left) { known.place(&board, left) } else { None };
                ends.push(End { board, gain, again, promise: 0, place });
            } else if self.seen.insert(played.board) {
                let place = known.place(&played.board, left);
                self.pending.push((played.board, gain, place));
            }
        }
        // The board with the move nearest to the store is followed next.
        self.pending[start..].reverse();
        // All at once: the processor finds their pages side by side.
        if let Some(tables) = tables {
            self.known.iter().for_each(|known| tables.prefetch(known.spot));
        }
        None
    }

    /// Reads what is known of the boards after the moves that were played last.
    pub(crate) fn read(
        &mut self,
        known: &Knowledge<'_, B>,
        ends: &mut Vec<End<B>>,
    ) -> Option<Found> {
        let Knowledge { memory, tables, .. } = *known;
        let Asked { target, mut settled, .. } = self.of;
        for InTable { spot, gain, again } in self.known.drain(..) {
            let Some(value) = tables.and_then(|tables| tables.read(spot)).map(i64::from) else {
                return Some(Found::Damage);
            };
            let value = gain + if again { value } else { -value };
            if value >= target {
                return Some(Found::Enough(value));
            }
            settled = settled.max(Some(value));
        }
        self.of.settled = settled;
        let mut index = self.fresh;
        while let Some(end) = ends.get(index) {
            let bounds = end.place.and_then(|place| memory.get(place));
            let bounds = bounds.map(|bounds| end.bounds_to_mover(bounds));
            match bounds {
                Some(Bounds { low: sure, .. }) if sure >= target => {
                    return Some(Found::Enough(sure));
                }
                Some(Bounds { high: most, .. }) if most < target => {
                    self.settle(most);
                    ends.swap_remove(index);
                }
                _ => index += 1,
            }
        }
        None
    }

    fn settle(&mut self, value: i64) {
        self.of.settled = self.of.settled.max(Some(value));
    }

    /// Puts the ends in order, most promising first, each once.
    fn found(&self, known: &Knowledge<'_, B>, ends: &mut Vec<End<B>>) -> Found {
        let Asked { layer, base, settled, .. } = self.of;
        for end in &mut ends[base..] {
            end.place = end.place.or_else(|| known.place(&end.board, layer - end.gain));
            // To move again is better than to leave the same board to the opponent.
            let left_behind = if end.again { end.board.flip() } else { end.board };
            let bonus = if end.again { AGAIN } else { 0 };
            end.promise = bonus + known.order.promise(&left_behind, end.gain);
        }
        ends[base..].sort_unstable_by_key(|end| (Reverse(end.promise), end.board));
        dedup_tail(ends, base);
        Found::Ends(settled)
    }
}

/// As many seeds as a move or two may well bring home.
const FEW: i64 = 3;

/// Ends are looked at in this way once there are so many that were not: where there are few, the first
/// one tried is likely to be enough, and looking at the others would be for nothing.
const SEVERAL: usize = 3;

/// How many seeds the mover of a live board can bank in this turn, if two moves are seen to bring as
/// many as are needed. Most ends of a turn that is to win nearly everything fail so.
fn banks<B: Ranked>(law: &Law<B>, board: B, need: i64, moves: &mut u64) -> Option<i64> {
    let mut again = [(B::EMPTY, 0); 16];
    let mut count = 0;
    for slot in board.near_first(law.houses()) {
        *moves += 1;
        let played = law.play(board, slot);
        let gain = played.gain as i64;
        if gain >= need {
            return Some(gain);
        }
        if played.again && !played.finished && count < again.len() {
            again[count] = (played.board, gain);
            count += 1;
        }
    }
    for (board, before) in &again[..count] {
        for slot in board.near_first(law.houses()) {
            *moves += 1;
            let gain = before + law.play(*board, slot).gain as i64;
            if gain >= need {
                return Some(gain);
            }
        }
    }
    None
}

/// Boards with so few seeds more than the tables have are not remembered: to search one again costs
/// about as much as to look it up, and they would fill half of the memory.
const NEAR: i64 = 1;

/// What is remembered of ends is asked at once where they have more seeds than the tables and so many:
/// one that is known to be enough saves much. Below that hardly any is known; there it is asked when
/// an end is tried, and where to ask is not even found out if a table makes the ends pointless.
const FAR: i64 = 6;

/// What moving again promises, beside the rest.
const AGAIN: i64 = 64;

/// Removes repeated boards from the sorted part of a stack that starts at `base`.
fn dedup_tail<B: Ranked>(ends: &mut Vec<End<B>>, base: usize) {
    let mut kept = base;
    for index in base..ends.len() {
        let same = |a: &End<B>, b: &End<B>| (a.board, a.again) == (b.board, b.again);
        if kept == base || !same(&ends[kept - 1], &ends[index]) {
            ends[kept] = ends[index];
            kept += 1;
        }
    }
    ends.truncate(kept);
}

/// A set of boards that is emptied in no time.
#[derive(Debug)]
pub(crate) struct BoardSet<B> {
    /// Boards with the stamp of the time when they were put in; 0 where there never was one.
    slots: Vec<(u32, B)>,
    /// How many of the slots are in use: few at first, so that a small set stays in the cache though
    /// there was a large one before.
    used: usize,
    stamp: u32,
    count: usize,
    /// The boards while they move to more slots.
    moving: Vec<B>,
}

/// The slots of a small set.
const SLOTS: usize = 64;

impl<B: Ranked> BoardSet<B> {
    pub(crate) fn new() -> BoardSet<B> {
        let slots = vec![(0, B::EMPTY); SLOTS];
        BoardSet { slots, used: SLOTS, stamp: 1, count: 0, moving: Vec::new() }
    }

    fn clear(&mut self) {
        (self.count, self.used) = (0, SLOTS);
        self.renew();
    }

    /// Takes all slots for empty.
    fn renew(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, B::EMPTY));
            self.stamp = 1;
        }
    }

    /// Whether the board was not there before.
    pub(crate) fn insert(&mut self, board: B) -> bool {
        if 2 * self.count >= self.used {
            self.grow();
        }
        let mask = self.used - 1;
        let mut index = board.mix() as usize & mask;
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
        self.renew();
        self.count = 0;
        for board in moving.drain(..) {
            self.insert(board);
        }
        self.moving = moving;
    }
}
