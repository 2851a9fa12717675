//! Searching all plays of a solitaire.
//!
//! Every play puts a stone into the Ruma, so that no position comes back: the positions reachable
//! from a board are a finite tree with joins, and every search here ends.

use crate::board::Board;
use crate::game::{Leg, Variant};
use crate::pack::{Packer, WordMap};

/// The most positions that a search keeps unless told otherwise.
pub const DEFAULT_LIMIT: usize = 10_000_000;

/// Why a search gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Positions of this board do not fit the search's words.
    #[error(
        "{bins} bins with {stones} stones are too many to search: bins times binary digits of the \
         stones should be at most {bits}, as in 8 bins with 40 stones"
    )]
    TooLarge {
        /// The bins of the board.
        bins: usize,
        /// The stones of the board.
        stones: u64,
        /// The binary digits that this search has for a board.
        bits: u32,
    },
    /// The search met more positions than it may keep, and gave up.
    #[error("the search met more than {limit} positions and gave up")]
    Limit {
        /// How many positions it may keep.
        limit: usize,
    },
}

fn packer(board: &Board) -> Result<Packer, SearchError> {
    let (bins, stones) = (board.len(), board.stones());
    Packer::new(bins, stones).ok_or(SearchError::TooLarge { bins, stones, bits: 128 })
}

/// How long a play is: its moves, and the sowings of all its moves together. Fewer moves are
/// shorter; of equally many moves, fewer sowings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length {
    /// First pick-ups.
    pub moves: u64,
    /// All pick-ups.
    pub sowings: u64,
}

/// Everything there is to know of the winning plays of a board.
///
/// ```
/// use sowing_solitaire::{WinAnalysis, DEFAULT_LIMIT, Variant};
///
/// let board = "4,7,0,2".parse().unwrap();
/// let analysis = WinAnalysis::new(Variant::WRAPPING, board, DEFAULT_LIMIT)?;
/// assert!(analysis.winnable());
/// assert_eq!(analysis.shortest().unwrap()[..2], [2, 1]);
/// # Ok::<(), sowing_solitaire::SearchError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WinAnalysis {
    variant: Variant,
    board: Board,
    packer: Packer,
    values: WordMap<Value>,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    /// The number of winning plays; `u128::MAX` and above are `None`.
    plays: Option<u128>,
    shortest: Length,
    longest: Length,
}

const LOST: Value = Value {
    plays: Some(0),
    shortest: Length { moves: u64::MAX, sowings: u64::MAX },
    longest: Length { moves: 0, sowings: 0 },
};

impl Value {
    fn won(&self) -> bool {
        self.plays != Some(0)
    }
}

impl WinAnalysis {
    /// Searches all plays of the board.
    pub fn new(variant: Variant, board: Board, limit: usize) -> Result<WinAnalysis, SearchError> {
        let packer = packer(&board)?;
        let mut values = WordMap::default();
        let start = packer.pack(board.bins());
        values.insert(start, LOST);
        let mut words = vec![(board.stones(), start)];
        let (mut bins, mut next) = (Vec::new(), Vec::new());
        let mut cursor = 0;
        while let Some(&(stones, word)) = words.get(cursor) {
            cursor += 1;
            packer.unpack(word, &mut bins);
            for bin in 1..=bins.len() {
                next.clone_from(&bins);
                if let Ok(home) = variant.play(&mut next, bin, |_| ()) {
                    let word = packer.pack(&next);
                    if values.insert(word, LOST).is_none() {
                        if words.len() >= limit {
                            return Err(SearchError::Limit { limit });
                        }
                        words.push((stones - home, word));
                    }
                }
            }
        }
        // Every play takes stones off the board, so the fewest stones come first.
        words.sort_unstable_by_key(|&(stones, _)| stones);
        for &(stones, word) in &words {
            let value = if stones == 0 {
                let none = Length { moves: 0, sowings: 0 };
                Value { plays: Some(1), shortest: none, longest: none }
            } else {
                packer.unpack(word, &mut bins);
                evaluate(variant, packer, &bins, &mut next, &values)
            };
            values.insert(word, value);
        }
        Ok(WinAnalysis { variant, board, packer, values })
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The game.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The positions that were looked at.
    pub fn positions(&self) -> usize {
        self.values.len()
    }

    /// Whether some play clears the board.
    pub fn winnable(&self) -> bool {
        self.root().won()
    }

    /// The number of winning plays: sequences of bins. `None` if it outgrows a `u128`.
    pub fn plays(&self) -> Option<u128> {
        self.root().plays
    }

    /// The length of a shortest winning play.
    pub fn shortest_length(&self) -> Option<Length> {
        self.winnable().then_some(self.root().shortest)
    }

    /// The length of a longest winning play.
    pub fn longest_length(&self) -> Option<Length> {
        self.winnable().then_some(self.root().longest)
    }

    /// A winning play of the fewest moves, and of these one of the fewest sowings; the nearest bins
    /// where there is a choice.
    pub fn shortest(&self) -> Option<Vec<usize>> {
        self.follow(|value| value.shortest)
    }

    /// A winning play of the most moves, and of these one of the most sowings; the nearest bins
    /// where there is a choice.
    pub fn longest(&self) -> Option<Vec<usize>> {
        self.follow(|value| value.longest)
    }

    /// Every winning play, nearest bins first.
    pub fn all(&self) -> Plays<'_> {
        let start = self.winnable().then(|| (self.board.bins().to_vec(), 1));
        Plays { analysis: self, stack: start.into_iter().collect(), path: Vec::new(), done: false }
    }

    fn root(&self) -> &Value {
        &self.values[&self.packer.pack(self.board.bins())]
    }

    fn value(&self, bins: &[u64]) -> &Value {
        &self.values[&self.packer.pack(bins)]
    }

    fn follow(&self, length: impl Fn(&Value) -> Length) -> Option<Vec<usize>> {
        if !self.winnable() {
            return None;
        }
        let mut bins = self.board.bins().to_vec();
        let mut wanted = length(self.root());
        let mut play = Vec::new();
        while wanted.moves > 0 {
            let (bin, next, sowings) = (1..=bins.len())
                .filter_map(|bin| {
                    let mut next = bins.clone();
                    let mut sowings = 0;
                    self.variant.play(&mut next, bin, |_| sowings += 1).ok()?;
                    Some((bin, next, sowings))
                })
                .find(|(_, next, sowings)| {
                    let value = self.value(next);
                    let rest = length(value);
                    value.won()
                        && rest.moves + 1 == wanted.moves
                        && rest.sowings + sowings == wanted.sowings
                })?;
            play.push(bin);
            wanted = Length { moves: wanted.moves - 1, sowings: wanted.sowings - sowings };
            bins = next;
        }
        Some(play)
    }
}

fn evaluate(
    variant: Variant,
    packer: Packer,
    bins: &[u64],
    next: &mut Vec<u64>,
    values: &WordMap<Value>,
) -> Value {
    let mut value = LOST;
    for bin in 1..=bins.len() {
        next.clear();
        next.extend_from_slice(bins);
        let mut sowings = 0;
        if variant.play(next, bin, |_| sowings += 1).is_err() {
            continue;
        }
        let after = &values[&packer.pack(next)];
        if !after.won() {
            continue;
        }
        let add =
            |length: Length| Length { moves: length.moves + 1, sowings: length.sowings + sowings };
        value.plays = value.plays.zip(after.plays).and_then(|(a, b)| a.checked_add(b));
        value.shortest = value.shortest.min(add(after.shortest));
        value.longest = value.longest.max(add(after.longest));
    }
    value
}

/// The winning plays of a board, nearest bins first. Made by [`WinAnalysis::all`].
#[derive(Clone, Debug)]
pub struct Plays<'a> {
    analysis: &'a WinAnalysis,
    /// The positions on the way, each with the bin to try next.
    stack: Vec<(Vec<u64>, usize)>,
    path: Vec<usize>,
    done: bool,
}

impl Iterator for Plays<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        if self.done {
            return None;
        }
        while let Some((bins, bin)) = self.stack.last_mut() {
            if bins.iter().all(|&stones| stones == 0) {
                let play = self.path.clone();
                self.stack.pop();
                self.path.pop();
                self.done = self.stack.is_empty();
                return Some(play);
            }
            if *bin > bins.len() {
                self.stack.pop();
                self.path.pop();
                continue;
            }
            let (played, mut next) = (*bin, bins.clone());
            *bin += 1;
            let variant = self.analysis.variant;
            if variant.play(&mut next, played, |_| ()).is_ok() && self.analysis.value(&next).won() {
                self.path.push(played);
                self.stack.push((next, 1));
            }
        }
        self.done = true;
        None
    }
}

/// What a sequence of plays amounts to, order forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// How often each bin starts a move: the move vector `m`.
    pub moves: Vec<u64>,
    /// How many full laps are sown from each bin: the wrap vector `w`.
    pub wraps: Vec<u64>,
    /// The sowings, in order.
    pub legs: Vec<Vec<Leg>>,
    /// The board after each move.
    pub boards: Vec<Vec<u64>>,
}

/// Plays the bins in order and counts what was played.
///
/// # Panics
/// If a play does not end in the Ruma.
pub fn tally(variant: Variant, board: &Board, plays: &[usize]) -> Tally {
    let mut bins = board.bins().to_vec();
    let mut tally = Tally {
        moves: vec![0; bins.len()],
        wraps: vec![0; bins.len()],
        legs: Vec::new(),
        boards: Vec::new(),
    };
    for &bin in plays {
        let mut legs = Vec::new();
        variant.play(&mut bins, bin, |leg| legs.push(leg)).expect("the play ends in the Ruma");
        tally.moves[bin - 1] += 1;
        for leg in &legs {
            tally.wraps[leg.from - 1] += leg.laps;
        }
        tally.legs.push(legs);
        tally.boards.push(bins.clone());
    }
    tally
}
