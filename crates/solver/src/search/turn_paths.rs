//! All turns of a position, with the moves that make them.

use sowing_rules::CompiledRules;

use super::board_set::BoardSet;
use super::search_board::SearchBoard;
use crate::control::StopReason;
use crate::error::SolveError;

/// All turns of a position, and the shortest path of moves to each.
#[derive(Debug)]
pub(crate) struct TurnPaths<B> {
    /// The seeds in houses at the start.
    pub(crate) layer: i64,
    /// The boards within turns, the start first.
    steps: Vec<PathStep<B>>,
    /// The ends of turns, in the order of their paths.
    pub(crate) ends: Vec<PathEnd<B>>,
}

/// A board where the mover moves (again).
#[derive(Debug)]
struct PathStep<B> {
    board: B,
    gain: i64,
    /// The step before it, and the slot played there.
    from: usize,
    slot: usize,
}

/// The end of a turn.
#[derive(Debug)]
pub(crate) struct PathEnd<B> {
    /// The board as the opponent sees it, unless the game is over.
    pub(crate) board: B,
    /// The mover's gain.
    pub(crate) gain: i64,
    /// The mover's value, if the game is over.
    pub(crate) value: Option<i64>,
    from: usize,
    slot: usize,
}

impl<B: SearchBoard> TurnPaths<B> {
    /// The most bytes per board: lists and sets that grow are there twice, and [`all`](Self::all) adds the slots of
    /// each turn.
    pub(crate) const BYTES_PER_BOARD: usize =
        3 * size_of::<PathEnd<B>>() + 6 * size_of::<(u32, B)>() + 160;

    /// All turns of a live board. It fails if they pass through more than `max_boards` boards, and where
    /// `stop_reason` gives a reason.
    pub(crate) fn new(
        rules: &CompiledRules<B>,
        board: B,
        max_boards: usize,
        stop_reason: &dyn Fn() -> Option<StopReason>,
    ) -> Result<TurnPaths<B>, SolveError> {
        let (layer, start) = (board.layer() as i64, PathStep { board, gain: 0, from: 0, slot: 0 });
        let mut paths = TurnPaths { layer, steps: vec![start], ends: Vec::new() };
        let (mut seen, mut ended) = (BoardSet::new(), BoardSet::new());
        let mut from = 0;
        while from < paths.steps.len() {
            if paths.steps.len() + paths.ends.len() > max_boards {
                return Err(SolveError::TooManyTurns { most: max_boards });
            }
            if (from as u64).is_multiple_of(B::NODES_PER_CLOCK_CHECK)
                && let Some(reason) = stop_reason()
            {
                return Err(SolveError::Stopped(reason));
            }
            let PathStep { board, gain: before, .. } = paths.steps[from];
            for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = rules.play_unchecked(board, slot);
                let gain = before + played.gain as i64;
                let value = || before + played.to_mover(rules.remaining(&played.board));
                let value = played.finished.then(value);
                let to_opponent = if played.again { played.board.flip() } else { played.board };
                if value.is_none() && played.again {
                    if seen.insert(played.board) {
                        paths.steps.push(PathStep { board: played.board, gain, from, slot });
                    }
                } else if ended.insert(to_opponent) {
                    paths.ends.push(PathEnd { board: played.board, gain, value, from, slot });
                }
            }
            from += 1;
        }
        Ok(paths)
    }

    /// The slots of every turn.
    pub(crate) fn all(&self) -> Vec<Vec<u8>> {
        let slots = |end| self.slots(end).into_iter().map(|slot| slot as u8).collect();
        self.ends.iter().map(slots).collect()
    }

    /// The slots that lead to an end.
    pub(crate) fn slots(&self, end: &PathEnd<B>) -> Vec<usize> {
        let mut slots = vec![end.slot];
        let mut index = end.from;
        while index > 0 {
            let PathStep { from, slot, .. } = self.steps[index];
            slots.push(slot);
            index = from;
        }
        slots.reverse();
        slots
    }
}
