//! The turns that a player can make, as the search tries them.

use std::cmp::Reverse;

use sowing::{Capture, Law, Played};
use sowing_tables::{Spot, Tables};

use crate::estimate::Estimator;
use crate::kept;
use crate::memory::{Memory, Place};
use crate::rank::{Looks, Ranked};
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
    /// Where the board may be remembered, and what is known of it.
    pub(crate) place: Option<Place>,
    pub(crate) bounds: Bounds,
}

impl<B> End<B> {
    /// What a move leads to, of which nothing is known.
    #[cfg(test)]
    pub(crate) fn of_move(board: B, gain: i64, again: bool) -> End<B> {
        let bounds = Bounds { low: i64::MIN, high: i64::MAX };
        End { board, gain, again, promise: 0, place: None, bounds }
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

    /// What the mover surely gets.
    #[inline]
    pub(crate) fn sure(&self) -> i64 {
        self.to_mover(if self.again { self.bounds.low } else { self.bounds.high })
    }

    /// What the mover gets at most.
    #[inline]
    pub(crate) fn most(&self) -> i64 {
        self.to_mover(if self.again { self.bounds.high } else { self.bounds.low })
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
    pub(crate) estimate: Option<&'a Estimator>,
    /// Whether somebody wants it all to end.
    pub(crate) halted: &'a dyn Fn() -> bool,
}

/// Generates turns, and is reused from position to position.
#[derive(Debug)]
pub(crate) struct Turns<B> {
    seen: BoardSet<B>,
    pending: Vec<(B, i64, Option<Place>)>,
    known: Vec<InTable>,
    /// Moves played.
    pub(crate) moves: u64,
    /// Positions whose moves were generated.
    pub(crate) nodes: u64,
}

impl<B: Ranked> Turns<B> {
    /// The bytes that it takes for each board that turns pass through, at worst: when a set grows,
    /// its boards are there twice.
    pub(crate) const BYTES: usize =
        6 * size_of::<(u32, B)>() + 2 * size_of::<(B, i64, Option<Place>)>() + size_of::<End<B>>();

    pub(crate) fn new() -> Turns<B> {
        let (pending, known) = (Vec::new(), Vec::new());
        Turns { seen: BoardSet::new(), pending, known, moves: 0, nodes: 0 }
    }

    /// Pushes every distinct board in which a turn from this live position can pass to the
    /// opponent, most promising first, unless some turn reaches the target all by itself, whatever
    /// the opponent then does with the seeds that are left. Boards that the tables know are looked
    /// up and not followed, whoever is to move there; what is remembered of the others may be
    /// enough too. Where only moves are asked for, the boards after them are pushed, whoever is to
    /// move there.
    pub(crate) fn generate(
        &mut self,
        known: &Knowledge<'_, B>,
        board: B,
        target: i64,
        reach: Reach,
        ends: &mut Vec<End<B>>,
        ways: &mut Vec<Way>,
    ) -> Found {
        let Knowledge { law, memory, tables, estimate, halted } = *known;
        let base = ends.len();
        let layer = (board.own_seeds() + board.other_seeds()) as i64;
        let lost = law.rules().remaining_lost;
        let table_layer = tables.map_or(0, |tables| i64::from(tables.max_layer()));
        let place_of = |board: &B, left: i64| {
            if tables.is_some() && left <= table_layer + NEAR {
                return None;
            }
            let place = memory.place(board, left as u64)?;
            memory.prefetch(place);
            Some(place)
        };
        // So many seeds in the opponent's store are too many for the mover, whatever comes after.
        let need = if lost { i64::MAX } else { (layer - target) / 2 + 1 };
        let mut settled = None;
        self.seen.clear();
        self.pending.clear();
        self.known.clear();
        self.pending.push((board, 0, None));
        while let Some((board, before, place)) = self.pending.pop() {
            if let Some(place) = place {
                if let Some(Bounds { low, high }) = memory.get(place) {
                    if before + low >= target {
                        return Found::Enough(before + low);
                    }
                    if before + high < target {
                        settled = settled.max(Some(before + high));
                        continue;
                    }
                }
                ways.push(Way { place, gain: before });
            }
            self.nodes += 1;
            let held = self.seen.count + ends.len() - base;
            if matches!(reach, Reach::Turns(most) if held > most) {
                return Found::Wide;
            }
            if self.nodes.is_multiple_of(B::PATIENCE) && halted() {
                return Found::Halted;
            }
            let fresh = ends.len();
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
                    return Found::Enough(sure);
                }
                if played.finished {
                    let rest = law.remaining(&played.board);
                    let value = gain + if played.again { rest } else { -rest };
                    if value >= target {
                        return Found::Enough(value);
                    }
                    settled = settled.max(Some(value));
                } else if most < target {
                    settled = settled.max(Some(most));
                } else if let Some(tables) = tables.filter(|_| left <= table_layer) {
                    let Some(spot) = played.board.spot(tables) else { return Found::Damage };
                    tables.prefetch(spot);
                    self.known.push(InTable { spot, gain, again: played.again });
                } else if !played.again || reach == Reach::Moves {
                    let Played { board, again, .. } = played;
                    if !again
                        && need <= FEW
                        && ends.len() - base >= SEVERAL
                        && let Some(banked) = banks(law, board, need, &mut self.moves)
                    {
                        settled = settled.max(Some(layer - 2 * banked));
                        continue;
                    }
                    let place = place_of(&board, left);
                    ends.push(End { board, gain, again, promise: 0, place, bounds });
                } else if self.seen.insert(played.board) {
                    let place = place_of(&played.board, left);
                    self.pending.push((played.board, gain, place));
                }
            }
            // The board with the move nearest to the store is followed next.
            self.pending[start..].reverse();
            if let Some(tables) = tables {
                for known in self.known.drain(..) {
                    let Some(value) = tables.read(known.spot).map(i64::from) else {
                        return Found::Damage;
                    };
                    let value = known.gain + if known.again { value } else { -value };
                    if value >= target {
                        return Found::Enough(value);
                    }
                    settled = settled.max(Some(value));
                }
            }
            for end in &mut ends[fresh..] {
                let is_far = tables.is_none() || layer - end.gain > table_layer + FAR;
                if let Some(bounds) =
                    end.place.filter(|_| is_far).and_then(|place| memory.get(place))
                {
                    end.bounds = bounds;
                    if end.sure() >= target {
                        return Found::Enough(end.sure());
                    }
                }
            }
        }
        // Only those that are not known to be too little are put in order.
        let mut open = base;
        for index in base..ends.len() {
            let mut end = ends[index];
            if end.most() < target {
                settled = settled.max(Some(end.most()));
                continue;
            }
            // To move again is better than to leave the same board to the opponent.
            let left_behind = if end.again { end.board.flip() } else { end.board };
            let bonus = if end.again { AGAIN } else { 0 };
            end.promise = bonus + promise(law, estimate, &left_behind, end.gain);
            ends[open] = end;
            open += 1;
        }
        ends.truncate(open);
        let fresh = &mut ends[base..];
        fresh.sort_unstable_by_key(|end| (Reverse(end.promise), end.board));
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

/// What is remembered of ends is asked at once where they have so many seeds more than the tables:
/// one that is known to be enough saves much. Below that hardly any is known, and waiting for the
/// memory would be a good part of a node's time; there it is asked when an end is tried.
const FAR: i64 = 6;

/// What moving again promises, beside the rest.
const AGAIN: i64 = 64;

/// How good it looks for a mover to have gained so much and left this board to the opponent.
///
/// Seeds in the store count most. An opponent with few moves, few of them into the store, and few
/// seeds, above all next to it, has least to answer with; and seeds opposite an empty house of the
/// mover's may be captured. An estimate of the board refines that, but only so far: what is cheap
/// to search counts too. The weights are those that needed the fewest nodes over a dozen games.
pub(crate) fn promise<B: Ranked>(
    law: &Law<B>,
    estimate: Option<&Estimator>,
    board: &B,
    gain: i64,
) -> i64 {
    let houses = law.houses();
    let Looks { moves, agains, mut prey } = board.looks(houses);
    if !matches!(law.rules().capture, Capture::Standard | Capture::Empty) {
        prey = 0;
    }
    let near = board.seeds(houses - 1) as i64;
    let theirs = board.own_seeds() as i64;
    let looks = 32 * gain - 8 * moves - 6 * agains - 2 * near - 2 * theirs + 3 * prey;
    match estimate {
        Some(estimate) => 4 * looks + 96 * gain - estimate.of(board),
        None => looks,
    }
}

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
