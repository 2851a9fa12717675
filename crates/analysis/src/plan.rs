//! An analysis cut into pieces that solvers do, one after the other or several at a time.

use std::cmp::Reverse;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sowing::{Move, Playthrough, Position};
use sowing_platform::Instant;
use sowing_solver::{Ask, Bounds, SearchProgress, SolveError, Solver, Until};

use crate::analysis::{Analysis, MoveFound, Source, TurnFound, Wants, as_before, board_bounds};
use crate::best::best_turn;
use crate::known::Known;
use crate::line::perfect_line;
use crate::look_ahead::{Limits, estimates};
use crate::past::{ending_moves, value};

/// How much is looked at for estimates: a few milliseconds' worth.
const ESTIMATE_WORK: u64 = 20_000;
const ESTIMATE_DEPTH: u32 = 6;
const ESTIMATE_TIME: Duration = Duration::from_millis(100);

/// A piece of an analysis that a solver does by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Which one it is.
    pub id: usize,
    /// The time that it may take: `None` leaves the solver's own clock as it is, a time that is
    /// `None` stops it.
    pub clock: Option<Option<Duration>>,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum What {
    /// The position's own value.
    Value(Reach),
    /// A whole turn that gets so much.
    Turn(i64),
    /// What a move is worth, within what is known.
    Move(Reach, Move, (i64, i64)),
    /// What every whole turn is worth.
    Turns,
    /// A perfect line of this value that starts so.
    Line(i64, Option<Vec<Move>>),
}

/// How far a search goes: [`Until`] as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Reach {
    Value,
    Outcome,
    Reaches(i64),
}

/// What came of a task, or has come of it so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is proven of the position or of the move, for who is to move in the position.
    bounds: Option<(i64, i64)>,
    /// The turn, if it was found.
    turn: Option<Vec<Move>>,
    turns: Option<Vec<(Vec<Move>, i64, i64)>>,
    line: Option<Vec<Vec<Move>>>,
    /// Positions looked at for it.
    pub nodes: u64,
}

/// The analysis of a position, in tasks: whoever has a solver asks for the [next](Plan::next) one,
/// [does](Task::perform) it and [reports](Plan::report).
///
/// With one solver the tasks come one after the other, always the same ones. With several, some look
/// at moves while one is at the position itself, and what is found of the moves tells of the position.
#[derive(Debug)]
pub struct Plan {
    wants: Wants,
    /// The moves that end the game at once by repetition.
    ends: Vec<(Move, i64)>,
    started: Instant,
    deadline: Option<Instant>,
    found: Analysis,
    value: Stage,
    /// The moves, the most promising first.
    moves: Vec<Tried>,
    /// Bounds that are proven, but not told before there is a turn that goes with them.
    unsettled: Option<(Bounds, Stage)>,
    turns: Stage,
    line: Stage,
    /// The number of the next task, and those under way with the positions looked at for them.
    next: usize,
    running: Vec<(Task, u64)>,
    /// Positions looked at for tasks that are over.
    nodes: u64,
    /// Whether a book has the value, or that of the position without the pie rule.
    in_book: bool,
    plain_in_book: bool,
    table_layer: u64,
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    Running,
    Over,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Turn(i64),
    Value,
    Move(usize),
    Turns,
    Line(i64),
}

/// A move and how often it was looked at.
#[derive(Clone, Copy, Debug)]
struct Tried {
    action: Move,
    rounds: u32,
    running: bool,
}

impl From<Until> for Reach {
    fn from(until: Until) -> Reach {
        match until {
            Until::Value => Reach::Value,
            Until::Outcome => Reach::Outcome,
            Until::Reaches(margin) => Reach::Reaches(margin),
        }
    }
}

impl From<Reach> for Until {
    fn from(reach: Reach) -> Until {
        match reach {
            Reach::Value => Until::Value,
            Reach::Outcome => Until::Outcome,
            Reach::Reaches(margin) => Until::Reaches(margin),
        }
    }
}

impl Task {
    /// Does it with a solver of the game, and shows what is known on the way.
    ///
    /// # Panics
    /// If the solver is of another game, or the task of another position.
    pub fn perform(
        &self,
        solver: &mut Solver,
        play: &Playthrough,
        watch: &mut dyn FnMut(Report),
    ) -> Result<Report, SolveError> {
        if let Some(time) = self.clock {
            solver.set_time(time);
        }
        let before = solver.nodes();
        let mut report = match &self.what {
            What::Value(until) => value_of(solver, play, (*until).into(), watch)?,
            What::Move(until, action, known) => {
                let ask = Ask::new((*until).into());
                move_of(solver, play, ask, *action, *known, watch)?
            }
            What::Turn(margin) => {
                let turn = unless_stopped(best_turn(solver, play, *margin))?;
                Report { turn, ..Report::default() }
            }
            What::Turns => {
                let turns = match solver.turns(play.position()) {
                    // What is known of the position and its moves is an answer, if not all of it.
                    Err(SolveError::TooManyTurns { .. }) => None,
                    turns => unless_stopped(turns)?,
                };
                let turns = turns.map(|turns| {
                    let with_bounds = turns.into_iter().map(|turn| {
                        let Bounds { low, high } = turn.verdict.bounds();
                        (turn.moves, low, high)
                    });
                    with_bounds.collect()
                });
                Report { turns, ..Report::default() }
            }
            What::Line(value, first) => {
                let line = unless_stopped(perfect_line(solver, play, *value, first.clone()))?;
                Report { line, ..Report::default() }
            }
        };
        report.nodes = solver.nodes() - before;
        Ok(report)
    }
}

/// Nothing, where the time was not enough: what is known without it is an answer, too.
fn unless_stopped<T>(found: Result<T, SolveError>) -> Result<Option<T>, SolveError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}

fn report_of(Bounds { low, high }: Bounds, nodes: u64) -> Report {
    Report { bounds: Some((low, high)), nodes, ..Report::default() }
}

fn value_of(
    solver: &mut Solver,
    play: &Playthrough,
    until: Until,
    watch: &mut dyn FnMut(Report),
) -> Result<Report, SolveError> {
    let before = solver.nodes();
    let mut told =
        |progress: SearchProgress| watch(report_of(progress.bounds, progress.nodes - before));
    let verdict = match ending_moves(play).is_empty() {
        true => solver.search(play.position(), &Ask::new(until), &mut told)?,
        // The solver knows positions, not what was before.
        false => value(solver, play)?,
    };
    Ok(report_of(verdict.bounds(), 0))
}

fn move_of(
    solver: &mut Solver,
    play: &Playthrough,
    ask: Ask,
    action: Move,
    (low, high): (i64, i64),
    watch: &mut dyn FnMut(Report),
) -> Result<Report, SolveError> {
    let before = solver.nodes();
    let (next, played) = play.position().play(action).expect("moves are legal");
    // What is asked for of the mover is asked of the opponent the other way round.
    let known = Some(as_before(played.again, Bounds { low, high }));
    let mut told = |progress: SearchProgress| {
        watch(report_of(as_before(played.again, progress.bounds), progress.nodes - before));
    };
    let bounds = solver.search(&next, &Ask { known, ..ask }, &mut told)?.bounds();
    Ok(report_of(as_before(played.again, bounds), 0))
}

impl Plan {
    /// A plan for the position where a game stands, with its estimates. `table_layer` and `in_book`
    /// say what the solvers have to look things up in: up to which layer they have tables, and what
    /// their book knows of a position.
    pub fn new(
        play: &Playthrough,
        wants: &Wants,
        in_book: &dyn Fn(&Position) -> Option<Bounds>,
        table_layer: u32,
    ) -> Plan {
        let started = Instant::now();
        let is_known =
            |position: &Position| in_book(position).is_some_and(|Bounds { low, high }| low == high);
        // With the pie rule open a position is in no book, but all of its turns are in one that has
        // the position as it is without the rule.
        let position = play.position();
        let plain = Position::free(position.game().without_pie(), &position.setup());
        let plain_in_book = position.pie_is_open() && plain.is_ok_and(|plain| is_known(&plain));
        let in_book = is_known(position);
        let finished = Analysis::of_finished(play, wants);
        let over = finished.is_some();
        let stage = if over { Stage::Over } else { Stage::Open };
        let mut plan = Plan {
            wants: *wants,
            ends: ending_moves(play),
            started,
            deadline: wants.time.and_then(|time| started.checked_add(time)),
            found: finished.unwrap_or_else(|| Analysis::new(play)),
            value: stage,
            moves: Vec::new(),
            unsettled: None,
            turns: stage,
            line: stage,
            next: 0,
            running: Vec::new(),
            nodes: 0,
            in_book,
            plain_in_book,
            table_layer: table_layer.into(),
        };
        if !over {
            plan.guess();
        }
        plan
    }

    /// What is known so far.
    pub fn found(&self) -> &Analysis {
        &self.found
    }

    /// The next task, if there is one for somebody who is free. `stopped` says that nobody wants
    /// more.
    pub fn next(&mut self, stopped: bool) -> Option<Task> {
        let (what, share) = match self.choice(stopped)? {
            Choice::Turn(margin) => {
                self.unsettled = self.unsettled.map(|(bounds, _)| (bounds, Stage::Running));
                (What::Turn(margin), None)
            }
            Choice::Value => {
                self.value = Stage::Running;
                // Moves that nobody would look at for want of time are worth half of it.
                let share = self.wants.time.filter(|_| self.wants.moves).map(|time| time / 2);
                (What::Value(self.wants.until.into()), share)
            }
            Choice::Move(index) => {
                let tried = self.moves[index];
                self.moves[index] = Tried { rounds: tried.rounds + 1, running: true, ..tried };
                let double = 1 << tried.rounds.min(30);
                let share = self.wants.share.map(|share| share.saturating_mul(double));
                let Bounds { low, high } = self.of(tried.action).known.bounds();
                (What::Move(self.wants.until.into(), tried.action, (low, high)), share)
            }
            Choice::Turns => {
                self.turns = Stage::Over;
                (What::Turns, None)
            }
            Choice::Line(value) => {
                self.line = Stage::Over;
                (What::Line(value, self.found.best.clone()), None)
            }
        };
        Some(self.hand_out(what, share))
    }

    /// What is to be done next.
    fn choice(&self, stopped: bool) -> Option<Choice> {
        if let Some((bounds, Stage::Open)) = self.unsettled {
            return Some(Choice::Turn(bounds.low));
        }
        if self.value == Stage::Open {
            return Some(Choice::Value);
        }
        if let Some(index) = self.open_move().filter(|_| !self.is_late(stopped)) {
            return Some(Choice::Move(index));
        }
        if !self.running.is_empty() {
            return None;
        }
        if self.wants.turns && self.turns == Stage::Open {
            return Some(Choice::Turns);
        }
        let line = self.wants.line && self.line == Stage::Open;
        self.found.known.value.filter(|_| line).map(Choice::Line)
    }

    /// Whether no task is under way and none is left.
    pub fn is_over(&self) -> bool {
        self.running.is_empty() && self.choice(false).is_none()
    }

    /// Whether all that was asked for is known, whatever is still under way.
    pub fn is_complete(&self) -> bool {
        self.is_answered()
            && (!self.wants.turns || self.found.turns.is_some())
            && (!self.wants.line || self.found.line.is_some())
    }

    /// Takes on what is known on the way to the end of a task.
    pub fn progress(&mut self, id: usize, report: &Report) {
        let Some(index) = self.running.iter().position(|(task, _)| task.id == id) else { return };
        self.running[index].1 = report.nodes;
        let what = self.running[index].0.what.clone();
        if let Some((low, high)) = report.bounds {
            let bounds = Bounds { low, high };
            // Bounds that contradict each other come to light when the task is over.
            let _ = match what {
                // A value is told with its turn only.
                What::Value(_) if low < high => {
                    self.both(bounds).map_or(Ok(()), |both| self.narrow(both))
                }
                What::Move(_, action, _) => self.learn_move(action, bounds),
                _ => Ok(()),
            };
        }
        self.note();
    }

    /// Takes on what came of a task. Those that nobody waits for any more are ignored.
    pub fn report(&mut self, id: usize, report: Report) -> Result<(), SolveError> {
        let Some(index) = self.running.iter().position(|(task, _)| task.id == id) else {
            return Ok(());
        };
        let (task, _) = self.running.swap_remove(index);
        self.nodes += report.nodes;
        match task.what {
            What::Value(_) => {
                self.value = Stage::Over;
                let (low, high) = report.bounds.ok_or(SolveError::Contradiction)?;
                let both = self.both(Bounds { low, high }).ok_or(SolveError::Contradiction)?;
                if self.unsettled.is_none() {
                    self.settle(both)?;
                }
            }
            What::Turn(_) => {
                // Without a turn the bounds so far are true as well.
                if let (Some((bounds, _)), Some(turn)) = (self.unsettled.take(), report.turn) {
                    self.found.best = Some(turn);
                    self.found.learn(bounds)?;
                    self.let_go();
                }
            }
            What::Move(_, action, _) => {
                let (low, high) = report.bounds.ok_or(SolveError::Contradiction)?;
                if let Some(tried) = self.moves.iter_mut().find(|tried| tried.action == action) {
                    tried.running = false;
                }
                self.learn_move(action, Bounds { low, high })?;
                self.gather()?;
            }
            What::Turns => {
                let found = report.turns.map(|turns| {
                    let found = turns.into_iter().map(|(moves, low, high)| {
                        self.as_it_ends(TurnFound { moves, known: Bounds { low, high }.into() })
                    });
                    found.collect()
                });
                self.found.turns = found;
            }
            What::Line(..) => self.found.line = report.line,
        }
        self.note();
        Ok(())
    }

    /// All that was found.
    pub fn close(mut self) -> Analysis {
        if self.found.source == Source::Rules {
            return self.found;
        }
        self.note();
        self.found.moves.sort_by_key(|found| {
            let Bounds { low, high } = found.known.bounds();
            (-low, -high)
        });
        let Wants { turns, line, .. } = self.wants;
        let answered = |turn: &TurnFound| self.wants.until.is_answered(turn.known.bounds());
        let listed = |turns: &Vec<TurnFound>| turns.iter().all(answered);
        self.found.complete = self.is_answered()
            && (!turns || self.found.turns.as_ref().is_some_and(listed))
            && (!line || self.found.line.is_some());
        if self.found.position.layer() <= self.table_layer && self.found.nodes == 0 {
            self.found.source = Source::Table;
        } else if self.in_book || self.plain_in_book && self.found.nodes == 0 {
            self.found.source = Source::Book;
        }
        self.found
    }

    /// Whether the value and those of all moves are known, as far as was asked for.
    fn is_answered(&self) -> bool {
        let until = self.wants.until;
        let answered = |known: &Known| until.is_answered(known.bounds());
        let lost = until != Until::Value && self.found.known.bounds().high < 0;
        answered(&self.found.known)
            && (self.found.best.is_some() || lost)
            && self.found.moves.iter().all(|found| answered(&found.known))
    }

    fn guess(&mut self) {
        // A relay with a pie can be long: the estimates have a time of their own, and no more than
        // the analysis has.
        let most = self.started + ESTIMATE_TIME;
        let deadline = self.deadline.map_or(most, |deadline| deadline.min(most));
        let halted = || Instant::now() >= deadline;
        let limits = Limits { work: ESTIMATE_WORK, halted: &halted };
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
            guesses.sort_by_key(|(_, estimate)| Reverse(*estimate));
            let tried = |(action, _)| Tried { action, rounds: 0, running: false };
            self.moves = guesses.into_iter().map(tried).collect();
        }
        self.note();
    }

    fn hand_out(&mut self, what: What, share: Option<Duration>) -> Task {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let clock = match (left, share) {
            (Some(left), Some(share)) => Some(Some(left.min(share))),
            (Some(time), None) | (None, Some(time)) => Some(Some(time)),
            (None, None) => self.wants.share.map(|_| None),
        };
        let task = Task { id: self.next, clock, what };
        self.next += 1;
        self.running.push((task.clone(), 0));
        task
    }

    /// Nobody waits any more for somebody who is still looking for a value that the moves told.
    fn let_go(&mut self) {
        let is_value = |(task, _): &&(Task, u64)| matches!(task.what, What::Value(_));
        self.nodes += self.running.iter().filter(is_value).map(|(_, nodes)| nodes).sum::<u64>();
        self.running.retain(|running| !is_value(&running));
    }

    fn note(&mut self) {
        let running: u64 = self.running.iter().map(|(_, nodes)| nodes).sum();
        self.found.nodes = self.nodes + running;
        self.found.seconds = self.started.elapsed().as_secs_f64();
    }

    fn is_late(&self, stopped: bool) -> bool {
        stopped || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The most promising of the moves that are not known and were looked at least. Without shares
    /// each is looked at once.
    fn open_move(&self) -> Option<usize> {
        let until = self.wants.until;
        let open = |(_, tried): &(usize, &Tried)| {
            let known = self.found.moves.iter().find(|found| found.action == tried.action);
            !tried.running
                && (tried.rounds == 0 || self.wants.share.is_some())
                && known.is_some_and(|found| !until.is_answered(found.known.bounds()))
        };
        let moves = self.moves.iter().enumerate().filter(open);
        moves.min_by_key(|(_, tried)| tried.rounds).map(|(index, _)| index)
    }

    fn of(&mut self, action: Move) -> &mut MoveFound {
        let mut moves = self.found.moves.iter_mut();
        moves.find(|found| found.action == action).expect("one of the position's moves")
    }

    /// What is proven of a move, with what was known before.
    fn learn_move(&mut self, action: Move, bounds: Bounds) -> Result<(), SolveError> {
        let found = self.of(action);
        let both = found.known.bounds().and(bounds).ok_or(SolveError::Contradiction)?;
        found.learn(both);
        Ok(())
    }

    /// What is proven of the position, with what was known before.
    fn both(&self, bounds: Bounds) -> Option<Bounds> {
        self.found.known.bounds().and(bounds)
    }

    /// Takes bounds on, unless they are a value, which waits for its turn.
    fn narrow(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        if bounds.low < bounds.high { self.found.learn(bounds) } else { Ok(()) }
    }

    /// Takes bounds of the position on; a value with the turn that gets it.
    fn settle(&mut self, bounds: Bounds) -> Result<(), SolveError> {
        // Every turn of a lost position is lost: where no more is asked for, none is best.
        let lost = self.wants.until != Until::Value && bounds.high < 0;
        if self.found.best.is_none() && self.wants.until.is_answered(bounds) && !lost {
            self.unsettled = Some((bounds, Stage::Open));
            return Ok(());
        }
        self.found.learn(bounds)
    }

    /// What the moves tell of a position that is not solved yet.
    fn gather(&mut self) -> Result<(), SolveError> {
        let known = self.found.known.bounds();
        if self.wants.until.is_answered(known) || self.unsettled.is_some() {
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

    /// A turn that ends the game by repetition has the margin that it ends with.
    fn as_it_ends(&self, turn: TurnFound) -> TurnFound {
        match self.ends.iter().find(|(ending, _)| turn.moves == [*ending]) {
            Some((_, ends)) => {
                TurnFound { known: Bounds { low: *ends, high: *ends }.into(), ..turn }
            }
            None => turn,
        }
    }
}
