//! All turns of a position, with the moves that make them.

use sowing::Law;

use crate::error::SolveError;
use crate::rank::Ranked;
use crate::turn::BoardSet;

/// All turns of a position with the ways that lead to them, for those who want to see the moves.
#[derive(Debug)]
pub(crate) struct Paths<B> {
    /// The seeds in houses at the start.
    pub(crate) layer: i64,
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
    /// The bytes that it takes for each board that it holds, at worst: while a list or a set grows,
    /// the old one is still there; and then there are the turns that are made of it.
    pub(crate) const BYTES: usize = 3 * size_of::<PathEnd<B>>() + 6 * size_of::<(u32, B)>() + 160;

    /// All turns from a live board, of which at most so many boards may be held.
    pub(crate) fn new(
        law: &Law<B>,
        board: B,
        most: usize,
        halted: &dyn Fn() -> bool,
    ) -> Result<Paths<B>, SolveError> {
        let layer = (board.own_seeds() + board.other_seeds()) as i64;
        let mut paths = Paths { layer, steps: vec![(board, 0, 0, 0)], ends: Vec::new() };
        let (mut seen, mut ended) = (BoardSet::new(), BoardSet::new());
        let mut index = 0;
        while index < paths.steps.len() {
            if paths.steps.len() + paths.ends.len() > most {
                return Err(SolveError::TooManyTurns { most });
            }
            if (index as u64).is_multiple_of(B::PATIENCE) && halted() {
                return Err(SolveError::Stopped);
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
                } else if ended.insert(if played.again {
                    played.board.flip()
                } else {
                    played.board
                }) {
                    let end = PathEnd { board: played.board, gain, value, from: index, slot };
                    paths.ends.push(end);
                }
            }
            index += 1;
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
            let (_, _, from, slot) = self.steps[index];
            slots.push(slot);
            index = from;
        }
        slots.reverse();
        slots
    }
}
