//! The value that each turn of a game lost.

use std::cmp::Reverse;

use serde::Serialize;
use sowing_rules::{Bounds, Move, Playthrough, Side};
use sowing_solver::{SolveError, Solver};

use crate::best::best_turn;
use crate::repetition::value_in_game;

/// A turn of a game with the values before and after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReviewedTurn {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// The number of moves before it.
    pub ply: usize,
    /// The row that moved.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub side: Side,
    /// The row that the player who moved started with; not `side` after a swap.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub player: Side,
    /// The moves.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub moves: Vec<Move>,
    /// The player's margin with perfect play before the turn.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
    pub before: Bounds,
    /// The same after it.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
    pub after: Bounds,
    /// The margin that the turn lost; `null` if it was not found.
    #[cfg_attr(feature = "schema", schema(required))]
    pub lost: Option<i64>,
    /// A turn that loses nothing, the one played if it does; `null` if it was not found.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Vec<String>>))]
    pub best: Option<Vec<Move>>,
}

/// The margin that each player lost, by the row that the player started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Lost {
    /// The player who started at South.
    pub south: i64,
    /// The player who started at North.
    pub north: i64,
}

/// The turns of a game and the margin that each lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Review {
    /// The turns in order.
    pub turns: Vec<ReviewedTurn>,
    /// The sums of the known losses.
    pub lost: Lost,
    /// The numbers of the turns that lost something, the worst first; of equals the earliest.
    pub worst: Vec<usize>,
    /// Whether the value of every turn was found.
    pub complete: bool,
}

impl Review {
    /// Reviews a game, finished or not, from its last turn to its first, since late positions are easier. Each
    /// reviewed turn is passed to `observe`. The solver's clock is restarted for each turn.
    ///
    /// ```
    /// use sowing_rules::{Move, Playthrough, Position};
    /// use sowing_analysis::Review;
    /// use sowing_solver::Solver;
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let mut play = Playthrough::new(Position::start(game));
    /// play.try_play(Move::house(3))?;
    /// let review = Review::from_playthrough(&play, &mut Solver::new(game)?, |_| {})?;
    /// assert_eq!(review.turns[0].lost, Some(4));
    /// assert_eq!(review.turns[0].best.as_ref().unwrap()[0], Move::house(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_playthrough(
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
            let after = value_in_game(solver, &at)?.bounds.to_mover(last.report.again);
            plays.iter().for_each(|_| drop(at.undo()));
            let value_before = value_in_game(solver, &at)?;
            let lost =
                value_before.value().zip(after.value()).map(|(before, after)| before - after);
            let moves: Vec<Move> = plays.iter().map(|play| play.action).collect();
            let best = match (lost, value_before.value()) {
                (Some(0), _) => Some(moves.clone()),
                (Some(_), Some(value)) => best_turn_in_time(solver, &at, value)?,
                _ => None,
            };
            let side = plays[0].side;
            let turn = ReviewedTurn {
                turn: index + 1,
                ply: first,
                side,
                player: if swapped(first) { !side } else { side },
                moves,
                before: value_before.bounds,
                after,
                lost,
                best,
            };
            observe(&turn);
            turns.push(turn);
        }
        turns.reverse();
        Ok(Review::from_turns(turns))
    }

    /// The review of some turns of a game.
    pub fn from_turns(turns: Vec<ReviewedTurn>) -> Review {
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

    /// The turn that lost most; of equals the first. `None` if no turn is known to lose.
    pub fn worst(&self) -> Option<&ReviewedTurn> {
        let number = self.worst.first()?;
        self.turns.iter().find(|turn| turn.turn == *number)
    }
}

/// A whole turn that keeps the value; `None` if a limit stops the search.
fn best_turn_in_time(
    solver: &mut Solver,
    play: &Playthrough,
    value: i64,
) -> Result<Option<Vec<Move>>, SolveError> {
    match best_turn(solver, play, value) {
        Ok(turn) => Ok(Some(turn)),
        Err(SolveError::Stopped(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
