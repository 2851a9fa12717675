//! The analysis of a position: findings that only ever tighten.

use std::cmp::Reverse;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;
use sowing::{Game, Move, Playthrough, Position, Side};
use sowing_solver::{Ask, Bounds, SearchProgress, SolveError, Solver, Until};

use crate::best::best_turn;
use crate::known::{Known, words};
use crate::line::perfect_line;
use crate::look_ahead::{Limits, estimates};
use crate::past::{ending_moves, value};

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

/// How much is looked at for estimates: a few milliseconds' worth.
const ESTIMATE_WORK: u64 = 20_000;
const ESTIMATE_DEPTH: u32 = 6;
const ESTIMATE_TIME: Duration = Duration::from_millis(100);

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
    fn learn(&mut self, bounds: Bounds) -> Result<(), SolveError> {
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
    fn learn(&mut self, bounds: Bounds) {
        self.known = bounds.into();
        self.estimate = self.estimate.map(|estimate| estimate.clamp(bounds.low, bounds.high));
    }
}

/// What a position can be worth at all.
fn board_bounds(position: &Position) -> Bounds {
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
fn as_before(again: bool, bounds: Bounds) -> Bounds {
    if again { bounds } else { Bounds { low: -bounds.high, high: -bounds.low } }
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
    let started = Instant::now();
    if let Some(found) = Analysis::of_finished(play, wants) {
        tell(&found);
        return Ok(found);
    }
    let found = Analysis::new(play);
    let deadline = wants.time.and_then(|time| started.checked_add(time));
    let position = found.position;
    let before = solver.nodes();
    let (wants, order) = (*wants, Vec::new());
    let ends = ending_moves(play);
    let mut analyst =
        Analyst { solver, play, ends, wants, started, deadline, before, order, found, tell };
    let tables = u64::from(analyst.solver.table_layer());
    let is_known = |position: &Position| {
        analyst.solver.in_book(position).is_some_and(|known| known.low == known.high)
    };
    // With the pie rule open a position is in no book, but all of its turns are in one that has the
    // position as it is without the rule.
    let plain = Position::free(position.game().without_pie(), &position.setup());
    let in_book = is_known(&position);
    let plain_in_book = position.pie_is_open() && plain.is_ok_and(|plain| is_known(&plain));
    analyst.guess();
    analyst.find_value()?;
    if wants.moves {
        analyst.find_moves()?;
    }
    analyst.find_turns()?;
    analyst.find_line()?;
    let mut found = analyst.close();
    if position.layer() <= tables && found.nodes == 0 {
        found.source = Source::Table;
    } else if in_book || plain_in_book && found.nodes == 0 {
        found.source = Source::Book;
    }
    (tell)(&found);
    Ok(found)
}

/// Somebody at work on a position.
struct Analyst<'a> {
    solver: &'a mut Solver,
    play: &'a Playthrough,
    /// The moves that end the game at once by repetition.
    ends: Vec<(Move, i64)>,
    wants: Wants,
    started: Instant,
    deadline: Option<Instant>,
    /// The solver's count of nodes before.
    before: u64,
    /// The moves, the most promising first.
    order: Vec<Move>,
    found: Analysis,
    tell: &'a mut dyn FnMut(&Analysis),
}

impl Analyst<'_> {
    fn guess(&mut self) {
        let unstopped = AtomicBool::new(false);
        // A relay with a pie can be long: nobody waits for a guess.
        let deadline = Some(self.started + ESTIMATE_TIME);
        let limits = Limits { work: ESTIMATE_WORK, deadline, stop: &unstopped };
        let (position, ends) = (self.found.position, &self.ends);
        let mut guesses = estimates(&position, ESTIMATE_DEPTH, &limits);
        self.found.estimate = guesses.iter().map(|(_, estimate)| *estimate).max();
        if self.wants.moves {
            let found = |(action, estimate): &(Move, i64)| {
                let (next, report) = position.play(*action).expect("moves are legal");
                let mut bounds = as_before(report.again, board_bounds(&next));
                let mut estimate = Some(*estimate);
                if let Some((_, ends)) = ends.iter().find(|(ending, _)| ending == action) {
                    (bounds, estimate) = (Bounds { low: *ends, high: *ends }, Some(*ends));
                }
                MoveFound { action: *action, known: bounds.into(), again: report.again, estimate }
            };
            self.found.moves = guesses.iter().map(found).collect();
        }
        guesses.sort_by_key(|(_, estimate)| Reverse(*estimate));
        self.order = guesses.into_iter().map(|(action, _)| action).collect();
        self.note();
        (self.tell)(&self.found);
    }

    fn note(&mut self) {
        self.found.nodes = self.solver.nodes() - self.before;
        self.found.seconds = self.started.elapsed().as_secs_f64();
    }

    /// How long is left, and no longer than a share.
    fn set_time(&mut self, share: Option<Duration>) {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match (left, share) {
            (Some(left), Some(share)) => self.solver.set_time(Some(left.min(share))),
            (Some(left), None) => self.solver.set_time(Some(left)),
            (None, Some(share)) => self.solver.set_time(Some(share)),
            (None, None) if self.wants.share.is_some() => self.solver.set_time(None),
            (None, None) => {}
        }
    }

    fn is_over(&self) -> bool {
        self.solver.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The position's own value and the turn that gets it.
    fn find_value(&mut self) -> Result<(), SolveError> {
        // Moves that nobody would look at for want of time are worth half of it.
        let share = self.wants.time.filter(|_| self.wants.moves).map(|time| time / 2);
        self.set_time(share);
        let ask = Ask::new(self.wants.until);
        let Analyst { solver, started, before, found, tell, .. } = self;
        let position = found.position;
        let mut watch = |progress: SearchProgress| {
            // A value is told with its turn only.
            if progress.bounds.low < progress.bounds.high {
                // Bounds that contradict each other come to light when the search is over.
                let _ = found.learn(progress.bounds);
            }
            found.nodes = progress.nodes - *before;
            found.seconds = started.elapsed().as_secs_f64();
            tell(found);
        };
        let verdict = match self.ends.is_empty() {
            true => solver.search(&position, &ask, &mut watch)?,
            // The solver knows positions, not what was before.
            false => value(solver, self.play)?,
        };
        self.settle(verdict.bounds())?;
        self.note();
        (self.tell)(&self.found);
        Ok(())
    }

    /// Takes bounds of the position on; a value with the turn that gets it.
    fn settle(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        // Every turn of a lost position is lost: where no more is asked for, none is best.
        let lost = self.wants.until != Until::Value && bounds.high < 0;
        if self.wants.until.is_answered(bounds) && !lost {
            self.set_time(None);
            match best_turn(self.solver, self.play, bounds.low) {
                Ok(best) => self.found.best = Some(best),
                // The bounds so far are true as well.
                Err(SolveError::Stopped) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.found.learn(bounds)
    }

    /// Every move, the most promising first, each within what is known already.
    fn find_moves(&mut self) -> Result<(), SolveError> {
        let until = self.wants.until;
        let mut share = self.wants.share;
        loop {
            let mut open = false;
            for action in self.order.clone() {
                if until.is_answered(self.of(action).known.bounds()) {
                    continue;
                }
                if self.is_over() {
                    return Ok(());
                }
                self.find_move(action, share)?;
                open |= !until.is_answered(self.of(action).known.bounds());
            }
            if !open || share.is_none() {
                return Ok(());
            }
            share = share.map(|share| share.saturating_mul(2));
        }
    }

    fn of(&mut self, action: Move) -> &mut MoveFound {
        let mut moves = self.found.moves.iter_mut();
        moves.find(|found| found.action == action).expect("one of the position's moves")
    }

    fn find_move(&mut self, action: Move, share: Option<Duration>) -> Result<(), SolveError> {
        self.set_time(share);
        let Analyst { solver, started, before, found, tell, wants, .. } = self;
        let (next, report) = found.position.play(action).expect("moves are legal");
        let index = found.moves.iter().position(|found| found.action == action).expect("a move");
        let known = as_before(report.again, found.moves[index].known.bounds());
        // What is asked for of the mover is asked of the opponent the other way round.
        let ask = Ask { known: Some(known), ..Ask::new(wants.until) };
        let mut watch = |progress: SearchProgress| {
            let bounds = as_before(report.again, progress.bounds);
            found.moves[index].learn(bounds);
            found.nodes = progress.nodes - *before;
            found.seconds = started.elapsed().as_secs_f64();
            tell(found);
        };
        let bounds = solver.search(&next, &ask, &mut watch)?.bounds();
        self.of(action).learn(as_before(report.again, bounds));
        self.note();
        self.gather()?;
        (self.tell)(&self.found);
        Ok(())
    }

    /// What the moves tell of a position that is not solved yet.
    fn gather(&mut self) -> Result<(), SolveError> {
        let known = self.found.known.bounds();
        if self.wants.until.is_answered(known) {
            return Ok(());
        }
        let of_moves = |bound: fn(Bounds) -> i64| {
            self.found.moves.iter().map(|found| bound(found.known.bounds())).max()
        };
        let low = of_moves(|bounds| bounds.low).map_or(known.low, |low| low.max(known.low));
        let high = of_moves(|bounds| bounds.high).map_or(known.high, |high| high.min(known.high));
        if low > high {
            return Err(SolveError::Contradiction);
        }
        if (low, high) != (known.low, known.high) {
            self.settle(Bounds { low, high })?;
        }
        Ok(())
    }

    fn find_turns(&mut self) -> Result<(), SolveError> {
        if !self.wants.turns {
            return Ok(());
        }
        self.set_time(None);
        match self.solver.turns(&self.found.position) {
            Ok(turns) => {
                let found = turns
                    .into_iter()
                    .map(|turn| TurnFound { moves: turn.moves, known: turn.verdict.into() })
                    .map(|turn| self.as_it_ends(turn));
                self.found.turns = Some(found.collect());
                Ok(())
            }
            // What is known of the position and its moves is an answer, if not all of it.
            Err(SolveError::Stopped | SolveError::TooManyTurns { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// A turn that ends the game by repetition has the margin that it ends with.
    fn as_it_ends(&self, turn: TurnFound) -> TurnFound {
        match self.ends.iter().find(|(ending, _)| turn.moves == [*ending]) {
            Some((_, ends)) => {
                TurnFound { known: Bounds { low: *ends, high: *ends }.into(), ..turn }
            }
            None => turn,
        }
    }

    fn find_line(&mut self) -> Result<(), SolveError> {
        let (true, Some(value)) = (self.wants.line, self.found.known.value) else { return Ok(()) };
        self.set_time(None);
        let first = self.found.best.clone();
        match perfect_line(self.solver, self.play, value, first) {
            Ok(line) => self.found.line = Some(line),
            Err(SolveError::Stopped) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn close(mut self) -> Analysis {
        self.note();
        let Wants { until, turns, line, .. } = self.wants;
        let mut found = self.found;
        let answered = |known: &Known| until.is_answered(known.bounds());
        found.moves.sort_by_key(|found| {
            let Bounds { low, high } = found.known.bounds();
            (-low, -high)
        });
        let listed = |turns: &Vec<TurnFound>| turns.iter().all(|turn| answered(&turn.known));
        let lost = until != Until::Value && found.known.bounds().high < 0;
        found.complete = answered(&found.known)
            && (found.best.is_some() || lost)
            && found.moves.iter().all(|found| answered(&found.known))
            && (!turns || found.turns.as_ref().is_some_and(listed))
            && (!line || found.line.is_some());
        found
    }
}
