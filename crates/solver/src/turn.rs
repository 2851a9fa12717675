//! The turns that a player can make.

use std::cmp::Reverse;

use sowing::{Capture, Law};
use sowing_tables::Tables;

use crate::estimate::Estimate;
use crate::memory::{Memory, Place, Span};
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
    /// Where the board may be remembered, and what is known of it.
    pub(crate) place: Option<Place>,
    pub(crate) span: Span,
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
struct Known<B> {
    /// The board as the next mover sees it.
    board: B,
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
    /// The turns are more than may be held, or the search was halted while they were generated.
    Broken,
}

/// What turns are generated from and looked up in.
pub(crate) struct Knowledge<'a, B: Ranked> {
    pub(crate) law: &'a Law<B>,
    pub(crate) memory: &'a Memory,
    pub(crate) tables: Option<&'a Tables>,
    pub(crate) estimate: Option<&'a Estimate>,
}

/// Generates turns, and is reused from position to position.
#[derive(Debug)]
pub(crate) struct Turns<B> {
    seen: BoardSet<B>,
    pending: Vec<(B, i64, Option<Place>)>,
    known: Vec<Known<B>>,
    /// The most boards that the turns of one position may reach.
    most: usize,
    /// Moves played.
    pub(crate) moves: u64,
    /// Positions whose moves were generated.
    pub(crate) nodes: u64,
}

impl<B: Ranked> Turns<B> {
    /// A generator that holds about this many bytes at most (but never too little to work).
    pub(crate) fn new(memory: u64) -> Turns<B> {
        let each = 4 * size_of::<(u32, B)>() + 2 * size_of::<End<B>>();
        let most = (memory / each as u64).max(1 << 16) as usize;
        Turns {
            seen: BoardSet::new(),
            pending: Vec::new(),
            known: Vec::new(),
            most,
            moves: 0,
            nodes: 0,
        }
    }

    /// Pushes every distinct board in which a turn from this live position can pass to the
    /// opponent, richest first, unless some turn reaches the target all by itself: whatever the
    /// opponent then does with the seeds that are left. Boards that
    /// the tables know are looked up and not followed, whoever is to move there; what is remembered
    /// of the others may be enough too.
    pub(crate) fn generate(
        &mut self,
        known: &Knowledge<'_, B>,
        board: B,
        target: i64,
        ends: &mut Vec<End<B>>,
        ways: &mut Vec<Way>,
        halted: &dyn Fn() -> bool,
    ) -> Found {
        let Knowledge { law, memory, tables, estimate } = *known;
        let base = ends.len();
        let level = (board.own_seeds() + board.other_seeds()) as i64;
        let lost = law.rules().remaining_lost;
        let table_level = tables.map_or(0, |tables| i64::from(tables.max_level()));
        let mut settled = None;
        self.seen.clear();
        self.pending.clear();
        self.known.clear();
        self.pending.push((board, 0, None));
        while let Some((board, before, place)) = self.pending.pop() {
            if let Some(place) = place {
                if let Some(span) = memory.get(place) {
                    if before + span.low >= target {
                        return Found::Enough(before + span.low);
                    }
                    if before + span.high < target {
                        settled = settled.max(Some(before + span.high));
                        continue;
                    }
                }
                ways.push(Way { place, gain: before });
            }
            self.nodes += 1;
            let held = self.seen.count + ends.len() - base;
            if held > self.most || self.nodes.is_multiple_of(1 << 14) && halted() {
                return Found::Broken;
            }
            let fresh = ends.len();
            let start = self.pending.len();
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
                    settled = settled.max(Some(value));
                } else if level - gain <= table_level {
                    self.known.push(Known { board: played.board, gain, again: played.again });
                } else if !played.again {
                    let promise = promise(law, estimate, &played.board, gain);
                    let left = level - gain;
                    let place = memory.place(&played.board, left as u64);
                    if let Some(place) = place {
                        memory.prefetch(place);
                    }
                    let span = Span { low: -left, high: left };
                    ends.push(End { board: played.board, gain, promise, place, span });
                } else if self.seen.insert(played.board) {
                    let place = memory.place(&played.board, (level - gain) as u64);
                    if let Some(place) = place {
                        memory.prefetch(place);
                    }
                    self.pending.push((played.board, gain, place));
                }
            }
            // The board with the move nearest to the store is followed next.
            self.pending[start..].reverse();
            for end in &mut ends[fresh..] {
                if let Some(span) = end.place.and_then(|place| memory.get(place)) {
                    end.span = span;
                    if end.gain - span.high >= target {
                        return Found::Enough(end.gain - span.high);
                    }
                }
            }
            if let Some(tables) = tables {
                // All are asked for before the first is read.
                self.known.iter().for_each(|known| known.board.prefetch(tables));
                for known in self.known.drain(..) {
                    let Some(value) = known.board.look_up(tables).map(i64::from) else {
                        return Found::Damage;
                    };
                    let value = known.gain + if known.again { value } else { -value };
                    if value >= target {
                        return Found::Enough(value);
                    }
                    settled = settled.max(Some(value));
                }
            }
        }
        let fresh = &mut ends[base..];
        fresh.sort_unstable_by_key(|end| (Reverse(end.promise), end.board));
        dedup_tail(ends, base);
        Found::Ends(settled)
    }
}

/// All turns of a position with the ways that lead to them, for those who want to see the moves.
#[derive(Debug)]
pub(crate) struct Paths<B> {
    /// The seeds in houses at the start.
    pub(crate) level: i64,
    /// Boards where the mover moves (again): the board before, and the slot played there.
    steps: Vec<(B, i64, usize, usize)>,
    /// Where turns end, in the order of their shortest ways.
    pub(crate) ends: Vec<PathEnd<B>>,
}

/// The end of a turn.
#[derive(Debug)]
pub(crate) struct PathEnd<B> {
    /// The board as the opponent sees it, unless the game is over.
    pub(crate) board: B,
    /// What the turn brought to the mover's store.
    pub(crate) gain: i64,
    /// The margin out of the houses, if the game is over.
    pub(crate) value: Option<i64>,
    from: usize,
    slot: usize,
}

impl<B: Ranked> Paths<B> {
    /// All turns from a board; `None` if they pass through more boards than may be held.
    pub(crate) fn new(law: &Law<B>, board: B, most: usize) -> Option<Paths<B>> {
        let level = (board.own_seeds() + board.other_seeds()) as i64;
        let mut paths = Paths { level, steps: vec![(board, 0, 0, 0)], ends: Vec::new() };
        let (mut seen, mut ended) = (BoardSet::new(), BoardSet::new());
        let mut index = 0;
        while index < paths.steps.len() {
            if paths.steps.len() + paths.ends.len() > most {
                return None;
            }
            let (board, before, ..) = paths.steps[index];
            for slot in (0..law.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = law.play(board, slot);
                let gain = before + played.gain as i64;
                let rest = law.remaining(&played.board);
                let value = played.finished.then(|| gain + if played.again { rest } else { -rest });
                if value.is_none() && played.again {
                    if seen.insert(played.board) {
                        paths.steps.push((played.board, gain, index, slot));
                    }
                } else if played.finished || ended.insert(played.board) {
                    let end = PathEnd { board: played.board, gain, value, from: index, slot };
                    paths.ends.push(end);
                }
            }
            index += 1;
        }
        Some(paths)
    }

    /// The slots that lead to an end.
    pub(crate) fn slots(&self, end: &PathEnd<B>) -> Vec<usize> {
        let mut slots = vec![end.slot];
        let mut index = end.from;
        while index > 0 {
            let (_, _, from, slot) = self.steps[index];
            slots.push(slot);
            index = from;
        }
        slots.reverse();
        slots
    }
}

/// How good it looks for a mover to have gained so much and left this board to the opponent.
///
/// Seeds in the store count most. An opponent with few moves, few of them into the store, and few
/// seeds, above all next to it, has least to answer with; and seeds opposite an empty house of the
/// mover's may be captured. An estimate of the board refines that, but only so far: what is cheap
/// to search counts too. The weights are those that needed the fewest nodes over a dozen games.
pub(crate) fn promise<B: Ranked>(
    law: &Law<B>,
    estimate: Option<&Estimate>,
    board: &B,
    gain: i64,
) -> i64 {
    let houses = law.houses();
    let (mut moves, mut agains, mut prey) = (0, 0, 0);
    for slot in board.near_first(houses) {
        moves += 1;
        let seeds = board.seeds(slot);
        agains += i64::from(seeds == (houses - slot) as u64);
        if board.seeds(B::ROW + houses - 1 - slot) == 0 {
            prey += seeds as i64;
        }
    }
    if !matches!(law.rules().capture, Capture::Standard | Capture::Empty) {
        prey = 0;
    }
    let near = board.seeds(houses - 1) as i64;
    let theirs = board.own_seeds() as i64;
    let looks = 32 * gain - 8 * moves - 6 * agains - 2 * near - 2 * theirs + 3 * prey;
    match estimate {
        Some(estimate) => 6 * looks + 128 * gain - estimate.of(board),
        None => looks,
    }
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
