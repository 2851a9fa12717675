//! A game played from its start.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::{Move, MoveReport, PlayError, Position, Side, parse_digits, quoted};

/// A game, in progress or over, with its moves and positions.
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
    /// Its steps and gain.
    pub report: MoveReport,
    /// The position after it, as the next mover sees it.
    pub after: Position,
    /// The row that is to move after it.
    pub next: Side,
}

/// The result of a game, by row. After a swap the players have changed rows.
///
/// The text form is `South wins by 8`, `North wins by 2` or `draw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side wins by this margin.
    Win(Side, u64),
    /// Both have the same number of seeds.
    Draw,
}

impl Ending {
    /// The ending with this margin for a side.
    pub fn from_margin(side: Side, margin: i64) -> Ending {
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
            Ending::Win(side, margin) => f.pad(&format!("{side} wins by {margin}")),
            Ending::Draw => f.pad("draw"),
        }
    }
}

/// Why a text is not the result of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a result is of the form South wins by 8 or draw, not {what}", what = quoted(.0))]
pub struct ParseEndingError(String);

impl FromStr for Ending {
    type Err = ParseEndingError;

    fn from_str(text: &str) -> Result<Ending, ParseEndingError> {
        let text = text.trim();
        let win = || {
            let (side, margin) = text.split_once(" wins by ")?;
            let margin = parse_digits(margin).filter(|margin| *margin > 0)?;
            Some(Ending::Win(side.parse().ok()?, margin))
        };
        let ending = if text == "draw" { Some(Ending::Draw) } else { win() };
        ending.ok_or_else(|| ParseEndingError(text.to_string()))
    }
}

impl Playthrough {
    /// A game at its start, South to move.
    pub fn new(start: Position) -> Playthrough {
        Playthrough::with_first(start, Side::South)
    }

    /// A game at its start, with the row that moves first.
    pub fn with_first(start: Position, first: Side) -> Playthrough {
        Playthrough { start, first, plays: Vec::new() }
    }

    /// The start position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The row that moves first.
    pub fn first(&self) -> Side {
        self.first
    }

    /// The moves so far.
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// The current position.
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
    ///
    /// # Panics
    /// If the move cannot be played: see [`try_play`](Self::try_play).
    #[track_caller]
    pub fn play(&mut self, action: Move) -> &Play {
        match self.try_play(action) {
            Ok(_) => self.plays.last().expect("just pushed"),
            Err(error) => panic!("{}, {action}: {error}", self.position()),
        }
    }

    /// Plays a move. It fails if the move is not legal, or the game [is endless](Self::is_endless).
    pub fn try_play(&mut self, action: Move) -> Result<&Play, PlayError> {
        if self.is_endless() {
            return Err(PlayError::Endless);
        }
        let side = self.side();
        let (after, report) = self.position().try_play(action)?;
        let stays = report.again || action == Move::Swap;
        let next = if stays { side } else { !side };
        self.plays.push(Play { side, action, report, after, next });
        Ok(self.plays.last().expect("just pushed"))
    }

    /// The turns as ranges of the [plays](Self::plays). A swap is a turn; the last turn may be incomplete.
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

    /// Undoes the last move.
    pub fn undo(&mut self) -> Option<Play> {
        self.plays.pop()
    }

    /// The result, if the game is over. In a game that [is endless](Self::is_endless) the seeds in houses do not
    /// count.
    pub fn result(&self) -> Option<Ending> {
        let position = self.position();
        let endless = || self.is_endless().then(|| position.lead());
        let margin = position.margin().or_else(endless)?;
        Some(Ending::from_margin(self.side(), margin))
    }

    /// Whether the current position has occurred for the third time, which ends the game. Only clockwise games
    /// repeat positions.
    pub fn is_endless(&self) -> bool {
        let now = (self.position(), self.side());
        if !now.0.game().rules().repeats() || now.0.is_finished() {
            return false;
        }
        let mut times = 0;
        for play in self.plays.iter().rev() {
            times += usize::from((&play.after, play.next) == now);
            // Seeds never leave a store: positions before a gain cannot repeat.
            if play.report.gain > 0 {
                return times >= 3;
            }
        }
        times + usize::from((&self.start, self.first) == now) >= 3
    }
}
