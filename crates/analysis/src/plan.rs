//! An analysis as a plan of tasks, which one solver runs in order or several run in parallel.

use std::cmp::Reverse;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sowing_platform::Instant;
use sowing_rules::Bounds;
use sowing_rules::{Move, Playthrough, Position};
use sowing_solver::{Answer, Goal, Progress, Query, SolveError, Solver, StopReason};

use crate::analysis::{Analysis, AnalysisOptions, MoveFound, Source, TurnFound, board_bounds};
use crate::best::best_turn;
use crate::line::perfect_line;
use crate::look_ahead::{Limits, estimates};
use crate::repetition::{ending_moves, value_in_game};

/// The limits of the look-ahead for estimates: a few milliseconds on most boards.
const ESTIMATE_WORK: u64 = 20_000;
const ESTIMATE_DEPTH: u32 = 6;
const ESTIMATE_TIME: Duration = Duration::from_millis(100);

/// A part of an analysis that one solver runs by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Identifies the task within its plan.
    pub id: usize,
    /// The time limit to set; `Some(None)` removes the solver's limit, `None` leaves it as it is.
    pub clock: Option<Option<Duration>>,
    kind: TaskKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum TaskKind {
    /// The value of the position.
    Value(Goal),
    /// A whole turn that achieves this margin.
    Turn(i64),
    /// The value of a move, given its known bounds.
    Move(Goal, Move, Bounds),
    /// The values of all whole turns.
    Turns,
    /// A perfect line of this value, with its first turn if that is known.
    Line(i64, Option<Vec<Move>>),
}

/// The result of a task, or its progress so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The proven bounds of the position or of the move, for the mover of the position.
    bounds: Option<Bounds>,
    /// The turn, if it was found.
    turn: Option<Vec<Move>>,
    turns: Option<Vec<(Vec<Move>, Bounds)>>,
    line: Option<Vec<Vec<Move>>>,
    /// Why the goal was not reached; `None` if it was.
    stopped: Option<StopReason>,
    /// Nodes searched for the task.
    pub nodes: u64,
}

/// The analysis of a position as tasks: a caller with an idle solver takes the [next](Plan::next_task) task,
/// [performs](Task::perform) it and [reports](Plan::report) the result.
///
/// With one solver the order of tasks is always the same. With several, some solvers search moves while one
/// searches the position, and the bounds of the moves tighten those of the position.
#[derive(Debug)]
pub struct Plan {
    options: AnalysisOptions,
    /// The moves that end the game at once by repetition, with the mover's margin.
    endings: Vec<(Move, i64)>,
    started: Instant,
    deadline: Option<Instant>,
    found: Analysis,
    value: StepState,
    /// The moves, the most promising first.
    moves: Vec<MoveState>,
    /// Proven bounds that are published together with a turn that achieves them.
    pending: Option<(Bounds, StepState)>,
    turns: StepState,
    line: StepState,
    next_id: usize,
    /// The running tasks and the nodes searched for each so far.
    running: Vec<(Task, u64)>,
    /// Nodes searched for finished tasks.
    nodes: u64,
    /// Whether a book has the value.
    in_book: bool,
    /// Whether a book has the value of the position without the pie rule.
    plain_in_book: bool,
    table_layer: u64,
}

/// The state of a step of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepState {
    Pending,
    Running,
    Finished,
}

/// The next step of the analysis.
#[derive(Clone, Copy, Debug)]
enum Step {
    Turn(i64),
    Value,
    Move(usize),
    Turns,
    Line(i64),
}

/// A move and the number of tasks started for it.
#[derive(Clone, Copy, Debug)]
struct MoveState {
    action: Move,
    rounds: u32,
    running: bool,
}

impl Task {
    /// Performs the task with a solver of the game, and reports progress to `on_progress`.
    ///
    /// # Panics
    /// If the task's move is not legal in `play`.
    pub fn perform(
        &self,
        solver: &mut Solver,
        play: &Playthrough,
        on_progress: &mut dyn FnMut(TaskReport),
    ) -> Result<TaskReport, SolveError> {
        if let Some(time) = self.clock {
            solver.set_time(time);
        }
        let before = solver.nodes();
        let mut report = match &self.kind {
            TaskKind::Value(goal) => {
                let report = search_position(solver, play, *goal, on_progress)?;
                with_proving_turn(solver, play, *goal, report)?
            }
            TaskKind::Move(goal, action, known) => {
                search_move(solver, play, *goal, *action, *known, on_progress)?
            }
            TaskKind::Turn(margin) => {
                let (turn, stopped) = unless_stopped(best_turn(solver, play, *margin))?;
                TaskReport { turn, stopped, ..TaskReport::default() }
            }
            TaskKind::Turns => {
                let (turns, stopped) = unless_stopped(solver.turns(play.position()))?;
                let turns = turns
                    .map(|turns| turns.into_iter().map(|turn| (turn.moves, turn.bounds)).collect());
                TaskReport { turns, stopped, ..TaskReport::default() }
            }
            TaskKind::Line(value, first) => {
                let line = perfect_line(solver, play, *value, first.clone());
                let (line, stopped) = unless_stopped(line)?;
                TaskReport { line, stopped, ..TaskReport::default() }
            }
        };
        report.nodes = solver.nodes() - before;
        Ok(report)
    }
}

/// Adds the turn that achieves the value, or the win or draw. The solver that proved it has the turn in its
/// transposition table; another one would have to search.
fn with_proving_turn(
    solver: &mut Solver,
    play: &Playthrough,
    goal: Goal,
    report: TaskReport,
) -> Result<TaskReport, SolveError> {
    let reached = report.bounds.filter(|bounds| needs_turn(goal, *bounds));
    let Some(Bounds { low, .. }) = reached else { return Ok(report) };
    // Without a turn, the plan asks for it in a task of its own.
    let (turn, _) = unless_stopped(best_turn(solver, play, low))?;
    Ok(TaskReport { turn, ..report })
}

/// Whether bounds that reach the goal are published together with a turn. Every turn of a lost position loses: for
/// the outcome alone, none is best.
fn needs_turn(goal: Goal, bounds: Bounds) -> bool {
    goal.is_reached(bounds) && (goal != Goal::Outcome || bounds.high >= 0)
}

/// The result, or why the solver stopped before it had one.
fn unless_stopped<T>(
    found: Result<T, SolveError>,
) -> Result<(Option<T>, Option<StopReason>), SolveError> {
    match found {
        Ok(found) => Ok((Some(found), None)),
        Err(SolveError::Stopped(reason)) => Ok((None, Some(reason))),
        Err(SolveError::TooManyTurns { .. }) => Ok((None, Some(StopReason::Memory))),
        Err(error) => Err(error),
    }
}

fn bounds_report(bounds: Bounds, nodes: u64) -> TaskReport {
    TaskReport { bounds: Some(bounds), nodes, ..TaskReport::default() }
}

fn search_position(
    solver: &mut Solver,
    play: &Playthrough,
    goal: Goal,
    on_progress: &mut dyn FnMut(TaskReport),
) -> Result<TaskReport, SolveError> {
    let before = solver.nodes();
    let mut report = |progress: Progress| {
        on_progress(bounds_report(progress.bounds, progress.nodes - before));
    };
    let Answer { bounds, stopped } = match ending_moves(play).is_empty() {
        true => solver.search(play.position(), &Query::new(goal), &mut report)?,
        // The solver sees the position alone, not the game before it.
        false => value_in_game(solver, play)?,
    };
    Ok(TaskReport { stopped, ..bounds_report(bounds, 0) })
}

fn search_move(
    solver: &mut Solver,
    play: &Playthrough,
    goal: Goal,
    action: Move,
    known: Bounds,
    on_progress: &mut dyn FnMut(TaskReport),
) -> Result<TaskReport, SolveError> {
    let before = solver.nodes();
    let (next, played) = play.position().play(action);
    let query = Query { known: Some(known.to_mover(played.again)), ..Query::new(goal) };
    let mut report = |progress: Progress| {
        let bounds = progress.bounds.to_mover(played.again);
        on_progress(bounds_report(bounds, progress.nodes - before));
    };
    let Answer { bounds, stopped } = solver.search(&next, &query, &mut report)?;
    Ok(TaskReport { stopped, ..bounds_report(bounds.to_mover(played.again), 0) })
}

impl Plan {
    /// Plans the analysis of the current position of a game, and estimates its moves. `in_book` probes the
    /// solvers' book; `table_layer` is the highest layer of their endgame tables.
    pub fn new(
        play: &Playthrough,
        options: &AnalysisOptions,
        in_book: &dyn Fn(&Position) -> Option<Bounds>,
        table_layer: u32,
    ) -> Plan {
        let started = Instant::now();
        let is_known =
            |position: &Position| in_book(position).is_some_and(|Bounds { low, high }| low == high);
        // No book has a position with the pie rule open. One that has the position without the rule has all of
        // its turns.
        let position = play.position();
        let plain = Position::free(position.game().without_pie(), &position.setup());
        let plain_in_book = position.pie_is_open() && plain.is_ok_and(|plain| is_known(&plain));
        let in_book = is_known(position);
        let finished = Analysis::for_finished(play, options);
        let over = finished.is_some();
        let state = if over { StepState::Finished } else { StepState::Pending };
        let mut plan = Plan {
            options: *options,
            endings: ending_moves(play),
            started,
            deadline: options.time.and_then(|time| started.checked_add(time)),
            found: finished.unwrap_or_else(|| Analysis::new(play)),
            value: state,
            moves: Vec::new(),
            pending: None,
            turns: state,
            line: state,
            next_id: 0,
            running: Vec::new(),
            nodes: 0,
            in_book,
            plain_in_book,
            table_layer: table_layer.into(),
        };
        if !over {
            plan.estimate();
        }
        plan
    }

    /// The analysis so far.
    pub fn found(&self) -> &Analysis {
        &self.found
    }

    /// The next task for an idle solver; `None` if there is none before a running task ends. After a stop, no
    /// further move is searched.
    pub fn next_task(&mut self, stopped: bool) -> Option<Task> {
        let (kind, share) = match self.next_step(stopped)? {
            Step::Turn(margin) => {
                self.pending = self.pending.map(|(bounds, _)| (bounds, StepState::Running));
                (TaskKind::Turn(margin), None)
            }
            Step::Value => {
                self.value = StepState::Running;
                // Half of the time is left for the moves.
                let share = self.options.time.filter(|_| self.options.moves).map(|time| time / 2);
                (TaskKind::Value(self.options.goal), share)
            }
            Step::Move(index) => {
                let state = self.moves[index];
                self.moves[index] = MoveState { rounds: state.rounds + 1, running: true, ..state };
                // Each round doubles the share.
                let factor = 1 << state.rounds.min(30);
                let share = self.options.share.map(|share| share.saturating_mul(factor));
                let known = self.found_mut(state.action).known;
                (TaskKind::Move(self.options.goal, state.action, known), share)
            }
            Step::Turns => {
                self.turns = StepState::Finished;
                (TaskKind::Turns, None)
            }
            Step::Line(value) => {
                self.line = StepState::Finished;
                (TaskKind::Line(value, self.found.best.clone()), None)
            }
        };
        Some(self.start_task(kind, share))
    }

    fn next_step(&self, stopped: bool) -> Option<Step> {
        if let Some((bounds, StepState::Pending)) = self.pending {
            return Some(Step::Turn(bounds.low));
        }
        if self.value == StepState::Pending {
            return Some(Step::Value);
        }
        if let Some(index) = self.next_move().filter(|_| !self.is_late(stopped)) {
            return Some(Step::Move(index));
        }
        if !self.running.is_empty() {
            return None;
        }
        if self.options.turns && self.turns == StepState::Pending {
            return Some(Step::Turns);
        }
        let line = self.options.line && self.line == StepState::Pending;
        self.found.known.value().filter(|_| line).map(Step::Line)
    }

    /// Whether no task is running and none is left.
    pub fn is_over(&self) -> bool {
        self.running.is_empty() && self.next_step(false).is_none()
    }

    /// Whether every requested result is known, even if tasks are still running.
    pub fn is_complete(&self) -> bool {
        self.is_reached()
            && (!self.options.turns || self.found.turns.is_some())
            && (!self.options.line || self.found.line.is_some())
    }

    /// Takes in the progress of a running task.
    pub fn progress(&mut self, id: usize, report: &TaskReport) {
        let Some(index) = self.running.iter().position(|(task, _)| task.id == id) else { return };
        self.running[index].1 = report.nodes;
        if let Some(bounds) = report.bounds {
            // A contradiction is reported when the task ends.
            let _ = match self.running[index].0.kind {
                // A value is published together with its turn.
                TaskKind::Value(_) => {
                    let known = self.found.known.intersect(bounds);
                    let open = known.filter(|known| known.value().is_none());
                    open.map_or(Ok(()), |known| self.found.tighten(known))
                }
                TaskKind::Move(_, action, _) => self.tighten_move(action, bounds),
                _ => Ok(()),
            };
        }
        self.update_counters();
    }

    /// Takes in the result of a task. A task that was abandoned is ignored.
    pub fn report(&mut self, id: usize, report: TaskReport) -> Result<(), SolveError> {
        let Some(index) = self.running.iter().position(|(task, _)| task.id == id) else {
            return Ok(());
        };
        let (task, _) = self.running.swap_remove(index);
        self.nodes += report.nodes;
        self.found.stopped = report.stopped.or(self.found.stopped);
        match task.kind {
            TaskKind::Value(_) => {
                self.value = StepState::Finished;
                let bounds = report.bounds.and_then(|bounds| self.found.known.intersect(bounds));
                let bounds = bounds.ok_or(SolveError::Contradiction)?;
                if let Some(turn) = report.turn {
                    (self.pending, self.found.best) = (None, Some(turn));
                    self.found.tighten(bounds)?;
                } else if self.pending.is_none() {
                    self.accept_bounds(bounds)?;
                }
            }
            TaskKind::Turn(_) => {
                // Without a turn, the published bounds remain.
                if let (Some((bounds, _)), Some(turn)) = (self.pending.take(), report.turn) {
                    self.found.best = Some(turn);
                    self.found.tighten(bounds)?;
                    self.abandon_value_task();
                }
            }
            TaskKind::Move(_, action, _) => {
                if let Some(state) = self.moves.iter_mut().find(|state| state.action == action) {
                    state.running = false;
                }
                self.tighten_move(action, report.bounds.ok_or(SolveError::Contradiction)?)?;
                self.derive_bounds_from_moves()?;
            }
            TaskKind::Turns => {
                let found = |(moves, known)| self.with_repetition(TurnFound { moves, known });
                let turns = report.turns.map(|turns| turns.into_iter().map(found).collect());
                self.found.turns = turns;
            }
            TaskKind::Line(..) => self.found.line = report.line,
        }
        self.update_counters();
        Ok(())
    }

    /// The final analysis.
    pub fn finish(mut self) -> Analysis {
        if self.found.source == Source::Rules {
            return self.found;
        }
        self.update_counters();
        self.found.moves.sort_by_key(|found| {
            let Bounds { low, high } = found.known;
            (-low, -high)
        });
        let AnalysisOptions { turns, line, .. } = self.options;
        let answered = |turn: &TurnFound| self.options.goal.is_reached(turn.known);
        let listed = |turns: &Vec<TurnFound>| turns.iter().all(answered);
        self.found.complete = self.is_reached()
            && (!turns || self.found.turns.as_ref().is_some_and(listed))
            && (!line || self.found.line.is_some());
        self.found.stopped = self.found.stopped.filter(|_| !self.found.complete);
        if self.found.position.layer() <= self.table_layer && self.found.nodes == 0 {
            self.found.source = Source::Table;
        } else if self.in_book || self.plain_in_book && self.found.nodes == 0 {
            self.found.source = Source::Book;
        }
        self.found
    }

    /// Whether the position and all its moves have reached the goal.
    fn is_reached(&self) -> bool {
        let goal = self.options.goal;
        let answered = |known: &Bounds| goal.is_reached(*known);
        answered(&self.found.known)
            && (self.found.best.is_some() || !needs_turn(goal, self.found.known))
            && self.found.moves.iter().all(|found| answered(&found.known))
    }

    fn estimate(&mut self) {
        // Turns under relay and pie can be long, so that the look-ahead needs a time limit too.
        let latest = self.started + ESTIMATE_TIME;
        let deadline = self.deadline.map_or(latest, |deadline| deadline.min(latest));
        let should_stop = || Instant::now() >= deadline;
        let limits = Limits { max_work: ESTIMATE_WORK, should_stop: &should_stop };
        let (position, endings) = (self.found.position, &self.endings);
        let mut ranking = estimates(&position, ESTIMATE_DEPTH, &limits);
        self.found.estimate = ranking.iter().map(|(_, estimate)| *estimate).max();
        if self.options.moves {
            let found = |(action, estimate): &(Move, i64)| {
                let (next, report) = position.play(*action);
                let mut known = board_bounds(&next).to_mover(report.again);
                let mut estimate = Some(*estimate);
                if let Some((_, margin)) = endings.iter().find(|(ending, _)| ending == action) {
                    (known, estimate) = (Bounds::exact(*margin), Some(*margin));
                }
                MoveFound { action: *action, known, again: report.again, estimate }
            };
            self.found.moves = ranking.iter().map(found).collect();
            ranking.sort_by_key(|(_, estimate)| Reverse(*estimate));
            let state = |(action, _)| MoveState { action, rounds: 0, running: false };
            self.moves = ranking.into_iter().map(state).collect();
        }
        self.update_counters();
    }

    fn start_task(&mut self, kind: TaskKind, share: Option<Duration>) -> Task {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let clock = match (left, share) {
            (Some(left), Some(share)) => Some(Some(left.min(share))),
            (Some(time), None) | (None, Some(time)) => Some(Some(time)),
            (None, None) => self.options.share.map(|_| None),
        };
        let task = Task { id: self.next_id, clock, kind };
        self.next_id += 1;
        self.running.push((task.clone(), 0));
        task
    }

    /// Abandons the search of the position, whose value follows from its moves.
    fn abandon_value_task(&mut self) {
        let is_value = |(task, _): &&(Task, u64)| matches!(task.kind, TaskKind::Value(_));
        self.nodes += self.running.iter().filter(is_value).map(|(_, nodes)| nodes).sum::<u64>();
        self.running.retain(|running| !is_value(&running));
    }

    fn update_counters(&mut self) {
        let running: u64 = self.running.iter().map(|(_, nodes)| nodes).sum();
        self.found.nodes = self.nodes + running;
        self.found.seconds = self.started.elapsed().as_secs_f64();
    }

    fn is_late(&self, stopped: bool) -> bool {
        stopped || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The most promising unsolved move among those with the fewest rounds. Without shares each move has one
    /// round.
    fn next_move(&self) -> Option<usize> {
        let goal = self.options.goal;
        let open = |(_, state): &(usize, &MoveState)| {
            let found = self.found.moves.iter().find(|found| found.action == state.action);
            !state.running
                && (state.rounds == 0 || self.options.share.is_some())
                && found.is_some_and(|found| !goal.is_reached(found.known))
        };
        let moves = self.moves.iter().enumerate().filter(open);
        moves.min_by_key(|(_, state)| state.rounds).map(|(index, _)| index)
    }

    fn found_mut(&mut self, action: Move) -> &mut MoveFound {
        let mut moves = self.found.moves.iter_mut();
        moves.find(|found| found.action == action).expect("one of the position's moves")
    }

    fn tighten_move(&mut self, action: Move, bounds: Bounds) -> Result<(), SolveError> {
        let found = self.found_mut(action);
        let bounds = found.known.intersect(bounds).ok_or(SolveError::Contradiction)?;
        found.tighten(bounds);
        Ok(())
    }

    /// Publishes bounds of the position; those that reach the goal wait for a turn that achieves them.
    fn accept_bounds(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        if self.found.best.is_none() && needs_turn(self.options.goal, bounds) {
            self.pending = Some((bounds, StepState::Pending));
            return Ok(());
        }
        self.found.tighten(bounds)
    }

    /// Tightens the bounds of an unsolved position to the best bounds of its moves.
    fn derive_bounds_from_moves(&mut self) -> Result<(), SolveError> {
        let known = self.found.known;
        if self.options.goal.is_reached(known) || self.pending.is_some() {
            return Ok(());
        }
        let best = |bound: fn(Bounds) -> i64| {
            self.found.moves.iter().map(|found| bound(found.known)).max()
        };
        let low = best(|bounds| bounds.low).map_or(known.low, |low| low.max(known.low));
        let high = best(|bounds| bounds.high).map_or(known.high, |high| high.min(known.high));
        if low > high {
            return Err(SolveError::Contradiction);
        }
        if (low, high) != (known.low, known.high) {
            self.accept_bounds(Bounds { low, high })?;
        }
        Ok(())
    }

    /// The turn; if it ends the game by repetition, with the margin of that ending.
    fn with_repetition(&self, turn: TurnFound) -> TurnFound {
        match self.endings.iter().find(|(ending, _)| turn.moves == [*ending]) {
            Some((_, margin)) => TurnFound { known: Bounds::exact(*margin), ..turn },
            None => turn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each round of a move has twice the time of the round before.
    #[test]
    fn the_share_of_a_move_doubles_with_each_round() {
        let share = Duration::from_millis(20);
        let play = Playthrough::new(Position::start("kalah(6,4)".parse().unwrap()));
        let options = AnalysisOptions { share: Some(share), ..AnalysisOptions::default() };
        let mut plan = Plan::new(&play, &options, &|_| None, 0);
        let value = plan.next_task(false).expect("the position comes first");
        assert_eq!((&value.kind, value.clock), (&TaskKind::Value(Goal::Value), Some(None)));
        let open = bounds_report(plan.found().known, 0);
        plan.report(value.id, open).unwrap();
        for round in 0..4 {
            for _ in play.position().moves() {
                let task = plan.next_task(false).expect("no move is solved");
                let TaskKind::Move(_, _, known) = task.kind else { panic!("{task:?}") };
                assert_eq!(task.clock, Some(Some(share * (1 << round))));
                plan.report(task.id, bounds_report(known, 0)).unwrap();
            }
        }
    }

    fn plan() -> (Plan, Task) {
        let play = Playthrough::new(Position::start("kalah(6,4)".parse().unwrap()));
        let mut plan = Plan::new(&play, &AnalysisOptions::default(), &|_| None, 0);
        let value = plan.next_task(false).expect("the position comes first");
        (plan, value)
    }

    fn turn_report(bounds: Option<Bounds>) -> TaskReport {
        TaskReport { bounds, turn: Some(vec![Move::house(3)]), ..TaskReport::default() }
    }

    /// A value is published together with its turn: that of its own task, or of a task that asks for it.
    #[test]
    fn a_value_comes_with_its_turn() {
        let (mut plan, value) = plan();
        plan.report(value.id, turn_report(Some(Bounds::exact(8)))).unwrap();
        assert_eq!((plan.found().known.value(), plan.found().best.is_some()), (Some(8), true));

        let (mut plan, value) = self::plan();
        plan.progress(value.id, &bounds_report(Bounds::exact(8), 1));
        plan.report(value.id, bounds_report(Bounds::exact(8), 1)).unwrap();
        assert_eq!((plan.found().known.value(), plan.found().best.is_some()), (None, false));
        let turn = plan.next_task(false).expect("the turn comes next");
        assert_eq!(turn.kind, TaskKind::Turn(8));
        plan.report(turn.id, turn_report(None)).unwrap();
        assert_eq!((plan.found().known.value(), plan.found().best.is_some()), (Some(8), true));
    }

    /// A turn that is not found leaves the bounds that were published.
    #[test]
    fn a_value_without_its_turn_is_not_published() {
        let (mut plan, value) = plan();
        plan.report(value.id, bounds_report(Bounds { low: 2, high: 48 }, 1)).unwrap();
        plan.accept_bounds(Bounds::exact(8)).unwrap();
        let turn = plan.next_task(false).expect("the turn comes next");
        plan.report(
            turn.id,
            TaskReport { stopped: Some(StopReason::Time), ..bounds_report(Bounds::exact(0), 0) },
        )
        .unwrap();
        assert_eq!(plan.found().known, Bounds { low: 2, high: 48 });
        assert_eq!(plan.found().stopped, Some(StopReason::Time));
    }

    /// Moves whose values decide the position's end its search; a late report of that search is ignored.
    #[test]
    fn the_search_of_a_position_is_abandoned_when_its_moves_decide() {
        let (mut plan, value) = plan();
        while let Some(task) = plan.next_task(false) {
            let TaskKind::Move(_, action, _) = task.kind else { break };
            let margin = if action == Move::house(3) { 8 } else { 4 };
            plan.report(task.id, bounds_report(Bounds::exact(margin), 1)).unwrap();
        }
        let (turn, _) = plan
            .running
            .iter()
            .find(|(task, _)| task.kind == TaskKind::Turn(8))
            .cloned()
            .expect("asked for");
        plan.report(turn.id, turn_report(None)).unwrap();
        assert_eq!(plan.found().known.value(), Some(8));
        plan.report(value.id, bounds_report(Bounds::exact(10), 1)).expect("it is ignored");
        assert!(plan.is_over() && plan.is_complete());
        assert!(plan.finish().complete);
    }

    /// Bounds that cross are an error, whichever task reports them.
    #[test]
    fn crossing_bounds_are_a_contradiction() {
        let (mut plan, value) = plan();
        let task = plan.next_task(false).expect("a move");
        plan.report(value.id, bounds_report(Bounds { low: 6, high: 48 }, 1)).unwrap();
        let crossed = plan.report(task.id, bounds_report(Bounds { low: 60, high: 61 }, 1));
        assert!(matches!(crossed, Err(SolveError::Contradiction)));
    }
}
