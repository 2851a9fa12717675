//! How good a player is, exactly: what its moves give away.

use std::collections::BTreeMap;
use std::error::Error as StdError;

use sowing_analysis::Review;
use sowing_players::{
    ChooseError, Contender, Interval, Opponent, Player, PlayerOptions, STANDARD_ERRORS,
};
use sowing_rules::{Game, Move, Playthrough, Position, Side};

use crate::dataset::{Dataset, DatasetError};
use crate::phase::Phase;

/// Whoever can be asked for a move.
pub trait Chooser {
    /// One move in a position. The number tells positions apart that are the same, for those who choose
    /// at random.
    fn choose(
        &mut self,
        position: &Position,
        number: u64,
    ) -> Result<Move, Box<dyn StdError + Send + Sync>>;
}

/// An opponent or an engine as it is asked for single moves, an opponent with random numbers of its
/// own for each.
#[derive(Debug)]
pub struct ContenderChooser {
    contender: Contender,
    game: Game,
    options: PlayerOptions,
    /// A perfect player keeps what it has proven, an engine goes on running.
    lasting: Option<Player>,
}

impl ContenderChooser {
    /// A contender at a game. An engine is started, and must say that it is one.
    pub fn new(
        contender: Contender,
        game: Game,
        options: PlayerOptions,
    ) -> Result<ContenderChooser, ChooseError> {
        let player = Player::for_contender(&contender, game, options.clone())?;
        let lasts = match &contender {
            Contender::Opponent(opponent) => *opponent == Opponent::Perfect,
            _ => true,
        };
        Ok(ContenderChooser { contender, game, options, lasting: lasts.then_some(player) })
    }
}

impl Chooser for ContenderChooser {
    fn choose(
        &mut self,
        position: &Position,
        number: u64,
    ) -> Result<Move, Box<dyn StdError + Send + Sync>> {
        let play = Playthrough::new(*position);
        if let Some(player) = &mut self.lasting {
            return Ok(player.choose(&play)?);
        }
        // One to one, so that no two positions share their numbers.
        let seed = self.options.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let options = PlayerOptions { seed, ..self.options.clone() };
        Ok(Player::for_contender(&self.contender, self.game, options)?.choose(&play)?)
    }
}

/// How many moves were looked at, and what they gave away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The moves, or the turns of a record.
    pub moves: u64,
    /// Those that lost nothing.
    pub best: u64,
    /// What all of them lost, in points of margin.
    pub lost: u64,
    /// The most that one lost.
    pub worst: u64,
    /// Positions for which there was no legal move in time; none of the moves.
    pub faults: u64,
    squares: u128,
}

impl Tally {
    fn add(&mut self, lost: u64) {
        self.moves += 1;
        self.best += u64::from(lost == 0);
        self.lost += lost;
        self.worst = self.worst.max(lost);
        self.squares += u128::from(lost) * u128::from(lost);
    }

    /// The share of moves that lost nothing; `None` without moves.
    pub fn share(&self) -> Option<Interval> {
        let share = self.best as f64 / self.moves as f64;
        (self.moves > 0).then(|| Interval::share(share, self.moves))
    }

    /// What a move lost in the mean, with the interval of its standard error, of which one move tells
    /// nothing; `None` without moves.
    pub fn lost_a_move(&self) -> Option<Interval> {
        let n = self.moves as f64;
        if self.moves == 0 {
            return None;
        }
        let mean = self.lost as f64 / n;
        let variance = (self.squares as f64 / n - mean * mean).max(0.0);
        let half = match self.moves {
            1 => f64::NAN,
            _ => STANDARD_ERRORS * (variance / n).sqrt(),
        };
        let low = if half.is_nan() { half } else { (mean - half).max(0.0) };
        Some(Interval { mean, low, high: mean + half })
    }
}

/// What moves gave away, in all and by phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grade {
    /// All of them.
    pub all: Tally,
    /// Those of each phase that came up.
    pub phases: BTreeMap<Phase, Tally>,
}

impl Grade {
    /// Adds a move that lost so much.
    pub fn add(&mut self, phase: Phase, lost: u64) {
        self.all.add(lost);
        self.phases.entry(phase).or_default().add(lost);
    }

    /// Adds a position for which there was no legal move in time.
    pub fn add_fault(&mut self, phase: Phase) {
        self.all.faults += 1;
        self.phases.entry(phase).or_default().faults += 1;
    }

    /// Positions looked at.
    pub fn positions(&self) -> u64 {
        self.all.moves + self.all.faults
    }
}

/// Why there is no grade.
#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    /// The positions could not be made.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// Nobody said a move.
    #[error("no move at {position}: {why}")]
    NoMove {
        /// Where.
        position: Box<Position>,
        /// Why.
        why: Box<dyn StdError + Send + Sync>,
    },
    /// The move cannot be played.
    #[error("the answer to {position} is {action}, which cannot be played there")]
    Illegal {
        /// Where.
        position: Box<Position>,
        /// What was answered.
        action: Move,
    },
    /// All positions have one legal move.
    #[error(
        "hardly any position of this data set has two moves to choose from: ask for more seeds in houses"
    )]
    NoChoice,
}

/// Of so many positions with one legal move in a row, no more are looked at.
const PATIENCE: u64 = 100_000;

/// Whoever has no legal move in time for so many positions in a row will not have one.
const MOST_FAULTS: u64 = 10;

/// Asks for a move in so many positions of a data set, those with one legal move left out, and says
/// what the answers lost. Where there is no legal move in time that is counted, and where it goes on
/// so it is an error. After each position, somebody says whether to go on.
pub fn grade(
    dataset: &Dataset,
    positions: u64,
    chooser: &mut dyn Chooser,
    go_on: &mut dyn FnMut(&Grade) -> bool,
) -> Result<Grade, GradeError> {
    let (mut grade, mut number, mut idle, mut faults) = (Grade::default(), 0, 0, 0);
    while grade.positions() < positions {
        let sample = dataset.sample(number)?;
        number += 1;
        if sample.moves.len() < 2 {
            idle += 1;
            if idle > PATIENCE {
                return Err(GradeError::NoChoice);
            }
            continue;
        }
        idle = 0;
        let position = sample.position;
        let phase = Phase::of(&position);
        let value = |action: Move| {
            let known = sample.moves.iter().find(|(known, _)| *known == action);
            known.map(|(_, value)| *value)
        };
        let chosen = match chooser.choose(&position, number) {
            Ok(action) => value(action)
                .ok_or_else(|| GradeError::Illegal { position: Box::new(position), action }),
            Err(why) => Err(GradeError::NoMove { position: Box::new(position), why }),
        };
        match chosen {
            Ok(value) => {
                faults = 0;
                grade.add(phase, sample.value.abs_diff(value));
            }
            Err(error) => {
                faults += 1;
                if faults >= MOST_FAULTS {
                    return Err(error);
                }
                grade.add_fault(phase);
            }
        }
        if !go_on(&grade) {
            break;
        }
    }
    Ok(grade)
}

/// What the turns of a game gave away, by the player who started at a side; turns whose value is not
/// known are left out.
pub fn grade_review(play: &Playthrough, review: &Review, player: Side) -> Grade {
    let mut grade = Grade::default();
    for turn in review.turns.iter().filter(|turn| turn.player == player) {
        let before = match turn.ply {
            0 => play.start(),
            ply => &play.plays()[ply - 1].after,
        };
        if let Some(lost) = turn.lost {
            grade.add(Phase::of(before), lost.unsigned_abs());
        }
    }
    grade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_their_means() {
        let mut tally = Tally::default();
        assert_eq!((tally.share(), tally.lost_a_move()), (None, None));
        for lost in [0, 0, 2, 0, 6] {
            tally.add(lost);
        }
        assert_eq!((tally.moves, tally.best, tally.lost, tally.worst), (5, 3, 8, 6));
        let share = tally.share().unwrap();
        assert!((share.mean - 0.6).abs() < 1e-12);
        // Wilson's interval of 3 out of 5, from the formula worked by hand.
        assert!(
            (share.low - 0.2307).abs() < 1e-3 && (share.high - 0.8824).abs() < 1e-3,
            "{share:?}"
        );
        let lost = tally.lost_a_move().unwrap();
        // The mean is 1.6, the variance 5.44, the standard error the root of 5.44 / 5.
        assert!((lost.high - lost.mean - 1.96 * 1.088_f64.sqrt()).abs() < 1e-9);
        let mut perfect = Tally::default();
        (0..1000).for_each(|_| perfect.add(0));
        let share = perfect.share().unwrap();
        assert!(share.mean == 1.0 && share.high == 1.0 && share.low > 0.996);
        assert_eq!(perfect.lost_a_move().unwrap(), Interval { mean: 0.0, low: 0.0, high: 0.0 });
    }
}
