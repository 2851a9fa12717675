//! A contender at one game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sowing_analysis::{
    Limits, Ranking, best_turn, iterative_deepening, keeps_value, value_in_game,
};
use sowing_platform::Instant;
use sowing_rules::{Game, Move, Playthrough, Position, SeededRng};
use sowing_solver::{Answer, Book, Goal, SolveError, Solver, StopReason};
use sowing_tables::Tables;

use crate::contender::Contender;
use crate::engine::Engine;
use crate::error::ChooseError;
use crate::level::strength;
use crate::opponent::Opponent;

/// The seed, time and resources of a player.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The time per move; a player that reaches it plays the best move found. Without a limit, `perfect` and
    /// engines have [`DEFAULT_TIME`](Self::DEFAULT_TIME), and the others search to their full depth.
    pub time: Option<Duration>,
    /// Threads of `perfect`'s solver.
    pub threads: usize,
    /// Bytes of memory for `perfect`'s solver.
    pub memory: u64,
    /// Endgame tables for `perfect`'s solver.
    pub tables: Option<Arc<Tables>>,
    /// A book for `perfect`'s solver.
    pub book: Option<Arc<Book>>,
}

impl PlayerOptions {
    /// The time per move of `perfect` and engines without a limit.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(5);
}

impl Default for PlayerOptions {
    /// No time limit, one thread, half a gibibyte.
    fn default() -> PlayerOptions {
        PlayerOptions { seed: 1, time: None, threads: 1, memory: 1 << 29, tables: None, book: None }
    }
}

/// A move, and whether it is proven to be a best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The move.
    pub action: Move,
    /// Whether no other move can be better; otherwise it is the best move found.
    pub proven: bool,
}

/// The most boards that a level searches per move. It bounds the time in games with long turns, and gives the same
/// moves on every machine.
const MAX_LEVEL_WORK: u64 = 300_000;

/// Iterative deepening up to a depth, an amount of work, a deadline or the stop switch: the ranking of the last
/// completed depth.
fn look_ahead(
    position: &Position,
    depth: u32,
    max_work: u64,
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> Ranking {
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let should_stop = || stop.load(Relaxed) || is_late();
    iterative_deepening(position, depth, &Limits { max_work, should_stop: &should_stop }).1
}

/// The moves of the highest value.
fn best_moves(ranking: &Ranking) -> Vec<Move> {
    let best = ranking.iter().map(|(_, value)| *value).max();
    let best = ranking.iter().filter(|(_, value)| Some(*value) == best);
    best.map(|(action, _)| *action).collect()
}

/// The probability with which a level plays each move of a position that is not over, in the order of the moves.
///
/// ```
/// use sowing_rules::Position;
/// use sowing_players::level_chances;
///
/// let start = Position::start("kalah(6,4)".parse()?);
/// let chances = level_chances(&start, 1, &Default::default())?;
/// assert!((chances.iter().map(|(_, chance)| chance).sum::<f64>() - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn level_chances(
    position: &Position,
    level: u8,
    stop: &AtomicBool,
) -> Result<Vec<(Move, f64)>, ChooseError> {
    let moves: Vec<Move> = position.moves().collect();
    if moves.is_empty() {
        return Err(ChooseError::Finished);
    }
    let strength = strength(level);
    let ranking = look_ahead(position, strength.depth, MAX_LEVEL_WORK, None, stop);
    if stop.load(Relaxed) {
        return Err(ChooseError::Stopped);
    }
    let best = best_moves(&ranking);
    let random = f64::from(strength.random) / 100.0;
    let chance = |action: &Move| {
        let chosen = if best.contains(action) { (1.0 - random) / best.len() as f64 } else { 0.0 };
        random / moves.len() as f64 + chosen
    };
    Ok(moves.iter().map(|action| (*action, chance(action))).collect())
}

/// A contender at one game, which chooses one move at a time.
///
/// The moves of a built-in opponent depend on its seed and the game so far alone, unless its time limit ends a
/// search. The moves of an engine may depend on anything.
#[derive(Debug)]
pub struct Player {
    contender: Contender,
    game: Game,
    options: PlayerOptions,
    /// The goal of `perfect`.
    goal: Goal,
    /// The solver of `perfect`.
    solver: Option<Solver>,
    /// The process of an engine; `None` before its start and after a fault.
    engine: Option<Engine>,
    stop: Arc<AtomicBool>,
    /// Whether a stopped player gives the best move so far instead of [`ChooseError::Stopped`].
    moves_when_stopped: bool,
}

impl Player {
    /// A built-in opponent at a game.
    pub fn new(
        opponent: Opponent,
        game: Game,
        options: PlayerOptions,
    ) -> Result<Player, ChooseError> {
        if opponent != Opponent::Perfect {
            return Ok(Player::without_solver(opponent.into(), game, options));
        }
        let solver = sowing_solver::SolverOptions {
            threads: options.threads,
            memory: options.memory,
            tables: options.tables.clone(),
            book: options.book.clone(),
            ..Default::default()
        };
        Ok(Player::with_solver(Solver::with_options(game, solver)?, options))
    }

    /// An opponent or an engine at a game. An engine is started, and must complete the handshake.
    pub fn for_contender(
        contender: &Contender,
        game: Game,
        options: PlayerOptions,
    ) -> Result<Player, ChooseError> {
        match contender {
            Contender::Opponent(opponent) => Player::new(*opponent, game, options),
            Contender::Engine(command) => {
                let engine = Engine::start(command)?;
                let player = Player::without_solver(contender.clone(), game, options);
                Ok(Player { engine: Some(engine), ..player })
            }
        }
    }

    fn without_solver(contender: Contender, game: Game, options: PlayerOptions) -> Player {
        let (goal, stop) = (Goal::Value, Arc::default());
        let (solver, engine, moves_when_stopped) = (None, None, false);
        Player { contender, game, options, goal, solver, engine, stop, moves_when_stopped }
    }

    /// A perfect player with an existing solver, which keeps its proven bounds.
    pub fn with_solver(solver: Solver, options: PlayerOptions) -> Player {
        let stop = solver.stop_switch();
        let player = Player::without_solver(Opponent::Perfect.into(), *solver.game(), options);
        Player { solver: Some(solver), stop, ..player }
    }

    /// The solver of a perfect player.
    pub fn into_solver(self) -> Option<Solver> {
        self.solver
    }

    /// The contender.
    pub fn contender(&self) -> &Contender {
        &self.contender
    }

    /// Sets the time per move, [`PlayerOptions::time`].
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.options.time = time;
    }

    /// Makes an opponent other than `perfect` play the best move so far when it is stopped.
    pub(crate) fn moving_when_stopped(mut self) -> Player {
        self.moves_when_stopped = true;
        self
    }

    /// Makes `perfect` solve for the outcome alone, which takes less work than the value: it wins or draws if it
    /// can, by any margin.
    pub fn for_the_outcome(mut self) -> Player {
        self.goal = Goal::Outcome;
        self
    }

    /// The switch that stops the player. It stays set until the caller clears it.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Replaces the stop switch.
    pub fn set_stop_switch(&mut self, switch: Arc<AtomicBool>) {
        if let Some(solver) = &mut self.solver {
            solver.set_stop_switch(Arc::clone(&switch));
        }
        self.stop = switch;
    }

    /// Chooses one move, not a whole turn. The time limit counts from the call. It fails if the play is of another game.
    pub fn choose(&mut self, play: &Playthrough) -> Result<Move, ChooseError> {
        Ok(self.decide(play, None)?.action)
    }

    /// Like [`choose`](Self::choose), with whether the move is proven to be a best one. Only `perfect` proves moves.
    pub fn advise(&mut self, play: &Playthrough) -> Result<Advice, ChooseError> {
        self.decide(play, None)
    }

    /// Like [`choose`](Self::choose); `perfect` also passes the move that a short look-ahead prefers to
    /// `on_candidate` at once.
    pub fn improve(
        &mut self,
        play: &Playthrough,
        on_candidate: &mut dyn FnMut(Move),
    ) -> Result<Move, ChooseError> {
        Ok(self.decide(play, Some(on_candidate))?.action)
    }

    fn decide(
        &mut self,
        play: &Playthrough,
        on_candidate: Option<&mut dyn FnMut(Move)>,
    ) -> Result<Advice, ChooseError> {
        let deadline = self.options.time.and_then(|time| Instant::now().checked_add(time));
        let position = play.position();
        if *position.game() != self.game {
            return Err(ChooseError::OtherGame { player: self.game, play: *position.game() });
        }
        let unproven = |action| Advice { action, proven: false };
        let moves: Vec<Move> = position.moves().collect();
        let mut random = SeededRng::new(self.options.seed, play.plays().len() as u64);
        let mut one_of = |moves: &[Move]| moves[random.below(moves.len() as u64) as usize];
        let opponent = match &self.contender {
            Contender::Opponent(opponent) => *opponent,
            Contender::Engine(_) if moves.len() > 1 => {
                return self.ask_engine(play).map(unproven);
            }
            // There is no choice to make.
            Contender::Engine(_) => Opponent::Random,
        };
        match (opponent, moves.as_slice()) {
            (_, []) => Err(ChooseError::Finished),
            (_, [only]) => Ok(Advice { action: *only, proven: true }),
            (Opponent::Random, moves) => Ok(unproven(one_of(moves))),
            (Opponent::Pdp(depth), _) => {
                let ranking = self.look_ahead(position, depth.max(1), u64::MAX, deadline)?;
                Ok(unproven(pdp_choice(ranking)))
            }
            (Opponent::Level(level), moves) => {
                let strength = strength(level);
                let mut slips = SeededRng::new(!self.options.seed, play.plays().len() as u64);
                if slips.below(100) < strength.random.into() {
                    return Ok(unproven(one_of(moves)));
                }
                let ranking =
                    self.look_ahead(position, strength.depth, MAX_LEVEL_WORK, deadline)?;
                Ok(unproven(one_of(&best_moves(&ranking))))
            }
            (Opponent::Perfect, _) => self.solve(play, on_candidate),
        }
    }

    /// The move of the engine, which is restarted after a fault.
    fn ask_engine(&mut self, play: &Playthrough) -> Result<Move, ChooseError> {
        let Contender::Engine(command) = &self.contender else { unreachable!("an engine") };
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::start(command)?,
        };
        let time = self.options.time.unwrap_or(PlayerOptions::DEFAULT_TIME);
        let chosen = engine.choose(play, time, &self.stop)?;
        self.engine = Some(engine);
        Ok(chosen)
    }

    fn look_ahead(
        &self,
        position: &Position,
        depth: u32,
        max_work: u64,
        deadline: Option<Instant>,
    ) -> Result<Ranking, ChooseError> {
        let ranking = look_ahead(position, depth, max_work, deadline, &self.stop);
        let stopped = self.stop.load(Relaxed) && !self.moves_when_stopped;
        if stopped { Err(ChooseError::Stopped) } else { Ok(ranking) }
    }

    fn solve(
        &mut self,
        play: &Playthrough,
        on_candidate: Option<&mut dyn FnMut(Move)>,
    ) -> Result<Advice, ChooseError> {
        let solver = self.solver.as_mut().expect("a perfect player has a solver");
        let time = self.options.time.unwrap_or(PlayerOptions::DEFAULT_TIME);
        if let Some(on_candidate) = on_candidate {
            let deadline = Instant::now().checked_add(time / CANDIDATE_PART);
            let ranking =
                look_ahead(play.position(), CANDIDATE_DEPTH, CANDIDATE_WORK, deadline, &self.stop);
            let best = ranking.into_iter().rev().max_by_key(|(_, value)| *value);
            on_candidate(best.expect("a live position has moves").0);
        }
        solver.set_time(Some(time / SOLVE_PART));
        let exact = match self.goal {
            Goal::Outcome => solver.outcome(play.position()),
            _ => value_in_game(solver, play),
        };
        let exact = match exact {
            Ok(Answer { bounds, stopped }) => match bounds.value() {
                Some(value) => best_turn(solver, play, value).map(|moves| moves[0]),
                // In a lost game the look-ahead keeps the margin small.
                None if self.goal.is_reached(bounds) && bounds.low >= 0 => {
                    best_turn(solver, play, bounds.low).map(|moves| moves[0])
                }
                None => Err(SolveError::Stopped(stopped.unwrap_or(StopReason::Time))),
            },
            Err(error) => Err(error),
        };
        match exact {
            Err(
                SolveError::Stopped(_) | SolveError::TooLarge(_) | SolveError::TooManyTurns { .. },
            ) if !self.stop.load(Relaxed) => {
                let action = best_guess(solver, play, time, &self.stop)?;
                Ok(Advice { action, proven: false })
            }
            Err(SolveError::Stopped(_)) => Err(ChooseError::Stopped),
            // A move that keeps the outcome may lose margin.
            other => Ok(Advice { action: other?, proven: self.goal == Goal::Value }),
        }
    }
}

/// The PDP-1's choice: of the moves with the best value, the one nearest to the store. A swap, which the PDP-1
/// did not have, comes last.
fn pdp_choice(ranking: Ranking) -> Move {
    // `max_by_key` returns the last of equals.
    let best = ranking.into_iter().max_by_key(|(action, value)| (*value, *action != Move::Swap));
    best.expect("a live position has moves").0
}

/// The parts of the time limit that the steps of `perfect` take: 1/10, 1/3, 1/5 and 1/3, together less than the whole.
const CANDIDATE_PART: u32 = 10;
const SOLVE_PART: u32 = 3;
const GUESS_PART: u32 = 5;
const CHECK_PART: u32 = 3;

/// The limits of the look-ahead for the first candidate: a few milliseconds on most boards.
const CANDIDATE_WORK: u64 = 20_000;
const CANDIDATE_DEPTH: u32 = 6;

/// The best move by look-ahead, for a fifth of the time, among those that keep the proven lower bound.
pub(crate) fn best_guess(
    solver: &mut Solver,
    play: &Playthrough,
    time: Duration,
    stop: &AtomicBool,
) -> Result<Move, ChooseError> {
    let position = play.position();
    let deadline = Instant::now().checked_add(time / GUESS_PART);
    let mut ranking = look_ahead(position, Opponent::MAX_DEPTH, u64::MAX, deadline, stop);
    if stop.load(Relaxed) {
        return Err(ChooseError::Stopped);
    }
    ranking.sort_by_key(|(_, value)| -value);
    // The solver has stored the bounds: this costs next to nothing.
    let known = solver.value(position);
    if let Ok(proven) = known {
        solver.set_time(Some(time / CHECK_PART));
        for (action, _) in &ranking {
            match keeps_value(solver, play, *action, proven.bounds.low) {
                Ok(true) => return Ok(*action),
                Ok(false) => {}
                Err(_) => break,
            }
        }
    }
    Ok(ranking[0].0)
}
