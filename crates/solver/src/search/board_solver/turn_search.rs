//! Turns that reach a value which a board is known to have.

use std::cmp::Reverse;

use sowing_rules::Bounds;

use super::BoardSolver;
use crate::control::Control;
use crate::error::SolveError;
use crate::resources::Resources;
use crate::search::search_board::SearchBoard;
use crate::search::turn_paths::TurnPaths;

impl<B: SearchBoard> BoardSolver<B> {
    /// All turns of a live board. It fails if they do not fit the memory, or a limit is reached.
    pub(crate) fn paths(
        &self,
        board: B,
        resources: &Resources<'_>,
        control: &Control<'_>,
    ) -> Result<TurnPaths<B>, SolveError> {
        let fitting = resources.memory.turns / TurnPaths::<B>::BYTES_PER_BOARD as u64;
        let max_boards = fitting.max(1 << 12) as usize;
        TurnPaths::new(&self.rules, board, max_boards, &|| control.limits.stop_reason(0))
    }

    /// A whole turn of a live board that reaches `target`, which the board is known to be worth: the slots to
    /// play. Stored results come first: the turn is one that the proof uses, if its entry is still there.
    pub(crate) fn turn_achieving(
        &mut self,
        board: B,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let turn = match self.paths(board, resources, control) {
            Ok(paths) => self.turn_among(&paths, target, resources, control),
            Err(SolveError::TooManyTurns { .. }) => {
                self.turn_by_moves(board, target, resources, control)
            }
            Err(error) => Err(error),
        };
        self.check_tables()?;
        turn
    }

    /// The turn among those of a board.
    fn turn_among(
        &mut self,
        paths: &TurnPaths<B>,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let decided = paths.ends.iter().find(|end| match end.value {
            Some(value) => value >= target,
            None => 2 * end.gain - paths.layer >= target,
        });
        if let Some(end) = decided {
            return Ok(paths.slots(end));
        }
        let mut open = Vec::new();
        for end in paths.ends.iter().filter(|end| end.value.is_none()) {
            let left = (paths.layer - end.gain) as u64;
            let slot = self.transpositions.slot(&end.board, left);
            match slot.and_then(|slot| self.transpositions.probe(slot)) {
                Some(bounds) if end.gain - bounds.high >= target => return Ok(paths.slots(end)),
                Some(bounds) if end.gain - bounds.low < target => {}
                _ => open.push(end),
            }
        }
        open.sort_by_key(|end| Reverse(self.ordering.score(&end.board, end.gain)));
        for end in open {
            let bounds = Bounds::from_layer(paths.layer - end.gain);
            let reply = end.gain - target + 1;
            match self.test(end.board, reply, bounds, resources, control)? {
                Ok(result) if result < reply => return Ok(paths.slots(end)),
                Ok(_) => {}
                Err(reason) => return Err(SolveError::Stopped(reason)),
            }
        }
        Err(SolveError::NoSuchTurn { margin: target })
    }

    /// The same, found move by move, where the turns do not fit the memory.
    pub(super) fn turn_by_moves(
        &mut self,
        board: B,
        target: i64,
        resources: &mut Resources<'_>,
        control: &mut Control<'_>,
    ) -> Result<Vec<usize>, SolveError> {
        let (mut board, mut needed, mut slots) = (board, target, Vec::new());
        'turn: loop {
            for slot in (0..self.rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = self.rules.play_unchecked(board, slot);
                let needed_after = needed - played.gain as i64;
                let bounds = Bounds::from_layer(played.board.layer() as i64);
                let target = if played.again { needed_after } else { 1 - needed_after };
                let result = match played.finished {
                    true => Ok(self.rules.remaining(&played.board)),
                    false => self.test(played.board, target, bounds, resources, control)?,
                };
                let result = result.map_err(SolveError::Stopped)?;
                if (result >= target) != played.again {
                    continue;
                }
                slots.push(slot);
                if !played.again || played.finished {
                    return Ok(slots);
                }
                (board, needed) = (played.board, needed_after);
                continue 'turn;
            }
            return Err(SolveError::NoSuchTurn { margin: target });
        }
    }
}
