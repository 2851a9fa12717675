//! The analysis of a position: findings that only ever tighten.

use std::time::Duration;

use serde::Serialize;
use sowing::{Game, Move, Playthrough, Position, Side};
use sowing_solver::{Bounds, SolveError, Solver, Until};

use crate::known::{Known, words};
use crate::plan::Plan;

/// What is to be found out.
#[derive(Clone, Copy, Debug)]
pub struct Wants {
    /// [`Until::Value`], or [`Until::Outcome`] for win, draw or loss only.
    pub until: Until,
    /// What every move is worth.
    pub moves: bool,
    /// What every whole turn is worth.
    pub turns: bool,
    /// One perfect continuation.
    pub line: bool,
    /// When to give up; what is proven by then is the answer. Without, the solver's own clock
    /// holds.
    pub time: Option<Duration>,
    /// Lets all moves have their share of the time in turn, starting with so much, and more in
    /// every round. Without, each is finished before the next, which takes the least work and the
    /// same in every run.
    pub share: Option<Duration>,
}

impl Default for Wants {
    /// The value of the position and of every move, however long it takes.
    fn default() -> Wants {
        let until = Until::Value;
        Wants { until, moves: true, turns: false, line: false, time: None, share: None }
    }
}

/// Where answers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules alone: the game is over.
    Rules,
    /// A book: it has the position's value. Moves that it lacks were searched.
    Book,
    /// Endgame tables.
    Table,
    /// A search, whatever it looked up.
    Search,
}

/// What is known of a position.
///
/// While it grows, what is proven only ever tightens; an estimate gives way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Analysis {
    /// The game.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "kalah(6,4)"))]
    pub game: Game,
    /// The position, as the mover sees it.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "1,1,0|1,1,0"))]
    pub position: Position,
    /// The row that is to move; `null` once the game is over.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<crate::schema::Side>))]
    pub to_move: Option<Side>,
    /// What it is worth.
    #[serde(flatten)]
    pub known: Known,
    /// The same in plain words.
    pub words: String,
    /// What a short look ahead makes of it: a guess at the mover's margin, proven by nothing. It
    /// lies within what is proven.
    #[cfg_attr(feature = "schema", schema(required))]
    pub estimate: Option<i64>,
    /// A whole turn that gets the value, or as much as is proven. It comes with the value: one is
    /// not told without the other.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Vec<String>>))]
    pub best: Option<Vec<Move>>,
    /// What every move is worth, best first; left out where it was not asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveFound>,
    /// What every whole turn is worth, best first; left out where it was not asked for or not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<TurnFound>>,
    /// A perfect continuation, turn by turn; left out where it was not asked for or not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Vec<String>>>))]
    pub line: Option<Vec<Vec<Move>>>,
    /// Whether everything that was asked for was found. If not, a limit ended the search.
    pub complete: bool,
    /// Positions looked at.
    pub nodes: u64,
    /// Time taken.
    pub seconds: f64,
    /// Where it comes from.
    pub source: Source,
}

/// What is known of a move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MoveFound {
    /// The move: a house's number, or x for a swap.
    #[serde(rename = "move")]
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "3"))]
    pub action: Move,
    /// What the mover gets after it.
    #[serde(flatten)]
    pub known: Known,
    /// Whether the mover moves again after it.
    pub again: bool,
    /// What a short look ahead makes of it: a guess at the mover's margin, within what is proven.
    #[cfg_attr(feature = "schema", schema(required))]
    pub estimate: Option<i64>,
}

/// What is known of a whole turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TurnFound {
    /// The moves, shortest way to its end.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub moves: Vec<Move>,
    /// What the mover gets after it.
    #[serde(flatten)]
    pub known: Known,
}

/// One piece of news about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "finding", rename_all = "lowercase")]
pub enum Finding {
    /// Guesses at the position and its moves. They come first, and prove nothing.
    Estimate {
        /// The mover's margin.
        estimate: i64,
        /// The moves with theirs.
        moves: Vec<MoveFound>,
    },
    /// What is proven so far of a value that is not known yet.
    Bounds {
        /// The bounds.
        #[serde(flatten)]
        known: Known,
        /// The same in words.
        words: String,
        /// A guess, within the bounds.
        #[cfg_attr(feature = "schema", schema(required))]
        estimate: Option<i64>,
        /// Positions looked at so far.
        nodes: u64,
        /// Time so far.
        seconds: f64,
    },
    /// The value, with the turn that proves it.
    Value {
        /// The value.
        #[serde(flatten)]
        known: Known,
        /// The same in words.
        words: String,
        /// The turn.
        #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
        best: Vec<Move>,
        /// Positions looked at so far.
        nodes: u64,
        /// Time so far.
        seconds: f64,
    },
    /// What is known of a move.
    Move(MoveFound),
    /// Everything, and the end.
    Done(Box<Analysis>),
}

impl Finding {
    /// The name of its kind: `estimate`, `bounds`, `value`, `move` or `done`.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Estimate { .. } => "estimate",
            Finding::Bounds { .. } => "bounds",
            Finding::Value { .. } => "value",
            Finding::Move(_) => "move",
            Finding::Done(_) => "done",
        }
    }
}

impl Analysis {
    /// What the board itself tells of the position where a game stands.
    pub fn new(play: &Playthrough) -> Analysis {
        let (position, side) = (*play.position(), play.side());
        let over = position.margin().or(play.is_endless().then(|| position.lead()));
        let bounds = match over {
            Some(margin) => Bounds { low: margin, high: margin },
            None => board_bounds(&position),
        };
        Analysis {
            game: *position.game(),
            position,
            to_move: over.is_none().then_some(side),
            known: bounds.into(),
            words: match over {
                Some(margin) => {
                    format!("The game is over: {}.", sowing::Ending::of_margin(side, margin))
                }
                None => words(&position, bounds.into(), side),
            },
            estimate: None,
            best: over.map(|_| Vec::new()),
            moves: Vec::new(),
            turns: None,
            line: None,
            complete: over.is_some(),
            nodes: 0,
            seconds: 0.0,
            source: if over.is_some() { Source::Rules } else { Source::Search },
        }
    }

    /// All there is to say of a game that is over; `None` if it is not.
    pub fn of_finished(play: &Playthrough, wants: &Wants) -> Option<Analysis> {
        let found = Analysis::new(play);
        let (line, turns) = (wants.line.then(Vec::new), wants.turns.then(Vec::new));
        found.complete.then_some(Analysis { line, turns, ..found })
    }

    /// What somebody does not know yet who was told an earlier state of the same analysis; all of
    /// it for somebody who was told nothing. `Done` comes with the last state only.
    pub fn since(&self, told: Option<&Analysis>, done: bool) -> Vec<Finding> {
        let mut news = Vec::new();
        let Analysis { nodes, seconds, known, .. } = *self;
        if let (Some(estimate), None) = (self.estimate, told.and_then(|told| told.estimate)) {
            news.push(Finding::Estimate { estimate, moves: self.moves.clone() });
        }
        let words = self.words.clone();
        let valued = |analysis: &Analysis| analysis.known.value.is_some();
        match &self.best {
            Some(best) if valued(self) => {
                if !told.is_some_and(valued) {
                    let best = best.clone();
                    news.push(Finding::Value { known, words, best, nodes, seconds });
                }
            }
            _ => {
                if told.is_none_or(|told| (told.known, told.nodes) != (known, nodes)) {
                    let estimate = self.estimate;
                    news.push(Finding::Bounds { known, words, estimate, nodes, seconds });
                }
            }
        }
        let proven = |action: Move, analysis: &Analysis| {
            let found = analysis.moves.iter().find(|found| found.action == action);
            found.map(|found| found.known)
        };
        for found in &self.moves {
            let before = told.and_then(|told| proven(found.action, told));
            // Before anything is proven of a move its estimate says more.
            let trivial = before.is_none() && found.known == self.known_of_board(found.action);
            if before != Some(found.known) && !trivial {
                news.push(Finding::Move(*found));
            }
        }
        if done {
            news.push(Finding::Done(Box::new(self.clone())));
        }
        news
    }

    /// Takes on what is proven of the position: no move is worth more, the first of the best turn
    /// as much, and the guess gives way.
    pub(crate) fn learn(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        self.known = bounds.into();
        if let Some(mover) = self.to_move {
            self.words = words(&self.position, bounds.into(), mover);
        }
        self.estimate = self.estimate.map(|estimate| estimate.clamp(bounds.low, bounds.high));
        let first = self.best.as_ref().and_then(|best| best.first().copied());
        for found in &mut self.moves {
            let Bounds { mut low, mut high } = found.known.bounds();
            high = high.min(bounds.high);
            if Some(found.action) == first {
                low = low.max(bounds.low);
            }
            if low > high {
                return Err(SolveError::Contradiction);
            }
            found.learn(Bounds { low, high });
        }
        Ok(())
    }

    /// What the board alone tells of a move.
    fn known_of_board(&self, action: Move) -> Known {
        match self.position.play(action) {
            Ok((next, report)) => as_before(report.again, board_bounds(&next)).into(),
            Err(_) => self.known,
        }
    }
}

impl MoveFound {
    pub(crate) fn learn(&mut self, bounds: Bounds) {
        self.known = bounds.into();
        self.estimate = self.estimate.map(|estimate| estimate.clamp(bounds.low, bounds.high));
    }
}

/// What a position can be worth at all.
pub(crate) fn board_bounds(position: &Position) -> Bounds {
    if let Some(margin) = position.margin() {
        return Bounds { low: margin, high: margin };
    }
    let (lead, layer) = (position.lead(), position.layer() as i64);
    // A swap may turn the lead round.
    let least = if position.pie_is_open() { -lead.abs() } else { lead };
    let most = if position.pie_is_open() { lead.abs() } else { lead };
    Bounds { low: least - layer, high: most + layer }
}

/// Bounds of the position after a move, for the one who made it; and the other way round.
pub(crate) fn as_before(again: bool, bounds: Bounds) -> Bounds {
    if again { bounds } else { -bounds }
}

/// Analyses the position where a game stands, and tells whenever more is known. The solver's switch
/// stops it.
///
/// # Panics
/// If the solver is of another game.
pub fn analyze(
    solver: &mut Solver,
    play: &Playthrough,
    wants: &Wants,
    tell: &mut dyn FnMut(&Analysis),
) -> Result<Analysis, SolveError> {
    if let Some(found) = Analysis::of_finished(play, wants) {
        tell(&found);
        return Ok(found);
    }
    let moves = if wants.moves { play.position().moves().count() as u64 } else { 0 };
    solver.expect(1 + moves);
    let in_book = |position: &Position| solver.in_book(position);
    let mut plan = Plan::new(play, wants, &in_book, solver.table_layer());
    tell(plan.found());
    while let Some(task) = plan.next(solver.is_stopped()) {
        let report = task.perform(solver, play, &mut |report| {
            plan.progress(task.id, &report);
            tell(plan.found());
        })?;
        plan.report(task.id, report)?;
        tell(plan.found());
    }
    let found = plan.close();
    tell(&found);
    Ok(found)
}
