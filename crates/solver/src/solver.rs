//! The solver: values of positions, of their moves and turns, and perfect lines.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use sowing::{Game, Move, Playthrough, Position, Small, Wide};
use sowing_tables::Tables;

use crate::core::{Core, Means, Shares, Step, is_halted};
pub(crate) use crate::error::SolveError;
use crate::loopy::Loopy;
use crate::rank::Ranked;
use crate::verdict::{Bounds, Verdict};

/// What a solver may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that search together. Values do not depend on their number.
    pub threads: usize,
    /// Bytes for everything that the solver holds: what it remembers, tables that it builds, the
    /// positions under way. Tables that it is given come on top.
    pub memory: u64,
    /// When to give up; what is proven by then is the answer.
    pub time: Option<Duration>,
    /// Endgame tables to look positions up in. Those of other rules or houses are refused.
    pub tables: Option<Arc<Tables>>,
    /// Whether to build endgame tables in memory where the work justifies it.
    pub build_tables: bool,
}

impl Default for Options {
    /// All cores, one gibibyte, no end, tables built as needed.
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options { threads, memory: 1 << 30, time: None, tables: None, build_tables: true }
    }
}

/// How a search goes, told a few times a second.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What is proven so far of the margin of the position that was asked about.
    pub bounds: Bounds,
    /// The margin that is being asked for: is it at least this?
    pub target: i64,
    /// Positions looked at so far.
    pub nodes: u64,
    /// Time since the solver's clock was started.
    pub elapsed: Duration,
}

/// What a move is worth.
#[derive(Clone, Debug)]
pub struct Score {
    /// The move.
    pub action: Move,
    /// Whether the mover moves again after it.
    pub again: bool,
    /// The mover's margin after it, with perfect play.
    pub verdict: Verdict,
}

impl Score {
    /// Puts the best first; of equals, the one that came first.
    pub fn sort(scores: &mut [Score]) {
        sort_best_first(scores, |score| score.verdict);
    }
}

/// What a whole turn is worth.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The moves, shortest way to its end; of equally short ones, the leftmost houses.
    pub moves: Vec<Move>,
    /// The mover's margin after it, with perfect play.
    pub verdict: Verdict,
}

/// Solves positions of one game, and remembers what it has proven.
///
/// ```
/// use sowing::Position;
/// use sowing_solver::Solver;
///
/// let game = "kalah(4,3)".parse()?;
/// let mut solver = Solver::new(game)?;
/// let start = Position::start(game);
/// assert_eq!(solver.value(&start)?.value(), Some(6));
/// let best = &solver.analyze(&start)?[0];
/// assert_eq!((best.action.to_string().as_str(), best.verdict.value()), ("2", Some(6)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    game: Game,
    options: Options,
    small: Option<Core<Small>>,
    wide: Option<Core<Wide>>,
    loopy: Option<Loopy>,
    deadline: Option<Instant>,
    started: Instant,
    stop: Arc<AtomicBool>,
    progress: Box<dyn FnMut(Progress) + Send>,
    nodes: u64,
    moves: u64,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").field("game", &self.game).field("options", &self.options).finish()
    }
}

impl Solver {
    /// A solver with default options.
    pub fn new(game: Game) -> Result<Solver, SolveError> {
        Solver::with_options(game, Options::default())
    }

    /// A solver that keeps within these options. The clock of a time limit starts now.
    ///
    /// It fails if the tables are not for the game.
    pub fn with_options(game: Game, options: Options) -> Result<Solver, SolveError> {
        if let Some(tables) = &options.tables {
            tables.require(&game)?;
        }
        let mut solver = Solver {
            game,
            options,
            small: None,
            wide: None,
            loopy: None,
            deadline: None,
            started: Instant::now(),
            stop: Arc::default(),
            progress: Box::new(|_| {}),
            nodes: 0,
            moves: 0,
        };
        solver.restart_clock();
        Ok(solver)
    }

    /// Tells somebody how the search goes.
    pub fn on_progress(&mut self, progress: impl FnMut(Progress) + Send + 'static) {
        self.progress = Box::new(progress);
    }

    /// A switch that ends a search from elsewhere: what is proven by then is the answer.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Has searches heed another switch from now on.
    pub fn set_stop_switch(&mut self, switch: Arc<AtomicBool>) {
        self.stop = switch;
    }

    /// Sets another time limit, and starts its clock.
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.options.time = time;
        self.restart_clock();
    }

    /// Starts the clock of a time limit anew.
    pub fn restart_clock(&mut self) {
        self.started = Instant::now();
        // A time beyond the end of the clock is no limit.
        self.deadline = self.options.time.and_then(|time| self.started.checked_add(time));
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The positions looked at so far. With one thread, the same in every run.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The moves played so far in looking at them.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The most seeds in houses that tables, given or built, know all about; 0 without.
    pub fn table_level(&self) -> u32 {
        self.small.as_ref().map_or(0, Core::table_level)
    }

    /// The mover's margin with perfect play.
    ///
    /// In a finished position it is the margin that stands.
    ///
    /// # Panics
    /// Here and below, if the position is of another game.
    pub fn value(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        self.solve(position, &|bounds| bounds.low == bounds.high)
    }

    /// Win, draw or loss: bounds that tell, but need not meet.
    pub fn outcome(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        self.solve(position, &|bounds| Verdict::of(bounds).outcome().is_some())
    }

    /// Whether the mover's margin is at least this.
    pub fn at_least(&mut self, position: &Position, margin: i64) -> Result<bool, SolveError> {
        let enough = |bounds: Bounds| bounds.low >= margin || bounds.high < margin;
        let bounds = self.solve_towards(position, margin, &enough)?.bounds();
        if enough(bounds) { Ok(bounds.low >= margin) } else { Err(SolveError::Stopped) }
    }

    /// The value of every legal move, best first; of equals, the leftmost house.
    pub fn analyze(&mut self, position: &Position) -> Result<Vec<Score>, SolveError> {
        self.scores(position, &|bounds| bounds.low == bounds.high)
    }

    /// Win, draw or loss of every legal move, best first.
    pub fn analyze_outcomes(&mut self, position: &Position) -> Result<Vec<Score>, SolveError> {
        self.scores(position, &|bounds| Verdict::of(bounds).outcome().is_some())
    }

    fn scores(
        &mut self,
        position: &Position,
        enough: &dyn Fn(Bounds) -> bool,
    ) -> Result<Vec<Score>, SolveError> {
        let mut scores = Vec::new();
        for action in position.moves() {
            let (next, report) = position.play(action).expect("the moves of a position are legal");
            let verdict = self.solve(&next, enough)?;
            let verdict = if report.again { verdict } else { verdict.negated() };
            scores.push(Score { action, again: report.again, verdict });
        }
        Score::sort(&mut scores);
        Ok(scores)
    }

    /// The value of every whole turn with an end of its own, best first.
    ///
    /// It fails where the turns are more than the memory for them holds.
    pub fn turns(&mut self, position: &Position) -> Result<Vec<Turn>, SolveError> {
        let mut turns = Vec::new();
        if position.may_swap() {
            let (swapped, _) = position.play(Move::Swap).expect("offered");
            let verdict = self.value(&swapped)?.negated();
            turns.push(Turn { moves: vec![Move::Swap], verdict });
        }
        for slots in self.all_turns(position)? {
            let verdict = self.value(&after_turn(position, &slots))?.negated();
            turns.push(Turn { moves: slots.into_iter().map(house).collect(), verdict });
        }
        sort_best_first(&mut turns, |turn| turn.verdict);
        Ok(turns)
    }

    /// All turns from a position but for a swap, one for each end, as the slots to play: the
    /// shortest way to it, in the order of these.
    fn all_turns(&mut self, position: &Position) -> Result<Vec<Vec<u8>>, SolveError> {
        if position.is_finished() {
            return Ok(Vec::new());
        }
        let tables = self.options.tables.clone();
        let (cores, means) = self.means(0);
        let mut turns = match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &tables)?.paths(board, &means)?.all(),
            Err(_) => {
                ready(cores.1, position.game(), &tables)?.paths(*position.board(), &means)?.all()
            }
        };
        turns.sort_unstable();
        Ok(turns)
    }

    /// One perfect continuation to the end of the game, turn by turn. In a game that repeats
    /// positions it may stop where neither player can get further: play is endless from there.
    pub fn line(&mut self, position: &Position) -> Result<Vec<Vec<Move>>, SolveError> {
        let mut game = Playthrough::new(*position);
        let mut turns = Vec::new();
        let mut value = self.value(position)?.value().ok_or(SolveError::Stopped)?;
        while game.result().is_none() {
            let moves = if game.position().pie_is_open() || self.game.rules().repeats() {
                self.keeping_moves(game.position(), value)?
            } else {
                self.turn_worth(game.position(), value)?
            };
            if moves.is_empty() {
                break;
            }
            for action in moves {
                let passes = !game.play(action).expect("legal").report.again;
                if turns.last().is_none_or(|(_, over)| *over) {
                    turns.push((Vec::new(), false));
                }
                let (turn, over) = turns.last_mut().expect("there is a turn");
                turn.push(action);
                *over = passes;
                value = if passes { -value } else { value };
            }
        }
        Ok(turns.into_iter().map(|(turn, _)| turn).collect())
    }

    /// A whole turn that gets at least a margin which the position is known to be worth, in a game
    /// that does not repeat positions and with the pie rule over.
    ///
    /// It fails if no turn is worth that, or the position is not of that kind.
    pub fn turn_worth(
        &mut self,
        position: &Position,
        margin: i64,
    ) -> Result<Vec<Move>, SolveError> {
        let none = SolveError::NoSuchTurn { margin };
        if position.is_finished() || position.pie_is_open() || position.game().rules().repeats() {
            return Err(none);
        }
        assert_eq!(*position.game(), self.game, "the position is of another game");
        let lead = position.lead();
        let Some(target) = margin.checked_sub(lead) else { return Err(none) };
        let tables = self.options.tables.clone();
        let (cores, mut means) = self.means(lead);
        let slots = match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &tables)?.turn(board, target, &mut means),
            Err(_) => ready(cores.1, position.game(), &tables)?.turn(
                *position.board(),
                target,
                &mut means,
            ),
        };
        match slots {
            Ok(slots) => Ok(slots.into_iter().map(|slot| house(slot as u8)).collect()),
            Err(SolveError::NoSuchTurn { .. }) => Err(none),
            Err(error) => Err(error),
        }
    }

    /// The shortest way of moves that keep the value of a position, by both players, to one that
    /// gains seeds or leaves the pie rule behind; empty if play is endless.
    fn keeping_moves(&mut self, position: &Position, value: i64) -> Result<Vec<Move>, SolveError> {
        if position.pie_is_open() && !position.may_swap() {
            for slots in self.all_turns(position)? {
                let after = self.value(&after_turn(position, &slots))?.negated();
                if after.value().ok_or(SolveError::Stopped)? == value {
                    return Ok(slots.into_iter().map(house).collect());
                }
            }
            return Err(SolveError::NoSuchTurn { margin: value });
        }
        let mut ways = vec![(*position, value, 0, None)];
        let mut seen = HashSet::from([*position]);
        let mut index = 0;
        while index < ways.len() {
            let (position, value, ..) = ways[index];
            for action in position.moves() {
                let (next, report) = position.play(action).expect("legal");
                let after = if report.again { value } else { -value };
                if self.value(&next)?.value().ok_or(SolveError::Stopped)? != after {
                    continue;
                }
                if seen.insert(next) {
                    ways.push((next, after, index, Some(action)));
                }
                if report.gain > 0 || position.may_swap() {
                    let mut moves = vec![action];
                    let mut at = index;
                    while let (_, _, from, Some(action)) = ways[at] {
                        moves.push(action);
                        at = from;
                    }
                    moves.reverse();
                    return Ok(moves);
                }
            }
            index += 1;
        }
        Ok(Vec::new())
    }

    fn solve(
        &mut self,
        position: &Position,
        enough: &dyn Fn(Bounds) -> bool,
    ) -> Result<Verdict, SolveError> {
        self.solve_towards(position, 1, enough)
    }

    /// Bounds of a position's margin, starting with the question whether it reaches a guess.
    fn solve_towards(
        &mut self,
        position: &Position,
        guess: i64,
        enough: &dyn Fn(Bounds) -> bool,
    ) -> Result<Verdict, SolveError> {
        assert_eq!(*position.game(), self.game, "the position is of another game");
        if let Some(margin) = position.margin() {
            return Ok(Verdict::Exact(margin));
        }
        if position.pie_is_open() {
            return self.pie(position);
        }
        let lead = position.lead();
        let level = position.level() as i64;
        let mut bounds = Bounds::of_seeds(level);
        if self.game.rules().repeats() {
            let (stop, deadline) = (&self.stop, self.deadline);
            let halted = || is_halted(stop, deadline);
            let loopy = match &mut self.loopy {
                Some(loopy) => loopy,
                None => self.loopy.insert(Loopy::new(&self.game)),
            };
            let value = loopy.value(position, self.options.memory, &halted)?;
            self.nodes = loopy.nodes();
            let bounds = value.map_or(bounds, |value| Bounds { low: value, high: value });
            return Ok(Verdict::of(bounds.plus(lead)));
        }
        let enough = |bounds: Bounds| enough(bounds.plus(lead));
        let tables = self.options.tables.clone();
        let (cores, mut means) = self.means(lead);
        // A guess beyond all margins is as good as the nearest of them.
        let guess = guess.saturating_sub(lead).clamp(-level, level + 1);
        match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &tables)?.narrow(
                board,
                &mut bounds,
                guess,
                &enough,
                &mut means,
            )?,
            Err(_) => ready(cores.1, position.game(), &tables)?.narrow(
                *position.board(),
                &mut bounds,
                guess,
                &enough,
                &mut means,
            )?,
        };
        Ok(Verdict::of(bounds.plus(lead)))
    }

    /// The cores for both boards, and what a search on them may use. Progress is told as margins,
    /// with the lead that the stores give.
    fn means(&mut self, lead: i64) -> (Cores<'_>, Means<'_>) {
        let (started, progress) = (self.started, &mut self.progress);
        let tell = move |step: Step| {
            progress(Progress {
                bounds: step.bounds.plus(lead),
                target: step.target + lead,
                nodes: step.nodes,
                elapsed: started.elapsed(),
            });
        };
        let means = Means {
            threads: self.options.threads.max(1),
            shares: Shares::of(self.options.memory),
            build: self.options.build_tables,
            deadline: self.deadline,
            stop: &self.stop,
            nodes: &mut self.nodes,
            moves: &mut self.moves,
            progress: Box::new(tell),
        };
        ((&mut self.small, &mut self.wide), means)
    }

    /// Values while the pie rule is open: the second player takes the better side.
    fn pie(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        if position.may_swap() {
            let (swapped, _) = position.play(Move::Swap).expect("offered");
            let Bounds { low, high } = self.value(&swapped)?.bounds();
            return Ok(Verdict::of(Bounds { low: low.max(-high), high: high.max(-low) }));
        }
        let unknown = Bounds::of_seeds(position.total() as i64);
        let turns = match self.all_turns(position) {
            Ok(turns) => turns,
            Err(SolveError::Stopped | SolveError::TooManyTurns { .. }) => {
                return Ok(Verdict::of(unknown));
            }
            Err(error) => return Err(error),
        };
        let mut best = Bounds { low: unknown.low, high: unknown.low };
        for slots in turns {
            if is_halted(&self.stop, self.deadline) {
                return Ok(Verdict::of(Bounds { low: best.low, high: unknown.high }));
            }
            let Bounds { low, high } =
                self.value(&after_turn(position, &slots))?.negated().bounds();
            best = Bounds { low: best.low.max(low), high: best.high.max(high) };
        }
        Ok(Verdict::of(best))
    }
}

/// The cores for both boards.
type Cores<'a> = (&'a mut Option<Core<Small>>, &'a mut Option<Core<Wide>>);

/// The core for one kind of board, made when it is first needed.
fn ready<'a, B: Ranked>(
    core: &'a mut Option<Core<B>>,
    game: &Game,
    tables: &Option<Arc<Tables>>,
) -> Result<&'a mut Core<B>, SolveError> {
    if core.is_none() {
        *core = Some(Core::new(game, tables.clone())?);
    }
    Ok(core.as_mut().expect("just made"))
}

fn sort_best_first<T>(list: &mut [T], verdict: impl Fn(&T) -> Verdict) {
    list.sort_by_key(|item| {
        let Bounds { low, high } = verdict(item).bounds();
        (-low, -high)
    });
}

/// The move of the mover's house in a slot.
fn house(slot: u8) -> Move {
    Move::house(slot + 1)
}

/// The position at the end of a turn, as the opponent sees it: also where the game is over with a
/// seed in the mover's store.
fn after_turn(position: &Position, slots: &[u8]) -> Position {
    let (mut at, mut again) = (*position, false);
    for slot in slots {
        let (next, report) = at.play(house(*slot)).expect("legal");
        (at, again) = (next, report.again);
    }
    if again { at.flip() } else { at }
}
