//! Checking a book against the rules and against itself.

use sowing_rules::{Board, Bounds, CompactBoard, CompiledRules};

use super::book::Book;
use crate::entry::Entry;

/// What a check of a book found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookCheck {
    /// Entries that follow from the rules and the other entries.
    pub follow: usize,
    /// Entries that other entries bear out in part.
    pub partly: usize,
    /// Entries none of whose moves leads to another: the edge of the book.
    pub alone: usize,
    /// Entries that contradict others, in words.
    pub wrong: Vec<String>,
}

impl Book {
    /// Whether each entry follows from the rules and from the other entries.
    pub fn check(&self) -> BookCheck {
        let rules: CompiledRules<CompactBoard> = CompiledRules::new(&self.family.game());
        let mut check = BookCheck::default();
        for entry in &self.entries {
            let board = self.indices.board(entry.index);
            let (implied, known) = self.implied(&rules, &board);
            let ours = entry.bounds();
            if ours.intersect(implied).is_none() {
                check.wrong.push(self.contradiction(&board, ours, implied).to_string());
            } else if ours.low <= implied.low && implied.high <= ours.high {
                check.follow += 1;
            } else if known {
                check.partly += 1;
            } else {
                check.alone += 1;
            }
        }
        check
    }

    /// The bounds that a board's moves give it, and whether anything is known of one of them.
    fn implied(&self, rules: &CompiledRules<CompactBoard>, board: &CompactBoard) -> (Bounds, bool) {
        let seeds = board.layer() as i64;
        let (mut bounds, mut any) = (Bounds { low: -seeds, high: -seeds }, false);
        for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
            let played = rules.play_unchecked(*board, slot);
            let left = played.board.layer() as i64;
            let (known, is_known) = if played.finished {
                let rest = rules.remaining(&played.board);
                (Bounds::exact(rest), true)
            } else {
                let entry = self.get(&played.board);
                (entry.map_or(Bounds::from_layer(left), Entry::bounds), entry.is_some())
            };
            let Bounds { low, high } = known.to_mover(played.again);
            let gain = played.gain as i64;
            bounds.low = bounds.low.max(low + gain);
            bounds.high = bounds.high.max(high + gain);
            any |= is_known;
        }
        (bounds, any)
    }
}
