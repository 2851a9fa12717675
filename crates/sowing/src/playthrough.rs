//! A game played from its start: every move legal, every position known.

use std::fmt;
use std::ops::Range;

use crate::{Move, MoveReport, PlayError, Position, Side};

/// A game in progress or over, with all that led there.
#[derive(Clone, Debug)]
pub struct Playthrough {
    start: Position,
    /// The row that moves first.
    first: Side,
    plays: Vec<Play>,
}

/// One move of a [`Playthrough`].
#[derive(Clone, Debug)]
pub struct Play {
    /// The row that moved.
    pub side: Side,
    /// The move.
    pub action: Move,
    /// What happened.
    pub report: MoveReport,
    /// The position after it, as the next mover sees it.
    pub after: Position,
    /// The row that is to move after it.
    pub next: Side,
}

/// How a game ended, by row. After a swap the players have changed rows.
///
/// The text form is `South wins by 8`, `North wins by 2` or `draw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side's final seeds exceed the other's by this much.
    Win(Side, u64),
    /// Both have the same.
    Draw,
}

impl Ending {
    /// The outcome with this margin for a side.
    pub fn of_margin(side: Side, margin: i64) -> Ending {
        match margin {
            0 => Ending::Draw,
            1.. => Ending::Win(side, margin.unsigned_abs()),
            _ => Ending::Win(!side, margin.unsigned_abs()),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Win(side, margin) => write!(f, "{side} wins by {margin}"),
            Ending::Draw => f.write_str("draw"),
        }
    }
}

impl Playthrough {
    /// A game of which nothing has been played. South is to move.
    pub fn new(start: Position) -> Playthrough {
        Playthrough::with_first(start, Side::South)
    }

    /// A game of which nothing has been played, and this row is to move.
    pub fn with_first(start: Position, first: Side) -> Playthrough {
        Playthrough { start, first, plays: Vec::new() }
    }

    /// Where the game started.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves so far.
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// Where the game stands.
    pub fn position(&self) -> &Position {
        self.plays.last().map_or(&self.start, |play| &play.after)
    }

    /// The row that is to move.
    pub fn side(&self) -> Side {
        self.plays.last().map_or(self.first, |play| play.next)
    }

    /// Whether the players have changed rows.
    pub fn swapped(&self) -> bool {
        self.plays.iter().any(|play| play.action == Move::Swap)
    }

    /// Plays a move.
    pub fn play(&mut self, action: Move) -> Result<&Play, PlayError> {
        if self.is_endless() {
            return Err(PlayError::Endless);
        }
        let side = self.side();
        let (after, report) = self.position().play(action)?;
        let stays = report.again || action == Move::Swap;
        let next = if stays { side } else { !side };
        self.plays.push(Play { side, action, report, after, next });
        Ok(self.plays.last().expect("just pushed"))
    }

    /// The turns: which of the [plays](Self::plays) are each one's. A swap is a turn, and the last may
    /// not be at its end.
    pub fn turns(&self) -> Vec<Range<usize>> {
        let mut turns = Vec::new();
        let mut first = 0;
        for (play, end) in self.plays.iter().zip(1..) {
            if !play.report.again || play.report.finished || end == self.plays.len() {
                turns.push(first..end);
                first = end;
            }
        }
        turns
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Play> {
        self.plays.pop()
    }

    /// How the game ended, if it did: by its rules, or because it [is endless](Self::is_endless), and
    /// the seeds in houses count for nobody.
    pub fn result(&self) -> Option<Ending> {
        let position = self.position();
        let endless = || self.is_endless().then(|| position.lead());
        let margin = position.margin().or_else(endless)?;
        Some(Ending::of_margin(self.side(), margin))
    }

    /// Whether play goes round in a circle: the position has come up for the third time. Only
    /// clockwise games can do that, and such a game is given up.
    pub fn is_endless(&self) -> bool {
        let now = (self.position(), self.side());
        if !now.0.game().rules().repeats() || now.0.is_finished() {
            return false;
        }
        let mut times = 0;
        for play in self.plays.iter().rev() {
            times += usize::from((&play.after, play.next) == now);
            // Seeds never leave a store: what stood before a gain cannot stand again.
            if play.report.gain > 0 {
                return times >= 3;
            }
        }
        times + usize::from((&self.start, self.first) == now) >= 3
    }
}
