//! What each turn of a game gave away.

use std::cmp::Reverse;

use serde::Serialize;
use sowing::{Move, Playthrough, Side};
use sowing_solver::{SolveError, Solver};

use crate::best::best_turn;
use crate::known::Known;
use crate::past::value;

/// One player's moves until the other was to play, and what they were worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReviewedTurn {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// The moves of the game before it.
    pub ply: usize,
    /// The row that moved.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub side: Side,
    /// The row that the player who moved started with: another than `side` after a swap.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub player: Side,
    /// The moves.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub moves: Vec<Move>,
    /// The player's margin with perfect play before the turn.
    pub before: Known,
    /// The same after it.
    pub after: Known,
    /// The value that the turn gave away, in points of margin; `null` if it was not found.
    #[cfg_attr(feature = "schema", schema(required))]
    pub lost: Option<i64>,
    /// A turn that would have lost nothing: the one played, if it is one; `null` if it was not found.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Vec<String>>))]
    pub best: Option<Vec<Move>>,
}

/// What the players of a game gave away, by the row that they started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Lost {
    /// The player who started at South.
    pub south: i64,
    /// The player who started at North.
    pub north: i64,
}

/// The turns of a game and what each lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Review {
    /// The turns in order.
    pub turns: Vec<ReviewedTurn>,
    /// What the turns are known to have given away, in all.
    pub lost: Lost,
    /// The numbers of the turns that gave something away, the worst first; of equals the earliest.
    pub worst: Vec<usize>,
    /// Whether the value of every turn was found.
    pub complete: bool,
}

impl Review {
    /// Reviews a game, over or not, from its end to its start: late positions are the easy ones.
    /// Each is shown when it is done. The solver's clock is started anew for each turn.
    ///
    /// ```
    /// use sowing::{Move, Playthrough, Position};
    /// use sowing_analysis::Review;
    /// use sowing_solver::Solver;
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let mut play = Playthrough::new(Position::start(game));
    /// play.play(Move::house(3))?;
    /// let review = Review::of(&play, &mut Solver::new(game)?, |_| {})?;
    /// assert_eq!(review.turns[0].lost, Some(4));
    /// assert_eq!(review.turns[0].best.as_ref().unwrap()[0], Move::house(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(
        play: &Playthrough,
        solver: &mut Solver,
        mut observe: impl FnMut(&ReviewedTurn),
    ) -> Result<Review, SolveError> {
        let swap = play.plays().iter().position(|play| play.action == Move::Swap);
        let swapped = |index| swap.is_some_and(|swap| swap < index);
        let mut turns = Vec::new();
        let mut at = play.clone();
        for (index, turn) in play.turns().into_iter().enumerate().rev() {
            let (first, plays) = (turn.start, &play.plays()[turn]);
            let last = plays.last().expect("a turn has moves");
            solver.restart_clock();
            let after = value(solver, &at)?;
            let after = if last.report.again { after } else { after.negated() };
            plays.iter().for_each(|_| drop(at.undo()));
            let value_before = value(solver, &at)?;
            let lost =
                value_before.value().zip(after.value()).map(|(before, after)| before - after);
            let moves: Vec<Move> = plays.iter().map(|play| play.action).collect();
            let best = match (lost, value_before.value()) {
                (Some(0), _) => Some(moves.clone()),
                (Some(_), Some(value)) => better(solver, &at, value)?,
                _ => None,
            };
            let side = plays[0].side;
            let turn = ReviewedTurn {
                turn: index + 1,
                ply: first,
                side,
                player: if swapped(first) { !side } else { side },
                moves,
                before: value_before.into(),
                after: after.into(),
                lost,
                best,
            };
            observe(&turn);
            turns.push(turn);
        }
        turns.reverse();
        Ok(Review::sum(turns))
    }

    /// The sums of some turns of a game.
    pub fn sum(turns: Vec<ReviewedTurn>) -> Review {
        let mut lost = Lost::default();
        for turn in &turns {
            let sum = if turn.player == Side::South { &mut lost.south } else { &mut lost.north };
            *sum += turn.lost.unwrap_or(0);
        }
        let mut losing: Vec<&ReviewedTurn> =
            turns.iter().filter(|turn| turn.lost > Some(0)).collect();
        losing.sort_by_key(|turn| (Reverse(turn.lost), turn.turn));
        let worst = losing.iter().map(|turn| turn.turn).collect();
        let complete = turns.iter().all(|turn| turn.lost.is_some());
        Review { turns, lost, worst, complete }
    }

    /// The turn that gave most away; of equals the first. `None` if none is known to have.
    pub fn worst(&self) -> Option<&ReviewedTurn> {
        let number = self.worst.first()?;
        self.turns.iter().find(|turn| turn.turn == *number)
    }
}

/// A whole turn that keeps the value, if the time is enough.
fn better(
    solver: &mut Solver,
    play: &Playthrough,
    value: i64,
) -> Result<Option<Vec<Move>>, SolveError> {
    match best_turn(solver, play, value) {
        Ok(turn) => Ok(Some(turn)),
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}
