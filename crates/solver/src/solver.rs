//! The solver: values of positions, of their moves and turns, and perfect lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sowing::{Game, Move, Position, Small, Wide};
use sowing_platform::Instant;
use sowing_tables::{Family, Tables, Workshop};

use crate::book::Book;
use crate::core::{Core, Given};
pub(crate) use crate::error::SolveError;
use crate::exchange::Exchange;
use crate::keeper::Keeper;
use crate::loopy::Loopy;
use crate::means::{Means, Shares, Standing, is_halted};
use crate::rank::Ranked;
use crate::verdict::{Bounds, Verdict};

/// What a solver may use.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// Threads that search together. Values do not depend on their number.
    pub threads: usize,
    /// Bytes for everything that the solver holds: what it remembers, tables that it builds, the
    /// positions under way. Tables and books that it is given come on top.
    pub memory: u64,
    /// When to give up; what is proven by then is the answer.
    pub time: Option<Duration>,
    /// Endgame tables to look positions up in. Those of other rules or houses are refused.
    pub tables: Option<Arc<Tables>>,
    /// Whether to build endgame tables in memory where the work justifies it.
    pub build_tables: bool,
    /// What was proven before. A book of other rules or houses is refused.
    pub book: Option<Arc<Book>>,
}

impl Default for SolverOptions {
    /// All cores, one gibibyte, no end, tables built as needed.
    fn default() -> SolverOptions {
        let threads = sowing_platform::cores();
        SolverOptions {
            threads,
            memory: 1 << 30,
            time: None,
            tables: None,
            build_tables: true,
            book: None,
        }
    }
}

/// How a search goes, told a few times a second.
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress {
    /// What is proven so far of the margin of the position that was asked about.
    pub bounds: Bounds,
    /// The margin that is being asked for: is it at least this?
    pub target: i64,
    /// Positions looked at so far.
    pub nodes: u64,
    /// Time since the solver's clock was started.
    pub elapsed: Duration,
}

/// What a solver has done so far. With one thread, the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Positions looked at.
    pub nodes: u64,
    /// Moves played in looking at them.
    pub moves: u64,
    /// How often a turn that was tried was enough, so that the others were not.
    pub cuts: u64,
    /// How often it was the first one.
    pub first_cuts: u64,
}

/// What a whole turn is worth.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The moves, shortest way to its end; of equally short ones, the leftmost houses.
    pub moves: Vec<Move>,
    /// The mover's margin after it, with perfect play.
    pub verdict: Verdict,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until the value is known.
    Value,
    /// Until it is known whether it is a win, a draw or a loss.
    Outcome,
    /// Until it is known whether the value is at least this.
    Reaches(i64),
}

impl Until {
    /// Whether these bounds answer.
    pub fn is_answered(self, bounds: Bounds) -> bool {
        match self {
            Until::Value => bounds.low == bounds.high,
            Until::Outcome => Verdict::of(bounds).outcome().is_some(),
            Until::Reaches(margin) => bounds.low >= margin || bounds.high < margin,
        }
    }
}

/// What is asked of a position.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// When it is answered.
    pub until: Until,
    /// Bounds of the value that are known to be true, whoever knows them.
    pub known: Option<Bounds>,
    /// The margin that is asked for first. A good guess saves work.
    pub guess: i64,
}

impl Ask {
    /// A question of which nothing is known: the first guess is that the mover wins.
    pub fn new(until: Until) -> Ask {
        let guess = if let Until::Reaches(margin) = until { margin } else { 1 };
        Ask { until, known: None, guess }
    }
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
/// assert!(solver.at_least(&start, 6)? && !solver.at_least(&start, 7)?);
/// assert_eq!(solver.turn_of_value(&start, 6)?[0].to_string(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    game: Game,
    options: SolverOptions,
    small: Option<Core<Small>>,
    wide: Option<Core<Wide>>,
    loopy: Option<Loopy>,
    deadline: Option<Instant>,
    started: Instant,
    stop: Arc<AtomicBool>,
    work: Work,
    expected: u64,
    keeper: Option<Keeper>,
    exchange: Option<Arc<Exchange>>,
    /// Whether bounds have crossed: some of those that are remembered are false.
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

    /// A solver that keeps within these options. The clock of a time limit starts now.
    ///
    /// It fails if the tables or the book are not for the game.
    pub fn with_options(game: Game, options: SolverOptions) -> Result<Solver, SolveError> {
        if let Some(tables) = &options.tables {
            tables.require(&game)?;
        }
        if let Some(book) = &options.book {
            book.require(&game)?;
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
            work: Work::default(),
            expected: 1,
            keeper: None,
            exchange: None,
            contradicted: false,
        };
        solver.restart_clock();
        Ok(solver)
    }

    /// A switch that ends a search from elsewhere: what is proven by then is the answer.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Has searches heed another switch from now on.
    pub fn set_stop_switch(&mut self, switch: Arc<AtomicBool>) {
        self.stop = switch;
    }

    /// Whether the switch is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the switch is set or the time is up.
    pub fn is_halted(&self) -> bool {
        is_halted(&self.stop, self.deadline)
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

    /// Says about how many positions are going to be asked about: what pays for all of them together is
    /// then done for the first.
    pub fn expect(&mut self, positions: u64) {
        self.expected = positions;
    }

    /// Has somebody keep what long searches find on their way.
    pub fn set_keeper(&mut self, keeper: Option<Keeper>) {
        self.keeper = keeper;
    }

    /// Has long searches tell others who search for the same what they find, and heed what these find.
    ///
    /// From now on the exchange gives nothing out once a table file of this solver has changed.
    pub fn set_exchange(&mut self, exchange: Option<Arc<Exchange>>) {
        if let (Some(exchange), Some(tables)) = (&exchange, &self.options.tables) {
            exchange.watch(tables);
        }
        self.exchange = exchange;
    }

    /// What was proven so far at the highest cost, the book's own entries among it, as far as it is
    /// remembered: at most `most` positions of either kind of board.
    ///
    /// It fails for games without books, if a table file has changed since it was opened, and after a
    /// [contradiction](SolveError::Contradiction): what is false is among what is remembered.
    pub fn proven(&self, most: usize) -> Result<Book, SolveError> {
        let family = Family::of(&self.game)?;
        self.check_trust()?;
        let small = self.small.as_ref().map_or(Ok(Vec::new()), |core| core.proven(most))?;
        let wide = self.wide.as_ref().map_or(Ok(Vec::new()), |core| core.proven(most))?;
        let mut book = Book::of_entries(family, small);
        book.merge_entries(&wide)?;
        Ok(book)
    }

    /// Whether the solver can still answer: no bounds have crossed, and the files of its tables are as
    /// they were.
    pub fn is_sound(&self) -> bool {
        let damage = self.options.tables.as_ref().and_then(|tables| tables.damage());
        !self.contradicted && damage.is_none()
    }

    fn check_trust(&self) -> Result<(), SolveError> {
        if self.contradicted { Err(SolveError::Contradiction) } else { Ok(()) }
    }

    /// Remembers a contradiction: from then on the solver answers nothing.
    fn note<T>(&mut self, answer: Result<T, SolveError>) -> Result<T, SolveError> {
        self.contradicted |= matches!(answer, Err(SolveError::Contradiction));
        answer
    }

    /// What the book says of a position's value.
    pub fn in_book(&self, position: &Position) -> Option<Bounds> {
        self.options.book.as_ref()?.probe(position)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The positions looked at so far. With one thread, the same in every run.
    pub fn nodes(&self) -> u64 {
        self.work.nodes
    }

    /// The moves played so far in looking at them.
    pub fn moves(&self) -> u64 {
        self.work.moves
    }

    /// All that is counted.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The bytes that it holds of bounds and of tables that it built.
    pub fn bytes(&self) -> u64 {
        self.small.as_ref().map_or(0, Core::bytes) + self.wide.as_ref().map_or(0, Core::bytes)
    }

    /// The most seeds in houses that tables, given or built, know all about; 0 without.
    pub fn table_layer(&self) -> u32 {
        let given = self.options.tables.as_ref().map_or(0, |tables| tables.max_layer());
        self.small.as_ref().map_or(given, Core::table_layer)
    }

    /// The mover's margin with perfect play.
    ///
    /// In a finished position it is the margin that stands.
    ///
    /// # Panics
    /// Here and below, if the position is of another game.
    pub fn value(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        self.search(position, &Ask::new(Until::Value), &mut |_| {})
    }

    /// Win, draw or loss: bounds that tell, but need not meet.
    pub fn outcome(&mut self, position: &Position) -> Result<Verdict, SolveError> {
        self.search(position, &Ask::new(Until::Outcome), &mut |_| {})
    }

    /// Whether the mover's margin is at least this.
    pub fn at_least(&mut self, position: &Position, margin: i64) -> Result<bool, SolveError> {
        let until = Until::Reaches(margin);
        let bounds = self.search(position, &Ask::new(until), &mut |_| {})?.bounds();
        if until.is_answered(bounds) { Ok(bounds.low >= margin) } else { Err(SolveError::Stopped) }
    }

    /// The value of every whole turn with an end of its own, best first; a swap is a turn.
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
        turns.sort_by_key(|turn| {
            let Bounds { low, high } = turn.verdict.bounds();
            (-low, -high)
        });
        Ok(turns)
    }

    /// All turns from a position but for a swap, one for each end, as the slots to play: the
    /// shortest way to it, in the order of these.
    fn all_turns(&mut self, position: &Position) -> Result<Vec<Vec<u8>>, SolveError> {
        if position.is_finished() {
            return Ok(Vec::new());
        }
        let given = Given::of(&self.options);
        let mut unseen = |_| {};
        let (cores, means) = self.means(0, &mut unseen);
        let mut turns = match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &given)?.paths(board, &means)?.all(),
            Err(_) => {
                ready(cores.1, position.game(), &given)?.paths(*position.board(), &means)?.all()
            }
        };
        turns.sort_unstable();
        Ok(turns)
    }

    /// A whole turn that gets at least a margin which the position is known to be worth, in a game
    /// that does not repeat positions and with the pie rule over.
    ///
    /// It fails if no turn is worth that, or the position is not of that kind.
    pub fn turn_of_value(
        &mut self,
        position: &Position,
        margin: i64,
    ) -> Result<Vec<Move>, SolveError> {
        self.check_trust()?;
        let turn = self.find_turn(position, margin);
        self.note(turn)
    }

    fn find_turn(&mut self, position: &Position, margin: i64) -> Result<Vec<Move>, SolveError> {
        let none = SolveError::NoSuchTurn { margin };
        if position.is_finished() || position.pie_is_open() || position.game().rules().repeats() {
            return Err(none);
        }
        assert_eq!(*position.game(), self.game, "the position is of another game");
        let (mut turn, rest) = self.turn_in_book(position, margin);
        let Some(position) = rest else { return Ok(turn) };
        let lead = position.lead();
        let Some(target) = margin.checked_sub(lead) else { return Err(none) };
        let given = Given::of(&self.options);
        let mut unseen = |_| {};
        let (cores, mut means) = self.means(lead, &mut unseen);
        let slots = match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &given)?.turn(board, target, &mut means),
            Err(_) => {
                ready(cores.1, position.game(), &given)?.turn(*position.board(), target, &mut means)
            }
        };
        match slots {
            Ok(slots) => turn.extend(slots.into_iter().map(|slot| house(slot as u8))),
            Err(SolveError::NoSuchTurn { .. }) => return Err(none),
            Err(error) => return Err(error),
        }
        Ok(turn)
    }

    /// The moves of a turn that gets a margin, as far as the book knows them, and the position in
    /// which it knows no more; `None` if that is the end of the turn.
    fn turn_in_book(&self, position: &Position, margin: i64) -> (Vec<Move>, Option<Position>) {
        let (mut turn, mut at) = (Vec::new(), *position);
        if self.options.book.is_none() {
            return (turn, Some(at));
        }
        loop {
            let known = at.moves().find_map(|action| {
                let (next, report) = at.play(action).expect("legal");
                let over = next.margin().map(|margin| Bounds { low: margin, high: margin });
                let Bounds { low, high } = over.or_else(|| self.in_book(&next))?;
                let least = if report.again { low } else { -high };
                (least >= margin).then_some((action, next, report))
            });
            let Some((action, next, report)) = known else { return (turn, Some(at)) };
            turn.push(action);
            if !report.again || report.finished {
                return (turn, None);
            }
            at = next;
        }
    }

    /// Bounds of a position's margin as far as they are asked for. Shows them while they narrow.
    pub fn search(
        &mut self,
        position: &Position,
        ask: &Ask,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Result<Verdict, SolveError> {
        self.check_trust()?;
        let found = self.close_in(position, ask, watch);
        self.note(found)
    }

    fn close_in(
        &mut self,
        position: &Position,
        ask: &Ask,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Result<Verdict, SolveError> {
        assert_eq!(*position.game(), self.game, "the position is of another game");
        if let Some(margin) = position.margin() {
            return Ok(Verdict::Exact(margin));
        }
        if position.pie_is_open() {
            return self.pie(position, watch);
        }
        let lead = position.lead();
        let layer = position.layer() as i64;
        let mut bounds = Bounds::of_seeds(layer);
        if let Some(kept) = self.in_book(position) {
            bounds = bounds.and(kept.plus(-lead)).ok_or(SolveError::Contradiction)?;
        }
        if let Some(Bounds { low, high }) = ask.known {
            let known = Bounds { low: low.saturating_sub(lead), high: high.saturating_sub(lead) };
            bounds = bounds.and(known).ok_or(SolveError::Contradiction)?;
        }
        if self.game.rules().repeats() {
            let (stop, deadline) = (&self.stop, self.deadline);
            let halted = || is_halted(stop, deadline);
            let loopy = match &mut self.loopy {
                Some(loopy) => loopy,
                None => self.loopy.insert(Loopy::new(&self.game)),
            };
            let value = loopy.value(position, self.options.memory, &halted)?;
            self.work.nodes = loopy.nodes();
            let bounds = value.map_or(bounds, |value| Bounds { low: value, high: value });
            return Ok(Verdict::of(bounds.plus(lead)));
        }
        let enough = |bounds: Bounds| ask.until.is_answered(bounds.plus(lead));
        let given = Given::of(&self.options);
        let (cores, mut means) = self.means(lead, watch);
        // A guess beyond all margins is as good as the nearest of them.
        let guess = ask.guess.saturating_sub(lead).clamp(-layer, layer + 1);
        match Small::new(position.board()) {
            Ok(board) => ready(cores.0, position.game(), &given)?.narrow(
                board,
                &mut bounds,
                guess,
                &enough,
                &mut means,
            )?,
            Err(_) => ready(cores.1, position.game(), &given)?.narrow(
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
    fn means<'a>(
        &'a mut self,
        lead: i64,
        watch: &'a mut dyn FnMut(SearchProgress),
    ) -> (Cores<'a>, Means<'a>) {
        let started = self.started;
        let tell = move |step: Standing| {
            watch(SearchProgress {
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
            work: &mut self.work,
            workshop: Workshop::default(),
            expected: self.expected,
            progress: Box::new(tell),
            told: Instant::now(),
            keeper: self.keeper.as_mut(),
            exchange: self.exchange.as_deref(),
        };
        ((&mut self.small, &mut self.wide), means)
    }

    /// Values while the pie rule is open: the second player takes the better side.
    fn pie(
        &mut self,
        position: &Position,
        watch: &mut dyn FnMut(SearchProgress),
    ) -> Result<Verdict, SolveError> {
        let ask = Ask::new(Until::Value);
        if position.may_swap() {
            let (swapped, _) = position.play(Move::Swap).expect("offered");
            let either =
                |Bounds { low, high }| Bounds { low: low.max(-high), high: high.max(-low) };
            let mut tell = |progress: SearchProgress| {
                watch(SearchProgress { bounds: either(progress.bounds), ..progress })
            };
            let bounds = self.search(&swapped, &ask, &mut tell)?.bounds();
            return Ok(Verdict::of(either(bounds)));
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
            let known = Bounds { low: best.low, high: unknown.high };
            let mut tell =
                |progress: SearchProgress| watch(SearchProgress { bounds: known, ..progress });
            let end = self.search(&after_turn(position, &slots), &ask, &mut tell)?;
            let Bounds { low, high } = end.negated().bounds();
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
    given: &Given,
) -> Result<&'a mut Core<B>, SolveError> {
    if core.is_none() {
        *core = Some(Core::new(game, given)?);
    }
    Ok(core.as_mut().expect("just made"))
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
