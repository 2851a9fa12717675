//! An opponent at one game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sowing::{Game, Move, Playthrough, Position, Stream};
use sowing_analysis::{Limits, Ranking, best_turn, deepen, keeps, value};
use sowing_platform::Instant;
use sowing_solver::{Book, SolveError, Solver, Until, Verdict};
use sowing_tables::Tables;

use crate::contender::Contender;
use crate::engine::{Engine, EngineFault};
use crate::opponent::Opponent;

/// What a player may use.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// Where the random numbers start.
    pub seed: u64,
    /// How long a player may think about a move. When the time is up it plays the best move that it
    /// has found. Without a limit `perfect` and engines have [`USUAL_TIME`](Self::USUAL_TIME), and the
    /// others look at as much as their strength says.
    pub time: Option<Duration>,
    /// Threads of `perfect`'s solver.
    pub threads: usize,
    /// Bytes of memory for `perfect`'s solver.
    pub memory: u64,
    /// Endgame tables for `perfect`'s solver.
    pub tables: Option<Arc<Tables>>,
    /// What `perfect`'s solver knows from before.
    pub book: Option<Arc<Book>>,
}

impl PlayerOptions {
    /// How long `perfect` and engines think about a move where there is no limit.
    pub const USUAL_TIME: Duration = Duration::from_secs(5);
}

impl Default for PlayerOptions {
    /// No time limit, one thread, half a gibibyte.
    fn default() -> PlayerOptions {
        PlayerOptions { seed: 1, time: None, threads: 1, memory: 1 << 29, tables: None, book: None }
    }
}

/// Why there is no move.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// The game is over.
    #[error("the game is over")]
    Finished,
    /// The stop switch was set.
    #[error("the player was stopped before it had a move")]
    Stopped,
    /// The solver cannot work.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The player is another program, and did not do as it should.
    #[error(transparent)]
    Engine(#[from] EngineFault),
}

/// A move, and what speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The move.
    pub action: Move,
    /// Whether it is proven that no other move is better; else it is the best that was found.
    pub proven: bool,
}

/// How a level plays.
pub(crate) struct Strength {
    /// How many moves in a hundred are made at random.
    random: u32,
    /// How many turns it looks ahead.
    pub(crate) depth: u32,
}

/// Each beats the one before it; `results/levels.md` says by how much.
const LEVELS: [Strength; Opponent::MAX_LEVEL as usize] = [
    Strength { random: 80, depth: 1 },
    Strength { random: 55, depth: 1 },
    Strength { random: 30, depth: 1 },
    Strength { random: 12, depth: 1 },
    Strength { random: 6, depth: 2 },
    Strength { random: 0, depth: 3 },
    Strength { random: 0, depth: 5 },
    Strength { random: 0, depth: 7 },
    Strength { random: 0, depth: 10 },
];

/// How the nearest level plays that there is.
pub(crate) fn strength(level: u8) -> &'static Strength {
    &LEVELS[usize::from(level.clamp(1, Opponent::MAX_LEVEL)) - 1]
}

/// How much a level looks at before it contents itself with less depth, in boards: that keeps it
/// quick in games with long turns, and the same on every machine.
const LEVEL_WORK: u64 = 300_000;

/// Looks ahead until the depth, the work or the time is up, or the switch is set: the ranking of the
/// last depth that was looked at in full.
fn look_ahead(
    position: &Position,
    depth: u32,
    work: u64,
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> Ranking {
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let halted = || stop.load(Relaxed) || is_late();
    deepen(position, depth, &Limits { work, halted: &halted }).1
}

/// The moves of the highest value.
fn favourites(ranking: &Ranking) -> Vec<Move> {
    let best = ranking.iter().map(|(_, value)| *value).max();
    let best = ranking.iter().filter(|(_, value)| Some(*value) == best);
    best.map(|(action, _)| *action).collect()
}

/// How often a level plays each move of a position that is not over, in order of the moves.
///
/// ```
/// use sowing::Position;
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
    let ranking = look_ahead(position, strength.depth, LEVEL_WORK, None, stop);
    if stop.load(Relaxed) {
        return Err(ChooseError::Stopped);
    }
    let best = favourites(&ranking);
    let random = f64::from(strength.random) / 100.0;
    let chance = |action: &Move| {
        let slip = random / moves.len() as f64;
        let choice = if best.contains(action) { (1.0 - random) / best.len() as f64 } else { 0.0 };
        slip + choice
    };
    Ok(moves.iter().map(|action| (*action, chance(action))).collect())
}

/// A contender at one game, asked for one move at a time.
///
/// What an opponent other than `perfect` chooses depends on its seed and the game so far only, as long
/// as it has no time limit or the time is enough for its strength; `perfect` too, as long as the time
/// is enough for exact values. What an engine chooses is its own affair.
#[derive(Debug)]
pub struct Player {
    contender: Contender,
    options: PlayerOptions,
    /// What `perfect` has to find out.
    until: Until,
    /// For `perfect`.
    solver: Option<Solver>,
    /// For an engine, once it is started and as long as it does as it should.
    engine: Option<Engine>,
    stop: Arc<AtomicBool>,
    /// Whether a set switch ends the thinking with the best move so far rather than without a move.
    moves_when_stopped: bool,
}

impl Player {
    /// A player at a game.
    pub fn new(
        opponent: Opponent,
        game: Game,
        options: PlayerOptions,
    ) -> Result<Player, ChooseError> {
        if opponent != Opponent::Perfect {
            return Ok(Player::plain(opponent.into(), options));
        }
        let solver = sowing_solver::SolverOptions {
            threads: options.threads,
            memory: options.memory,
            time: None,
            tables: options.tables.clone(),
            book: options.book.clone(),
            build_tables: true,
        };
        Ok(Player::with_solver(Solver::with_options(game, solver)?, options))
    }

    /// An opponent or an engine at a game. An engine is started, and must say that it is one.
    pub fn of(
        contender: &Contender,
        game: Game,
        options: PlayerOptions,
    ) -> Result<Player, ChooseError> {
        match contender {
            Contender::Opponent(opponent) => Player::new(*opponent, game, options),
            Contender::Engine(command) => {
                let engine = Engine::start(command)?;
                let player = Player::plain(contender.clone(), options);
                Ok(Player { engine: Some(engine), ..player })
            }
        }
    }

    fn plain(contender: Contender, options: PlayerOptions) -> Player {
        let (until, stop) = (Until::Value, Arc::default());
        let (solver, engine, moves_when_stopped) = (None, None, false);
        Player { contender, options, until, solver, engine, stop, moves_when_stopped }
    }

    /// A perfect player with a solver that may have proven something already.
    pub fn with_solver(solver: Solver, options: PlayerOptions) -> Player {
        let stop = solver.stop_switch();
        let player = Player::plain(Opponent::Perfect.into(), options);
        Player { solver: Some(solver), stop, ..player }
    }

    /// The solver of a perfect player, with all it has proven.
    pub fn into_solver(self) -> Option<Solver> {
        self.solver
    }

    /// Who it is.
    pub fn contender(&self) -> &Contender {
        &self.contender
    }

    /// How long it may think about a move from now on: [`PlayerOptions::time`].
    pub fn set_time(&mut self, time: Option<Duration>) {
        self.options.time = time;
    }

    /// Has an opponent other than `perfect` play the best move so far when the switch is set.
    pub(crate) fn moving_when_stopped(mut self) -> Player {
        self.moves_when_stopped = true;
        self
    }

    /// Has `perfect` find out the outcome only, which takes less than the value: it wins where it can,
    /// by whatever margin, and does not lose a draw.
    pub fn for_the_outcome(mut self) -> Player {
        self.until = Until::Outcome;
        self
    }

    /// A switch that makes a player who is thinking give up. It stays as it is set.
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Has the player heed another switch from now on.
    pub fn set_stop_switch(&mut self, switch: Arc<AtomicBool>) {
        if let Some(solver) = &mut self.solver {
            solver.set_stop_switch(Arc::clone(&switch));
        }
        self.stop = switch;
    }

    /// One move, not a whole turn: a house, or a swap where the pie rule offers it. The clock of the
    /// time limit starts now.
    ///
    /// # Panics
    /// `perfect`, if the play is of another game.
    pub fn choose(&mut self, play: &Playthrough) -> Result<Move, ChooseError> {
        Ok(self.decide(play, None)?.action)
    }

    /// The same, with what speaks for it. Only `perfect` proves anything.
    ///
    /// # Panics
    /// As [`choose`](Self::choose).
    pub fn advise(&mut self, play: &Playthrough) -> Result<Advice, ChooseError> {
        self.decide(play, None)
    }

    /// The same, with moves on the way that are good enough if there is no more time: `perfect` tells
    /// what looks best at once, and again when it knows better.
    ///
    /// # Panics
    /// As [`choose`](Self::choose).
    pub fn improve(
        &mut self,
        play: &Playthrough,
        tell: &mut dyn FnMut(Move),
    ) -> Result<Move, ChooseError> {
        Ok(self.decide(play, Some(tell))?.action)
    }

    fn decide(
        &mut self,
        play: &Playthrough,
        tell: Option<&mut dyn FnMut(Move)>,
    ) -> Result<Advice, ChooseError> {
        let deadline = self.options.time.and_then(|time| Instant::now().checked_add(time));
        let position = play.position();
        let unproven = |action| Advice { action, proven: false };
        let moves: Vec<Move> = position.moves().collect();
        let mut random = Stream::new(self.options.seed, play.plays().len() as u64);
        let mut one_of = |moves: &[Move]| moves[random.below(moves.len() as u64) as usize];
        let opponent = match &self.contender {
            Contender::Opponent(opponent) => *opponent,
            Contender::Engine(_) if moves.len() > 1 => {
                return self.ask_engine(play).map(unproven);
            }
            // It makes no choice.
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
                let mut mood = Stream::new(!self.options.seed, play.plays().len() as u64);
                if mood.below(100) < strength.random.into() {
                    return Ok(unproven(one_of(moves)));
                }
                let ranking = self.look_ahead(position, strength.depth, LEVEL_WORK, deadline)?;
                Ok(unproven(one_of(&favourites(&ranking))))
            }
            (Opponent::Perfect, _) => self.perfect(play, tell),
        }
    }

    /// One that did not do as it should is started anew.
    fn ask_engine(&mut self, play: &Playthrough) -> Result<Move, ChooseError> {
        let Contender::Engine(command) = &self.contender else { unreachable!("an engine") };
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::start(command)?,
        };
        let time = self.options.time.unwrap_or(PlayerOptions::USUAL_TIME);
        let chosen = engine.choose(play, time, &self.stop)?;
        self.engine = Some(engine);
        Ok(chosen)
    }

    fn look_ahead(
        &self,
        position: &Position,
        depth: u32,
        work: u64,
        deadline: Option<Instant>,
    ) -> Result<Ranking, ChooseError> {
        let ranking = look_ahead(position, depth, work, deadline, &self.stop);
        let stopped = self.stop.load(Relaxed) && !self.moves_when_stopped;
        if stopped { Err(ChooseError::Stopped) } else { Ok(ranking) }
    }

    fn perfect(
        &mut self,
        play: &Playthrough,
        tell: Option<&mut dyn FnMut(Move)>,
    ) -> Result<Advice, ChooseError> {
        let solver = self.solver.as_mut().expect("a perfect player has a solver");
        let time = self.options.time.unwrap_or(PlayerOptions::USUAL_TIME);
        if let Some(tell) = tell {
            let deadline = Instant::now().checked_add(time / 10);
            let ranking =
                look_ahead(play.position(), FIRST_DEPTH, FIRST_WORK, deadline, &self.stop);
            let best = ranking.into_iter().rev().max_by_key(|(_, value)| *value);
            tell(best.expect("a live position has moves").0);
        }
        solver.set_time(Some(time / 3));
        let exact = match self.until {
            Until::Outcome => solver.outcome(play.position()),
            _ => value(solver, play),
        };
        let exact = match exact {
            Ok(Verdict::Exact(value)) => best_turn(solver, play, value).map(|moves| moves[0]),
            // A game that is lost is to be lost slowly: the guess does its best.
            Ok(Verdict::Within(bounds)) if self.until.is_answered(bounds) && bounds.low >= 0 => {
                best_turn(solver, play, bounds.low).map(|moves| moves[0])
            }
            Ok(Verdict::Within(_)) => Err(SolveError::Stopped),
            Err(error) => Err(error),
        };
        match exact {
            Err(
                SolveError::Stopped | SolveError::TooLarge(_) | SolveError::TooManyTurns { .. },
            ) if !self.stop.load(Relaxed) => {
                let action = best_guess(solver, play, time, &self.stop)?;
                Ok(Advice { action, proven: false })
            }
            Err(SolveError::Stopped) => Err(ChooseError::Stopped),
            // A draw or a win that is kept may still be less than there is to get.
            other => Ok(Advice { action: other?, proven: self.until == Until::Value }),
        }
    }
}

/// The PDP-1's choice: of the moves that lead to the best value, the one nearest to the store.
/// A swap, which the PDP-1 did not know, comes last.
fn pdp_choice(ranking: Ranking) -> Move {
    // Of equals the last is taken.
    let best = ranking.into_iter().max_by_key(|(action, value)| (*value, *action != Move::Swap));
    best.expect("a live position has moves").0
}

/// What is looked at for a move that is told at once: a few milliseconds' worth.
const FIRST_WORK: u64 = 20_000;
const FIRST_DEPTH: u32 = 6;

/// The move that looks best as far as a share of the time allows, among those that keep what is proven.
pub(crate) fn best_guess(
    solver: &mut Solver,
    play: &Playthrough,
    time: Duration,
    stop: &AtomicBool,
) -> Result<Move, ChooseError> {
    let position = play.position();
    let deadline = Instant::now().checked_add(time / 5);
    let mut ranking = look_ahead(position, Opponent::MAX_DEPTH, u64::MAX, deadline, stop);
    if stop.load(Relaxed) {
        return Err(ChooseError::Stopped);
    }
    ranking.sort_by_key(|(_, value)| -value);
    // What is proven is remembered, so asking again takes next to nothing.
    let known = solver.value(position);
    if let Ok(proven) = known {
        solver.set_time(Some(time / 3));
        for (action, _) in &ranking {
            match keeps(solver, play, *action, proven.bounds().low) {
                Ok(true) => return Ok(*action),
                Ok(false) => {}
                Err(_) => break,
            }
        }
    }
    Ok(ranking[0].0)
}
