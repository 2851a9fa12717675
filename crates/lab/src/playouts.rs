//! Random games.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sowing_rules::{Board, CompactBoard, CompiledRules, Game, Position, SeededRng, WideBoard};

/// A game of rules that repeat positions is given up after so many moves.
const ENDLESS: u32 = 100_000;

/// What random games of a game looked like: every legal move is equally likely, every time.
///
/// All sums are whole numbers, and every game has its own stream of random numbers, so that the
/// figures depend on the seed and the number of games alone. Under the pie rule a swap is one of
/// the moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playouts {
    /// How many games were played.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Games of rules that repeat positions that were given up after 100,000 moves.
    pub endless: u64,
    /// How many games took so many moves.
    pub depths: BTreeMap<u32, u64>,
    choices: Sums,
    /// Each game's own mean of choices, in parts of [`PARTS`].
    means: Sums,
}

/// A game's mean of choices is kept as a whole number of such parts.
const PARTS: u64 = 1 << 24;

/// Sums over games of a number, of its square, and of its product with the game's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    sum: u128,
    squared: u128,
    by_moves: u128,
}

impl Sums {
    fn add(&mut self, number: u64, moves: u32) {
        self.sum += u128::from(number);
        self.squared += u128::from(number) * u128::from(number);
        self.by_moves += u128::from(number) * u128::from(moves);
    }

    fn plus(&mut self, other: Sums) {
        self.sum += other.sum;
        self.squared += other.squared;
        self.by_moves += other.by_moves;
    }
}

/// An estimate with its 95 % interval, as natural logarithms: the figures may be far out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEstimate {
    /// The estimate.
    pub ln: f64,
    /// The lower end of the interval.
    pub ln_low: f64,
    /// The upper end of the interval.
    pub ln_high: f64,
}

/// The moves that a board offers.
trait Choice: Board {
    fn choices(&self, houses: usize) -> u32;
    fn choice(&self, houses: usize, index: u32) -> usize;
}

impl Choice for CompactBoard {
    #[inline]
    fn choices(&self, _houses: usize) -> u32 {
        self.occupied().len() as u32
    }

    #[inline]
    fn choice(&self, _houses: usize, index: u32) -> usize {
        self.occupied().nth(index as usize).expect("one of the choices")
    }
}

impl Choice for WideBoard {
    fn choices(&self, _houses: usize) -> u32 {
        self.own().iter().filter(|seeds| **seeds > 0).count() as u32
    }

    fn choice(&self, houses: usize, index: u32) -> usize {
        let mut occupied = (0..houses).filter(|slot| self.seeds(*slot) > 0);
        occupied.nth(index as usize).expect("one of the choices")
    }
}

impl Playouts {
    /// Plays games, on the threads of the current pool.
    pub fn play(game: Game, games: u64, seed: u64) -> Playouts {
        Playouts::play_observed(game, games, seed, |_| {})
    }

    /// Plays like [`play`](Playouts::play), and tells how many games were just finished.
    pub fn play_observed(
        game: Game,
        games: u64,
        seed: u64,
        observe: impl Fn(u64) + Sync,
    ) -> Playouts {
        let go_on = |done| {
            observe(done);
            true
        };
        Playouts::play_while(game, games, seed, go_on).expect("nobody ends it")
    }

    /// Plays like [`play`](Playouts::play), and tells how many games were just finished; `None` as
    /// soon as the answer is to stop.
    pub fn play_while(
        game: Game,
        games: u64,
        seed: u64,
        go_on: impl Fn(u64) -> bool + Sync,
    ) -> Option<Playouts> {
        Playouts::play_some(game, 0..games, seed, go_on)
    }

    /// Some of the games that [`play_while`](Playouts::play_while) plays, by their numbers: whoever
    /// plays which of them, all together they are [`plus`](Playouts::plus) each other.
    pub fn play_some(
        game: Game,
        games: Range<u64>,
        seed: u64,
        go_on: impl Fn(u64) -> bool + Sync,
    ) -> Option<Playouts> {
        const BATCH: u64 = 1 << 10;
        let start = Position::start(game);
        let many = games.end.saturating_sub(games.start);
        let batch = |index: u64| {
            let first = games.start + index * BATCH;
            let range = first..games.end.min(first + BATCH);
            let done = range.end - range.start;
            let played = match CompactBoard::new(start.board()) {
                Ok(board) => run(&CompiledRules::new(&game), board, range, seed),
                Err(_) => run(&CompiledRules::new(&game), *start.board(), range, seed),
            };
            go_on(done).then_some(played)
        };
        let batches = (0..many.div_ceil(BATCH)).into_par_iter();
        batches.map(batch).try_reduce(Playouts::default, |one, other| Some(one.plus(other)))
    }

    /// These games and others.
    ///
    /// ```
    /// use sowing_lab::Playouts;
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let some = |games| Playouts::play_some(game, games, 7, |_| true).expect("nobody ends it");
    /// assert_eq!(some(0..90).plus(some(90..1_000)), Playouts::play(game, 1_000, 7));
    /// # Ok::<(), sowing_rules::ParseGameError>(())
    /// ```
    #[must_use]
    pub fn plus(mut self, other: Playouts) -> Playouts {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.endless += other.endless;
        for (depth, games) in other.depths {
            *self.depths.entry(depth).or_default() += games;
        }
        self.choices.plus(other.choices);
        self.means.plus(other.means);
        self
    }

    /// All moves of all games.
    pub fn moves(&self) -> u128 {
        self.depths.iter().map(|(depth, games)| u128::from(*depth) * u128::from(*games)).sum()
    }

    /// The mean number of moves of a game.
    pub fn depth(&self) -> f64 {
        self.moves() as f64 / self.games as f64
    }

    /// The mean number of legal moves, over all positions in which one was played.
    pub fn branching(&self) -> f64 {
        self.choices.sum as f64 / self.moves() as f64
    }

    /// The mean over games of each game's own mean number of legal moves: short games weigh as
    /// much as long ones.
    pub fn branching_by_game(&self) -> f64 {
        self.means.sum as f64 / PARTS as f64 / self.games as f64
    }

    /// Half the width of the 95 % interval of [`depth`](Playouts::depth).
    pub fn depth_error(&self) -> f64 {
        self.error(&self.choices, [1.0, 0.0])
    }

    /// Half the width of the 95 % interval of [`branching`](Playouts::branching).
    pub fn branching_error(&self) -> f64 {
        self.error(&self.choices, [-self.branching() / self.depth(), 1.0 / self.depth()])
    }

    /// The size of the game tree as b^d, b the mean number of legal moves and d the mean number
    /// of moves. The interval is that of the two means, to first order.
    pub fn complexity(&self) -> LogEstimate {
        let (branching, depth) = (self.branching(), self.depth());
        let ln = depth * branching.ln();
        let error = self.error(&self.choices, [branching.ln() - 1.0, branching.recip()]);
        LogEstimate { ln, ln_low: ln - error, ln_high: ln + error }
    }

    /// Like [`complexity`](Playouts::complexity), with b taken
    /// [game by game](Playouts::branching_by_game).
    pub fn complexity_by_game(&self) -> LogEstimate {
        let (branching, depth) = (self.branching_by_game(), self.depth());
        let ln = depth * branching.ln();
        let slopes = [branching.ln(), depth / branching / PARTS as f64];
        let error = self.error(&self.means, slopes);
        LogEstimate { ln, ln_low: ln - error, ln_high: ln + error }
    }

    /// Half the width of the 95 % interval of a function of a game's mean moves and of the mean of
    /// something else, from its slopes in both; the two of a game are correlated.
    fn error(&self, other: &Sums, [by_moves, by_other]: [f64; 2]) -> f64 {
        let games = self.games as f64;
        let squares: u128 =
            self.depths.iter().map(|(d, n)| u128::from(*d).pow(2) * u128::from(*n)).sum();
        let (moves, mean) = (self.moves() as f64 / games, other.sum as f64 / games);
        let moves_variance = squares as f64 / games - moves * moves;
        let other_variance = other.squared as f64 / games - mean * mean;
        let covariance = other.by_moves as f64 / games - moves * mean;
        let variance = by_moves * by_moves * moves_variance
            + by_other * by_other * other_variance
            + 2.0 * by_moves * by_other * covariance;
        1.96 * (variance.max(0.0) / games).sqrt()
    }
}

fn run<B: Choice>(rules: &CompiledRules<B>, start: B, range: Range<u64>, seed: u64) -> Playouts {
    let houses = rules.houses();
    let most = if rules.definition().repeats() { ENDLESS } else { u32::MAX };
    let mut sum = Playouts { games: range.end - range.start, ..Playouts::default() };
    let mut depths = Vec::new();
    for index in range {
        let mut stream = SeededRng::new(seed, index);
        let mut board = start;
        // The lead and the seat of the player to move: 1 for the first player, -1 for the second.
        let (mut lead, mut seat) = (0i64, 1i64);
        let (mut first_turn, mut offered) = (rules.definition().pie, false);
        let (mut moves, mut choices) = (0u32, 0u64);
        let margin = loop {
            if moves == most {
                break None;
            }
            let houses_open = board.choices(houses);
            let open = houses_open + u32::from(offered);
            let choice = stream.below(open.into()) as u32;
            moves += 1;
            choices += u64::from(open);
            if choice == houses_open {
                // The players change seats; the row that is to move stays the same.
                seat = -seat;
                offered = false;
                continue;
            }
            let played = rules.play_unchecked(board, board.choice(houses, choice));
            board = played.board;
            lead += played.gain as i64;
            if !played.again {
                lead = -lead;
                seat = -seat;
                offered = first_turn;
                first_turn = false;
            } else {
                offered = false;
            }
            if played.finished {
                break Some(seat * (lead + rules.remaining(&board)));
            }
        };
        match margin {
            None => sum.endless += 1,
            Some(1..) => sum.wins += 1,
            Some(0) => sum.draws += 1,
            Some(_) => sum.losses += 1,
        }
        if depths.len() <= moves as usize {
            depths.resize(moves as usize + 1, 0u64);
        }
        depths[moves as usize] += 1;
        sum.choices.add(choices, moves);
        sum.means.add(choices * PARTS / u64::from(moves), moves);
    }
    let depths = (0..).zip(depths).filter(|(_, games)| *games > 0);
    sum.depths = depths.collect();
    sum
}
