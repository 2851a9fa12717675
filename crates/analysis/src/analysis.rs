//! The analysis of a position: proven bounds that only tighten.

use std::time::Duration;

use serde::Serialize;
use sowing_rules::{Bounds, Ending, Game, Move, Playthrough, Position, Side};
use sowing_solver::{Goal, SolveError, Solver, StopReason};

use crate::describe::describe_value;
use crate::plan::Plan;

/// The requested results and the limits of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisOptions {
    /// [`Goal::Value`], or [`Goal::Outcome`] for win, draw or loss only.
    pub goal: Goal,
    /// Whether to find the value of every move.
    pub moves: bool,
    /// Whether to find the value of every whole turn.
    pub turns: bool,
    /// Whether to find a perfect continuation.
    pub line: bool,
    /// The time limit; bounds proven by then are kept. `None` leaves the solver's own limit.
    pub time: Option<Duration>,
    /// The time per move in the first round; each further round doubles it. With `None` each move is solved
    /// before the next, which takes the least work, and the same work in every run.
    pub share: Option<Duration>,
}

impl Default for AnalysisOptions {
    /// The value of the position and of every move, without a time limit.
    fn default() -> AnalysisOptions {
        let goal = Goal::Value;
        AnalysisOptions { goal, moves: true, turns: false, line: false, time: None, share: None }
    }
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules alone: the game is over.
    Rules,
    /// A book has the position's value; moves that it lacks were searched.
    Book,
    /// Endgame tables.
    Table,
    /// A search.
    Search,
}

/// The analysis of a position.
///
/// While an analysis runs, proven bounds only tighten. Estimates stay within them.
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
    /// The proven bounds of the value.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
    pub known: Bounds,
    /// The same as an English sentence.
    pub words: String,
    /// The limit of the solver that left the analysis incomplete, if one did.
    #[serde(skip)]
    pub stopped: Option<StopReason>,
    /// An unproven estimate of the mover's margin by a short look-ahead. It lies within the proven bounds.
    #[cfg_attr(feature = "schema", schema(required))]
    pub estimate: Option<i64>,
    /// A whole turn that achieves the value, or the proven lower bound. It is published together with the
    /// value.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Vec<String>>))]
    pub best: Option<Vec<Move>>,
    /// The moves with their values, best first; left out if not requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveFound>,
    /// The whole turns with their values, best first; left out if not requested or not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<TurnFound>>,
    /// A perfect continuation, turn by turn; left out if not requested or not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Vec<String>>>))]
    pub line: Option<Vec<Vec<Move>>>,
    /// Whether every requested result was found. If not, a limit ended the search.
    pub complete: bool,
    /// Positions searched.
    pub nodes: u64,
    /// Time taken.
    pub seconds: f64,
    /// The source of the value.
    pub source: Source,
}

/// A move and the proven bounds of its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MoveFound {
    /// The move: a house's number, or `swap`.
    #[serde(rename = "move")]
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "3"))]
    pub action: Move,
    /// The proven bounds of the mover's margin after it.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
    pub known: Bounds,
    /// Whether the mover moves again after it.
    pub again: bool,
    /// An estimate of the mover's margin by a short look-ahead, within the proven bounds.
    #[cfg_attr(feature = "schema", schema(required))]
    pub estimate: Option<i64>,
}

/// A whole turn and the proven bounds of its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TurnFound {
    /// The moves, on the shortest path to the turn's end.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub moves: Vec<Move>,
    /// The proven bounds of the mover's margin after it.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
    pub known: Bounds,
}

/// One event of an analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "finding", rename_all = "lowercase")]
pub enum Finding {
    /// Unproven estimates of the position and its moves. They come first.
    Estimate {
        /// The estimate of the mover's margin.
        estimate: i64,
        /// The moves with their estimates.
        moves: Vec<MoveFound>,
    },
    /// The proven bounds of a value that is not known yet.
    Bounds {
        /// The bounds.
        #[serde(flatten)]
        #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
        known: Bounds,
        /// The same as an English sentence.
        words: String,
        /// An estimate, within the bounds.
        #[cfg_attr(feature = "schema", schema(required))]
        estimate: Option<i64>,
        /// Positions searched so far.
        nodes: u64,
        /// Time so far.
        seconds: f64,
    },
    /// The value, with a turn that achieves it.
    Value {
        /// The value.
        #[serde(flatten)]
        #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Bounds))]
        known: Bounds,
        /// The same as an English sentence.
        words: String,
        /// The turn.
        #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
        best: Vec<Move>,
        /// Positions searched so far.
        nodes: u64,
        /// Time so far.
        seconds: f64,
    },
    /// New bounds of a move.
    Move(MoveFound),
    /// The whole analysis; the last event.
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
    /// The analysis of the current position of a game before any search: the bounds that follow from its seeds.
    pub fn new(play: &Playthrough) -> Analysis {
        let (position, side) = (*play.position(), play.side());
        let over = position.margin().or(play.is_endless().then(|| position.lead()));
        let bounds = over.map_or_else(|| board_bounds(&position), Bounds::exact);
        Analysis {
            game: *position.game(),
            position,
            to_move: over.is_none().then_some(side),
            known: bounds,
            words: match over {
                Some(margin) => {
                    format!("The game is over: {}.", Ending::from_margin(side, margin))
                }
                None => describe_value(&position, bounds, side),
            },
            estimate: None,
            best: over.map(|_| Vec::new()),
            moves: Vec::new(),
            turns: None,
            line: None,
            complete: over.is_some(),
            stopped: None,
            nodes: 0,
            seconds: 0.0,
            source: if over.is_some() { Source::Rules } else { Source::Search },
        }
    }

    /// The complete analysis of a game that is over; `None` if it is not.
    pub fn for_finished(play: &Playthrough, options: &AnalysisOptions) -> Option<Analysis> {
        let found = Analysis::new(play);
        let (line, turns) = (options.line.then(Vec::new), options.turns.then(Vec::new));
        found.complete.then_some(Analysis { line, turns, ..found })
    }

    /// The findings that are new since an `earlier` state of the same analysis; all of them without one.
    /// [`Finding::Done`] is included if this state is the last, `done`.
    pub fn findings_since(&self, earlier: Option<&Analysis>, done: bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        let Analysis { nodes, seconds, known, .. } = *self;
        let estimated = earlier.is_some_and(|earlier| earlier.estimate.is_some());
        if let Some(estimate) = self.estimate.filter(|_| !estimated) {
            findings.push(Finding::Estimate { estimate, moves: self.moves.clone() });
        }
        let words = self.words.clone();
        let valued = |analysis: &Analysis| analysis.known.value().is_some();
        match &self.best {
            Some(best) if valued(self) => {
                if !earlier.is_some_and(valued) {
                    let best = best.clone();
                    findings.push(Finding::Value { known, words, best, nodes, seconds });
                }
            }
            _ => {
                if earlier.is_none_or(|earlier| (earlier.known, earlier.nodes) != (known, nodes)) {
                    let estimate = self.estimate;
                    findings.push(Finding::Bounds { known, words, estimate, nodes, seconds });
                }
            }
        }
        let proven = |action: Move, analysis: &Analysis| {
            let found = analysis.moves.iter().find(|found| found.action == action);
            found.map(|found| found.known)
        };
        for found in &self.moves {
            let before = earlier.and_then(|earlier| proven(found.action, earlier));
            // Bounds that follow from the seeds alone say less than the estimate.
            let trivial = before.is_none() && found.known == self.board_bounds_after(found.action);
            if before != Some(found.known) && !trivial {
                findings.push(Finding::Move(*found));
            }
        }
        if done {
            findings.push(Finding::Done(Box::new(self.clone())));
        }
        findings
    }

    /// Sets tighter bounds of the position, and tightens the rest accordingly: no move exceeds the upper bound,
    /// the first move of the best turn achieves the lower one, and the estimate stays within both.
    pub(crate) fn tighten(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        self.known = bounds;
        if let Some(mover) = self.to_move {
            self.words = describe_value(&self.position, bounds, mover);
        }
        self.estimate = self.estimate.map(|estimate| estimate.clamp(bounds.low, bounds.high));
        let first = self.best.as_ref().and_then(|best| best.first().copied());
        for found in &mut self.moves {
            let Bounds { mut low, mut high } = found.known;
            high = high.min(bounds.high);
            if Some(found.action) == first {
                low = low.max(bounds.low);
            }
            if low > high {
                return Err(SolveError::Contradiction);
            }
            found.tighten(Bounds { low, high });
        }
        Ok(())
    }

    /// The bounds of a move that follow from the seeds on the board.
    fn board_bounds_after(&self, action: Move) -> Bounds {
        match self.position.try_play(action) {
            Ok((next, report)) => board_bounds(&next).to_mover(report.again),
            Err(_) => self.known,
        }
    }
}

impl MoveFound {
    pub(crate) fn tighten(&mut self, bounds: Bounds) {
        self.known = bounds;
        self.estimate = self.estimate.map(|estimate| estimate.clamp(bounds.low, bounds.high));
    }
}

/// The bounds of a position's value that follow from the seeds on its board.
pub(crate) fn board_bounds(position: &Position) -> Bounds {
    if let Some(margin) = position.margin() {
        return Bounds::exact(margin);
    }
    let (lead, layer) = (position.lead(), position.layer() as i64);
    // A swap may reverse the lead.
    let (low, high) = if position.pie_is_open() { (-lead.abs(), lead.abs()) } else { (lead, lead) };
    Bounds { low: low - layer, high: high + layer }
}

/// Analyses the current position of a game, and passes each new state to `on_progress`; bounds only tighten. It ends
/// early, with the bounds proven so far, at the options' time limit and at the solver's limits and stop switch.
pub fn analyze(
    solver: &mut Solver,
    play: &Playthrough,
    options: &AnalysisOptions,
    on_progress: &mut dyn FnMut(&Analysis),
) -> Result<Analysis, SolveError> {
    if let Some(found) = Analysis::for_finished(play, options) {
        on_progress(&found);
        return Ok(found);
    }
    let moves = if options.moves { play.position().moves().count() as u64 } else { 0 };
    solver.set_expected_queries(1 + moves);
    let in_book = |position: &Position| solver.probe_book(position);
    let mut plan = Plan::new(play, options, &in_book, solver.table_layer());
    on_progress(plan.found());
    while let Some(task) = plan.next_task(solver.is_cancelled()) {
        let report = task.perform(solver, play, &mut |report| {
            plan.progress(task.id, &report);
            on_progress(plan.found());
        })?;
        plan.report(task.id, report)?;
        on_progress(plan.found());
    }
    let found = plan.finish();
    on_progress(&found);
    Ok(found)
}
