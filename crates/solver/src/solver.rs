//! The solver: values of positions, of their turns, and turns that reach a value.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sowing_platform::Instant;
use sowing_rules::{Bounds, CompactBoard, Family, Game, Move, Position, WideBoard};
use sowing_tables::BuildCache;

use crate::book::Book;
use crate::control::{Control, Limits, Progress, StopReason};
use crate::error::SolveError;
use crate::loopy::LoopySolver;
use crate::options::SolverOptions;
use crate::query::{Answer, Goal, Query, Turn, Work};
use crate::resources::{MemoryBudget, Resources};
use crate::search::{BoardSolver, SearchBoard};

/// Solves positions of one game, and keeps all proven bounds.
///
/// ```
/// use sowing_rules::Position;
/// use sowing_solver::Solver;
///
/// let game = "kalah(4,3)".parse()?;
/// let mut solver = Solver::new(game)?;
/// let start = Position::start(game);
/// assert_eq!(solver.value(&start)?.value(), Some(6));
/// assert!(solver.at_least(&start, 6)? && !solver.at_least(&start, 7)?);
/// assert_eq!(solver.turn_achieving(&start, 6)?[0].to_string(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Methods that search fail with [`SolveError::OtherGame`] if the position is of another game.
pub struct Solver {
    game: Game,
    options: SolverOptions,
    boards: BoardSolvers,
    loopy: Option<LoopySolver>,
    deadline: Option<Instant>,
    started: Instant,
    stop: Arc<AtomicBool>,
    work: Work,
    /// Whether bounds have crossed: some of those that are stored are false.
    contradicted: bool,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").field("game", &self.game).field("options", &self.options).finish()
    }
}

impl Solver {
    /// A solver with default options.
    pub fn new(game: Game) -> Result<Solver, SolveError> {
        Solver::with_options(game, SolverOptions::default())
    }

    /// A solver with these options. The clock of the time limit starts now.
    ///
    /// It fails if the tables or the book are not for the game.
    pub fn with_options(game: Game, options: SolverOptions) -> Result<Solver, SolveError> {
        if let Some(tables) = &options.tables {
            tables.require(&game)?;
        }
        if let Some(book) = &options.book {
            book.require(&game)?;
        }
        if let (Some(exchange), Some(tables)) = (&options.exchange, &options.tables) {
            exchange.register_tables(tables);
        }
        let stop = options.stop.clone().unwrap_or_default();
        let mut solver = Solver {
            game,
            options,
            boards: BoardSolvers::default(),
            loopy: None,
            deadline: None,
            started: Instant::now(),
            stop,
            work: Work::default(),
            contradicted: false,
        };
        solver.restart_clock();
        Ok(solver)
    }

    /// The switch that cancels a search from another thread. The proven bounds are then the answer. A set switch
    /// stops every later search at once.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Replaces the stop switch.
    pub fn set_stop_switch(&mut self, switch: Arc<AtomicBool>) {
        self.stop = switch;
    }

    /// Whether the stop switch is set.
    pub fn is_cancelled(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Why a search would stop at once, if it would.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.limits().stop_reason(self.work.nodes)
    }

    /// Sets another time limit, and starts its clock.
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.options.time = time;
        self.restart_clock();
    }

    /// Sets another node limit, counted over the life of the solver.
    pub fn set_max_nodes(&mut self, nodes: Option<u64>) {
        self.options.max_nodes = nodes;
    }

    /// Starts the clock of the time limit anew.
    pub fn restart_clock(&mut self) {
        self.started = Instant::now();
        // A time beyond the end of the clock is no limit.
        self.deadline = self.options.time.and_then(|time| self.started.checked_add(time));
    }

    /// Sets another number of expected queries: see [`SolverOptions::expected_queries`].
    pub fn set_expected_queries(&mut self, positions: u64) {
        self.options.expected_queries = positions;
    }

    /// A book of the proven bounds with the most effort, those imported from the given book among them: at most
    /// `max` positions per kind of board, and only whole classes of equal effort. Before the first search it is
    /// empty.
    ///
    /// It fails for games without books, if a table file has changed since it was opened, and after a
    /// [contradiction](SolveError::Contradiction), since then some stored bounds are false.
    pub fn export_book(&self, max: usize) -> Result<Book, SolveError> {
        let family = Family::for_game(&self.game)?;
        self.check_not_contradicted()?;
        let compact = self.boards.compact.as_ref().map_or(Ok(Vec::new()), |one| one.export(max))?;
        let wide = self.boards.wide.as_ref().map_or(Ok(Vec::new()), |one| one.export(max))?;
        let mut book = Book::from_entries(family, compact);
        book.merge_entries(&wide)?;
        Ok(book)
    }

    /// Whether the solver can still answer: no bounds have crossed, and the files of its tables are unchanged.
    pub fn is_sound(&self) -> bool {
        let tables = self.options.tables.as_ref();
        let error = tables.and_then(|tables| tables.integrity_error());
        !self.contradicted && error.is_none()
    }

    fn check_not_contradicted(&self) -> Result<(), SolveError> {
        if self.contradicted { Err(SolveError::Contradiction) } else { Ok(()) }
    }

    fn check_position(&self, position: &Position) -> Result<(), SolveError> {
        self.check_not_contradicted()?;
        if *position.game() == self.game {
            return Ok(());
        }
        Err(SolveError::OtherGame { solver: self.game, position: *position.game() })
    }

    /// Latches a contradiction: from then on the solver answers nothing.
    fn latch_contradiction<T>(&mut self, result: Result<T, SolveError>) -> Result<T, SolveError> {
        self.contradicted |= matches!(result, Err(SolveError::Contradiction));
        result
    }

    /// The bounds of a position's value in the given book, which has all games of the family.
    pub fn probe_book(&self, position: &Position) -> Option<Bounds> {
        self.options.book.as_ref()?.probe(position)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The nodes searched so far. With one thread, the same in every run.
    pub fn nodes(&self) -> u64 {
        self.work.nodes
    }

    /// The work so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The bytes of the transposition table and of tables that the solver built.
    pub fn bytes(&self) -> u64 {
        let BoardSolvers { compact, wide } = &self.boards;
        compact.as_ref().map_or(0, BoardSolver::bytes) + wide.as_ref().map_or(0, BoardSolver::bytes)
    }

    /// The highest layer of the tables, given or built; 0 without.
    pub fn table_layer(&self) -> u32 {
        let given = self.options.tables.as_ref().map_or(0, |tables| tables.max_layer());
        self.boards.compact.as_ref().map_or(given, BoardSolver::table_layer)
    }

    /// The mover's margin with perfect play. In a finished position it is the final margin.
    pub fn value(&mut self, position: &Position) -> Result<Answer, SolveError> {
        self.search(position, &Query::new(Goal::Value), &mut |_| {})
    }

    /// Win, draw or loss: bounds that decide it, but need not meet.
    pub fn outcome(&mut self, position: &Position) -> Result<Answer, SolveError> {
        self.search(position, &Query::new(Goal::Outcome), &mut |_| {})
    }

    /// Whether the mover's margin with perfect play is at least `margin`. It fails if the search stops before it
    /// knows.
    pub fn at_least(&mut self, position: &Position, margin: i64) -> Result<bool, SolveError> {
        let query = Query::new(Goal::AtLeast(margin));
        let Answer { bounds, stopped } = self.search(position, &query, &mut |_| {})?;
        match (bounds.decide(margin), stopped) {
            (Some(bound), _) => Ok(bound >= margin),
            (None, reason) => Err(SolveError::Stopped(reason.expect("an open test has a reason"))),
        }
    }

    /// All whole turns with distinct ends and their values, best first. A swap is a turn.
    ///
    /// It fails if the turns do not fit the memory.
    pub fn turns(&mut self, position: &Position) -> Result<Vec<Turn>, SolveError> {
        self.check_position(position)?;
        let mut turns = Vec::new();
        if position.may_swap() {
            let (swapped, _) = position.play(Move::Swap);
            turns.push(Turn::new(vec![Move::Swap], self.value(&swapped)?));
        }
        for slots in self.all_turns(position)? {
            let answer = self.value(&after_turn(position, &slots))?;
            turns.push(Turn::new(slots.into_iter().map(house).collect(), answer));
        }
        turns.sort_by_key(|Turn { bounds, .. }| (-bounds.low, -bounds.high));
        Ok(turns)
    }

    /// All turns from a position except a swap, one per end, as the slots of its shortest path, in their order.
    fn all_turns(&mut self, position: &Position) -> Result<Vec<Vec<u8>>, SolveError> {
        if position.is_finished() {
            return Ok(Vec::new());
        }
        let mut turns = match self.prepare(position, &mut |_| {}, 0)? {
            Prepared::Compact(solver, board, resources, control) => {
                solver.paths(board, &resources, &control)?.all()
            }
            Prepared::Wide(solver, board, resources, control) => {
                solver.paths(board, &resources, &control)?.all()
            }
        };
        turns.sort_unstable();
        Ok(turns)
    }

    /// A whole turn that reaches a margin which the position is known to be worth.
    ///
    /// It fails if no turn reaches it, in games that repeat positions, and while the pie rule is open.
    pub fn turn_achieving(
        &mut self,
        position: &Position,
        margin: i64,
    ) -> Result<Vec<Move>, SolveError> {
        self.check_position(position)?;
        let turn = self.find_turn(position, margin);
        self.latch_contradiction(turn)
    }

    fn find_turn(&mut self, position: &Position, margin: i64) -> Result<Vec<Move>, SolveError> {
        let none = SolveError::NoSuchTurn { margin };
        if position.is_finished() || position.pie_is_open() || self.game.rules().repeats() {
            return Err(none);
        }
        let (mut turn, rest) = self.turn_in_book(position, margin);
        let Some(position) = rest else { return Ok(turn) };
        let lead = position.lead();
        let Some(target) = margin.checked_sub(lead) else { return Err(none) };
        let slots = match self.prepare(&position, &mut |_| {}, lead)? {
            Prepared::Compact(solver, board, mut resources, mut control) => {
                solver.turn_achieving(board, target, &mut resources, &mut control)
            }
            Prepared::Wide(solver, board, mut resources, mut control) => {
                solver.turn_achieving(board, target, &mut resources, &mut control)
            }
        };
        match slots {
            Ok(slots) => turn.extend(slots.into_iter().map(|slot| house(slot as u8))),
            Err(SolveError::NoSuchTurn { .. }) => return Err(none),
            Err(error) => return Err(error),
        }
        Ok(turn)
    }

    /// The moves of a turn that reaches a margin, as far as the book decides them, and the position in which it
    /// does not; `None` if that is the end of the turn.
    fn turn_in_book(&self, position: &Position, margin: i64) -> (Vec<Move>, Option<Position>) {
        let (mut turn, mut at) = (Vec::new(), *position);
        if self.options.book.is_none() {
            return (turn, Some(at));
        }
        loop {
            let known = at.moves().find_map(|action| {
                let (next, report) = at.play(action);
                let over = next.margin().map(Bounds::exact);
                let bounds = over.or_else(|| self.probe_book(&next))?;
                let bounds = bounds.to_mover(report.again);
                (bounds.low >= margin).then_some((action, next, report))
            });
            let Some((action, next, report)) = known else { return (turn, Some(at)) };
            turn.push(action);
            if !report.again || report.finished {
                return (turn, None);
            }
            at = next;
        }
    }

    /// Narrows the bounds of a position's value until the query's goal is reached, and reports them on the way.
    ///
    /// While the pie rule is open, the goal is the value. Games that repeat positions report no progress.
    pub fn search(
        &mut self,
        position: &Position,
        query: &Query,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, SolveError> {
        self.check_position(position)?;
        let answer = self.answer(position, query, on_progress);
        self.latch_contradiction(answer)
    }

    fn answer(
        &mut self,
        position: &Position,
        query: &Query,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, SolveError> {
        if let Some(margin) = position.margin() {
            return Ok(Answer::exact(margin));
        }
        if position.pie_is_open() {
            let Answer { bounds, stopped } = self.answer_with_pie(position, on_progress)?;
            let is_open = !query.goal.is_reached(bounds);
            return Ok(Answer { bounds, stopped: stopped.filter(|_| is_open) });
        }
        let lead = position.lead();
        let layer = position.layer() as i64;
        let mut bounds = Bounds::from_layer(layer);
        if let Some(known) = query.known.filter(|known| !is_possible(*known, bounds.shifted(lead)))
        {
            return Err(SolveError::ImpossibleBounds(known));
        }
        for known in [self.probe_book(position), query.known].into_iter().flatten() {
            let houses = Bounds {
                low: known.low.saturating_sub(lead),
                high: known.high.saturating_sub(lead),
            };
            bounds = bounds.intersect(houses).ok_or(SolveError::Contradiction)?;
        }
        if self.game.rules().repeats() {
            return self.answer_loopy(position, bounds);
        }
        let is_enough = |bounds: Bounds| query.goal.is_reached(bounds.shifted(lead));
        // A first target beyond all margins is as good as the nearest of them.
        let target = query.first_target.saturating_sub(lead).clamp(-layer, layer + 1);
        let stopped = match self.prepare(position, on_progress, lead)? {
            Prepared::Compact(solver, board, mut resources, mut control) => solver.narrow(
                board,
                &mut bounds,
                target,
                &is_enough,
                &mut resources,
                &mut control,
            )?,
            Prepared::Wide(solver, board, mut resources, mut control) => solver.narrow(
                board,
                &mut bounds,
                target,
                &is_enough,
                &mut resources,
                &mut control,
            )?,
        };
        Ok(Answer { bounds: bounds.shifted(lead), stopped })
    }

    /// The answer in a game that repeats positions.
    fn answer_loopy(&mut self, position: &Position, bounds: Bounds) -> Result<Answer, SolveError> {
        let mut loopy = self.loopy.take().unwrap_or_else(|| LoopySolver::new(&self.game));
        let value = loopy.value(position, self.options.memory, &self.limits());
        self.work.nodes = loopy.nodes();
        self.loopy = Some(loopy);
        let (houses, stopped) = match value? {
            Ok(value) => (Bounds::exact(value), None),
            Err(reason) => (bounds, Some(reason)),
        };
        let bounds = bounds.intersect(houses).ok_or(SolveError::Contradiction)?;
        Ok(Answer { bounds: bounds.shifted(position.lead()), stopped })
    }

    fn limits(&self) -> Limits<'_> {
        limits(&self.stop, self.deadline, &self.options)
    }

    /// The board of a position and its solver, with the resources and the control of a search. `lead` is added to
    /// the bounds in reports.
    fn prepare<'a>(
        &'a mut self,
        position: &Position,
        on_progress: &'a mut dyn FnMut(Progress),
        lead: i64,
    ) -> Result<Prepared<'a>, SolveError> {
        let limits = limits(&self.stop, self.deadline, &self.options);
        let control = Control::new(limits, self.started, lead, on_progress);
        let options = &mut self.options;
        let memory = MemoryBudget::from_bytes(options.memory);
        let (game, tt_bytes) = (&self.game, memory.transposition_table);
        let BoardSolvers { compact, wide } = &mut self.boards;
        let board = CompactBoard::new(position.board());
        // The solver is made before the options are lent to the search.
        match board {
            Ok(_) => drop(get_or_create(compact, game, options, tt_bytes)?),
            Err(_) => drop(get_or_create(wide, game, options, tt_bytes)?),
        }
        let resources = Resources {
            threads: options.threads.max(1),
            memory,
            build_tables: options.build_tables,
            work: &mut self.work,
            build_cache: BuildCache::default(),
            expected_queries: options.expected_queries,
            checkpointer: options.checkpointer.as_mut(),
            exchange: options.exchange.as_deref(),
        };
        Ok(match board {
            Ok(board) => {
                Prepared::Compact(compact.as_mut().expect("made"), board, resources, control)
            }
            Err(_) => {
                Prepared::Wide(wide.as_mut().expect("made"), *position.board(), resources, control)
            }
        })
    }

    /// The answer while the pie rule is open: the second player takes the better side.
    fn answer_with_pie(
        &mut self,
        position: &Position,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, SolveError> {
        let query = Query::new(Goal::Value);
        if position.may_swap() {
            let (swapped, _) = position.play(Move::Swap);
            let either =
                |Bounds { low, high }| Bounds { low: low.max(-high), high: high.max(-low) };
            let mut report = |progress: Progress| {
                on_progress(Progress { bounds: either(progress.bounds), ..progress });
            };
            let Answer { bounds, stopped } = self.search(&swapped, &query, &mut report)?;
            return Ok(Answer { bounds: either(bounds), stopped });
        }
        let unknown = Bounds::from_layer(position.total() as i64);
        let stopped = |bounds, reason| Ok(Answer { bounds, stopped: Some(reason) });
        let turns = match self.all_turns(position) {
            Ok(turns) => turns,
            Err(SolveError::Stopped(reason)) => return stopped(unknown, reason),
            Err(SolveError::TooManyTurns { .. }) => return stopped(unknown, StopReason::Memory),
            Err(error) => return Err(error),
        };
        let mut best = Answer::exact(unknown.low);
        for slots in turns {
            let so_far = Bounds { low: best.bounds.low, high: unknown.high };
            if let Some(reason) = self.stop_reason() {
                return stopped(so_far, reason);
            }
            let mut report =
                |progress: Progress| on_progress(Progress { bounds: so_far, ..progress });
            let answer = self.search(&after_turn(position, &slots), &query, &mut report)?;
            let Bounds { low, high } = -answer.bounds;
            let Bounds { low: best_low, high: best_high } = best.bounds;
            best.bounds = Bounds { low: best_low.max(low), high: best_high.max(high) };
            best.stopped = best.stopped.or(answer.stopped);
        }
        // A turn that was not solved does not matter where the others decide the value.
        best.stopped = best.stopped.filter(|_| best.value().is_none());
        Ok(best)
    }
}

/// The solvers of both boards, made when they are first needed.
#[derive(Debug, Default)]
struct BoardSolvers {
    compact: Option<BoardSolver<CompactBoard>>,
    wide: Option<BoardSolver<WideBoard>>,
}

/// A board with its solver, and the resources and the control of a search.
#[expect(clippy::large_enum_variant, reason = "it lives on the stack, for one call")]
enum Prepared<'a> {
    Compact(&'a mut BoardSolver<CompactBoard>, CompactBoard, Resources<'a>, Control<'a>),
    Wide(&'a mut BoardSolver<WideBoard>, WideBoard, Resources<'a>, Control<'a>),
}

/// The solver of one kind of board, made at the first call.
fn get_or_create<'a, B: SearchBoard>(
    solver: &'a mut Option<BoardSolver<B>>,
    game: &Game,
    options: &SolverOptions,
    max_tt_bytes: u64,
) -> Result<&'a mut BoardSolver<B>, SolveError> {
    if solver.is_none() {
        let SolverOptions { tables, book, .. } = options;
        *solver = Some(BoardSolver::new(game, tables.as_ref(), book.as_deref(), max_tt_bytes)?);
    }
    Ok(solver.as_mut().expect("just made"))
}

/// Whether bounds do not cross, and leave a value that is possible.
fn is_possible(known: Bounds, possible: Bounds) -> bool {
    known.low <= known.high && known.intersect(possible).is_some()
}

fn limits<'a>(
    cancelled: &'a AtomicBool,
    deadline: Option<Instant>,
    options: &SolverOptions,
) -> Limits<'a> {
    Limits { cancelled, deadline, max_nodes: options.max_nodes.unwrap_or(u64::MAX) }
}

/// The move of the mover's house in a slot.
fn house(slot: u8) -> Move {
    Move::house(slot + 1)
}

/// The position at the end of a turn, as the opponent sees it: also where the game is over with a seed in the
/// mover's store.
fn after_turn(position: &Position, slots: &[u8]) -> Position {
    let (mut at, mut again) = (*position, false);
    for slot in slots {
        let (next, report) = at.play(house(*slot));
        (at, again) = (next, report.again);
    }
    if again { at.flip() } else { at }
}
