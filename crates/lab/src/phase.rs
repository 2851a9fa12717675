//! How far a game has come.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use sowing_rules::{Game, Position, quoted};

/// A third of a game, by the seeds that still lie in houses.
///
/// The text form is `opening`, `middle` or `end`.
///
/// ```
/// use sowing_lab::Phase;
///
/// let game = "kalah(6,4)".parse()?;
/// assert_eq!(Phase::End.layers(&game), 0..=16);
/// assert_eq!(Phase::of(&sowing_rules::Position::start(game)), Phase::Opening);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// More than two thirds of all seeds lie in houses.
    Opening,
    /// More than one third, and not more than two.
    Middle,
    /// A third or less.
    End,
}

impl Phase {
    /// Every phase, as they come.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::End];

    /// The phase that a position is in.
    pub fn of(position: &Position) -> Phase {
        let (layer, total) = (position.layer(), position.total());
        if 3 * layer > 2 * total {
            Phase::Opening
        } else if 3 * layer > total {
            Phase::Middle
        } else {
            Phase::End
        }
    }

    /// The layers of a game that belong to it.
    pub fn layers(self, game: &Game) -> RangeInclusive<u64> {
        let total = game.total();
        match self {
            Phase::Opening => 2 * total / 3 + 1..=total,
            Phase::Middle => total / 3 + 1..=2 * total / 3,
            Phase::End => 0..=total / 3,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Opening => "opening",
            Phase::Middle => "middle",
            Phase::End => "end",
        })
    }
}

/// Why a text is not a phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown phase {what}: the phases are opening, middle and end", what = quoted(.0))]
pub struct ParsePhaseError(String);

impl FromStr for Phase {
    type Err = ParsePhaseError;

    fn from_str(text: &str) -> Result<Phase, ParsePhaseError> {
        let name = text.trim();
        let phase = Phase::ALL.into_iter().find(|phase| phase.to_string() == name);
        phase.ok_or_else(|| ParsePhaseError(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_meet() {
        for game in ["kalah(6,4)", "kalah(1,1)", "kalah(5,5)", "kalah(2,2)"] {
            let game: Game = game.parse().unwrap();
            for layer in 2..=game.total() {
                let rest = game.total() - layer;
                let row = |seeds: u64| {
                    let mut row = vec![0; game.houses().into()];
                    row[0] = seeds;
                    row
                };
                let board = sowing_rules::WideBoard::new(&row(layer - 1), rest, &row(1), 0);
                let position = Position::new(game, &board.into()).unwrap();
                let phase = Phase::of(&position);
                let within = Phase::ALL.map(|phase| phase.layers(&game).contains(&layer));
                assert_eq!(within.iter().filter(|within| **within).count(), 1);
                assert!(phase.layers(&game).contains(&layer), "{game} {layer}");
            }
        }
        for phase in Phase::ALL {
            assert_eq!(phase.to_string().parse(), Ok(phase));
        }
        assert!("late".parse::<Phase>().is_err());
    }
}
